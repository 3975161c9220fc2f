//! The way from the library to the program's summarizer and back.

use std::any::Any;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use crate::ffi;

/// What the model is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What should be summarized: docs/reference/abi.md, "plan and step".
    pub scope: String,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// The most tokens that the summary may have.
    pub max_output_tokens: u64,
    /// An estimate of `system` and `prompt`.
    pub input_tokens: u64,
    /// All of the request, as JSON.
    pub json: String,
    /// What to send for a request that is appended to the conversation, as JSON; empty for others.
    pub sent: String,
}

/// What the model has written.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Plain text.
    pub text: String,
    /// What the model ended with, such as `stop` or `length`, if it said so.
    pub finish_reason: Option<String>,
}

impl From<String> for Summary {
    fn from(text: String) -> Summary {
        Summary { text, finish_reason: None }
    }
}

impl From<&str> for Summary {
    fn from(text: &str) -> Summary {
        Summary::from(text.to_owned())
    }
}

/// A summarizer, and what has to outlive its calls. No panic crosses C: there is no summary then, and the report says why.
pub(crate) struct Asking<F> {
    summarize: F,
    reason: CString,
    error: CString,
}

impl<F: FnMut(&Ask) -> Option<Summary>> Asking<F> {
    pub(crate) fn new(summarize: F) -> Self {
        Asking { summarize, reason: CString::default(), error: CString::default() }
    }

    pub(crate) fn callback(&mut self) -> (ffi::Summarizer, *mut c_void) {
        (trampoline::<F>, (self as *mut Self).cast())
    }

    unsafe fn ask(&mut self, raw: *mut ffi::Ask) -> *mut c_char {
        let text = |t: ffi::Text| String::from_utf8_lossy(t.bytes()).into_owned();
        let ask = Ask {
            scope: CStr::from_ptr((*raw).scope).to_string_lossy().into_owned(),
            system: text((*raw).system),
            prompt: text((*raw).prompt),
            max_output_tokens: (*raw).max_output_tokens,
            input_tokens: (*raw).input_tokens,
            json: text((*raw).json),
            sent: text((*raw).sent),
        };
        let summary = match (self.summarize)(&ask) {
            Some(summary) => summary,
            None => return ptr::null_mut(),
        };
        if let Some(reason) = summary.finish_reason.and_then(|r| CString::new(r).ok()) {
            self.reason = reason;
            (*raw).finish_reason = self.reason.as_ptr();
        }
        // A text of C ends at its first zero.
        let bytes: Vec<u8> = summary.text.into_bytes().into_iter().filter(|b| *b != 0).chain([0]).collect();
        let copy = ffi::malloc(bytes.len()).cast::<u8>();
        if !copy.is_null() {
            ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
        }
        copy.cast()
    }
}

unsafe extern "C" fn trampoline<F: FnMut(&Ask) -> Option<Summary>>(user: *mut c_void, raw: *mut ffi::Ask) -> *mut c_char {
    let asking = &mut *user.cast::<Asking<F>>();
    match catch_unwind(AssertUnwindSafe(|| asking.ask(raw))) {
        Ok(summary) => summary,
        Err(panic) => {
            asking.error = text_of(panic.as_ref());
            (*raw).error = asking.error.as_ptr();
            ptr::null_mut()
        }
    }
}

/// What a panic says; a text of C ends at its first zero.
fn text_of(panic: &(dyn Any + Send)) -> CString {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    CString::new(text.unwrap_or("the summarizer panicked").replace('\0', "")).unwrap_or_default()
}
