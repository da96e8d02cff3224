//! What people read about policies.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use negotiator::gate::{Changes, Effect, Group, Report};
use negotiator::policy::Entry;
use negotiator::policy::control::Told;

use crate::cli::words::{self, BAD, FAINT, GOOD, HEAD};

/// Says on standard error what is being done: at once when it is something else, and
/// every second while it is the same.
pub(crate) struct Progress {
    last: Mutex<(String, Instant)>,
    begun: Instant,
}

impl Progress {
    pub(crate) fn start() -> Self {
        Self {
            last: Mutex::new((String::new(), Instant::now())),
            begun: Instant::now(),
        }
    }

    pub(crate) fn say(&self, step: &impl ToString) {
        let step = step.to_string();
        let Ok(mut last) = self.last.lock() else {
            return;
        };
        let what = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
        let every = Duration::from_secs(if std::io::stderr().is_terminal() {
            1
        } else {
            5
        });
        if what(&last.0) == what(&step) && last.1.elapsed() < every {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f32();
        words::say(&format!(
            "{FAINT}{seconds:6.1} s{FAINT:#}  {}",
            words::shown(&step)
        ));
        *last = (step, Instant::now());
    }
}

/// Groups of changes, those alike but for versions put side by side.
pub(super) fn groups(changes: &Changes) -> String {
    let mut text = String::new();
    for effect in [Effect::Loosened, Effect::Tightened, Effect::Moved] {
        let groups: Vec<_> = changes
            .groups
            .iter()
            .filter(|group| group.effect == effect)
            .collect();
        if groups.is_empty() {
            continue;
        }
        let style = if effect == Effect::Loosened {
            BAD
        } else {
            HEAD
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{style}{}{style:#}", effect.as_str());
        for (who, groups) in by_caller(&groups) {
            let count: u64 = groups.iter().map(|group| group.count).sum();
            let _ = writeln!(text, "  {HEAD}{who}{HEAD:#}: {count}");
            for group in groups.iter().take(SHOWN) {
                let Group {
                    named,
                    was,
                    is,
                    count,
                    example,
                    ..
                } = group;
                let _ = writeln!(text, "  {count:>8}  named {named}: {was} → {is}");
                let _ = writeln!(text, "  {FAINT}{:>8}  e.g. {example}{FAINT:#}", "");
            }
            if let Some(more) = groups.len().checked_sub(SHOWN).filter(|more| *more > 0) {
                let rest = groups
                    .iter()
                    .skip(SHOWN)
                    .map(|group| group.count)
                    .sum::<u64>();
                let _ = writeln!(text, "  {rest:>8}  in {more} more groups (--json has all)");
            }
        }
    }
    text
}

fn by_caller<'a>(groups: &[&'a Group]) -> BTreeMap<String, Vec<&'a Group>> {
    let mut callers: BTreeMap<String, Vec<&Group>> = BTreeMap::new();
    for group in groups {
        let how = if group.authenticated { "" } else { "not " };
        let who = format!("{} {}, {how}authenticated", group.protocol, group.direction);
        callers.entry(who).or_default().push(group);
    }
    callers
}

/// The gate's report, in short.
pub(super) fn report(report: &Report) {
    let passed = report.has_passed();
    let (style, outcome) = if passed {
        (GOOD, "passed")
    } else {
        (BAD, "failed")
    };
    words::say(&format!(
        "{style}gate {outcome}{style:#}: {} corpus cases and {} decisions, each twice; worst fuel \
         {} of {}",
        report.corpus.cases, report.grid.decisions, report.grid.worst_fuel, report.limits.fuel
    ));
    for failure in &report.failures {
        let times = words::count(failure.count, "time", "times");
        words::say(&format!(
            "  {BAD}{}{BAD:#}, {times}; first: {}",
            failure.kind.as_str(),
            words::shown(&failure.example)
        ));
    }
    if let Some(changes) = &report.changes {
        let with = match report.compared.policy {
            Some(policy) => format!("policy {policy}"),
            None => "the default policy, since there is none yet".to_owned(),
        };
        words::say(&format!(
            "compared with {with}: {} loosened, {} tightened, {} moved",
            changes.loosened, changes.tightened, changes.moved
        ));
        for line in groups(changes).lines().filter(|line| !line.is_empty()) {
            words::say(line);
        }
    }
    if let Some(replay) = &report.replay {
        words::say(&format!(
            "of {} earlier exchanges: {} loosened, {} tightened, {} moved ({} could not be read)",
            replay.exchanges, replay.loosened, replay.tightened, replay.moved, replay.unreadable
        ));
        for group in &replay.groups {
            words::say(&format!(
                "  {:>8}  {}: {} → {}; first in line {}",
                group.count, group.protocol, group.was, group.is, group.line
            ));
        }
    }
}

/// What is in force, a fact a line.
pub(super) fn status(told: &Told) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{HEAD}{name:<12}{HEAD:#}{value}");
    };
    match &told.current {
        None => row(
            "in force",
            "no policy: every exchange is refused (policy-failed)",
        ),
        Some(entry) => {
            row("in force", &self::entry(entry));
            row("failures", &told.failures.to_string());
        }
    }
    match &told.previous {
        None => row("before", "nothing"),
        Some(entry) => {
            let warm = if told.previous_is_warm { ", warm" } else { "" };
            row("before", &format!("{}{warm}", self::entry(entry)));
        }
    }
    if let Some(problem) = &told.problem {
        row("problem", &words::shown(problem));
    }
    text
}

/// One generation in a line.
pub(super) fn entry(entry: &Entry) -> String {
    let mut text = format!(
        "generation {}  {}  {}",
        entry.generation,
        entry.policy,
        entry.reason.as_str()
    );
    if let Some(settings) = entry.settings {
        let _ = write!(text, ", settings {settings}");
    }
    if entry.untrusted {
        text.push_str(", NOT TRUSTED");
    }
    text
}

/// Groups of one caller that are shown.
const SHOWN: usize = 8;
