//! Lines that are no requests, and programs at the other end of the pipes.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const RUNNING: &str = r#"{"status":"running"}"#;
const WORKING: &str = r#"{"state":"TASK_STATE_WORKING"}"#;

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs to the end. What is not read when the program ends is nobody's loss.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn request_must_be(what: &str) -> String {
    format!(r#"{{"error":{{"code":"bad-request","path":"request","problem":"must be {what}"}}}}"#)
}

#[test]
fn every_line_has_one_answer_whatever_it_holds() {
    let long = [vec![b' '; 65_537], b"\n".to_vec()].concat();
    let longest = [vec![b' '; 65_536 - RUNNING.len()], RUNNING.into()].concat();
    let input = [
        RUNNING.as_bytes(),
        b"\n\n   \n\xff\xfe\n{\"status\":\"\xc3\"}\n\0\n",
        &long,
        &longest,
        b"\n\xef\xbb\xbf{\"status\":\"running\"}\n",
        RUNNING.as_bytes(),
        b"\r\n",
        RUNNING.as_bytes(),
    ];
    let output = run(&["call", "task-state"], &input.concat());
    let answers = [
        WORKING.to_owned(),
        request_must_be("JSON text"),
        request_must_be("JSON text"),
        request_must_be("UTF-8 text"),
        request_must_be("UTF-8 text"),
        request_must_be("JSON text"),
        request_must_be("at most 65536 bytes long"),
        WORKING.to_owned(),
        request_must_be("JSON text"),
        WORKING.to_owned(),
        WORKING.to_owned(),
    ];
    assert_eq!(lines(&output), answers);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    for line in [2, 3, 4, 5, 6, 7, 9] {
        assert!(
            told.contains(&format!("standard input, line {line}: request: must be")),
            "{told}"
        );
    }
    assert!(
        told.ends_with("7 of 11 lines could not be answered\n"),
        "{told}"
    );
}

#[test]
fn settle_answers_such_lines_as_well() {
    let output = run(&["settle"], b"\n\xff\n\n");
    let answers = [
        request_must_be("JSON text"),
        request_must_be("UTF-8 text"),
        request_must_be("JSON text"),
    ];
    assert_eq!(
        (lines(&output), output.status.code()),
        (answers.to_vec(), Some(2))
    );
}

#[test]
fn nothing_to_read_is_nothing_to_answer() {
    for arguments in [&["settle"][..], &["call", "settle"]] {
        let output = run(arguments, b"");
        assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_line_that_never_ends_has_an_answer_too() {
    let mut child = start(&["call", "digest"]);
    let mut stdin = child.stdin.take().unwrap();
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..256 {
        stdin.write_all(&chunk).unwrap();
    }
    let most = most_memory(child.id());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        lines(&output),
        [request_must_be("at most 65536 bytes long")]
    );
    // Compiling the component takes most of what it takes; the line has 256 MiB.
    assert!(most.is_none_or(|bytes| bytes < 200 << 20), "{most:?}");
}

/// The most memory that a process has used so far, where the system tells.
fn most_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[test]
fn an_answer_is_there_before_the_next_request() {
    let mut child = start(&["call", "task-state"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (answered, answers) = mpsc::channel();
    let writer = thread::spawn(move || {
        // The second request has begun; its end waits for the answer to the first.
        let (begin, end) = RUNNING.split_at(7);
        for text in [format!("{RUNNING}\n{begin}"), format!("{end}\n")]
            .iter()
            .cycle()
            .take(6)
        {
            stdin.write_all(text.as_bytes()).unwrap();
            let answer: String = answers.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(answer, format!("{WORKING}\n"));
        }
    });
    loop {
        let mut answer = String::new();
        // Ends when the writer has ended, one way or the other.
        if stdout.read_line(&mut answer).unwrap() == 0 {
            break;
        }
        let _ = answered.send(answer);
    }
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn whoever_stops_reading_is_not_told_off() {
    let mut child = start(&["call", "task-state"]);
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let lines = format!("{RUNNING}\n").repeat(1000);
        // Ends when the program does.
        while stdin.write_all(lines.as_bytes()).is_ok() {}
    });
    let mut first = [0; WORKING.len()];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(first, WORKING.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn answers_that_cannot_be_written_are_an_error() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(["digest", "https://peer.example"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with("error: cannot write to standard output: "),
        "{told}"
    );
}

#[test]
fn documents_are_read_up_to_256_kib() {
    let document = |length: usize| {
        let text = r#"{"protocolVersions":["2.0"],"preferredVersion":"2.0"}"#;
        format!("{text}{}", " ".repeat(length - text.len()))
    };
    let check = |text: &[u8]| run(&["check", "-", "--now", "2026-11-30T12:00:00Z"], text);
    assert_eq!(check(document(262_144).as_bytes()).status.code(), Some(0));
    for (text, problem) in [
        (
            document(262_145).into_bytes(),
            "must be at most 262144 bytes long",
        ),
        (b"{\"a\":\"\xff\"}".to_vec(), "must be UTF-8 text"),
        (
            b"\xef\xbb\xbf{}".to_vec(),
            "must not begin with a byte order mark",
        ),
        (
            b"".to_vec(),
            "must be JSON text (it is not at line 1, column 0)",
        ),
    ] {
        let output = check(&text);
        assert_eq!(output.status.code(), Some(2), "{problem}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told, format!("error: standard input: {problem}\n"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_largest_documents_end_in_order_whatever_they_hold() {
    for (members, item, end) in [
        (r#""extensions":{"a.b":{"x":["#, "0", "]}}"),
        (r#""a2a":{"versions":["#, r#""1.0""#, "]}"),
        (r#""hostEvents":{"types":["#, "{}", "]}"),
        (r#""x":["#, "[]", "]"),
        (r#""x":1,"#, r#""a":1"#, ""),
    ] {
        let begin = format!(r#"{{"protocolVersions":["2.0"],"preferredVersion":"2.0",{members}"#);
        let items = (262_000 - begin.len()) / (item.len() + 1);
        let document = format!("{begin}{}{end}}}", vec![item; items].join(","));
        assert!((200_000..=262_144).contains(&document.len()));
        let output = run(
            &["check", "-", "--now", "2026-11-30T12:00:00Z"],
            document.as_bytes(),
        );
        let told = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0 | 1) => assert!(output.stdout.starts_with(b"{\"findings\":["), "{members}"),
            // So many findings that they go beyond what the component may use or answer.
            Some(3) => {
                let failed = "error: the component failed to check standard input: ";
                assert!(
                    told.starts_with(failed) && output.stdout.is_empty(),
                    "{told}"
                );
            }
            other => panic!("{members}: {other:?}"),
        }
        assert!(told.lines().count() <= 52, "{members}");
    }
}
