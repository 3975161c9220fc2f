#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod ffi;
mod host;
pub mod json;
mod summarize;

use std::ffi::{CStr, CString};
use std::fmt;
use std::ops::Range;
use std::os::raw::{c_char, c_int};
use std::ptr::{self, NonNull};

pub use host::{Effects, Fitted, Host};
use summarize::Asking;
pub use summarize::{Ask, ErrorResponse, Reply, Summary};

/// An instance of the module with its own memory. It serves one call at a time and may move between threads; make
/// several for several threads.
pub struct Ctxfold(NonNull<ffi::Instance>);

// An instance is not bound to a thread, and `&mut self` serializes calls.
unsafe impl Send for Ctxfold {}

/// The memory of an instance, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The maximum size.
    pub limit: u64,
    /// The current size.
    pub current: u64,
    /// The largest size so far.
    pub peak: u64,
}

/// The texts of a request. Empty ones are omitted. All are JSON except `to` and `text`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The policy: docs/reference/policy.md.
    pub policy: &'a str,
    /// Options of this call: docs/reference/abi.md.
    pub options: &'a str,
    /// The state that the last compaction of this conversation returned.
    pub state: &'a str,
    /// The plan to continue, for [`Ctxfold::step`].
    pub plan: &'a str,
    /// The answers to the plan's requests, for [`Ctxfold::step`].
    pub summaries: &'a str,
    /// The transcript: an array of messages, or a request body that contains one.
    pub messages: &'a str,
    /// A plain text to work on, instead of messages.
    pub text: &'a str,
    /// The target wire format of [`Ctxfold::convert`].
    pub to: &'a str,
}

/// An answer of the module.
#[derive(Clone, Debug)]
pub struct Answer {
    json: String,
    messages: Range<usize>,
    edits: Range<usize>,
    report: Range<usize>,
    state: Range<usize>,
}

impl Answer {
    /// Returns the whole answer as JSON.
    pub fn json(&self) -> &str {
        &self.json
    }
    /// Returns the messages to send, in the form of the input; empty if the answer has none.
    pub fn messages(&self) -> &str {
        &self.json[self.messages.clone()]
    }
    /// Returns the edits, if the option `"answer":"edits"` was set.
    pub fn edits(&self) -> &str {
        &self.json[self.edits.clone()]
    }
    /// Returns the report (docs/reference/report.md) as JSON; empty if the answer has none.
    pub fn report(&self) -> &str {
        &self.json[self.report.clone()]
    }
    /// Returns the state to pass to the next [`Ctxfold::compact`] of this conversation.
    pub fn state(&self) -> &str {
        &self.json[self.state.clone()]
    }
    /// Returns any other member, as JSON; `None` if the answer has no such member.
    pub fn member(&self, key: &str) -> Option<&str> {
        json::member(&self.json, key)
    }
}

/// The error of a failed call. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The module rejected the request; see docs/reference/errors.md for the codes.
    Refused(Refusal),
    /// The module trapped during the call. The instance has been replaced: the next call works, but open sessions are lost.
    Trap(String),
    /// The call needs more memory than the instance may use, or than is available. The instance has been replaced, as after a trap.
    MemoryLimit(String),
    /// Memory outside the module could not be allocated.
    NoMemory,
}

/// Why a request was rejected, and where. `path` and `offset` (in bytes) locate the error in the text that `within` names, such as `policy`
/// or `messages`, or in the whole request if `within` is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A code from docs/reference/errors.md, whose meaning never changes.
    pub code: String,
    /// A message for people.
    pub message: String,
    /// A JSON path such as `messages[3].content`.
    pub path: String,
    /// The name of the text in the request.
    pub within: String,
    /// The offset in bytes from the start of that text.
    pub offset: usize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(r) => write!(f, "{}: {} (at {}, byte {} of {})", r.code, r.message, r.path, r.offset, r.within),
            Error::Trap(message) => write!(f, "trap: {message}"),
            Error::MemoryLimit(message) => write!(f, "memory_limit: {message}"),
            Error::NoMemory => f.write_str("no_memory: there is no memory"),
        }
    }
}

impl std::error::Error for Error {}

/// The compactions that [`Ctxfold::fit`] remembers for one conversation or one owner: the newest 64. Several threads may share them.
pub struct Records(NonNull<ffi::Records>);

// The library locks the records.
unsafe impl Send for Records {}
unsafe impl Sync for Records {}

