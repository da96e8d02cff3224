//! From the types of the component to those of the native core, and what each said.

use negotiation_core as core;
use negotiation_core::facet::Member;
use negotiation_model as model;
use negotiator::types as wit;

/// What all three must agree on, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The version agreed on.
    pub version: Option<String>,
    /// The reason on record.
    pub reason: String,
    /// The cause.
    pub cause: String,
    /// Whether it is a downgrade.
    pub downgraded: bool,
}

/// What the rules said.
#[must_use]
pub fn said_by_core(decision: &core::Decision) -> Said {
    let word = |text: String| text.trim_matches('"').to_string();
    match *decision {
        core::Decision::Accepted {
            version,
            cause,
            downgraded,
        } => Said {
            version: Some(version.to_string()),
            reason: "ok".into(),
            cause: word(core::ops::to_json(&cause)),
            downgraded,
        },
        core::Decision::Refused { refusal, cause } => Said {
            version: None,
            reason: word(core::ops::to_json(&refusal)),
            cause: word(core::ops::to_json(&cause)),
            downgraded: false,
        },
    }
}

/// What the model said.
#[must_use]
pub fn said_by_model(outcome: &model::Outcome) -> Said {
    Said {
        version: outcome.version.map(|version| version.to_string()),
        reason: outcome.reason.as_str().into(),
        cause: outcome.cause.as_str().into(),
        downgraded: outcome.downgraded,
    }
}

/// What the component said.
#[must_use]
pub fn said_by_component(decision: &wit::Decision) -> Said {
    match decision {
        wit::Decision::Accepted(acceptance) => Said {
            version: Some(acceptance.version.clone()),
            reason: "ok".into(),
            cause: kebab(&format!("{:?}", acceptance.cause)),
            downgraded: acceptance.downgraded,
        },
        wit::Decision::Refused(rejection) => Said {
            version: None,
            reason: kebab(&format!("{:?}", rejection.refusal)),
            cause: kebab(&format!("{:?}", rejection.cause)),
            downgraded: false,
        },
    }
}

/// `Cause::NamedBelowFloor` as `named-below-floor`.
fn kebab(debug: &str) -> String {
    let name = debug.rsplit("::").next().unwrap_or(debug);
    let mut text = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

/// Facets as the native core takes them.
///
/// # Panics
/// They break a rule, so the grid is wrong.
#[must_use]
#[expect(clippy::expect_used, reason = "a broken grid must stop the tests")]
pub fn to_core_posture(facets: &wit::Facets) -> core::Posture {
    let check = |protocol, facet: &wit::Facet| {
        let offered: Vec<_> = facet
            .offered
            .iter()
            .map(|version| Member::Given(version.as_str()))
            .collect();
        let text = core::FacetText {
            offered: Member::Given(&offered),
            preferred: Member::Given(&facet.preferred),
            floor: Member::Given(&facet.floor),
        };
        core::Facet::check(protocol, text).expect("the grid holds valid facets")
    };
    core::Posture {
        a2a: facets
            .a2a
            .as_ref()
            .map(|facet| check(core::Protocol::A2a, facet)),
        mcp: facets
            .mcp
            .as_ref()
            .map(|facet| check(core::Protocol::Mcp, facet)),
    }
}

/// An exchange as the native core takes it.
#[must_use]
pub fn to_core(exchange: &wit::Exchange) -> core::Exchange {
    let protocol = match exchange.protocol {
        wit::Protocol::A2a => core::Protocol::A2a,
        wit::Protocol::Mcp => core::Protocol::Mcp,
    };
    let read = |text: &String| core::Version::parse(protocol, text);
    let named = |named: &wit::Named| match named {
        wit::Named::Nothing => core::Named::Nothing,
        wit::Named::One(text) => read(text).map_or(core::Named::Malformed, core::Named::One),
        wit::Named::Malformed => core::Named::Malformed,
        wit::Named::Ambiguous => core::Named::Ambiguous,
        wit::Named::Contradiction(text) => core::Named::Contradiction(text.as_ref().and_then(read)),
    };
    core::Exchange {
        protocol,
        direction: match exchange.direction {
            wit::Direction::Inbound => core::Direction::Inbound,
            wit::Direction::Outbound => core::Direction::Outbound,
        },
        authenticated: exchange.authenticated,
        surface: match exchange.surface {
            wit::Surface::A2aCall => core::Surface::A2aCall,
            wit::Surface::A2aCard => core::Surface::A2aCard,
            wit::Surface::McpInitialize => core::Surface::McpInitialize,
            wit::Surface::McpSession => core::Surface::McpSession,
            wit::Surface::McpRequest => core::Surface::McpRequest,
        },
        named: named(&exchange.named),
        session: exchange.session.as_ref().map(read),
        offers: exchange.offers.iter().flatten().filter_map(read).collect(),
        answered: exchange
            .answered
            .as_ref()
            .map(|answer| match named(answer) {
                core::Named::One(version) => Some(version),
                _ => None,
            }),
    }
}

/// A context as the native core takes it.
#[must_use]
pub fn to_core_context(context: &wit::Context) -> core::Context {
    core::Context {
        at: context.at.clone(),
        peer_url: context.peer_url.clone(),
        subject: context.subject.as_ref().map(|subject| core::Subject {
            tenant: subject.tenant.clone(),
            workspace: subject.workspace.clone(),
        }),
        run_id: context.run_id.clone(),
        sequence: context.sequence,
        event_id: context.event_id.clone(),
    }
}

/// A settlement of the native core, as the text that the operation `settle` answers with.
#[must_use]
pub fn native_text(settlement: &core::Settlement) -> String {
    let payload = &settlement.entry.payload;
    let said = said_by_core(&settlement.decision);
    let member = |name: &str, value: Option<&core::Version>| {
        value.map_or_else(String::new, |value| format!(",\"{name}\":\"{value}\""))
    };
    format!(
        "{{\"outcome\":{},{}\"reason\":\"{}\",\"cause\":\"{}\"{},\"downgraded\":{},\"record\":{},\"entry\":{},\"answer\":{}}}",
        core::ops::to_json(&payload.outcome),
        said.version
            .map_or_else(String::new, |version| format!("\"version\":\"{version}\",")),
        said.reason,
        said.cause,
        member("requested", payload.requested.as_ref()),
        said.downgraded,
        core::ops::to_json(payload),
        core::ops::to_json(&settlement.entry),
        core::ops::to_json(&settlement.reply),
    )
}
