//! Components that misbehave: whatever they do, a line has one answer and a run ends with the
//! code that says so.
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use support::Wat;

const FACETS: &str = "host-harness/examples/discovery.json";
const LINE: &str = r#"{"id":"a","request":{"exchange":{"protocol":"a2a","direction":"inbound","authenticated":true},"context":{"at":"2026-11-30T12:00:00Z"}}}"#;

/// A component in a file.
fn component(name: &str, wat: &Wat) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}.wasm"));
    fs::write(&path, wat.component()).unwrap();
    path
}

fn run(component: &PathBuf, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .arg("--component")
        .arg(component)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Answers everything with the text that stands at 2048, as an answer or as an error.
fn answering(text: &str, as_error: bool) -> Wat {
    let escaped: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let body = format!(
        "(i32.store (i32.const 1024) (i32.const {}))
         (i32.store (i32.const 1028) (i32.const 2048))
         (i32.store (i32.const 1032) (i32.const {}))
         i32.const 1024",
        u8::from(as_error),
        text.len()
    );
    Wat::new("negotiator-closed")
        .body("negotiate@2.0.0#configure", "i32.const 512")
        .body("json@2.0.0#settle", &body)
        .body("json@2.0.0#decide", &body)
        .body("json@2.0.0#digest", &body)
        .item(&format!(r#"(data (i32.const 2048) "{escaped}")"#))
        .memory("4")
}

#[test]
fn what_is_no_line_of_json_is_no_answer() {
    for (name, text) in [
        ("empty", ""),
        ("array", "[]"),
        ("half", "{\"outcome\":"),
        ("two-lines", "{}\n{}"),
        ("bell", "{\"a\":\"\u{7}\"}"),
        ("two-objects", "{}{}"),
    ] {
        for as_error in [false, true] {
            let component = component(name, &answering(text, as_error));
            let output = run(&component, &["call", "digest"], "{}\n{}\n");
            let problem = "answered with something that its interface does not allow: an answer \
                           that is not an object of JSON in one line";
            let line = format!(
                "{{\"error\":{{\"code\":\"component-failed\",\"problem\":\"{problem}\"}}}}\n"
            );
            assert_eq!(
                String::from_utf8(output.stdout).unwrap(),
                line.repeat(2),
                "{name}"
            );
            assert_eq!(output.status.code(), Some(3), "{name}");
        }
    }
}

#[test]
fn an_answer_of_any_shape_stands_in_its_line() {
    let component = component("own", &answering(r#"{"own":1}"#, false));
    let output = run(&component, &["call", "digest"], "{}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"own\":1}\n");
    assert_eq!(output.status.code(), Some(0));
    let empty = self::component("object", &answering("{}", false));
    let line = LINE.replace(r#""request":{"#, r#""request":{"facets":{},"#);
    let output = run(&empty, &["settle", "--summary"], &line);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "{\"id\":\"a\"}\n"
    );
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.ends_with("lines without an answer                            1\n"),
        "{told}"
    );
}

#[test]
fn an_error_of_any_shape_is_told_without_harm() {
    let text =
        "{\"error\":{\"code\":\"bad-request\",\"path\":\"\\u001b[2J\",\"problem\":\"\\n\\u202e\"}}";
    let component = component("escape", &answering(text, true));
    let output = run(&component, &["call", "digest"], "{}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{text}\n")
    );
    let told = String::from_utf8(output.stderr).unwrap();
    let line = "error: standard input, line 1: \\u{1b}[2J: \\u{a}\\u{202e}\n";
    assert!(told.starts_with(line), "{told}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_table_shows_nothing_that_moves_the_cursor() {
    let text = r#"{"outcome":"accepted","version":"\u001b[2J","reason":"ok","cause":"\u202e"}"#;
    let component = component("table", &answering(text, false));
    let output = run(&component, &["matrix", "--protocol", "a2a"], "");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("\\u{1b}[2J (\\u{202e})"), "{table}");
    assert!(
        !table.contains('\u{1b}') && !table.contains('\u{202e}'),
        "{table}"
    );
}

#[test]
fn a_component_that_fails_ends_a_run_with_3_and_leaves_no_line_out() {
    let trapping = component(
        "trapping",
        &answering("", false).body("json@2.0.0#digest", "unreachable"),
    );
    // The last line is only too long, which alone would be a 2.
    let input = format!("{{}}\n\n{}\n", " ".repeat(65_537));
    let output = run(&trapping, &["call", "digest"], &input);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let failed = r#"{"error":{"code":"component-failed","problem":"trapped: "#;
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with(failed) && lines[1].starts_with(failed),
        "{text}"
    );
    assert!(lines[2].contains("bad-request"), "{text}");
    assert_eq!(output.status.code(), Some(3));

    let endless = answering("", false).body("json@2.0.0#digest", "(loop (br 0)) unreachable");
    let output = run(&component("endless", &endless), &["call", "digest"], "{}");
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(
        line.contains("used up its fuel") || line.contains("deadline"),
        "{line}"
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn commands_without_lines_fail_the_same_way() {
    let nothing = Wat::new("negotiator-closed").body("negotiate@2.0.0#configure", "i32.const 512");
    let nothing = component("nothing", &nothing);
    for arguments in [
        &["digest", "https://peer.example"][..],
        &["check", FACETS],
        &["matrix"],
        &["settle", "--facets", FACETS],
    ] {
        let output = run(&nothing, arguments, "");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {told}");
        assert!(told.starts_with("error: "), "{told}");
        assert!(output.stdout.is_empty());
    }
    let refusing = Wat::new("negotiator-closed");
    let output = run(
        &component("refusing", &refusing),
        &["digest", "https://peer.example"],
        "",
    );
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with("error: cannot configure the component: trapped"),
        "{told}"
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_component_of_another_world_is_not_taken() {
    let policy = component("policy", &Wat::obliging_policy());
    let output = run(&policy, &["matrix"], "");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(told.contains("negotiator-closed"), "{told}");
}