impl Records {
    /// Returns empty records.
    pub fn new() -> Result<Records, Error> {
        NonNull::new(unsafe { ffi::ctxfold_records_new() }).map(Records).ok_or(Error::NoMemory)
    }

    /// Returns the records as JSON, to be stored.
    pub fn to_json(&self) -> Result<String, Error> {
        let mut length = 0;
        unsafe {
            let text = ffi::ctxfold_records_save(self.0.as_ptr(), &mut length);
            if text.is_null() {
                return Err(Error::NoMemory);
            }
            let copy = String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), length)).into_owned();
            ffi::ctxfold_free(text.cast());
            Ok(copy)
        }
    }

    /// Reads records that [`Records::to_json`] returned. Returns `None` if the text is anything else.
    pub fn from_json(json: &str) -> Option<Records> {
        let records = Records::new().ok()?;
        unsafe { ffi::ctxfold_records_load(records.0.as_ptr(), json.as_ptr().cast(), json.len()) }.then_some(records)
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        unsafe { ffi::ctxfold_records_delete(self.0.as_ptr()) }
    }
}

impl Ctxfold {
    /// Starts an instance with a memory limit of 4 GiB, the maximum of WebAssembly. Fails with [`Error::NoMemory`] if there is too little
    /// memory to start.
    pub fn new() -> Result<Ctxfold, Error> {
        Ctxfold::with_memory_limit(0)
    }

    /// Starts an instance with a memory limit in bytes, which is rounded down to pages of 64 KiB; 0 means 4 GiB. A call takes about three
    /// times the bytes of its request, and 16 MiB is enough to start. Fails with
    /// [`Error::NoMemory`] if the limit is too small to start, or if there is not enough memory.
    pub fn with_memory_limit(bytes: u64) -> Result<Ctxfold, Error> {
        let options = ffi::Options { memory_limit: bytes };
        NonNull::new(unsafe { ffi::ctxfold_new(&options) }).map(Ctxfold).ok_or(Error::NoMemory)
    }

    /// Returns the memory sizes of the instance.
    pub fn memory(&self) -> Memory {
        let m = unsafe { ffi::ctxfold_memory_of(self.0.as_ptr()) };
        Memory { limit: m.limit, current: m.current, peak: m.peak }
    }

    /// Runs an operation of docs/reference/abi.md on a JSON request.
    pub fn call(&mut self, operation: &str, request: impl AsRef<[u8]>) -> Result<Answer, Error> {
        let request = request.as_ref();
        let name = CString::new(operation).unwrap_or_default();
        answered(|a| unsafe { ffi::ctxfold_call(self.0.as_ptr(), name.as_ptr(), request.as_ptr().cast(), request.len(), a) })
    }

    fn run(&mut self, operation: ffi::Operation, request: &Request<'_>) -> Result<Answer, Error> {
        let plain = plain(request);
        answered(|a| unsafe { operation(self.0.as_ptr(), &plain, a) })
    }

