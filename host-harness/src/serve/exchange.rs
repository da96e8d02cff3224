//! Read, decide, append, answer: the one way that every exchange goes.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::time::timeout;

use super::deciding::{Deciding, Taken};
use super::metrics::Metrics;
use crate::error::{CallError, SettleError};
use crate::journal::{Journal, JournalError, Record};
use crate::policy::Policies;
use crate::types::{Context, Exchange, HostRefusal, Inbound, Outbound, Reply, Settlement, Subject};

/// What decides and the journal, which are never used one without the other.
pub(super) struct Exchanges {
    deciding: Deciding,
    journal: Journal,
    metrics: Metrics,
}

/// Where a record of a run goes.
pub(super) struct Place<'a> {
    pub(super) run_id: &'a str,
    pub(super) sequence: u64,
    pub(super) peer_url: &'a str,
}

/// There is no durable record, so nothing may be served: this is the answer (R15).
pub(super) struct Unrecorded(pub(super) Reply);

impl Exchanges {
    pub(super) fn new(deciding: Deciding, journal: Journal) -> Self {
        Self {
            deciding,
            journal,
            metrics: Metrics::new(),
        }
    }

    /// What decides at this moment. An exchange uses one to its end.
    pub(super) fn negotiator(&self) -> Taken {
        self.deciding.take()
    }

    /// The policies that may decide; none where the one inside the component does.
    pub(super) fn policies(&self) -> Option<&Arc<Policies>> {
        self.deciding.policies()
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn metrics(&self) -> &Metrics {
        if let Some(by) = self.deciding.by() {
            self.metrics.in_force(by);
        }
        &self.metrics
    }

    /// Settles a message that came in. When this returns a settlement, its record is durable.
    pub(super) async fn inbound(
        &self,
        message: &Inbound,
        subject: Option<&Subject>,
        refusal: Option<HostRefusal>,
    ) -> Result<Settlement, Unrecorded> {
        let negotiator = self.negotiator();
        let exchange = match negotiator.read_inbound(message) {
            Ok(exchange) => exchange,
            Err(failure) => return Err(self.unread(&negotiator, message, &failure)),
        };
        let context = context(subject, None);
        self.settle(&negotiator, &exchange, &context, refusal, vec![])
            .await
    }

    /// Reads what a peer told.
    pub(super) fn read(&self, message: &Outbound) -> Result<Exchange, CallError> {
        self.negotiator().read_outbound(message)
    }

    /// Settles a call that goes out, as part of a run. `with` is appended with the record.
    pub(super) async fn outbound(
        &self,
        exchange: &Exchange,
        subject: &Subject,
        place: &Place<'_>,
        refusal: Option<HostRefusal>,
        with: Vec<Record>,
    ) -> Result<Settlement, Unrecorded> {
        let negotiator = self.negotiator();
        let context = context(Some(subject), Some(place));
        self.settle(&negotiator, exchange, &context, refusal, with)
            .await
    }

    async fn settle(
        &self,
        negotiator: &Taken,
        exchange: &Exchange,
        context: &Context,
        refusal: Option<HostRefusal>,
        with: Vec<Record>,
    ) -> Result<Settlement, Unrecorded> {
        let settled =
            match refusal {
                Some(refusal) => negotiator.refuse(exchange, context, refusal),
                None => self.deciding.settle(negotiator, exchange, context).map(
                    |(settlement, failure)| {
                        if let Some(failure) = &failure {
                            super::log::say(
                                "component-failed",
                                &[("problem", &failure.to_string())],
                            );
                        }
                        settlement
                    },
                ),
            };
        let unrecorded = |problem: &dyn std::fmt::Display| {
            super::log::say("unrecorded", &[("problem", &problem.to_string())]);
            self.metrics.unrecorded();
            Unrecorded(negotiator.not_durable(exchange))
        };
        let settlement = settled.map_err(|error: SettleError| unrecorded(&error))?;
        let mut records = vec![Record::of(&settlement.entry).map_err(|error| unrecorded(&error))?];
        records.extend(with);
        let start = Instant::now();
        self.append(records)
            .await
            .map_err(|error| unrecorded(&crate::shared::chain(&error)))?;
        self.metrics
            .decided(exchange, &settlement.decision, start.elapsed());
        Ok(settlement)
    }

    /// Appends other events of a run.
    pub(super) async fn append(&self, records: Vec<Record>) -> Result<(), JournalError> {
        let append = self.journal.append(records);
        match timeout(PATIENCE, append).await {
            Ok(appended) => appended.map(drop),
            Err(_) => Err(JournalError::Busy),
        }
    }

    #[cold]
    fn unread(&self, negotiator: &Taken, message: &Inbound, failure: &CallError) -> Unrecorded {
        super::log::say("unread", &[("problem", &failure.to_string())]);
        self.metrics.unrecorded();
        // The component could not read it; what it is asked now depends on the surface alone.
        let plain = Inbound {
            headers: vec![],
            query: None,
            params: None,
            ..message.clone()
        };
        let reply = match negotiator.read_inbound(&plain) {
            Ok(exchange) => negotiator.not_durable(&exchange),
            Err(_) => Reply {
                status: 503,
                headers: vec![("Retry-After".to_owned(), "1".to_owned())],
                error: None,
                envelope: None,
            },
        };
        Unrecorded(reply)
    }
}

fn context(subject: Option<&Subject>, place: Option<&Place<'_>>) -> Context {
    Context {
        at: now(),
        peer_url: place.map(|place| place.peer_url.to_owned()),
        subject: subject.cloned(),
        run_id: place.map(|place| place.run_id.to_owned()),
        sequence: place.map(|place| place.sequence),
        event_id: Some(id(if place.is_some() { "rev-" } else { "hev-" })),
    }
}

/// The present instant, with milliseconds.
pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// An id that nobody has: the prefix and 96 random bits.
pub(super) fn id(prefix: &str) -> String {
    let mut random = [0; 12];
    // Where the system has no randomness, time and a counter still keep ids apart.
    if getrandom::fill(&mut random).is_err() {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos());
        for (to, from) in random.iter_mut().zip(nanos.to_be_bytes().iter().skip(4)) {
            *to = *from;
        }
    }
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}{digits}")
}

/// A client waits about this long.
const PATIENCE: Duration = Duration::from_secs(8);
