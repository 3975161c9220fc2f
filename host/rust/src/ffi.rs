//! Declares the functions of ctxfold.h that are used here.

use std::ffi::c_void;
use std::os::raw::{c_char, c_int};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const c_char,
    pub length: usize,
}

impl Text {
    pub const NONE: Text = Text { data: std::ptr::null(), length: 0 };

    pub fn of(bytes: &[u8]) -> Text {
        Text { data: bytes.as_ptr().cast(), length: bytes.len() }
    }

    /// # Safety
    /// The text must stay valid as long as the slice is used.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(self.data.cast(), self.length)
    }
}

#[repr(C)]
pub struct Options {
    pub memory_limit: u64,
}

#[repr(C)]
pub struct Memory {
    pub limit: u64,
    pub current: u64,
    pub peak: u64,
}

pub const OK: c_int = 0;
pub const ERROR: c_int = 1;
pub const TRAP: c_int = 2;
pub const MEMORY_LIMIT: c_int = 3;

#[repr(C)]
pub struct Answer {
    pub status: c_int,
    pub json: *mut c_char,
    pub length: usize,
    pub messages: Text,
    pub edits: Text,
    pub report: Text,
    pub state: Text,
    pub code: *const c_char,
    pub message: *const c_char,
    pub path: *const c_char,
    pub within: *const c_char,
    pub offset: usize,
    pub kept: *mut c_void,
}

#[repr(C)]
pub struct Request {
    pub policy: Text,
    pub options: Text,
    pub state: Text,
    pub plan: Text,
    pub summaries: Text,
    pub memory: Text,
    pub arguments: Text,
    pub bodies: Text,
    pub found: Text,
    pub roles: Text,
    pub messages: Text,
    pub text: Text,
    pub name: Text,
    pub file: Text,
    pub time: Text,
    pub query: Text,
    pub after: Text,
    pub before: Text,
    pub to: Text,
    pub body: Text,
    pub session: u64,
    pub tokens: u64,
    pub limit: u64,
}

#[repr(C)]
pub struct Ask {
    pub scope: *const c_char,
    pub system: Text,
    pub prompt: Text,
    pub max_output_tokens: u64,
    pub input_tokens: u64,
    pub json: Text,
    pub finish_reason: *const c_char,
    pub error: *const c_char,
    pub sent: Text,
    pub gives_messages: bool,
    pub busy: bool,
    pub after: u64,
    pub status: c_int,
    pub retry_after: *const c_char,
    pub retry_after_ms: *const c_char,
    pub should_retry: *const c_char,
}

#[repr(C)]
pub struct Host {
    pub summarize: Option<Summarizer>,
    pub user: *mut c_void,
    pub settings: Text,
    pub can: Text,
    pub execute: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> *mut c_char>,
    pub begin: Option<unsafe extern "C" fn(*mut c_void, *mut Work)>,
}

pub enum Instance {}
pub enum Work {}
pub enum Records {}
pub type Summarizer = unsafe extern "C" fn(*mut c_void, *mut Ask) -> *mut c_char;
pub type Operation = unsafe extern "C" fn(*mut Instance, *const Request, *mut Answer) -> c_int;

extern "C" {
    pub fn ctxfold_new(options: *const Options) -> *mut Instance;
    pub fn ctxfold_delete(c: *mut Instance);
    pub fn ctxfold_memory_of(c: *const Instance) -> Memory;
    pub fn ctxfold_call(c: *mut Instance, op: *const c_char, request: *const c_char, length: usize, answer: *mut Answer) -> c_int;
    pub fn ctxfold_answer_free(answer: *mut Answer);
    pub fn ctxfold_compact(c: *mut Instance, request: *const Request, s: Option<Summarizer>, user: *mut c_void, answer: *mut Answer) -> c_int;
    pub fn ctxfold_fit(
        c: *mut Instance,
        records: *mut Records,
        request: *const Request,
        s: Option<Summarizer>,
        user: *mut c_void,
        answer: *mut Answer,
    ) -> c_int;
    pub fn ctxfold_fit_with(c: *mut Instance, records: *mut Records, request: *const Request, host: *const Host, answer: *mut Answer) -> c_int;
    pub fn ctxfold_work_run(c: *mut Instance, work: *mut Work, host: *const Host, answer: *mut Answer) -> c_int;
    pub fn ctxfold_work_delete(work: *mut Work);
    pub fn ctxfold_records_new() -> *mut Records;
    pub fn ctxfold_records_delete(records: *mut Records);
    pub fn ctxfold_records_save(records: *const Records, length: *mut usize) -> *mut c_char;
    pub fn ctxfold_records_load(records: *mut Records, json: *const c_char, length: usize) -> bool;
    pub fn ctxfold_next(json: Text, at: *mut usize, key: *mut Text, value: *mut Text) -> bool;
    pub fn ctxfold_string(json: Text, length: *mut usize) -> *mut c_char;
    pub fn ctxfold_free(buffer: *mut c_void);
    pub fn malloc(size: usize) -> *mut c_void;

    pub fn ctxfold_detect(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_estimate(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_check(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_plan(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_step(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_validate(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_repair(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
    pub fn ctxfold_convert(c: *mut Instance, request: *const Request, answer: *mut Answer) -> c_int;
}
