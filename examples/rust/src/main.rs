//! Compacts a transcript: example WINDOW < transcript.json > shorter.json

use std::io::{Read, Write};

use ctxfold::{json, Ask, Ctxfold, Records, Request, Summary};

/// A real program would ask its model here, with `ask.system` and `ask.prompt`.
fn summarize(_: &Ask) -> Option<Summary> {
    Some("## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done.".into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let window: u32 = std::env::args().nth(1).ok_or("usage: example WINDOW < transcript.json > shorter.json")?.parse()?;
    let mut messages = String::new();
    std::io::stdin().read_to_string(&mut messages)?;
    let policy = format!("{{\"window\":{{\"tokens\":{window}}}}}");
    let request = Request { policy: &policy, messages: &messages, ..Default::default() };
    let answer = Ctxfold::new()?.fit(&mut Records::new()?, &request, summarize)?;
    std::io::stdout().write_all(answer.messages().as_bytes())?;
    eprintln!("{}", json::member(answer.report(), "tokens").unwrap_or(""));
    Ok(())
}
