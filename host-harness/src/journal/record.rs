//! What is appended, and what is read back.

use serde::Deserialize;

use super::JournalError;
use crate::types::{Entry, Home};

/// A record, ready to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub(super) event_id: String,
    pub(super) home: Home,
    pub(super) tenant: Option<String>,
    pub(super) workspace: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) sequence: Option<i64>,
    pub(super) event: String,
}

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its place in the journal, from 1; ids have no gaps.
    pub id: u64,
    /// The record.
    pub record: Record,
    pub(super) chain: [u8; 32],
}

/// What a `negotiation.decided` payload says.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// `a2a` or `mcp`.
    pub protocol: String,
    /// `accepted` or `refused`.
    pub outcome: String,
    /// What was asked for.
    pub requested: Option<String>,
    /// What was agreed on.
    pub version: Option<String>,
    /// The digest of the peer's origin.
    pub peer_digest: Option<String>,
    /// Why, `ok` on acceptance.
    pub reason: String,
    /// When.
    pub at: String,
}

impl Record {
    /// The record of a settlement.
    ///
    /// # Errors
    ///
    /// The entry has no envelope: the context that it was made with had no event id.
    pub fn of(entry: &Entry) -> Result<Self, JournalError> {
        let event = entry.event.clone().ok_or(JournalError::Record {
            member: "eventId",
            problem: "must be given, else there is no envelope",
        })?;
        let audience = entry.audience.as_ref();
        Self::from_event(
            event,
            audience.map(|subject| subject.tenant.clone()),
            audience.and_then(|subject| subject.workspace.clone()),
        )
    }

    /// Any other event of a run's log, given as the JSON text of its envelope. It belongs to the
    /// tenant in its run id.
    ///
    /// # Errors
    ///
    /// The text is no envelope of a run event.
    pub fn of_run(event: String) -> Result<Self, JournalError> {
        let record = Self::from_event(event, None, None)?;
        match record.home {
            Home::Run => Ok(record),
            Home::Host => Err(JournalError::Record {
                member: "runId",
                problem: "must be given",
            }),
        }
    }

    fn from_event(
        event: String,
        tenant: Option<String>,
        workspace: Option<String>,
    ) -> Result<Self, JournalError> {
        let envelope = envelope(&event)?;
        let sequence = match (&envelope.run_id, envelope.sequence) {
            (Some(_), None) => {
                return Err(JournalError::Record {
                    member: "sequence",
                    problem: "must be an integer from 0 to 9223372036854775807",
                });
            }
            (_, sequence) => sequence,
        };
        Ok(Self {
            home: match envelope.run_id {
                Some(_) => Home::Run,
                None => Home::Host,
            },
            event_id: envelope.event_id,
            tenant,
            workspace,
            run_id: envelope.run_id,
            sequence,
            event,
        })
    }

    /// The id of the event.
    #[must_use]
    pub fn event_id(&self) -> &str {
        &self.event_id
    }

    /// The tenant that may read it; none means nobody (RFC 0242 §B.4).
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// The workspace that it belongs to.
    #[must_use]
    pub fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref()
    }

    /// The exact JSON text of the envelope.
    #[must_use]
    pub fn event(&self) -> &str {
        &self.event
    }

    /// What it says, for a `negotiation.decided`.
    #[must_use]
    pub fn facts(&self) -> Option<Facts> {
        let envelope: WithPayload = serde_json::from_str(&self.event).ok()?;
        (envelope.kind == DECIDED).then_some(envelope.payload)
    }

    /// Whether the columns say what the envelope says.
    pub(super) fn agrees_with_itself(&self) -> bool {
        let again = Self::from_event(
            self.event.clone(),
            self.tenant.clone(),
            self.workspace.clone(),
        );
        again.is_ok_and(|again| again == *self)
    }
}

fn envelope(event: &str) -> Result<Envelope, JournalError> {
    serde_json::from_str(event).map_err(|_| JournalError::Record {
        member: "event",
        problem: "must be the envelope of an event",
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    event_id: String,
    run_id: Option<String>,
    sequence: Option<i64>,
}

#[derive(Deserialize)]
struct WithPayload {
    #[serde(rename = "type")]
    kind: String,
    payload: Facts,
}

const DECIDED: &str = "negotiation.decided";
