//! Calls to peers: each is a run, and its negotiation is in the run's log.

mod a2a;
mod mcp;

use serde_json::{Value, json};

use super::Shared;
use super::answer::{self, Answer};
use super::exchange::{Place, Unrecorded, id, now};
use crate::error::CallError;
use crate::journal::Record;
use crate::types::{
    Cause, Decision, Exchange, HostRefusal, Listing, Outbound, Protocol, Settlement, Subject,
};

pub(super) use a2a::A2aCall;
pub(super) use mcp::McpCall;

/// One call to a peer.
pub(super) struct Run<'a> {
    shared: &'a Shared,
    subject: &'a Subject,
    peer_url: String,
    run_id: String,
    sequence: u64,
    authenticated: bool,
    requested: Option<String>,
}

/// The call is over, with this answer.
pub(super) struct Over(pub(super) Answer);

/// An agreed version.
struct Agreed {
    version: String,
    peer_digest: Option<String>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        shared: &'a Shared,
        subject: &'a Subject,
        peer_url: String,
        authenticated: bool,
        requested: Option<String>,
    ) -> Self {
        Self {
            shared,
            subject,
            peer_url,
            run_id: format!("{}/{}", subject.tenant, id("run-")),
            sequence: 0,
            authenticated,
            requested,
        }
    }

    fn facts(&self, protocol: Protocol, listing: Listing, initialize: Option<String>) -> Outbound {
        Outbound {
            protocol,
            authenticated: self.authenticated,
            requested: self.requested.clone(),
            listing,
            initialize,
        }
    }

    fn read(&self, facts: &Outbound) -> Result<Exchange, Over> {
        let read = self.shared.exchanges.read(facts);
        read.map_err(|failure: CallError| {
            super::log::say("unread", &[("problem", &failure.to_string())]);
            Over(unavailable())
        })
    }

    /// Refuses at once what no answer of the peer could change: then nobody is contacted.
    async fn early(&mut self, protocol: Protocol) -> Result<(), Over> {
        let exchange = self.read(&self.facts(protocol, Listing::Nothing, None))?;
        let decided = self.shared.exchanges.negotiator().decide(&exchange);
        let decided = decided.map_err(|_| Over(unavailable()))?;
        match decided.decision {
            Decision::Refused(refused)
                if matches!(
                    refused.cause,
                    Cause::Malformed | Cause::NamedBelowFloor | Cause::NotOffered
                ) =>
            {
                self.settle(&exchange).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Settles, durably. A refusal ends the run.
    async fn settle(&mut self, exchange: &Exchange) -> Result<Agreed, Over> {
        let settlement = self.append(exchange, None).await?;
        match &settlement.decision {
            Decision::Accepted(accepted) => Ok(Agreed {
                version: accepted.version.clone(),
                peer_digest: settlement.entry.peer_digest.clone(),
            }),
            Decision::Refused(_) => {
                self.end().await?;
                Err(Over(answer::refusal_envelope(&settlement.reply)))
            }
        }
    }

    /// The peer refused, when it was called, what it had offered: a second record says so.
    async fn refused_after_all(&mut self, exchange: &Exchange) -> Over {
        let refused = self.append(exchange, Some(HostRefusal::PolicyFailed)).await;
        match refused {
            Err(over) => over,
            Ok(settlement) => match self.end().await {
                Err(over) => over,
                Ok(()) => Over(answer::refusal_envelope(&settlement.reply)),
            },
        }
    }

    async fn append(
        &mut self,
        exchange: &Exchange,
        refusal: Option<HostRefusal>,
    ) -> Result<Settlement, Over> {
        let place = Place {
            run_id: &self.run_id,
            sequence: self.sequence,
            peer_url: &self.peer_url,
        };
        let exchanges = &self.shared.exchanges;
        let settled = exchanges
            .outbound(exchange, self.subject, &place, refusal, vec![])
            .await;
        self.sequence = self.sequence.saturating_add(1);
        settled.map_err(|Unrecorded(reply)| Over(answer::refusal_envelope(&reply)))
    }

    /// The last event of the run.
    async fn end(&self) -> Result<(), Over> {
        let event = json!({
            "eventId": id("rev-"), "runId": self.run_id, "type": "run.completed",
            "payload": { "outputs": {} }, "timestamp": now(),
            "sequence": self.sequence, "schemaVersion": 3,
        });
        let record = Record::of_run(event.to_string()).map_err(|_| Over(unavailable()))?;
        let appended = self.shared.exchanges.append(vec![record]).await;
        appended.map_err(|_| Over(unavailable()))
    }

    /// The peer failed in another way after a version was agreed: that record stands.
    async fn failed(&self) -> Over {
        if let Err(over) = self.end().await {
            return over;
        }
        let details = json!({ "runId": self.run_id });
        Over(answer::envelope(
            400,
            "validation_error",
            "The peer gave no answer that can be used",
            details,
        ))
    }
}

fn unavailable() -> Answer {
    answer::envelope(
        503,
        "service_unavailable",
        "The negotiation could not be recorded",
        json!({ "retriable": true }),
    )
}

/// The JSON text of a member of an answer.
fn member(text: &str, name: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    value
        .get(name)
        .filter(|value| !value.is_null())
        .map(Value::to_string)
}

/// Whether two URLs have one origin: the one on record.
fn same_origin(one: &str, other: &str) -> bool {
    let origin = |text: &str| url::Url::parse(text).ok().map(|url| url.origin());
    match (origin(one), origin(other)) {
        (Some(one), Some(other)) => one.is_tuple() && one == other,
        _ => false,
    }
}
