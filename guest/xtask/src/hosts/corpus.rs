//! The corpus that every host replays: `tests/vectors` and the odd inputs of the
//! adapters, each line with the exact text of its request and of its answer.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use negotiation_core::{Highest, ops};
use serde_json::Value;

use crate::digest;
use crate::dist::CORPUS;
use crate::pins::ADAPTERS;
use crate::workspace::Workspace;

/// Writes the corpus, and tells how many cases are in it.
///
/// A line is the vector with three members more: `requestText`, the exact text
/// of the request; `ok`, whether it is answered; and `answerText`, the exact
/// text of the answer or of the error. The answers are those of the rules built
/// for this machine, which the Rust tests hold against the vectors.
pub fn write(workspace: &Workspace, target: &Path) -> Result<u32> {
    let mut files = Vec::new();
    for name in digest::names(&workspace.path(CORPUS), "jsonl")? {
        files.push(workspace.path(CORPUS).join(name));
    }
    files.push(workspace.path(ADAPTERS).join("cases.jsonl"));
    let mut text = String::new();
    let mut cases = 0_u32;
    for file in &files {
        let lines = fs::read_to_string(file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        for (number, line) in (1_u32..).zip(lines.lines()) {
            let line = answered(line).with_context(|| format!("{}:{number}", file.display()))?;
            text.push_str(&line);
            text.push('\n');
            cases = cases.saturating_add(1);
        }
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(target, text)?;
    Ok(cases)
}

/// The line with request, verdict and answer as texts.
fn answered(line: &str) -> Result<String> {
    let mut case: Value = serde_json::from_str(line).context("no JSON")?;
    let operation = case.get("op").and_then(Value::as_str).context("no `op`")?;
    let request = match (case.get("requestText"), case.get("request")) {
        (Some(Value::String(text)), _) => text.clone(),
        (None, Some(request)) => serde_json::to_string(request)?,
        _ => bail!("no `requestText` and no `request`"),
    };
    let (ok, answer) = match native(operation, &request)? {
        Ok(answer) => (true, answer),
        Err(error) => (false, error),
    };
    if case.get("answerText").is_some_and(|text| *text != *answer) {
        bail!("`answerText` is not what the native rules answer");
    }
    let members = case.as_object_mut().context("no object")?;
    members.insert("requestText".to_owned(), request.into());
    members.insert("ok".to_owned(), ok.into());
    members.insert("answerText".to_owned(), answer.into());
    Ok(ascii(&serde_json::to_string(&case)?))
}

/// The same JSON with everything outside ASCII escaped: some readers take U+2028
/// and its like for the end of a line.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}

fn native(operation: &str, request: &str) -> Result<Result<String, String>> {
    if operation == "configure" {
        // The answer of the component; what it says of settings is the default policy's word.
        return Ok(match ops::configure(request) {
            Ok((_, settings)) if settings.is_empty() => Ok("{}".to_owned()),
            Ok(_) => Err(SETTINGS.to_owned()),
            Err(error) => Err(error.to_json()),
        });
    }
    ops::run(operation, request, None, &mut Highest)
        .with_context(|| format!("no operation `{operation}`"))
}

const SETTINGS: &str = r#"{"error":{"code":"invalid-facets","faults":[{"path":"settings","problem":"must be empty: the default policy takes no settings"}]}}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gets_the_exact_answer() {
        let line = r#"{"id":"x","op":"digest","request":{"url":null},"expect":{}}"#;
        let case: Value = serde_json::from_str(&answered(line).unwrap()).unwrap();
        assert_eq!(case["requestText"], r#"{"url":null}"#);
        assert_eq!(case["ok"], true);
        assert_eq!(case["answerText"], r#"{"peerDigest":null}"#);
    }

    #[test]
    fn lines_are_ascii_and_read_back_the_same() {
        let json = "{\"x\":\"\u{2028}\u{e9}\u{1f600}\"}";
        assert_eq!(ascii(json), r#"{"x":"\u2028\u00e9\ud83d\ude00"}"#);
        let read: Value = serde_json::from_str(&ascii(json)).unwrap();
        assert_eq!(read["x"], "\u{2028}\u{e9}\u{1f600}");
    }

    #[test]
    fn an_answer_that_is_stated_must_be_the_native_one() {
        let line = r#"{"op":"digest","requestText":"{\"url\":null}","ok":true,"answerText":"{}"}"#;
        assert!(answered(line).is_err());
        assert!(answered(r#"{"op":"none","request":{}}"#).is_err());
    }
}
