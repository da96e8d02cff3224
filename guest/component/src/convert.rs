//! Between the types of the WIT package and those of the rules.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use negotiation_core::facet::Member;
use negotiation_core::record::Home;
use negotiation_core::{
    Cause, Context, Decision, Direction, Entry, Exchange, FacetText, Fault, Named, Posture,
    Protocol, Refusal, Reply, Subject, Surface, Version, ops,
};

use crate::bindings::exports::openwop::negotiation::{answer, record, types};

/// Pairs the cases of two enums of the same names.
macro_rules! same_cases {
    ($to_core:ident, $to_wit:ident, $wit:ty, $core:ty, $($case:ident),+ $(,)?) => {
        pub(crate) const fn $to_core(value: $wit) -> $core {
            match value { $(<$wit>::$case => <$core>::$case),+ }
        }
        pub(crate) const fn $to_wit(value: $core) -> $wit {
            match value { $(<$core>::$case => <$wit>::$case),+ }
        }
    };
}

same_cases!(protocol, wit_protocol, types::Protocol, Protocol, A2a, Mcp);
same_cases!(
    direction,
    wit_direction,
    types::Direction,
    Direction,
    Inbound,
    Outbound
);
same_cases!(
    surface,
    wit_surface,
    types::Surface,
    Surface,
    A2aCall,
    A2aCard,
    McpInitialize,
    McpSession,
    McpRequest,
);
same_cases!(
    refusal,
    wit_refusal,
    types::Refusal,
    Refusal,
    BelowFloor,
    Unsupported,
    Unauthenticated,
);
same_cases!(
    cause,
    wit_cause,
    types::Cause,
    Cause,
    Exact,
    Default,
    Session,
    Common,
    CounterOffer,
    Answered,
    NamedBelowFloor,
    SessionBelowFloor,
    OffersBelowFloor,
    AnswerBelowFloor,
    Malformed,
    Ambiguous,
    HeaderBodyMismatch,
    SessionChanged,
    NotNamed,
    NotOffered,
    NoHandshake,
    NoOffers,
    NoCommon,
    AnswerUnusable,
    NotConfigured,
    PolicyDenied,
    PolicyFailed,
    PolicyBrokeContract,
    CredentialMissing,
    CredentialRequired,
    RecordNotDurable,
);

pub(crate) fn exchange(exchange: &types::Exchange) -> Exchange {
    let protocol = protocol(exchange.protocol);
    let parse = |text: &String| Version::parse(protocol, text);
    Exchange {
        protocol,
        direction: direction(exchange.direction),
        authenticated: exchange.authenticated,
        surface: surface(exchange.surface),
        named: named(protocol, &exchange.named),
        session: exchange.session.as_ref().map(parse),
        offers: exchange.offers.iter().flatten().filter_map(parse).collect(),
        answered: exchange
            .answered
            .as_ref()
            .map(|answer| match named(protocol, answer) {
                Named::One(version) => Some(version),
                _ => None,
            }),
    }
}

fn named(protocol: Protocol, named: &types::Named) -> Named {
    let parse = |text: &String| Version::parse(protocol, text);
    match named {
        types::Named::Nothing => Named::Nothing,
        types::Named::One(text) => parse(text).map_or(Named::Malformed, Named::One),
        types::Named::Malformed => Named::Malformed,
        types::Named::Ambiguous => Named::Ambiguous,
        types::Named::Contradiction(text) => Named::Contradiction(text.as_ref().and_then(parse)),
    }
}

pub(crate) fn wit_exchange(exchange: &Exchange, session: Option<&str>) -> types::Exchange {
    types::Exchange {
        protocol: wit_protocol(exchange.protocol),
        direction: wit_direction(exchange.direction),
        authenticated: exchange.authenticated,
        surface: wit_surface(exchange.surface),
        named: match exchange.named {
            Named::Nothing => types::Named::Nothing,
            Named::One(version) => types::Named::One(text(version)),
            Named::Malformed => types::Named::Malformed,
            Named::Ambiguous => types::Named::Ambiguous,
            Named::Contradiction(version) => types::Named::Contradiction(version.map(text)),
        },
        // The session's text as the host gave it, so that it is read alike a second time.
        session: exchange.session.and(session).map(ToString::to_string),
        offers: match exchange.direction {
            Direction::Inbound => None,
            Direction::Outbound => Some(exchange.offers.iter().copied().map(text).collect()),
        },
        answered: exchange.answered.map(|answer| match answer {
            Some(version) => types::Named::One(text(version)),
            None => types::Named::Malformed,
        }),
    }
}

