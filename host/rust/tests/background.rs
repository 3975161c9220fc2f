use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ctxfold::{json, Ctxfold, Effects, Error, ErrorResponse, Host, Records, Reply, Request};

const DIGEST: &str = "## Goal\nKeep the rate limiter small.\n\n## Done\nThe \"sweep\" was written and tested.";

fn sample() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.anthropic.json")).expect("the sample is there")
}

/// Returns a policy whose window is larger than the history, so that a compaction begins before it is full.
fn soon(c: &mut Ctxfold, history: &str) -> String {
    let estimate = c.estimate(&Request { messages: history, ..Default::default() }).unwrap();
    let size: usize = estimate.member("tokens").unwrap().parse().unwrap();
    format!(r#"{{"window":{{"tokens":{},"reserve":0}},"gate":{{"ratio":1,"start":0.8,"target":0.3}},"passes":[{{"pass":"fold"}}]}}"#, size + 2000)
}

/// Returns a host whose model waits for each reply from a channel, with the sender and a call counter.
fn waiting() -> (Sender<Reply>, Arc<AtomicUsize>, Arc<Host>) {
    let (answers, replies) = channel();
    let (replies, asked) = (Mutex::new(replies), Arc::new(AtomicUsize::new(0)));
    let count = asked.clone();
    let summarize = move |_: &ctxfold::Ask| {
        count.fetch_add(1, Ordering::SeqCst);
        replies.lock().unwrap().recv_timeout(Duration::from_secs(1800)).unwrap()
    };
    (answers, asked, Arc::new(Host::new().summarize(summarize).background()))
}

#[test]
fn a_turn_over_the_soft_limit_returns_at_once_and_the_next_one_uses_the_compaction() {
    let history = sample();
    let (mut c, records) = (Ctxfold::new().unwrap(), Records::new().unwrap());
    let policy = soon(&mut c, &history);
    let request = Request { policy: &policy, messages: &history, ..Default::default() };
    let (answers, asked, host) = waiting();
    let first = c.fit_with(&records, &request, &host).unwrap();
    assert_eq!(json::member(first.answer.report(), "changed"), Some("false"));
    let background = first.background.expect("it began");
    assert!(c.fit_with(&records, &request, &host).unwrap().background.is_none());
    answers.send(DIGEST.into()).unwrap();
    let made = background.join().unwrap().unwrap();
    assert_eq!(json::member(made.report(), "changed"), Some("true"));
    let next = c.fit_with(&records, &request, &host).unwrap();
    assert_eq!((asked.load(Ordering::SeqCst), next.answer.member("known"), next.background.is_none()), (1, Some("0"), true));
    assert!(next.answer.messages().len() < history.len() / 2);
}

#[test]
fn a_compaction_in_the_background_ends_with_its_records() {
    let history = sample();
    let (mut c, records) = (Ctxfold::new().unwrap(), Records::new().unwrap());
    let policy = soon(&mut c, &history);
    let (answers, asked, host) = waiting();
    let first = c.fit_with(&records, &Request { policy: &policy, messages: &history, ..Default::default() }, &host).unwrap();
    while asked.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(records);
    answers.send(DIGEST.into()).unwrap();
    match first.background.expect("it began").join().unwrap() {
        Err(Error::Refused(refusal)) => assert_eq!(refusal.code, "cancelled"),
        other => panic!("{other:?}"),
    }
}

/// A store that several processes share.
#[derive(Default)]
struct Shared {
    records: HashMap<String, String>,
    leases: HashMap<String, String>,
    bodies: usize,
    full: bool,
}

struct Store(Arc<Mutex<Shared>>);

impl Effects for Store {
    fn can(&self) -> Vec<&str> {
        vec!["load", "save", "lease", "release", "put"]
    }

    fn execute(&self, name: &str, effect: &str) -> Result<String, String> {
        let mut s = self.0.lock().unwrap();
        let text = |key| json::member(effect, key).unwrap_or_default().to_owned();
        let list = text("keys");
        let keys: Vec<String> = json::values(&list).map(|(_, key)| key.to_owned()).collect();
        match name {
            "load" => {
                let found = keys.iter().enumerate().find_map(|(at, key)| Some((at, s.records.get(key)?)));
                return Ok(found.map_or("{}".into(), |(at, record)| format!(r#"{{"at":{at},"revision":"1","record":{record}}}"#)));
            }
            "save" => s.records.extend(keys.into_iter().map(|key| (key, text("record")))),
            "lease" => {
                if keys.iter().any(|key| s.leases.get(key).map_or(false, |holder| *holder != text("holder"))) {
                    return Ok(r#"{"done":false}"#.into());
                }
                s.leases.insert(keys[0].clone(), text("holder"));
            }
            "release" => drop(s.leases.remove(&keys[0])),
            "put" if s.full => return Err("the disk is \"full\"".into()),
            _ => {
                s.bodies += 1;
                return Ok("{}".into());
            }
        }
        Ok(r#"{"done":true}"#.into())
    }
}

#[test]
fn processes_share_a_store() {
    let (history, shared) = (sample(), Arc::new(Mutex::new(Shared::default())));
    let request = Request { policy: r#"{"window":{"tokens":32000}}"#, messages: &history, ..Default::default() };
    let asked = Arc::new(AtomicUsize::new(0));
    let fit = |owner: &str| {
        let count = asked.clone();
        let host = Host::new().effects(Store(shared.clone())).settings(format!(r#"{{"owner":"{owner}"}}"#)).summarize(move |_: &ctxfold::Ask| {
            count.fetch_add(1, Ordering::SeqCst);
            DIGEST
        });
        Ctxfold::new().unwrap().fit_with(&Records::new().unwrap(), &request, &Arc::new(host)).map(|f| f.answer.member("known").map(str::to_owned))
    };
    fit("u1").unwrap();
    let before = asked.load(Ordering::SeqCst);
    assert!(before > 0 && shared.lock().unwrap().bodies > 0 && shared.lock().unwrap().leases.is_empty());
    assert_eq!((fit("u1").unwrap().as_deref(), asked.load(Ordering::SeqCst)), (Some("0"), before));
    shared.lock().unwrap().full = true;
    match fit("u2") {
        Err(Error::Refused(refusal)) => assert!(refusal.code == "store_failed" && refusal.message.contains("the disk is \"full\"")),
        other => panic!("{other:?}"),
    }
    assert!(shared.lock().unwrap().leases.is_empty());
}

struct Half(&'static [&'static str]);

impl Effects for Half {
    fn can(&self) -> Vec<&str> {
        self.0.to_vec()
    }
    fn execute(&self, _: &str, _: &str) -> Result<String, String> {
        Ok("{}".into())
    }
}

#[test]
fn half_a_store_is_refused_before_anything_is_due() {
    let history = sample();
    let request = Request { policy: r#"{"window":{"tokens":1000000}}"#, messages: &history, ..Default::default() };
    let cases: [(&'static [&'static str], &str); 4] =
        [(&[], "names no effects"), (&["save"], "load and save"), (&["load", "save", "lease"], "lease and release"), (&["putt"], "can")];
    for (can, says) in cases {
        match Ctxfold::new().unwrap().fit_with(&Records::new().unwrap(), &request, &Arc::new(Host::new().effects(Half(can)))).map(|_| ()) {
            Err(Error::Refused(refusal)) => assert!(refusal.message.contains(says), "{can:?}: {refusal:?}"),
            other => panic!("{can:?}: {other:?}"),
        }
    }
}

#[test]
fn a_busy_model_is_asked_again_and_a_providers_compaction_is_taken() {
    let history = sample();
    let calls = AtomicUsize::new(0);
    let host = Host::new().summarize(move |ask: &ctxfold::Ask| {
        if calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return Reply::Busy(Duration::from_millis(1));
        }
        if calls.load(Ordering::SeqCst) == 2 {
            return Reply::Refused(ErrorResponse { status: 529, retry_after_ms: Some("1".into()), ..Default::default() });
        }
        if json::member(&ask.json, "provider").is_some() {
            return Reply::Messages(r#"[{"role":"assistant","content":[{"type":"compaction","content":"All is well."}]}]"#.into());
        }
        Reply::Failed("the model is down".into())
    });
    let request =
        Request { policy: r#"{"format":"anthropic","window":{"tokens":32000},"summary":{"provider":true}}"#, messages: &history, ..Default::default() };
    let fitted = Ctxfold::new().unwrap().fit_with(&Records::new().unwrap(), &request, &Arc::new(host)).unwrap();
    assert_eq!(json::member(json::member(fitted.answer.report(), "summary").unwrap(), "source"), Some("\"provider\""));
}
