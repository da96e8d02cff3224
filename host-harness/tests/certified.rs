//! The components of `dist/`, as they are built into the crate.
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use std::sync::OnceLock;

use negotiator::error::{ConfigureError, OperationError, SettleError};
use negotiator::types::{
    Acceptance, Cause, Context, Decision, Direction, Exchange, Facets, HostRefusal, HttpMethod,
    Inbound, Listing, Outbound, Protocol, Refusal, Rejection, Round,
};
use negotiator::{Artifact, Limits, Negotiator, Operation, Runtime, World};
use support::{Wat, context, exchange, facets, runtime};

fn negotiator() -> &'static Negotiator {
    static NEGOTIATOR: OnceLock<Negotiator> = OnceLock::new();
    NEGOTIATOR.get_or_init(|| {
        let loaded = Negotiator::load(runtime(), &Artifact::embedded(), Limits::negotiator());
        loaded.unwrap().configure(facets(), "").unwrap()
    })
}

fn accepted(version: &str, cause: Cause, downgraded: bool) -> Decision {
    Decision::Accepted(Acceptance {
        version: version.to_owned(),
        cause,
        downgraded,
    })
}

fn refused(refusal: Refusal, cause: Cause) -> Decision {
    Decision::Refused(Rejection { refusal, cause })
}

fn a2a(version: Option<&str>) -> Inbound {
    Inbound {
        protocol: Protocol::A2a,
        authenticated: true,
        http_method: HttpMethod::Post,
        headers: version
            .map(|it| ("a2a-version".to_owned(), it.to_owned()))
            .into_iter()
            .collect(),
        query: None,
        method: Some("SendMessage".to_owned()),
        params: None,
        session: None,
    }
}

#[test]
fn the_embedded_components_are_what_they_should_be() {
    let closed = Artifact::embedded().inspect().unwrap();
    assert_eq!(
        (closed.world, closed.imports.len()),
        (Some(World::NegotiatorClosed), 0)
    );
    let open = Artifact::embedded_pluggable().inspect().unwrap();
    assert_eq!(open.world, Some(World::Negotiator));
    assert_eq!(open.imports, ["openwop:negotiation/policy@2.0.0"]);
}

#[test]
fn a_message_is_read_and_settled_with_record_and_reply() {
    let negotiator = negotiator();
    let exchange = negotiator.read_inbound(&a2a(Some(" 0.3 "))).unwrap();
    let settled = negotiator.settle(&exchange, &context()).unwrap();
    assert_eq!(settled.failure, None);
    let settlement = settled.settlement;
    assert_eq!(settlement.decision, accepted("0.3", Cause::Exact, false));
    let digest = negotiator
        .digest_origin("https://peer.example/x")
        .unwrap()
        .unwrap();
    assert_eq!(
        settlement.entry.payload,
        format!(
            r#"{{"protocol":"a2a","outcome":"accepted","requested":"0.3","version":"0.3","floor":"0.3","peerDigest":"{digest}","reason":"ok","at":"2026-11-30T12:00:00Z"}}"#
        )
    );
    assert_eq!(settlement.entry.audience.unwrap().tenant, "acme");
    assert_eq!(settlement.reply.status, 200);
    assert_eq!(
        settlement.reply.headers,
        [("A2A-Version".to_owned(), "0.3".to_owned())]
    );
}

#[test]
fn each_outcome_is_decided() {
    let negotiator = negotiator();
    let unauthenticated = |named| Exchange {
        authenticated: false,
        ..exchange(named)
    };
    let cases = [
        (exchange(Some("1.0")), accepted("1.0", Cause::Exact, false)),
        (exchange(None), accepted("1.0", Cause::Default, false)),
        (
            unauthenticated(None),
            accepted("1.0", Cause::Default, false),
        ),
        (
            exchange(Some("0.2")),
            refused(Refusal::BelowFloor, Cause::NamedBelowFloor),
        ),
        (
            exchange(Some("2.0")),
            refused(Refusal::Unsupported, Cause::NotOffered),
        ),
        (
            exchange(Some("one")),
            refused(Refusal::Unsupported, Cause::Malformed),
        ),
        (
            unauthenticated(Some("0.3")),
            refused(Refusal::Unauthenticated, Cause::CredentialMissing),
        ),
    ];
    // More than go into one call of the component.
    let exchanges = cases.iter().map(|(exchange, _)| exchange.clone()).cycle();
    let exchanges = exchanges.take(cases.len() * 20).collect::<Vec<_>>();
    let decided = negotiator.decide_many(&exchanges).unwrap();
    assert_eq!(decided.len(), cases.len() * 20);
    for (at, (exchange, expected)) in cases.iter().enumerate() {
        assert_eq!(
            negotiator.decide(exchange).unwrap().decision,
            *expected,
            "{exchange:?}"
        );
        let settlement = negotiator.settle(exchange, &context()).unwrap().settlement;
        assert_eq!(settlement.decision, *expected, "{exchange:?}");
        for batch in decided.chunks(cases.len()) {
            assert_eq!(batch[at].decision, *expected, "{exchange:?}");
        }
        // What was decided earlier gives the same record and the same reply.
        let entry = negotiator.build(exchange, expected, &context()).unwrap();
        assert_eq!(entry, settlement.entry);
        assert_eq!(
            negotiator.reply(exchange, expected, None).unwrap(),
            settlement.reply
        );
    }
}

