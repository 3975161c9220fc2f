//! Connects the library to the program's summarizer.

use std::any::Any;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use crate::ffi;

/// A request for the model.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What to summarize: docs/reference/abi.md, "plan and step".
    pub scope: String,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// The maximum length of the summary, in tokens.
    pub max_output_tokens: u64,
    /// The estimated tokens of `system` and `prompt`.
    pub input_tokens: u64,
    /// The whole request, as JSON.
    pub json: String,
    /// What to send for a request that is appended to the conversation, as JSON; empty for others.
    pub sent: String,
}

/// The model's answer.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Plain text.
    pub text: String,
    /// The finish reason, such as `stop` or `length`, if there is one.
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

/// A summarizer, and what must outlive its calls. Panics must not pass through C: they yield no summary, and the report
/// says why.
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
        // A C string ends at its first zero.
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

/// The message of a panic; a C string ends at its first zero.
fn text_of(panic: &(dyn Any + Send)) -> CString {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    CString::new(text.unwrap_or("the summarizer panicked").replace('\0', "")).unwrap_or_default()
}
