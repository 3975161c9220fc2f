#!/bin/sh
# Tests the package as its users get it: test.sh [--build] OUT
#
# The script makes an sdist, builds a wheel from it, and installs the wheel into an empty environment without network access, where the examples
# of the README and all tests run. With --build it stops after building the wheel. OUT/../c must contain the compiled C library, so that the module
# is not compiled again. PYTHON is the interpreter; it needs setuptools, wheel, venv and pytest (Debian: python3-setuptools python3-wheel
# python3-venv python3-pytest).
set -eu

build=
if [ "$1" = --build ]; then
	build=yes
	shift
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${PYTHON:-/usr/bin/python3}
CTXFOLD_LIB=${CTXFOLD_LIB:-$out/../c}
export CTXFOLD_LIB PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

rm -rf "$out/sdist" "$out/wheel" "$out/venv"
mkdir -p "$out/sdist" "$out/wheel"
cd "$here"
CTXFOLD_C=$CTXFOLD_LIB/module "$python" -c "
import sys, setuptools.build_meta as build
build.build_sdist(sys.argv[1])" "$out/sdist" > "$out/sdist.log" 2>&1 || { cat "$out/sdist.log" >&2; exit 1; }
cd "$out"
"$python" -m pip wheel --quiet --no-index --no-build-isolation --no-deps --wheel-dir "$out/wheel" "$out"/sdist/ctxfold-*.tar.gz
ls -l "$out"/sdist/*.tar.gz "$out"/wheel/*.whl | awk '{ print $NF ": " $5 " bytes" }'
[ -z "$build" ] || exit 0
"$python" -m venv "$out/venv"
"$out/venv/bin/pip" install --quiet --no-index "$out"/wheel/ctxfold-*-abi3-*.whl
"$out/venv/bin/python" -I "$here/tests/readme.py"

installed=$(echo "$out"/venv/lib/python3*/site-packages)
PYTHONPATH=$installed "$python" -m pytest -q -p no:cacheprovider --basetemp="$out/pytest" "$here/tests"
if command -v mypy > /dev/null; then
	cd "$here/src" && mypy --strict --cache-dir="$out/mypy" -p ctxfold
	cd "$here/tests" && MYPYPATH=$here/src mypy --strict --cache-dir="$out/mypy" typed.py
elif [ "${CI:-}" = true ]; then
	echo 'test.sh: mypy is missing, and in CI nothing is left out' >&2; exit 1
fi
