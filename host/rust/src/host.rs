//! The program's side of [`Ctxfold::fit_with`]: effects, and compactions in the background.

use std::ffi::c_void;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crate::summarize::{copied, text_of, Asking};
use crate::{answered, ffi, json, plain, Answer, Ask, Ctxfold, Error, Records, Reply, Request};

/// Executes the effects of docs/inside/loop.md that only the program can execute: with a store for removed content, a tokenizer, a log,
/// or records that processes share.
pub trait Effects: Send + Sync {
    /// Returns the names of the effects that `execute` handles: `put`, `count`, `emit`, `load`, `save`, `lease`, `release`. Records that
    /// processes share need the last four.
    fn can(&self) -> Vec<&str>;
    /// Executes an effect, given as JSON. Returns the members of its result as a JSON object, or `{}` if it has none. An error is the reason
    /// why the effect failed.
    fn execute(&self, name: &str, effect: &str) -> Result<String, String>;
}

/// The functions and settings that a program provides to [`Ctxfold::fit_with`].
#[derive(Default)]
pub struct Host {
    summarize: Option<Box<dyn Fn(&Ask) -> Reply + Send + Sync>>,
    effects: Option<Box<dyn Effects>>,
    settings: String,
    background: bool,
}

impl Host {
    /// Returns a host without a model.
    pub fn new() -> Host {
        Host::default()
    }
    /// Sets the function that asks a model for a summary.
    pub fn summarize<R: Into<Reply>>(mut self, summarize: impl Fn(&Ask) -> R + Send + Sync + 'static) -> Host {
        self.summarize = Some(Box::new(move |ask| summarize(ask).into()));
        self
    }
    /// Sets the object that executes effects.
    pub fn effects(mut self, effects: impl Effects + 'static) -> Host {
        self.effects = Some(Box::new(effects));
        self
    }
    /// Sets members of `JobSettings` (docs/inside/loop.md), as a JSON object such as `{"owner":"u1","model":"m"}`.
    pub fn settings(mut self, json: impl Into<String>) -> Host {
        self.settings = json.into();
        self
    }
    /// Makes compactions in a thread before they are due, if the policy has `gate.start`.
    pub fn background(mut self) -> Host {
        self.background = true;
        self
    }
}

/// The result of [`Ctxfold::fit_with`].
#[non_exhaustive]
pub struct Fitted {
    /// What to send.
    pub answer: Answer,
    /// The thread of a compaction that has begun in the background. The thread continues if the handle is dropped.
    pub background: Option<JoinHandle<Result<Answer, Error>>>,
}

impl Ctxfold {
    /// Like [`Ctxfold::fit`], with everything that a program can provide. If its effects include `load`, the records are used only for
    /// background compactions. Background compactions stop when the records are dropped.
    pub fn fit_with(&mut self, records: &Records, request: &Request<'_>, host: &Arc<Host>) -> Result<Fitted, Error> {
        let plain = plain(request);
        let mut calls = Calls::new(host, self.memory().limit);
        let answer = calls.run(|h, a| unsafe { ffi::ctxfold_fit_with(self.0.as_ptr(), records.0.as_ptr(), &plain, h, a) })?;
        Ok(Fitted { answer, background: calls.background })
    }
}

type Summarizer = Box<dyn FnMut(&Ask) -> Reply>;

/// The state of one job that the C callbacks need.
struct Calls {
    host: Arc<Host>,
    limit: u64,
    asking: Asking<Summarizer>,
    background: Option<JoinHandle<Result<Answer, Error>>>,
}

/// A background compaction, to be moved into its thread.
struct Work(*mut ffi::Work);

// A compaction has a single owner, and its functions lock the records.
unsafe impl Send for Work {}

impl Work {
    /// Runs the compaction in a new instance whose memory is limited to `limit` bytes.
    fn run(self, host: Arc<Host>, limit: u64) -> Result<Answer, Error> {
        let c = Ctxfold::with_memory_limit(limit)?;
        Calls::new(&host, limit).run(|h, a| unsafe { ffi::ctxfold_work_run(c.0.as_ptr(), self.0, h, a) })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        unsafe { ffi::ctxfold_work_delete(self.0) }
    }
}

impl Calls {
    fn new(host: &Arc<Host>, limit: u64) -> Calls {
        let asked = host.clone();
        let summarize: Summarizer = Box::new(move |ask| asked.summarize.as_ref().map_or(Reply::of(None), |summarize| summarize(ask)));
        Calls { host: host.clone(), limit, asking: Asking::new(summarize), background: None }
    }

    fn run(&mut self, call: impl FnOnce(*const ffi::Host, *mut ffi::Answer) -> i32) -> Result<Answer, Error> {
        let host = self.host.clone();
        let names: Vec<String> = host.effects.iter().flat_map(|e| e.can()).map(|name| format!("\"{name}\"")).collect();
        let can = format!("[{}]", names.join(","));
        let raw = ffi::Host {
            summarize: host.summarize.as_ref().map(|_| summarize as ffi::Summarizer),
            user: (self as *mut Calls).cast(),
            settings: ffi::Text::of(host.settings.as_bytes()),
            can: ffi::Text::of(can.as_bytes()),
            execute: host.effects.as_ref().map(|_| execute as _),
            begin: host.background.then(|| begin as _),
        };
        answered(|a| call(&raw, a))
    }
}

unsafe extern "C" fn summarize(user: *mut c_void, raw: *mut ffi::Ask) -> *mut c_char {
    (*user.cast::<Calls>()).asking.answer(raw)
}

unsafe extern "C" fn execute(user: *mut c_void, effect: *const c_char, length: usize) -> *mut c_char {
    let host = &(*user.cast::<Calls>()).host;
    let effect = String::from_utf8_lossy(ffi::Text { data: effect, length }.bytes());
    let name = json::member(&effect, "effect").unwrap_or_default().trim_matches('"').to_owned();
    let run = AssertUnwindSafe(|| host.effects.as_ref().map(|e| e.execute(&name, &effect)));
    match catch_unwind(run).unwrap_or_else(|panic| Some(Err(text_of(panic.as_ref())))) {
        None => ptr::null_mut(),
        Some(Ok(result)) => copied(result),
        Some(Err(why)) => copied(format!("{{\"error\":{}}}", json::quoted(&why))),
    }
}

unsafe extern "C" fn begin(user: *mut c_void, work: *mut ffi::Work) {
    let calls = &mut *user.cast::<Calls>();
    let (work, host, limit) = (Work(work), calls.host.clone(), calls.limit);
    calls.background = thread::Builder::new().spawn(move || work.run(host, limit)).ok();
}
