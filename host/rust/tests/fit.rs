use std::thread;

use ctxfold::{json, Ctxfold, Error, Records, Request, Summary};

const POLICY: &str = r#"{"window":{"tokens":32000}}"#;
const DIGEST: &str = "## Goal\nKeep the rate limiter small.\n\n## Done\nThe \"sweep\" was written and tested.";

fn sample() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.anthropic.json")).expect("the sample is there")
}

#[test]
fn a_compaction_is_made_once_and_found_again() {
    let history = sample();
    let request = Request { policy: POLICY, messages: &history, ..Default::default() };
    let (mut c, mut records, mut asked) = (Ctxfold::new().unwrap(), Records::new().unwrap(), 0);
    let first = c
        .fit(&mut records, &request, |ask| {
            assert!(!ask.prompt.is_empty() && !ask.system.is_empty() && ask.max_output_tokens > 0 && ask.json.starts_with('{'));
            asked += 1;
            Some(Summary { text: DIGEST.into(), finish_reason: Some("stop".into()) })
        })
        .unwrap();
    assert!(asked > 0 && first.messages().len() < history.len());
    assert_eq!(json::member(first.report(), "changed"), Some("true"));

    let mut stored = Records::from_json(&records.to_json().unwrap()).expect("it was stored");
    let again = c.fit(&mut stored, &request, |_| panic!("it need not be asked")).unwrap();
    assert_eq!((json::member(again.report(), "changed"), again.member("known")), (Some("false"), Some("0")));
    assert!(Records::from_json("[]").is_none());
}

#[test]
fn the_reason_that_an_answer_ended_with_reaches_the_module() {
    let history = sample();
    let request = Request { policy: POLICY, messages: &history, ..Default::default() };
    let answer = Ctxfold::new().unwrap().compact(&request, |_| Some(Summary { text: DIGEST.into(), finish_reason: Some("length".into()) })).unwrap();
    assert_eq!(json::member(json::member(answer.report(), "summary").unwrap(), "source"), Some("\"local\""));
}

#[test]
fn without_a_model() {
    let history = sample();
    let request = Request { policy: POLICY, messages: &history, ..Default::default() };
    let mut c = Ctxfold::new().unwrap();
    let compacted = c.compact_local(&request).unwrap();
    assert!(compacted.messages().len() < history.len() && compacted.state().starts_with('{'));
    let fitted = c.fit_local(&mut Records::new().unwrap(), &request).unwrap();
    assert_eq!(fitted.messages(), compacted.messages());
}

#[test]
fn a_panic_of_the_summarizer_is_in_the_report() {
    let history = sample();
    let request = Request { policy: POLICY, messages: &history, ..Default::default() };
    let answer = Ctxfold::new().unwrap().compact(&request, |_| panic!("the model is down")).unwrap();
    let summary = json::member(answer.report(), "summary").unwrap();
    assert_eq!((json::member(summary, "source"), json::member(summary, "error")), (Some("\"local\""), Some("\"the model is down\"")));
}

#[test]
fn what_is_redacted_reaches_no_model_and_no_digest() {
    let history = sample();
    let options = r#"{"redact":{"texts":[{"text":"limiter","placeholder":"[HIDDEN]"}]}}"#;
    let request = Request { policy: POLICY, options, messages: &history, ..Default::default() };
    let mut asked = 0;
    let answer = Ctxfold::new()
        .unwrap()
        .compact(&request, |ask| {
            asked += 1;
            assert!(ask.prompt.contains("[HIDDEN]") && !ask.prompt.contains("limiter"));
            None
        })
        .unwrap();
    assert!(asked > 0 && answer.messages().contains("[HIDDEN]"));
    assert_ne!(json::member(answer.report(), "redacted"), None);
}

#[test]
fn memory_is_bounded_and_told() {
    let mut c = Ctxfold::with_memory_limit(16 << 20).unwrap();
    let before = c.memory();
    assert!(before.limit == 16 << 20 && before.current <= before.limit);
    assert!(matches!(c.call("plan", vec![b' '; 12 << 20]), Err(Error::MemoryLimit(_))));
    assert!(c.call("info", "{}").is_ok());
    assert!(c.memory().peak <= before.limit);
    assert!(Ctxfold::with_memory_limit(1 << 20).is_err());
}

#[test]
fn instances_work_in_threads() {
    let history = sample();
    let made: Vec<String> = thread::scope(|s| {
        let work: Vec<_> = (0..4)
            .map(|_| {
                let (mut c, history) = (Ctxfold::new().unwrap(), &history);
                s.spawn(move || c.compact_local(&Request { policy: POLICY, messages: history, ..Default::default() }).unwrap().messages().to_owned())
            })
            .collect();
        work.into_iter().map(|w| w.join().unwrap()).collect()
    });
    assert!(made.iter().all(|m| *m == made[0]));
}

#[test]
fn an_unknown_operation() {
    for op in ["nope", "", "plan\0"] {
        match Ctxfold::new().unwrap().call(op, "{}") {
            Err(Error::Refused(r)) => assert_eq!(r.code, "unknown_op"),
            other => panic!("{other:?}"),
        }
    }
}