pub(crate) fn decision(protocol: Protocol, decision: &types::Decision) -> Option<Decision> {
    Some(match decision {
        types::Decision::Accepted(acceptance) => Decision::Accepted {
            version: Version::parse(protocol, &acceptance.version)?,
            cause: cause(acceptance.cause),
            downgraded: acceptance.downgraded,
        },
        types::Decision::Refused(rejection) => Decision::Refused {
            refusal: refusal(rejection.refusal),
            cause: cause(rejection.cause),
        },
    })
}

pub(crate) fn wit_decision(decision: &Decision) -> types::Decision {
    match *decision {
        Decision::Accepted {
            version,
            cause,
            downgraded,
        } => types::Decision::Accepted(types::Acceptance {
            version: text(version),
            cause: wit_cause(cause),
            downgraded,
        }),
        Decision::Refused { refusal, cause } => types::Decision::Refused(types::Rejection {
            refusal: wit_refusal(refusal),
            cause: wit_cause(cause),
        }),
    }
}

pub(crate) fn posture(facets: &types::Facets) -> Result<Posture, Vec<Fault>> {
    let a2a: Vec<_> = offered(facets.a2a.as_ref());
    let mcp: Vec<_> = offered(facets.mcp.as_ref());
    Posture::check(
        facet_text(facets.a2a.as_ref(), &a2a),
        facet_text(facets.mcp.as_ref(), &mcp),
    )
}

fn offered(facet: Option<&types::Facet>) -> Vec<Member<&str>> {
    facet
        .into_iter()
        .flat_map(|facet| &facet.offered)
        .map(|text| Member::Given(text.as_str()))
        .collect()
}

fn facet_text<'a>(
    facet: Option<&'a types::Facet>,
    offered: &'a [Member<&'a str>],
) -> Option<FacetText<'a>> {
    facet.map(|facet| FacetText {
        offered: Member::Given(offered),
        preferred: Member::Given(&facet.preferred),
        floor: Member::Given(&facet.floor),
    })
}

pub(crate) fn wit_fault(fault: Fault) -> types::Fault {
    types::Fault {
        path: fault.path,
        problem: fault.problem,
    }
}

pub(crate) fn wit_faults(faults: Vec<Fault>) -> Vec<types::Fault> {
    faults.into_iter().map(wit_fault).collect()
}

pub(crate) fn context(context: record::Context) -> Context {
    Context {
        at: context.at,
        peer_url: context.peer_url,
        subject: context.subject.map(|subject| Subject {
            tenant: subject.tenant,
            workspace: subject.workspace,
        }),
        run_id: context.run_id,
        sequence: context.sequence,
        event_id: context.event_id,
    }
}

pub(crate) fn wit_entry(entry: Entry) -> record::Entry {
    record::Entry {
        home: match entry.home {
            Home::Run => record::Home::Run,
            Home::Host => record::Home::Host,
        },
        payload: ops::to_json(&entry.payload),
        event: entry.event.as_ref().map(ops::to_json),
        audience: entry.audience.map(|subject| types::Subject {
            tenant: subject.tenant,
            workspace: subject.workspace,
        }),
        requested: entry.payload.requested.map(text),
        peer_digest: entry.payload.peer_digest,
    }
}

pub(crate) fn wit_reply(reply: Reply) -> answer::Reply {
    answer::Reply {
        status: reply.status,
        headers: reply
            .headers
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
        error: reply.error.as_ref().map(ops::to_json),
        envelope: reply.envelope.as_ref().map(ops::to_json),
    }
}

pub(crate) fn text(version: Version) -> String {
    version.text().as_str().to_string()
}
