//! Every file in `tests/cli/` is one behaviour of the command line: a command, what it
//! reads, what it writes, and its exit code.
//!
//! ```text
//! # what the behaviour is
//! $ negotiator call digest
//! < a line on standard input
//! exit 0
//! > a line on standard output
//! ! a line on standard error
//! ```
//!
//! Commands run in the root of the project. `BLESS=1 cargo test --test cli` writes what comes
//! after the input anew; read the difference before it is committed.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "a test"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use negotiator::Artifact;

#[test]
fn the_command_line_does_what_its_golden_files_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut files: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 20, "there are golden files in {directory:?}");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads);
    let wrong: String = thread::scope(|scope| {
        let shares = files.chunks(share).map(|files| {
            scope.spawn(move || {
                files
                    .iter()
                    .map(|file| wrong_with(file, bless))
                    .collect::<String>()
            })
        });
        // All are started before the first one is waited for.
        let shares: Vec<_> = shares.collect();
        shares
            .into_iter()
            .map(|share| share.join().unwrap())
            .collect()
    });
    assert!(
        wrong.is_empty(),
        "\n{wrong}\nIf all of this is meant: BLESS=1 cargo test --test cli"
    );
}

/// How what happens differs from a golden file; nothing where it does not.
fn wrong_with(file: &Path, bless: bool) -> String {
    let text = fs::read_to_string(file).unwrap();
    let case = Case::read(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let happened = format!("{}{}", case.head, case.run());
    if happened == text {
        return String::new();
    }
    if bless {
        fs::write(file, happened).unwrap();
        return String::new();
    }
    let name = file.file_name().unwrap().to_string_lossy();
    format!("── {name}\n{}", difference(&text, &happened))
}

/// One golden file, up to where the expectations begin.
struct Case<'a> {
    head: &'a str,
    arguments: Vec<String>,
    input: String,
}

impl<'a> Case<'a> {
    fn read(text: &'a str) -> Result<Self, &'static str> {
        let mut head = 0;
        let (mut title, mut arguments, mut input) = (false, None, String::new());
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            if content.starts_with("# ") {
                title = true;
            } else if let Some(command) = content.strip_prefix("$ negotiator") {
                arguments = Some(words(command));
            } else if let Some(line) = content.strip_prefix("< ") {
                writeln!(input, "{line}").unwrap();
            } else if content == "<" {
                input.push('\n');
            } else {
                break;
            }
            head += line.len();
        }
        if !title {
            return Err("must say what it is about, in a line that begins with `# `");
        }
        Ok(Self {
            head: &text[..head],
            arguments: arguments.ok_or("must have a command, `$ negotiator …`")?,
            input,
        })
    }

    fn run(&self) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_negotiator"))
            .args(&self.arguments)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Commands that read nothing may end before it is written.
        let _ = child.stdin.take().unwrap().write_all(self.input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let mut text = format!("exit {}\n", output.status.code().unwrap());
        for (mark, bytes) in [('>', &output.stdout), ('!', &output.stderr)] {
            // Whether others can read a committed file depends on who checked it out.
            let lines = shown(&String::from_utf8_lossy(bytes));
            for line in lines.lines().filter(|line| !line.starts_with(OPEN)) {
                let space = if line.is_empty() { "" } else { " " };
                writeln!(text, "{mark}{space}{line}").unwrap();
            }
        }
        text
    }
}

const OPEN: &str = "warning: others can read host-harness/tests/trust/test-key.pem";

/// Splits a command at spaces, but for those in single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in command.trim().chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Output fit for a file: escape characters are written out, and what changes with every build
/// of the component is left out.
fn shown(output: &str) -> String {
    let artifact = Artifact::embedded();
    output
        .replace('\u{1b}', "\\e")
        .replace(&artifact.digest().to_string(), "sha256:DIGEST")
        .replace(&format!("{} bytes", artifact.bytes().len()), "SIZE bytes")
        .replace(
            &format!(r#""bytes":{}"#, artifact.bytes().len()),
            r#""bytes":SIZE"#,
        )
}

fn difference(expected: &str, happened: &str) -> String {
    let mut difference = String::new();
    let (mut expected, mut happened) = (expected.lines(), happened.lines());
    loop {
        match (expected.next(), happened.next()) {
            (None, None) => return difference,
            (expected, happened) if expected == happened => {}
            (expected, happened) => {
                for (what, line) in [("expected", expected), ("happened", happened)] {
                    writeln!(difference, "{what}: {}", line.unwrap_or("nothing")).unwrap();
                }
            }
        }
    }
}
