//! A typed settlement in the words of the JSON contract.

use crate::types::{Cause, Decision, Home, Refusal, Reply, Settlement};

/// A settlement as the text that the operation `settle` would answer with: members in the order of
/// the contract, no spaces. The texts that the component made are put in as they are.
#[must_use]
pub fn settlement_text(settlement: &Settlement) -> String {
    let mut text = Text(String::with_capacity(1024));
    let entry = &settlement.entry;
    let (outcome, version, reason, cause, downgraded) = match &settlement.decision {
        Decision::Accepted(accepted) => (
            "accepted",
            Some(accepted.version.as_str()),
            "ok",
            accepted.cause,
            accepted.downgraded,
        ),
        Decision::Refused(refused) => (
            "refused",
            None,
            refusal(refused.refusal),
            refused.cause,
            false,
        ),
    };
    text.raw("{\"outcome\":");
    text.string(outcome);
    text.member("version", version);
    text.member("reason", Some(reason));
    text.member("cause", Some(self::cause(cause)));
    text.member("requested", entry.requested.as_deref());
    text.raw(if downgraded {
        ",\"downgraded\":true,\"record\":"
    } else {
        ",\"downgraded\":false,\"record\":"
    });
    text.raw(&entry.payload);
    text.raw(match entry.home {
        Home::Run => ",\"entry\":{\"home\":\"run\",\"audience\":",
        Home::Host => ",\"entry\":{\"home\":\"host\",\"audience\":",
    });
    match &entry.audience {
        None => text.raw("null"),
        Some(subject) => {
            text.raw("{\"tenant\":");
            text.string(&subject.tenant);
            text.member("workspace", subject.workspace.as_deref());
            text.raw("}");
        }
    }
    text.raw(",\"event\":");
    text.raw(entry.event.as_deref().unwrap_or("null"));
    text.raw("},\"answer\":");
    text.reply(&settlement.reply);
    text.raw("}");
    text.0
}

/// A reply alone, in the same words: the member `answer`.
#[must_use]
pub fn reply_text(reply: &Reply) -> String {
    let mut text = Text(String::with_capacity(256));
    text.reply(reply);
    text.0
}

struct Text(String);

impl Text {
    fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn string(&mut self, text: &str) {
        self.0.push_str(&serde_json::Value::from(text).to_string());
    }

    fn reply(&mut self, reply: &Reply) {
        self.raw("{\"status\":");
        self.raw(&reply.status.to_string());
        self.raw(",\"headers\":[");
        for (at, (name, value)) in reply.headers.iter().enumerate() {
            self.raw(if at == 0 { "[" } else { ",[" });
            self.string(name);
            self.raw(",");
            self.string(value);
            self.raw("]");
        }
        self.raw("],\"error\":");
        self.raw(reply.error.as_deref().unwrap_or("null"));
        self.raw(",\"envelope\":");
        self.raw(reply.envelope.as_deref().unwrap_or("null"));
        self.raw("}");
    }

    fn member(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(",\"");
            self.raw(name);
            self.raw("\":");
            self.string(value);
        }
    }
}

/// The name of a refusal on record.
pub(crate) const fn refusal(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BelowFloor => "below-floor",
        Refusal::Unsupported => "unsupported",
        Refusal::Unauthenticated => "unauthenticated",
    }
}

/// The name of a cause in an answer.
pub(crate) const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Exact => "exact",
        Cause::Default => "default",
        Cause::Session => "session",
        Cause::Common => "common",
        Cause::CounterOffer => "counter-offer",
        Cause::Answered => "answered",
        Cause::NamedBelowFloor => "named-below-floor",
        Cause::SessionBelowFloor => "session-below-floor",
        Cause::OffersBelowFloor => "offers-below-floor",
        Cause::AnswerBelowFloor => "answer-below-floor",
        Cause::Malformed => "malformed",
        Cause::Ambiguous => "ambiguous",
        Cause::HeaderBodyMismatch => "header-body-mismatch",
        Cause::SessionChanged => "session-changed",
        Cause::NotNamed => "not-named",
        Cause::NotOffered => "not-offered",
        Cause::NoHandshake => "no-handshake",
        Cause::NoOffers => "no-offers",
        Cause::NoCommon => "no-common",
        Cause::AnswerUnusable => "answer-unusable",
        Cause::NotConfigured => "not-configured",
        Cause::PolicyDenied => "policy-denied",
        Cause::PolicyFailed => "policy-failed",
        Cause::PolicyBrokeContract => "policy-broke-contract",
        Cause::CredentialMissing => "credential-missing",
        Cause::CredentialRequired => "credential-required",
        Cause::RecordNotDurable => "record-not-durable",
    }
}