    /// Returns the wire formats that the messages may be in, the most likely first.
    pub fn detect(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_detect, request)
    }
    /// Estimates the tokens of the messages, in total and for each, or of the text.
    pub fn estimate(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_estimate, request)
    }
    /// Reports whether a compaction is due, and why.
    pub fn check(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_check, request)
    }
    /// Begins a compaction, for programs that call their model themselves. Unless the compaction is already finished, the answer has the
    /// plan and the requests to the model; pass the plan and the model's answers to [`Ctxfold::step`]. See docs/start/languages.md.
    pub fn plan(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_plan, request)
    }
    /// Continues a plan with the answers to its requests. The messages are those of the plan; newer ones may follow.
    pub fn step(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_step, request)
    }
    /// Lists the places where the messages break the rules of their wire format.
    pub fn validate(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_validate, request)
    }
    /// Repairs the places where the messages break the rules of their wire format.
    pub fn repair(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_repair, request)
    }
    /// Converts the messages to the wire format `to`, and lists the content that is lost.
    pub fn convert(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        self.run(ffi::ctxfold_convert, request)
    }

    /// Returns what to send for a whole history, which the program keeps and passes again each turn. The result of an earlier call replaces
    /// the beginning that it compacted, and a new compaction is made when one is due. The summarizer is called only then. If it returns
    /// `None`, the module writes a digest instead, and tries the summarizer again in a later call. If it panics, the same happens, and
    /// `summary.error` in the report contains the panic's message.
    pub fn fit(
        &mut self,
        records: &Records,
        request: &Request<'_>,
        mut summarize: impl FnMut(&Ask) -> Option<Summary>,
    ) -> Result<Answer, Error> {
        let (plain, mut asking) = (plain(request), Asking::new(|ask: &Ask| Reply::of(summarize(ask))));
        let (run, user) = asking.callback();
        answered(|a| unsafe { ffi::ctxfold_fit(self.0.as_ptr(), records.0.as_ptr(), &plain, Some(run), user, a) })
    }

    /// Like [`Ctxfold::fit`], but without a model: the module writes the digests.
    pub fn fit_local(&mut self, records: &Records, request: &Request<'_>) -> Result<Answer, Error> {
        let plain = plain(request);
        answered(|a| unsafe { ffi::ctxfold_fit(self.0.as_ptr(), records.0.as_ptr(), &plain, None, ptr::null_mut(), a) })
    }

    /// Compacts messages if compaction is due, for programs that continue with the result and store [`Answer::state`].
    pub fn compact(&mut self, request: &Request<'_>, mut summarize: impl FnMut(&Ask) -> Option<Summary>) -> Result<Answer, Error> {
        let (plain, mut asking) = (plain(request), Asking::new(|ask: &Ask| Reply::of(summarize(ask))));
        let (run, user) = asking.callback();
        answered(|a| unsafe { ffi::ctxfold_compact(self.0.as_ptr(), &plain, Some(run), user, a) })
    }

    /// Like [`Ctxfold::compact`], but without a model.
    pub fn compact_local(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        let plain = plain(request);
        answered(|a| unsafe { ffi::ctxfold_compact(self.0.as_ptr(), &plain, None, ptr::null_mut(), a) })
    }
}

impl Drop for Ctxfold {
    fn drop(&mut self) {
        unsafe { ffi::ctxfold_delete(self.0.as_ptr()) }
    }
}

fn plain(r: &Request<'_>) -> ffi::Request {
    let set = |s: &str| if s.is_empty() { ffi::Text::NONE } else { ffi::Text::of(s.as_bytes()) };
    let none = ffi::Text::NONE;
    ffi::Request {
        policy: set(r.policy),
        options: set(r.options),
        state: set(r.state),
        plan: set(r.plan),
        summaries: set(r.summaries),
        messages: set(r.messages),
        text: set(r.text),
        to: set(r.to),
        memory: none,
        arguments: none,
        bodies: none,
        found: none,
        roles: none,
        name: none,
        file: none,
        time: none,
        query: none,
        after: none,
        before: none,
        body: none,
        session: 0,
        tokens: 0,
        limit: 0,
    }
}

/// Makes a call, copies the answer, and frees the original.
fn answered(call: impl FnOnce(*mut ffi::Answer) -> c_int) -> Result<Answer, Error> {
    let mut raw: ffi::Answer = unsafe { std::mem::zeroed() };
    let status = call(&mut raw);
    let result = unsafe { read(status, &raw) };
    unsafe { ffi::ctxfold_answer_free(&mut raw) };
    result
}

unsafe fn read(status: c_int, raw: &ffi::Answer) -> Result<Answer, Error> {
    let text = |p: *const c_char| if p.is_null() { String::new() } else { CStr::from_ptr(p).to_string_lossy().into_owned() };
    match status {
        ffi::OK => {}
        ffi::ERROR => {
            return Err(Error::Refused(Refusal {
                code: text(raw.code),
                message: text(raw.message),
                path: text(raw.path),
                within: text(raw.within),
                offset: raw.offset,
            }))
        }
        ffi::TRAP => return Err(Error::Trap(text(raw.message))),
        ffi::MEMORY_LIMIT => return Err(Error::MemoryLimit(text(raw.message))),
        _ => return Err(Error::NoMemory),
    }
    let bytes = std::slice::from_raw_parts(raw.json.cast::<u8>(), raw.length).to_vec();
    let json = String::from_utf8(bytes).map_err(|_| Error::Trap("the answer is no UTF-8".into()))?;
    let part = |t: ffi::Text| {
        if t.data.is_null() {
            return 0..0;
        }
        let from = t.data as usize - raw.json as usize;
        from..from + t.length
    };
    Ok(Answer { messages: part(raw.messages), edits: part(raw.edits), report: part(raw.report), state: part(raw.state), json })
}
