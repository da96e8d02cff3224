//! A host whose policy changes while it runs.

use negotiator::policy::{Attended, By, Policies};
use negotiator::shared::stand_in;
use negotiator::types::Facets;
use negotiator::{Operation, Runtime};

use super::answer::Answer;
use super::asking;
use super::exit::{Failure, OrExit as _};
use super::policy::admin::Place;
use super::policy::words::Progress;
use super::words::{self, say};

/// The policies of a directory, watched, and the socket through which they are changed.
pub(crate) struct Hosted {
    attended: Attended,
    has_facets: bool,
}

impl Hosted {
    pub(crate) fn start(
        place: &Place,
        allow_untrusted: bool,
        facets: Option<Facets>,
    ) -> Result<Self, Failure> {
        let store = place.store()?;
        let runtime = Runtime::new().or_component("cannot start")?;
        let admission = place.admission(&runtime, allow_untrusted)?;
        let has_facets = facets.is_some();
        let facets = facets.unwrap_or_else(stand_in);
        let progress = Progress::start();
        let policies = Policies::open(admission, facets, Some(store), &|step| progress.say(&step))
            .or_unreadable("cannot open the directory of policies")?;
        let status = policies.status();
        if let Some(problem) = &status.problem {
            words::error(&format!("the policy in the store is not let in: {problem}"));
        }
        let by = By::of(status.current.as_ref());
        say(&match by.policy {
            Some(_) => format!("in force: {by}"),
            None => "no policy in force: every exchange is refused (policy-failed)".to_owned(),
        });
        warn(by);
        policies.listen(|event| {
            say(&words::shown(&event.to_string()));
        });
        let progress = Progress::start();
        let attended = Attended::start(
            policies,
            move |step| progress.say(&step),
            |error| {
                say(&format!(
                    "a rollback will not be possible: {}",
                    words::shown(&error.to_string())
                ));
            },
        )
        .or_unreadable("cannot watch the directory of policies")?;
        if !attended.answers() {
            say("another host answers `negotiator policy` here; this one follows what it does");
        }
        Ok(Self {
            attended,
            has_facets,
        })
    }

    /// Settles one request; the answer says by which generation.
    pub(crate) fn settle(&self, request: &str) -> Answer {
        match self.attended.policies().settle_json(request) {
            Err(failure) => Answer::Failed(failure),
            Ok((answer, by)) => {
                let answer = asking::judged(answer, Operation::Settle, request, self.has_facets);
                match answer {
                    Answer::Given(text) => Answer::Given(signed(text, by)),
                    other => other,
                }
            }
        }
    }
}

/// An answer with the generation that gave it.
fn signed(mut text: String, by: By) -> String {
    use std::fmt::Write as _;
    if text.pop() == Some('}') {
        let comma = if text.ends_with('{') { "" } else { "," };
        let policy = by
            .policy
            .map_or("null".to_owned(), |policy| format!("\"{policy}\""));
        let untrusted = if by.untrusted {
            ",\"untrusted\":true"
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{comma}\"generation\":{},\"policy\":{policy}{untrusted}}}",
            by.generation
        );
    }
    text
}

/// Nobody shall be able to overlook it.
fn warn(by: By) {
    if by.untrusted {
        words::error("NOT TRUSTED: nobody vouches for the policy in force; every answer says so");
    }
}
