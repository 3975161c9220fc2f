//! Compacts a transcript: example WINDOW < transcript.json > shorter.json
//!
//! It links the shared library of examples/c and runs the loop of docs/ABI.md: plan, the model, step.

use std::ffi::{c_void, CString};
use std::io::{Read, Write};
use std::os::raw::c_char;
use std::slice;

extern "C" {
    fn ctxfold_new() -> *mut c_void;
    fn ctxfold_delete(c: *mut c_void);
    fn ctxfold_call(c: *mut c_void, op: *const c_char, request: *const c_char, len: usize, answer_len: *mut usize) -> *mut c_char;
    fn ctxfold_member(json: *const c_char, len: usize, key: *const c_char, value_len: *mut usize) -> *const c_char;
    fn ctxfold_element(json: *const c_char, len: usize, index: usize, value_len: *mut usize) -> *const c_char;
    fn free(p: *mut c_void);
}

/// One instance of the module. It is not for two threads at a time.
struct Compactor(*mut c_void);

impl Compactor {
    fn new() -> Option<Self> {
        let c = unsafe { ctxfold_new() };
        (!c.is_null()).then_some(Compactor(c))
    }

    /// Runs an operation. The error is the JSON of docs/ABI.md section 5, or empty where the module did not answer.
    fn call(&mut self, op: &str, request: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
        let name = CString::new(op).expect("names of operations have no zero");
        let mut len = 0;
        let answer = unsafe {
            let p = ctxfold_call(self.0, name.as_ptr(), request.as_ptr().cast(), request.len(), &mut len);
            if p.is_null() {
                return Err(Vec::new());
            }
            let copy = slice::from_raw_parts(p.cast::<u8>(), len).to_vec();
            free(p.cast());
            copy
        };
        if answer.starts_with(b"{\"error\":") {
            return Err(answer);
        }
        Ok(answer)
    }

    /// Compacts messages. summarize gets the JSON of a request; without a summary, ctxfold writes a digest.
    fn compact(&mut self, messages: &[u8], policy: &[u8], summarize: impl Fn(&[u8]) -> Option<String>) -> Result<Vec<u8>, Vec<u8>> {
        let mut answer = self.call("plan", &[b"{\"policy\":", policy, b",\"messages\":", messages, b"}"].concat())?;
        loop {
            let requests = member(&answer, "requests").unwrap_or(b"[]");
            let mut summaries = Vec::new();
            while let Some(request) = element(requests, summaries.len()) {
                let id = member(request, "id").expect("every request has an id");
                let (key, text) = match summarize(request) {
                    Some(text) => ("text", text),
                    None => ("error", "there is no summary".into()),
                };
                summaries.push([b"{\"id\":", id, b",\"", key.as_bytes(), b"\":", quote(&text).as_bytes(), b"}"].concat());
            }
            if summaries.is_empty() {
                return Ok(answer);
            }
            let plan = member(&answer, "plan").expect("who asks has a plan");
            let request = [b"{\"plan\":", plan, b",\"summaries\":[", &summaries.join(&b","[..]), b"],\"messages\":", messages, b"}"].concat();
            answer = self.call("step", &request)?;
        }
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        unsafe { ctxfold_delete(self.0) }
    }
}

/// The value of a key of an object, as it stands in the answer.
fn member<'a>(json: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let key = CString::new(key).ok()?;
    let mut len = 0;
    unsafe {
        let at = ctxfold_member(json.as_ptr().cast(), json.len(), key.as_ptr(), &mut len);
        (!at.is_null()).then(|| slice::from_raw_parts(at.cast(), len))
    }
}

fn element(json: &[u8], index: usize) -> Option<&[u8]> {
    let mut len = 0;
    unsafe {
        let at = ctxfold_element(json.as_ptr().cast(), json.len(), index, &mut len);
        (!at.is_null()).then(|| slice::from_raw_parts(at.cast(), len))
    }
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let window: u32 = std::env::args().nth(1).ok_or("usage: example WINDOW < transcript.json > shorter.json")?.parse()?;
    let mut messages = Vec::new();
    std::io::stdin().read_to_end(&mut messages)?;
    let mut compactor = Compactor::new().ok_or("the module cannot be started")?;
    let policy = format!("{{\"window\":{{\"tokens\":{window}}}}}");
    // A program would ask its model here, with the request's system and prompt.
    let summarize = |_: &[u8]| Some("## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done.".to_string());
    match compactor.compact(&messages, policy.as_bytes(), summarize) {
        Ok(answer) => {
            std::io::stdout().write_all(member(&answer, "messages").expect("a compaction that is done has messages"))?;
            let tokens = member(&answer, "report").and_then(|report| member(report, "tokens")).unwrap_or(b"");
            eprintln!("{}", String::from_utf8_lossy(tokens));
            Ok(())
        }
        Err(error) => Err(String::from_utf8_lossy(&error).into_owned().into()),
    }
}
