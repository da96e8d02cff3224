//! The tags tell the truth: the whole list for a few cases, and what typed cases propose.

use serde_json::{Value, json};

use crate::{
    Case, Cause, Direction, Named, Policy, Protocol, Reason, Surface, Version, decide, refuse,
    settle,
};

use super::{a2a_in, a2a_out, mcp_in, mcp_out, settled};

fn tags(request: &Value) -> String {
    let tags = settled(request, Policy::Highest).branches;
    tags.into_iter()
        .filter(|tag| !tag.starts_with("record."))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn whole_lists() {
    let a2a = |value: &str| a2a_in(true, json!({ "headers": [["A2A-Version", value]] }));
    let accepted = "inbound.11.named policy.granted accepted.exact answer.accepted";
    assert_eq!(tags(&a2a("1.0")), format!("read.a2a.one {accepted}"));
    assert_eq!(
        tags(&a2a("1.0.0 ")),
        format!("read.header.trimmed read.a2a.one read.a2a.patch-cut {accepted}")
    );
    assert_eq!(
        tags(&a2a("x,")),
        "read.header.split read.a2a.empty-dropped read.a2a.malformed inbound.3.malformed \
         answer.a2a-call.-32009"
    );
    let card = json!({ "headers": [["A2A-Version", "2.0"]], "httpMethod": "GET" });
    assert_eq!(
        tags(&a2a_in(false, card)),
        "read.a2a.one inbound.10.named-not-offered answer.a2a-card.-32009 \
         answer.supported-cut-to-preferred"
    );

    let mcp = |value: &str| {
        mcp_in(
            true,
            json!({ "headers": [["MCP-Protocol-Version", value]] }),
        )
    };
    assert_eq!(
        tags(&mcp("")),
        "read.mcp.malformed read.mcp.blank inbound.3.malformed answer.mcp-request.-32022"
    );
    assert_eq!(tags(&mcp("2025-11-25")), format!("read.mcp.one {accepted}"));
    let initialize =
        |version: &str| json!({ "method": "initialize", "params": { "protocolVersion": version } });
    let counter_offer = "R1.counter-offer policy.granted accepted.counter-offer";
    assert_eq!(
        tags(&mcp_in(true, initialize("2025-12-01"))),
        format!(
            "read.initialize.one inbound.9.not-offered {counter_offer} accepted.downgraded \
             answer.accepted"
        )
    );
    assert_eq!(
        tags(&mcp_in(true, initialize("2025-07-01"))),
        "read.initialize.one inbound.9.not-offered R1.counter-offer R1.newer-than-named \
         policy.granted accepted.counter-offer answer.accepted"
    );
    let mut newest = mcp_in(true, initialize("2026-07-28"));
    newest["facets"]["mcp"]["preferredVersion"] = "2025-11-25".into();
    assert_eq!(
        tags(&newest),
        format!(
            "read.initialize.one inbound.9.no-handshake-revision {counter_offer} \
             accepted.downgraded answer.accepted"
        )
    );

    assert_eq!(
        tags(&a2a_out(true, json!({ "offers": ["0.3", "1.0"] }))),
        "read.requested.default read.peer.offers outbound.9.common policy.granted \
         accepted.exact answer.accepted"
    );
    let error = |data: Value| a2a_out(true, json!({ "error": { "code": -32009, "data": data } }));
    let lower = "outbound.9.common policy.granted accepted.common accepted.downgraded \
                 answer.accepted";
    assert_eq!(
        tags(&error(json!({ "supportedVersions": ["0.3.0"] }))),
        format!("read.requested.default read.peer.error-a2a-object read.peer.patch-cut {lower}")
    );
    assert_eq!(
        tags(&error(
            json!({ "metadata": { "supportedVersions": "0.3" } })
        )),
        format!(
            "read.requested.default read.peer.error-a2a-object-metadata read.peer.joined {lower}"
        )
    );
    let answered = |requested: &str| {
        mcp_out(
            true,
            json!({
                "requested": requested, "initialize": { "protocolVersion": "2025-11-25" },
            }),
        )
    };
    let read = "read.requested.one read.peer.nothing read.answered.one outbound.7.answered \
                policy.granted accepted.answered";
    assert_eq!(
        tags(&answered("2025-06-18")),
        format!("{read} R9.newer-than-asked answer.accepted")
    );
    assert_eq!(
        tags(&answered("2025-11-25")),
        format!("{read} answer.accepted")
    );
    assert_eq!(
        tags(&answered("2026-07-28")),
        format!("{read} accepted.downgraded answer.accepted")
    );
}

#[test]
fn tags_of_the_record() {
    let record = |context: Value| {
        let mut request = a2a_in(true, json!({}));
        request["context"] = context;
        request["context"]["at"] = "2026-11-30T12:00:00Z".into();
        let tags = settle(&request).unwrap().branches;
        tags.into_iter()
            .filter_map(|tag| tag.strip_prefix("record."))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(record(json!({})), "no-event nobody");
    assert_eq!(record(json!({ "workspace": "ws-1" })), "no-event nobody");
    assert_eq!(
        record(json!({ "tenant": "acme", "peerUrl": "https://peer.example" })),
        "peer-digest no-event audience"
    );
    assert_eq!(
        record(json!({
            "tenant": "acme", "workspace": "ws-1", "peerUrl": "stdio:",
            "eventId": "hev-0123456789abcdef",
        })),
        "peer-opaque host-event audience-workspace"
    );
}

#[test]
fn a_run_event_needs_its_place() {
    let mut request = a2a_in(true, json!({}));
    request["context"]["runId"] = "acme/run-0123456789abcd".into();
    assert_eq!(settle(&request).unwrap().answer["entry"]["home"], "run");
    assert_eq!(
        settle(&request).unwrap().answer["entry"]["event"],
        Value::Null
    );
    request["context"]["eventId"] = "hev-0123456789abcdef".into();
    assert!(settle(&request).unwrap_err().contains("sequence"));
    request["context"]["sequence"] = 0.into();
    assert_eq!(
        settle(&request).unwrap().answer["entry"]["event"]["sequence"],
        0
    );
    request["context"]
        .as_object_mut()
        .unwrap()
        .remove("eventId");
    assert_eq!(
        settle(&request).unwrap().answer["entry"]["event"],
        Value::Null
    );
}

#[test]
fn the_host_may_refuse_outbound_too() {
    let mut request = mcp_out(true, json!({ "offers": ["2026-07-28"] }));
    request["refusal"] = "credential-required".into();
    let answer = refuse(&request).unwrap().answer;
    assert_eq!(answer["reason"], "unauthenticated");
    assert_eq!(answer["answer"]["status"], 400);
    assert_eq!(answer["answer"]["error"], Value::Null);
    request["refusal"] = "other".into();
    assert!(refuse(&request).is_err());
}

fn a2a(direction: Direction, named: Named) -> Case {
    let [a, b, c, d] = [
        Version::A2a(0, 2),
        Version::A2a(0, 3),
        Version::A2a(1, 0),
        Version::A2a(1, 1),
    ];
    Case {
        protocol: Protocol::A2a,
        direction,
        authenticated: true,
        surface: Surface::A2aCall,
        offered: vec![a, d, b, c],
        preferred: c,
        floor: b,
        named,
        session: None,
        offers: Vec::new(),
        answered: None,
    }
}

#[test]
fn nothing_named_proposes_the_floor_up_to_preferred() {
    let outcome = decide(&a2a(Direction::Inbound, Named::Nothing), Policy::Highest);
    assert_eq!(outcome.candidates, [Version::A2a(1, 0), Version::A2a(0, 3)]);
    assert_eq!((outcome.cause, outcome.requested), (Cause::Default, None));
}

#[test]
fn a_counter_offer_proposes_every_handshake_revision_from_the_floor() {
    let [a, b, c, d] = [
        Version::Mcp(2024, 11, 5),
        Version::Mcp(2025, 6, 18),
        Version::Mcp(2025, 11, 25),
        Version::Mcp(2026, 7, 28),
    ];
    let case = Case {
        protocol: Protocol::Mcp,
        surface: Surface::McpInitialize,
        offered: vec![b, d, a, c],
        preferred: d,
        floor: b,
        ..a2a(Direction::Inbound, Named::One(d))
    };
    let outcome = decide(&case, Policy::Highest);
    assert_eq!(outcome.candidates, [c, b]);
    assert_eq!((outcome.asked, outcome.requested), (d, Some(d)));
    assert_eq!(decide(&case, Policy::Exact).cause, Cause::PolicyDenied);
    let anonymous = decide(
        &Case {
            authenticated: false,
            ..case
        },
        Policy::Highest,
    );
    assert_eq!(anonymous.reason, Reason::Unauthenticated);
    assert_eq!(anonymous.candidates, []);
}

#[test]
fn only_mcp_has_an_initialize_answer() {
    let offers = vec![Version::A2a(0, 3)];
    let answered = Some(Named::Malformed);
    let case = Case {
        offers,
        answered,
        ..a2a(Direction::Outbound, Named::Nothing)
    };
    assert_eq!(decide(&case, Policy::Highest).cause, Cause::Common);
}
