"""Builds the extension: a small file that uses Python's C API, compiled together with the C library.

The library's sources are in ../c of a checkout and in c/ of an sdist. An sdist contains the module already translated to C; in a checkout
wasm2c translates it (host/c/generate.sh). CTXFOLD_LIB may name a folder with a libctxfold.a to use instead, such as build/c, and CTXFOLD_C
a folder with the translated module, such as build/c/module.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

WINDOWS = os.name == "nt"
HERE = Path(__file__).resolve().parent
SHIPPED = HERE / "c"
LIBRARY = SHIPPED if SHIPPED.is_dir() else HERE.parent / "c"
MODULE = HERE.parent / "module" / "ctxfold.wasm"


def translated(folder: Path) -> Path:
    """Returns the folder that contains the module translated to C. In an sdist this folder is
    included. Otherwise it is ``folder`` or the one that CTXFOLD_C names; it is filled by wasm2c
    unless its files are newer than the module."""
    if (SHIPPED / "module").is_dir():
        return SHIPPED / "module"
    folder = Path(os.environ.get("CTXFOLD_C", folder))
    made = folder / "operations.inc"
    if not made.exists() or made.stat().st_mtime < MODULE.stat().st_mtime:
        subprocess.run([str(LIBRARY / "generate.sh"), str(MODULE), str(folder)], check=True)
    return folder


class Build(build_ext):
    """Compiles the parts of the module in parallel, each only once."""

    def get_libraries(self, ext):
        if not WINDOWS:
            return super().get_libraries(ext)
        # With GCC, setuptools would link the library of one version of Python, and a runtime that GCC doesn't have.
        self.compiler.dll_libraries = []
        return [*ext.libraries, "python3"]

    def build_extension(self, ext):
        ext.include_dirs.append(str(LIBRARY))
        compiled = os.environ.get("CTXFOLD_LIB")
        if compiled:
            ext.extra_objects.append(os.path.join(os.path.abspath(compiled), "libctxfold.a"))
        else:
            ext.extra_objects.extend(self.library())
        super().build_extension(ext)

    def library(self):
        folder = Path(self.build_temp).resolve() / "library"
        folder.mkdir(parents=True, exist_ok=True)
        module = translated(folder / "module")
        common = ["-std=gnu11", "-fPIC", "-fvisibility=hidden", f"-I{LIBRARY}", f"-I{module}"]
        parts = [(part, ["-O1", "-w"]) for part in sorted(glob(str(module / "module-*.c")))]
        own = [(part, ["-O2"]) for part in sorted(glob(str(LIBRARY / "*.c")))]
        compiler = self.compiler.compiler_so[0] if hasattr(self.compiler, "compiler_so") else "cc"

        def compiled(each):
            source, flags = each
            made = folder / (Path(source).stem + ".o")
            if not made.exists() or made.stat().st_mtime < os.path.getmtime(source):
                subprocess.run([compiler, *common, *flags, "-c", source, "-o", str(made)], check=True)
            return str(made)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compiled, [*parts, *own]))


class Source(sdist):
    """Makes an sdist that can be built with only a C compiler, because it includes the C library and the module as C."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        target = Path(base_dir) / "c"
        target.mkdir()
        for source in [*LIBRARY.glob("*.c"), *LIBRARY.glob("*.h")]:
            shutil.copy(source, target)
        shutil.copytree(translated(Path("build").resolve() / "module"), target / "module")


# A package includes the license and the notices for embedded code. In a checkout they are in the root of the repository.
for text in ("LICENSE", "NOTICE"):
    if not SHIPPED.is_dir():
        shutil.copy(HERE.parent.parent / text, HERE)

setup(
    ext_modules=[
        Extension(
            "ctxfold._core",
            ["src/ctxfold/_core.c"],
            py_limited_api=True,
            libraries=[] if WINDOWS else ["m"],
            extra_compile_args=["-std=gnu11"],
            # Only the extension uses the library's functions. On Windows nobody has the DLLs of GCC.
            extra_link_args=["-static"] if WINDOWS else ["-Wl,--exclude-libs,ALL"] if sys.platform.startswith("linux") else [],
        )
    ],
    cmdclass={"build_ext": Build, "sdist": Source},
    options={
        "bdist_wheel": {"py_limited_api": "cp39"},
        "build_ext": {"compiler": "mingw32"} if WINDOWS else {},  # the C needs GCC or Clang
    },
)
