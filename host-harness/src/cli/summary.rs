//! What became of the exchanges, in numbers.

use serde::Deserialize;

use super::answer::Answer;
use super::words::{self, HEAD};

/// Counts answers of `settle`.
#[derive(Default)]
pub(crate) struct Summary {
    a2a: Counts,
    mcp: Counts,
    errors: u64,
}

/// Of one protocol.
#[derive(Clone, Copy, Default)]
struct Counts {
    accepted: u64,
    downgraded: u64,
    below_floor: u64,
    unsupported: u64,
    unauthenticated: u64,
}

/// What an answer says, as far as it is counted.
#[derive(Deserialize)]
struct Told<'a> {
    reason: &'a str,
    downgraded: bool,
    #[serde(borrow)]
    record: Record<'a>,
}

#[derive(Deserialize)]
struct Record<'a> {
    protocol: &'a str,
}

impl Summary {
    /// Counts one answer.
    pub(crate) fn add(&mut self, answer: &Answer) {
        if self.count(answer).is_none() {
            self.errors = self.errors.saturating_add(1);
        }
    }

    fn count(&mut self, answer: &Answer) -> Option<()> {
        let Answer::Given(text) = answer else {
            return None;
        };
        let told: Told<'_> = serde_json::from_str(text).ok()?;
        let counts = match told.record.protocol {
            "a2a" => &mut self.a2a,
            "mcp" => &mut self.mcp,
            _ => return None,
        };
        let place = match told.reason {
            "ok" => &mut counts.accepted,
            "below-floor" => &mut counts.below_floor,
            "unsupported" => &mut counts.unsupported,
            "unauthenticated" => &mut counts.unauthenticated,
            _ => return None,
        };
        *place = place.saturating_add(1);
        if told.downgraded {
            counts.downgraded = counts.downgraded.saturating_add(1);
        }
        Some(())
    }

    /// Says it on standard error.
    pub(crate) fn say(&self) {
        words::say(&format!(
            "{HEAD}{:<28}{:>8}{:>8}{:>8}{HEAD:#}",
            "", "a2a", "mcp", "all"
        ));
        let row = |name: &str, of: fn(&Counts) -> u64| {
            let (a2a, mcp) = (of(&self.a2a), of(&self.mcp));
            words::say(&format!(
                "{name:<28}{a2a:>8}{mcp:>8}{:>8}",
                a2a.saturating_add(mcp)
            ));
        };
        row("accepted", |counts| counts.accepted);
        row("  of which downgraded", |counts| counts.downgraded);
        row("refused", Counts::refused);
        row("  below-floor", |counts| counts.below_floor);
        row("  unsupported", |counts| counts.unsupported);
        row("  unauthenticated", |counts| counts.unauthenticated);
        words::say(&format!(
            "{:<28}{:>24}",
            "lines without an answer", self.errors
        ));
    }
}

impl Counts {
    fn refused(&self) -> u64 {
        self.below_floor
            .saturating_add(self.unsupported)
            .saturating_add(self.unauthenticated)
    }
}
