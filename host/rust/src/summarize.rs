//! Connects the library to the program's summarizer.

use std::any::Any;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::time::Duration;

use crate::ffi;

/// A request for the model.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The part of the conversation to summarize: docs/reference/abi.md, "plan and step".
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
    /// For a request that extends the conversation: what to send, as JSON. Empty for other requests.
    pub sent: String,
}

/// A model's summary.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The summary as plain text.
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

/// A provider's response to a request that failed.
#[derive(Clone, Debug, Default)]
pub struct ErrorResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body of the response.
    pub body: String,
    /// The value of the header `Retry-After`, if there is one.
    pub retry_after: Option<String>,
    /// The value of the header `Retry-After-Ms`, if there is one.
    pub retry_after_ms: Option<String>,
    /// The value of the header `X-Should-Retry`, if there is one.
    pub should_retry: Option<String>,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// The model's summary.
    Summary(Summary),
    /// The result of a provider's own compaction, as a JSON array of messages, for a request with `provider`.
    Messages(String),
    /// The provider is overloaded. The request is made again after this time, or after a default delay if it is zero.
    Busy(Duration),
    /// The provider has responded with an error. The module decides whether and when the request is made again.
    Refused(ErrorResponse),
    /// There is no summary; the text is the reason.
    Failed(String),
}

impl<S: Into<Summary>> From<S> for Reply {
    fn from(summary: S) -> Reply {
        Reply::Summary(summary.into())
    }
}

impl Reply {
    pub(crate) fn of(summary: Option<Summary>) -> Reply {
        summary.map_or(Reply::Failed(String::new()), Reply::Summary)
    }
}

/// A summarizer and the data that must outlive its calls. Panics must not pass through C: they are reported as the
/// reason for a missing summary.
pub(crate) struct Asking<F> {
    summarize: F,
    reason: CString,
    error: CString,
    headers: [Option<CString>; 3],
}

impl<F: FnMut(&Ask) -> Reply> Asking<F> {
    pub(crate) fn new(summarize: F) -> Self {
        Asking { summarize, reason: CString::default(), error: CString::default(), headers: [None, None, None] }
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
        match (self.summarize)(&ask) {
            Reply::Summary(summary) => {
                if let Some(reason) = summary.finish_reason.and_then(|r| CString::new(r).ok()) {
                    self.reason = reason;
                    (*raw).finish_reason = self.reason.as_ptr();
                }
                copied(summary.text)
            }
            Reply::Messages(json) => {
                (*raw).gives_messages = true;
                copied(json)
            }
            Reply::Busy(after) => {
                (*raw).busy = true;
                (*raw).after = after.as_millis().try_into().unwrap_or(u64::MAX);
                ptr::null_mut()
            }
            Reply::Refused(response) => {
                (*raw).status = response.status.into();
                let headers = [response.retry_after, response.retry_after_ms, response.should_retry];
                self.headers = headers.map(|value| value.map(without_zeros));
                let [after, after_ms, should_retry] = &self.headers;
                let text = |value: &Option<CString>| value.as_ref().map_or(ptr::null(), |value| value.as_ptr());
                (*raw).retry_after = text(after);
                (*raw).retry_after_ms = text(after_ms);
                (*raw).should_retry = text(should_retry);
                self.failed(raw, response.body)
            }
            Reply::Failed(why) => self.failed(raw, why),
        }
    }

    unsafe fn failed(&mut self, raw: *mut ffi::Ask, why: String) -> *mut c_char {
        self.error = without_zeros(why);
        (*raw).error = self.error.as_ptr();
        ptr::null_mut()
    }

    /// # Safety
    /// `raw` must be valid.
    pub(crate) unsafe fn answer(&mut self, raw: *mut ffi::Ask) -> *mut c_char {
        catch_unwind(AssertUnwindSafe(|| self.ask(raw))).unwrap_or_else(|panic| self.failed(raw, text_of(panic.as_ref())))
    }
}

unsafe extern "C" fn trampoline<F: FnMut(&Ask) -> Reply>(user: *mut c_void, raw: *mut ffi::Ask) -> *mut c_char {
    (*user.cast::<Asking<F>>()).answer(raw)
}

fn without_zeros(text: String) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Copies text for C, which frees it. Zeros are removed, because the first one would end the C string.
pub(crate) fn copied(text: String) -> *mut c_char {
    let text = without_zeros(text);
    let bytes = text.as_bytes_with_nul();
    unsafe {
        let copy = ffi::malloc(bytes.len()).cast::<u8>();
        if !copy.is_null() {
            ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
        }
        copy.cast()
    }
}

/// Returns the message of a panic, or a general one if the panic has none.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the program panicked").to_owned()
}
