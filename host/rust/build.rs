//! Compiles the library of host/c. Neither the crate nor this script has dependencies.
//!
//! `CTXFOLD_LIB` names a folder with a `libctxfold.a` to link; then nothing is compiled. `CC` and `AR` name the tools.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// The library's own files. All others are parts of the translated module.
const OWN: [&str; 5] = ["ctxfold.c", "json.c", "loop.c", "records.c", "wasm-rt.c"];

fn main() {
    println!("cargo:rerun-if-env-changed=CTXFOLD_LIB");
    println!("cargo:rerun-if-env-changed=CC");
    println!("cargo:rerun-if-env-changed=AR");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder"));
    let library = match env::var_os("CTXFOLD_LIB") {
        Some(folder) => {
            println!("cargo:rerun-if-changed={}", Path::new(&folder).join("libctxfold.a").display());
            PathBuf::from(folder)
        }
        None => compile(&out),
    };
    println!("cargo:rustc-link-search=native={}", library.display());
    println!("cargo:rustc-link-lib=static=ctxfold");
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("unix") {
        println!("cargo:rustc-link-lib=m");
    }
}

/// Compiles all files into `out`, as many in parallel as cargo allows.
fn compile(out: &Path) -> PathBuf {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate"));
    let packed = root.join("csrc");
    let (library, module) = if packed.exists() {
        (packed.clone(), packed.join("module"))
    } else {
        let library = root.join("../c");
        let module = out.join("module");
        run(Command::new(library.join("generate.sh")).arg(root.join("../module/ctxfold.wasm")).arg(&module));
        (library, module)
    };
    println!("cargo:rerun-if-changed={}", library.display());
    let mut files: Vec<PathBuf> = OWN.iter().map(|name| library.join(name)).collect();
    for entry in fs::read_dir(&module).expect("the translated module is there") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().map_or(false, |e| e == "c") {
            files.push(path);
        }
    }
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let objects: Vec<PathBuf> = files.iter().map(|f| out.join(f.file_name().expect("it is a file")).with_extension("o")).collect();
    let next = AtomicUsize::new(0);
    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    thread::scope(|s| {
        for _ in 0..jobs {
            s.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= files.len() {
                    return;
                }
                let level = if i < OWN.len() { "-O2" } else { "-O1" };
                run(Command::new(&compiler)
                    .args(["-std=gnu11", "-fPIC", "-fvisibility=hidden", "-w", level, "-c", "-I"])
                    .arg(&library)
                    .arg("-I")
                    .arg(&module)
                    .arg(&files[i])
                    .arg("-o")
                    .arg(&objects[i]));
            });
        }
    });
    run(Command::new(env::var_os("AR").unwrap_or_else(|| "ar".into())).arg("rcs").arg(out.join("libctxfold.a")).args(&objects));
    out.to_path_buf()
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{:?}: {}", command, status),
        Err(error) => panic!("{:?}: {}", command, error),
    }
}
