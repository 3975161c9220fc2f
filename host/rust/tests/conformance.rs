//! Runs the vectors in CTXFOLD_CONFORMANCE, or those in the repository. Each request must return exactly the bytes of the answer in the
//! file.

use std::{env, fs, path::PathBuf};

use ctxfold::{json, Ctxfold, Error};

#[test]
fn vectors() {
    let folder = env::var_os("CTXFOLD_CONFORMANCE").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/vectors"), PathBuf::from);
    let mut c = Ctxfold::new().expect("it starts");
    let mut run = 0;
    for entry in fs::read_dir(folder).expect("the vectors are there") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        for (_, vector) in json::values(&text) {
            let text = |key| json::member(vector, key).and_then(json::string);
            if json::member(vector, "full").is_some() {
                continue; // its answer differs in the usual, smaller module
            }
            let request = match text("request") {
                Some(request) => request.into_bytes(),
                None => base64(&text("request_base64").expect("a request")),
            };
            let want = text("answer").expect("an answer");
            let got = c.call(&text("op").expect("an operation"), request);
            let name = format!("{}: {}", path.display(), text("name").unwrap_or_default());
            match got {
                Ok(answer) => assert_eq!(answer.json(), want, "{name}"),
                Err(Error::Refused(r)) => {
                    let error = json::member(&want, "error").unwrap_or_else(|| panic!("{name}: {r:?}"));
                    let part = |key| json::member(error, key).and_then(json::string).unwrap_or_default();
                    let offset = json::member(error, "offset").and_then(|n| n.parse().ok()).unwrap_or(0);
                    assert_eq!((r.code, r.message, r.path, r.offset), (part("code"), part("message"), part("path"), offset), "{name}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
            run += 1;
        }
    }
    assert!(run > 0, "there is no vector");
}

fn base64(text: &str) -> Vec<u8> {
    let letter = |b| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".iter().position(|l| *l == b);
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for value in text.bytes().map_while(letter) {
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
