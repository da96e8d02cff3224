//! One line in, one line out.

use std::io::{self, BufWriter, Write as _};

use super::answer::Answer;
use super::exit::{Exit, Failure, OrExit as _};
use super::input::Input;
use super::lines::{Line, Lines, MAX_LINE};
use super::words;

/// What one line is answered with.
pub(crate) struct Reply<'a> {
    /// The id to put in front, as JSON text.
    pub(crate) id: Option<&'a str>,
    pub(crate) answer: Answer,
}

/// Answers line after line, each with exactly one line. Lines that cannot be answered are told
/// on standard error, by their number.
pub(crate) fn run(
    input: &Input,
    mut reply: impl for<'a> FnMut(&'a str) -> Result<Reply<'a>, Failure>,
    mut seen: impl FnMut(&Answer),
) -> Result<Exit, Failure> {
    let mut lines = Lines::new(input.open("requests, one a line,")?);
    let mut output = BufWriter::new(io::stdout().lock());
    let mut troubles = Troubles::new(input.name());
    let mut number: u64 = 0;
    loop {
        if lines.may_wait() {
            output.flush().map_err(Failure::unwritable)?;
        }
        let line = lines.next();
        let Some(line) = line.or_unreadable(format!("cannot read {}", input.name()))? else {
            break;
        };
        number = number.saturating_add(1);
        let bad = |problem: &str| Reply {
            id: None,
            answer: Answer::bad_request("request", problem),
        };
        let Reply { id, answer } = match line {
            Line::Text(text) => reply(text)?,
            Line::NotUtf8 => bad("must be UTF-8 text"),
            Line::TooLong => bad(&format!("must be at most {MAX_LINE} bytes long")),
        };
        seen(&answer);
        troubles.note(number, &answer);
        let text = answer.line();
        let written = match (id, text.strip_prefix('{')) {
            (Some(id), Some("}")) => writeln!(output, "{{\"id\":{id}}}"),
            (Some(id), Some(members)) => writeln!(output, "{{\"id\":{id},{members}"),
            _ => writeln!(output, "{text}"),
        };
        written.map_err(Failure::unwritable)?;
    }
    output.flush().map_err(Failure::unwritable)?;
    Ok(troubles.finish(number))
}

/// Tells which lines had no answer; only the first of very many.
struct Troubles {
    input: String,
    found: u64,
    exit: Exit,
}

impl Troubles {
    fn new(input: String) -> Self {
        Self {
            input,
            found: 0,
            exit: Exit::Done,
        }
    }

    fn note(&mut self, number: u64, answer: &Answer) {
        let Some(problem) = answer.problem() else {
            return;
        };
        let exit = match answer {
            Answer::Failed(_) => Exit::Component,
            Answer::Given(_) | Answer::Error(_) => Exit::Unreadable,
        };
        self.exit = self.exit.max(exit);
        self.found = self.found.saturating_add(1);
        if self.found <= MOST_TOLD {
            words::error(&format!("{}, line {number}: {problem}", self.input));
        }
    }

    fn finish(self, lines: u64) -> Exit {
        if let Some(more) = self.found.checked_sub(MOST_TOLD).filter(|more| *more > 0) {
            words::say(&format!(
                "… and {} more",
                words::count(more, "line", "lines")
            ));
        }
        if self.found > 0 {
            let lines = words::count(lines, "line", "lines");
            words::say(&format!("{} of {lines} could not be answered", self.found));
        }
        self.exit
    }
}

const MOST_TOLD: u64 = 20;