#[test]
fn an_outbound_call_is_read_and_decided() {
    let negotiator = negotiator();
    let outbound = |card: &str| Outbound {
        protocol: Protocol::A2a,
        authenticated: true,
        requested: None,
        listing: Listing::Card(card.to_owned()),
        initialize: None,
    };
    let exchange = negotiator
        .read_outbound(&outbound(r#"{"protocolVersion":"0.3.0"}"#))
        .unwrap();
    let decided = negotiator.decide(&exchange).unwrap().decision;
    assert_eq!(decided, accepted("0.3", Cause::Common, true));
    let exchange = negotiator
        .read_outbound(&outbound("no card at all"))
        .unwrap();
    let decided = negotiator.decide(&exchange).unwrap().decision;
    assert_eq!(decided, refused(Refusal::Unsupported, Cause::NoOffers));
}

#[test]
fn every_fault_of_the_facets_is_told() {
    let loaded = Negotiator::load(runtime(), &Artifact::embedded(), Limits::negotiator()).unwrap();
    let mut facets = facets();
    if let (Some(a2a), Some(mcp)) = (&mut facets.a2a, &mut facets.mcp) {
        a2a.offered.push("1.0".to_owned());
        mcp.floor = "2025-02-30".to_owned();
    }
    let ConfigureError::Faults(faults) = loaded.configure(facets, "").unwrap_err() else {
        panic!()
    };
    let told = faults
        .iter()
        .map(|fault| (fault.path.as_str(), fault.problem.as_str()));
    let told = told.collect::<Vec<_>>();
    assert!(
        told.contains(&("mcp.minimumRevision", "malformed")),
        "{told:?}"
    );
    assert!(told.contains(&("a2a.versions[2]", "duplicate")), "{told:?}");
    let error = loaded
        .configure(
            Facets {
                a2a: None,
                mcp: None,
            },
            "",
        )
        .unwrap_err();
    assert!(matches!(error, ConfigureError::Faults(_)), "{error:?}");
    let error = loaded
        .configure(support::facets(), "a setting")
        .unwrap_err();
    assert!(
        matches!(error, ConfigureError::Faults(_)),
        "the default policy takes none"
    );
}

#[test]
fn a_context_outside_its_grammar_is_the_callers_error() {
    let context = Context {
        at: "yesterday".to_owned(),
        ..context()
    };
    let error = negotiator().settle(&exchange(None), &context).unwrap_err();
    let SettleError::Context(fault) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(fault.path, "context.at");
    assert!(!error.to_string().contains("yesterday"), "{error}");
    let error = negotiator().refuse(&exchange(None), &context, HostRefusal::CredentialRequired);
    assert!(matches!(error, Err(SettleError::Context(_))));
}

#[test]
fn a_decision_that_the_rules_cannot_have_made_has_no_record() {
    let forged = accepted("0.2", Cause::Exact, false);
    let error = negotiator()
        .build(&exchange(Some("0.2")), &forged, &context())
        .unwrap_err();
    assert!(matches!(error, OperationError::Fault(_)), "{error:?}");
}

#[test]
fn the_host_can_refuse_by_itself() {
    let refusal = |refusal| {
        negotiator()
            .refuse(&exchange(None), &context(), refusal)
            .unwrap()
    };
    let demanded = refusal(HostRefusal::CredentialRequired);
    let expected = refused(Refusal::Unauthenticated, Cause::CredentialRequired);
    assert_eq!((demanded.decision, demanded.reply.status), (expected, 401));
    let failed = refusal(HostRefusal::PolicyFailed);
    assert_eq!(
        failed.decision,
        refused(Refusal::Unsupported, Cause::PolicyFailed)
    );
}

#[test]
fn the_answer_without_a_component_is_that_of_the_component() {
    let silent = Wat::obliging("negotiator-closed");
    let silent = Artifact::from_bytes(silent.component());
    let silent = Negotiator::load(runtime(), &silent, Limits::negotiator()).unwrap();
    let silent = silent.configure(facets(), "").unwrap();
    let inbound = exchange(None);
    let outbound = Exchange {
        direction: Direction::Outbound,
        ..exchange(None)
    };
    let mcp = Exchange {
        protocol: Protocol::Mcp,
        ..exchange(None)
    };
    for exchange in [inbound, outbound, mcp] {
        // Its `not-durable` traps, so this is what the host says.
        assert_eq!(
            silent.not_durable(&exchange),
            negotiator().not_durable(&exchange)
        );
    }
}

#[test]
fn json_says_the_same() {
    let request = r#"{"exchange":{"protocol":"a2a","direction":"inbound","authenticated":true,
        "headers":[["A2A-Version","0.3"]],"method":"SendMessage"},
        "context":{"at":"2026-11-30T12:00:00Z","peerUrl":"https://peer.example/x",
        "tenant":"acme","workspace":"ws-1","eventId":"hev-0123456789abcdef01234567"}}"#;
    let negotiator = negotiator();
    let answer = negotiator
        .json(Operation::Settle, request)
        .unwrap()
        .unwrap();
    let exchange = negotiator.read_inbound(&a2a(Some("0.3"))).unwrap();
    let settlement = negotiator.settle(&exchange, &context()).unwrap().settlement;
    assert!(
        answer.contains(&format!(r#""record":{}"#, settlement.entry.payload)),
        "{answer}"
    );
    assert!(
        answer.contains(&settlement.entry.event.unwrap()),
        "{answer}"
    );

    for operation in Operation::ALL {
        assert_eq!(operation.as_str().parse(), Ok(operation));
        let error = negotiator.json(operation, "{").unwrap().unwrap_err();
        assert!(
            error.starts_with(r#"{"error":{"code":"bad-request""#),
            "{operation}: {error}"
        );
    }
    assert!("configure".parse::<Operation>().is_err());
    let state = negotiator.json(Operation::TaskState, r#"{"status":"waiting-approval"}"#);
    assert_eq!(
        state.unwrap().unwrap(),
        r#"{"state":"TASK_STATE_INPUT_REQUIRED"}"#
    );
}

#[test]
fn a_request_of_any_length_is_answered() {
    for length in [65_536, 65_537, 65_538, 1 << 20, 100 << 20] {
        let request = format!(r#"{{"url":"{}"}}"#, "é".repeat((length - 10) / 2));
        let answer = negotiator().json(Operation::Digest, &request).unwrap();
        assert_eq!(answer.is_ok(), request.len() <= 65_536, "{length}");
        if let Err(error) = answer {
            // Refused for its length, and for nothing that a part of it might be.
            assert!(error.contains("at most 65536 bytes"), "{length}: {error}");
        }
    }
}

#[test]
fn the_small_ones_answer() {
    let negotiator = negotiator();
    assert_eq!(negotiator.card_version(), Ok(Some("1.0".to_owned())));
    assert_eq!(negotiator.admit_round(4, 3), Ok(Round::Continue));
    assert_eq!(negotiator.admit_round(4, 5), Ok(Round::Refuse));
    assert!(matches!(
        negotiator.admit_round(0, 0),
        Err(OperationError::Fault(_))
    ));
    assert_eq!(
        negotiator.fresh("2026-09-18", "2026-12-17T00:00:00Z"),
        Ok(true)
    );
    assert_eq!(
        negotiator.fresh("2026-09-18", "2026-12-17T00:00:01Z"),
        Ok(false)
    );
    assert_eq!(
        negotiator.task_state("running"),
        Ok("TASK_STATE_WORKING".to_owned())
    );
    assert!(matches!(
        negotiator.task_state("lost"),
        Err(OperationError::Fault(_))
    ));
    assert_eq!(negotiator.digest_origin("stdio"), Ok(None));
    assert!(
        !negotiator
            .check("{}", "2026-11-30T12:00:00Z")
            .unwrap()
            .is_empty()
    );
}

#[test]
fn an_exchange_too_large_for_the_component_fails_and_the_next_one_does_not() {
    let negotiator = negotiator();
    let offers = Some(vec!["1.0".to_owned(); 800_000]);
    let huge = Exchange {
        direction: Direction::Outbound,
        offers,
        ..exchange(None)
    };
    let error = negotiator.settle(&huge, &context()).unwrap_err();
    assert!(matches!(error, SettleError::Unanswered { .. }), "{error:?}");
    let settled = negotiator.settle(&exchange(None), &context()).unwrap();
    assert_eq!(settled.failure, None);
}

#[test]
fn a_pool_that_is_not_there_changes_no_answer() {
    let loaded = Negotiator::load(
        &Runtime::on_demand().unwrap(),
        &Artifact::embedded(),
        Limits::negotiator(),
    );
    let on_demand = loaded.unwrap().configure(facets(), "").unwrap();
    for named in [None, Some("1.0"), Some("0.2"), Some("x")] {
        let exchange = exchange(named);
        let settled = on_demand.settle(&exchange, &context()).unwrap();
        assert_eq!(settled, negotiator().settle(&exchange, &context()).unwrap());
    }
}
