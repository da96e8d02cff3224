//! What typed callers can say and JSON cannot.
#![expect(clippy::unwrap_used, reason = "a test")]

use negotiation_core::decision::could_have_made;
use negotiation_core::facet::Member;
use negotiation_core::{
    Cause, Decision, Direction, Exchange, FacetText, Named, Posture, Protocol, Refusal, Surface,
    Version,
};

fn text<'a>(offered: &'a [Member<&'a str>], preferred: &'a str, floor: &'a str) -> FacetText<'a> {
    FacetText {
        offered: Member::Given(offered),
        preferred: Member::Given(preferred),
        floor: Member::Given(floor),
    }
}

fn version(protocol: Protocol, text: &str) -> Version {
    Version::parse(protocol, text).unwrap()
}

fn inbound(named: Named, authenticated: bool) -> Exchange {
    Exchange {
        protocol: Protocol::A2a,
        direction: Direction::Inbound,
        authenticated,
        surface: Surface::A2aCall,
        named,
        session: None,
        offers: Vec::new(),
        answered: None,
    }
}

#[test]
fn one_facet_is_enough() {
    let (a2a, mcp) = ([Member::Given("1.0")], [Member::Given("2026-07-28")]);
    let a2a = || text(&a2a, "1.0", "1.0");
    let mcp = || text(&mcp, "2026-07-28", "2026-07-28");
    assert!(Posture::check(Some(a2a()), None).is_ok());
    assert!(Posture::check(None, Some(mcp())).is_ok());
    assert!(Posture::check(Some(a2a()), Some(mcp())).is_ok());
    assert!(Posture::check(None, None).is_err());
}

#[test]
fn a_broken_list_is_the_only_fault_and_a_doubled_entry_is_not_one_of_the_list() {
    let faults = |offered: &[Member<&str>], preferred: &str, floor: &str| {
        let checked = Posture::check(Some(text(offered, preferred, floor)), None);
        let faults = checked.unwrap_err().into_iter();
        faults.map(|fault| fault.path).collect::<Vec<_>>()
    };
    let given = Member::Given;
    assert_eq!(
        faults(&[given("0.3"), given("x")], "1.0", "0.3"),
        ["a2a.versions[1]"]
    );
    assert_eq!(
        faults(&[given("0.3"), given("0.3")], "1.0", "0.3"),
        ["a2a.versions[1]", "a2a.preferredVersion"]
    );
    assert_eq!(
        faults(&[given("0.3"), given("x"), given("0.3")], "1.0", "0.3"),
        ["a2a.versions[1]", "a2a.versions[2]"]
    );
    assert_eq!(
        faults(&[given("0.3")], "1.0", "0.3"),
        ["a2a.preferredVersion"]
    );
}

#[test]
fn an_answer_belongs_to_mcp_outbound_alone() {
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        for direction in [Direction::Inbound, Direction::Outbound] {
            let exchange = Exchange {
                protocol,
                direction,
                answered: Some(None),
                ..inbound(Named::Nothing, true)
            };
            let is = protocol == Protocol::Mcp && direction == Direction::Outbound;
            assert_eq!(exchange.answer().is_some(), is);
        }
    }
}

#[test]
fn a_decision_that_nobody_made_is_known_as_one() {
    let offered = [Member::Given("0.3"), Member::Given("1.0")];
    let posture = Posture::check(Some(text(&offered, "1.0", "0.3")), None).unwrap();
    let one = |text: &str| Named::One(version(Protocol::A2a, text));
    let accepted = |text: &str, cause, downgraded| Decision::Accepted {
        version: version(Protocol::A2a, text),
        cause,
        downgraded,
    };
    let refused = |refusal, cause| Decision::Refused { refusal, cause };
    let could = |exchange: &Exchange, decision| could_have_made(&posture, exchange, &decision);

    let low = inbound(one("0.3"), true);
    assert!(could(&low, accepted("0.3", Cause::Exact, false)));
    for made_up in [
        accepted("0.3", Cause::Exact, true),
        accepted("0.3", Cause::Common, false),
        accepted("1.0", Cause::Exact, false),
        accepted("0.2", Cause::Exact, false),
        // The cause of no refusal of this exchange.
        refused(Refusal::Unauthenticated, Cause::CredentialMissing),
        refused(Refusal::BelowFloor, Cause::NamedBelowFloor),
        // Not the refusal of that cause.
        refused(Refusal::BelowFloor, Cause::PolicyDenied),
        refused(Refusal::Unsupported, Cause::CredentialRequired),
    ] {
        assert!(!could(&low, made_up), "{made_up:?}");
    }
    assert!(could(
        &low,
        refused(Refusal::Unsupported, Cause::PolicyDenied)
    ));
    assert!(could(
        &low,
        refused(Refusal::Unauthenticated, Cause::CredentialRequired)
    ));

    // Without a credential, and below the floor: the rules refuse, and no policy is asked.
    for (exchange, made) in [
        (
            inbound(one("0.3"), false),
            refused(Refusal::Unauthenticated, Cause::CredentialMissing),
        ),
        (
            inbound(one("0.2"), true),
            refused(Refusal::BelowFloor, Cause::NamedBelowFloor),
        ),
    ] {
        assert!(could(&exchange, made));
        assert!(!could(&exchange, accepted("0.3", Cause::Exact, false)));
        assert!(!could(
            &exchange,
            refused(Refusal::Unsupported, Cause::PolicyDenied)
        ));
        assert!(could(
            &exchange,
            refused(Refusal::Unauthenticated, Cause::CredentialRequired)
        ));
    }
}
