use std::string::ToString as _;
use std::vec::Vec;

use negotiation_core::json::Value;

use super::*;

/// What a policy is asked; an exchange without anything special.
fn proposal(candidates: &[&str]) -> Proposal {
    let text = |text: &str| Some(String::from(text));
    Proposal {
        protocol: Protocol::A2a,
        direction: Direction::Inbound,
        authenticated: true,
        asked: String::from(candidates[0]),
        candidates: candidates.iter().copied().map(String::from).collect(),
        preferred: String::from("1.0"),
        floor: String::from("0.2"),
        tenant: text("acme"),
        workspace: text("ws-1"),
        peer_digest: Some("a".repeat(64)),
        at: text("2026-11-30T12:00:00Z"),
    }
}

/// What these rules grant, with `otherwise` as given.
fn granted(otherwise: &str, rules: &str, proposal: &Proposal) -> Option<String> {
    let settings = format!(r#"{{"otherwise":"{otherwise}","rules":[{rules}]}}"#);
    assert_eq!(Rules::configure(settings), Ok(()), "{rules}");
    match Rules::judge(proposal.clone()) {
        Verdict::Grant(version) => Some(version),
        Verdict::Deny => None,
    }
}

#[test]
fn otherwise_decides_where_no_rule_does() {
    let mut asking = proposal(&["1.0", "0.3"]);
    asking.asked = String::from("0.3");
    assert_eq!(granted("grant-best", "", &asking).as_deref(), Some("1.0"));
    assert_eq!(granted("grant-exact", "", &asking).as_deref(), Some("0.3"));
    assert_eq!(granted("deny", "", &asking), None);
}

#[test]
fn the_first_rule_that_fits_decides_and_no_later_one() {
    let both = [r#"{"then":"deny"}"#, r#"{"then":"grant-best"}"#];
    let asking = proposal(&["1.0"]);
    assert_eq!(granted("grant-best", &both.join(","), &asking), None);
    let turned = [both[1], both[0]].join(",");
    assert!(granted("deny", &turned, &asking).is_some());
}

#[test]
fn a_rule_on_an_old_version_never_costs_a_peer_the_new_one() {
    let rule = r#"{"when":{"protocol":"a2a","version":"0.3"},"then":"deny"}"#;
    let best = |candidates: &[&str]| granted("grant-best", rule, &proposal(candidates));
    assert_eq!(best(&["1.0", "0.3"]).as_deref(), Some("1.0"));
    assert_eq!(best(&["0.3"]), None);
    assert_eq!(best(&["0.3", "0.2"]).as_deref(), Some("0.2"));
}

#[test]
fn each_condition_alone_decides_whether_a_rule_fits() {
    let asking = proposal(&["1.0"]);
    let digest = "a".repeat(64);
    let other = "b".repeat(64);
    for (when, fits) in [
        (r#"{}"#, true),
        (r#"{"protocol":"a2a"}"#, true),
        (r#"{"protocol":"mcp"}"#, false),
        (r#"{"direction":"inbound"}"#, true),
        (r#"{"direction":"outbound"}"#, false),
        (r#"{"protocol":"a2a","version":"1.0"}"#, true),
        (r#"{"protocol":"a2a","version":"1.1"}"#, false),
        (r#"{"protocol":"a2a","version":"0.9"}"#, false),
        (r#"{"protocol":"a2a","versions":{"min":"1.0"}}"#, true),
        (r#"{"protocol":"a2a","versions":{"max":"1.0"}}"#, true),
        (r#"{"protocol":"a2a","versions":{"min":"1.1"}}"#, false),
        (r#"{"protocol":"a2a","versions":{"max":"0.9"}}"#, false),
        (r#"{"protocol":"mcp","version":"2025-11-25"}"#, false),
        (r#"{"tenant":"acme"}"#, true),
        (r#"{"tenant":["other","acme"]}"#, true),
        (r#"{"tenant":["other","acm"]}"#, false),
        (r#"{"workspace":"ws-1"}"#, true),
        (r#"{"workspace":"ws-2"}"#, false),
        (&format!(r#"{{"peerDigest":"{digest}"}}"#), true),
        (&format!(r#"{{"peerDigest":["{other}"]}}"#), false),
        (r#"{"tenant":"acme","workspace":"ws-2"}"#, false),
    ] {
        let rule = format!(r#"{{"when":{when},"then":"grant-best"}}"#);
        assert_eq!(granted("deny", &rule, &asking).is_some(), fits, "{when}");
        let rule = format!(r#"{{"when":{when},"then":"deny"}}"#);
        assert_eq!(
            granted("grant-best", &rule, &asking).is_some(),
            !fits,
            "{when}"
        );
    }
}

#[test]
fn who_has_no_tenant_workspace_or_digest_fits_no_rule_on_one() {
    let asking = Proposal {
        tenant: None,
        workspace: None,
        peer_digest: None,
        ..proposal(&["1.0"])
    };
    let digest = format!(r#"{{"peerDigest":"{}"}}"#, "a".repeat(64));
    for when in [r#"{"tenant":"acme"}"#, r#"{"workspace":"ws-1"}"#, &digest] {
        let rule = format!(r#"{{"when":{when},"then":"grant-best"}}"#);
        assert_eq!(granted("deny", &rule, &asking), None, "{when}");
    }
}

#[test]
fn versions_are_compared_as_numbers() {
    let rule = r#"{"when":{"protocol":"a2a","versions":{"max":"0.9"}},"then":"deny"}"#;
    let best = granted("grant-best", rule, &proposal(&["0.10", "0.3"]));
    assert_eq!(best.as_deref(), Some("0.10"));
}

#[test]
fn a_sunset_grants_until_its_instant_and_denies_from_it_on() {
    let rule = r#"{"then":"grant-best","until":"2027-01-01T00:00:00Z"}"#;
    // What comes after the rule is not asked, however generous it is.
    let at = |at: &str| {
        let asking = Proposal {
            at: Some(String::from(at)),
            ..proposal(&["0.3"])
        };
        granted("grant-best", rule, &asking).is_some()
    };
    assert!(at("2026-12-31T23:59:59.999Z"));
    assert!(!at("2027-01-01T00:00:00Z"));
    assert!(at("2027-01-01T00:30:00+01:00"));
    assert!(!at("2026-12-31T23:30:00-01:00"));
    assert!(!at("2031-01-01T00:00:00Z"));
}

#[test]
fn a_rule_denies_before_it_begins() {
    let rule =
        r#"{"then":"grant-best","from":"2026-11-30T12:00:00Z","until":"2026-11-30T13:00:00Z"}"#;
    let at = |at: &str| {
        let asking = Proposal {
            at: Some(String::from(at)),
            ..proposal(&["0.3"])
        };
        granted("grant-best", rule, &asking).is_some()
    };
    assert!(!at("2026-11-30T11:59:59Z"));
    assert!(at("2026-11-30T12:00:00Z"));
    assert!(!at("2026-11-30T13:00:00Z"));
}

#[test]
fn a_date_denies_where_the_instant_is_not_known() {
    for date in [
        r#""until":"9999-01-01T00:00:00Z""#,
        r#""from":"2000-01-01T00:00:00Z""#,
    ] {
        for at in [None, Some(String::from("yesterday"))] {
            for then in ["grant-best", "grant-exact"] {
                let rule = format!(r#"{{"then":"{then}",{date}}}"#);
                let asking = Proposal {
                    at: at.clone(),
                    ..proposal(&["0.3"])
                };
                assert_eq!(granted("grant-best", &rule, &asking), None, "{rule}");
            }
        }
    }
}

#[test]
fn a_version_that_cannot_be_read_is_not_granted() {
    let best = granted("grant-best", "", &proposal(&["one", "1.0.0", "0.3"]));
    assert_eq!(best.as_deref(), Some("0.3"));
}

#[test]
fn without_settings_nothing_is_granted() {
    let verdict = Rules::judge(proposal(&["1.0"]));
    assert!(matches!(verdict, Verdict::Deny));
    let error = Rules::configure(String::new()).unwrap_err();
    assert!(error.starts_with("must be given: "), "{error}");
}

#[test]
fn bad_settings_leave_the_ones_before_in_force() {
    let asking = proposal(&["1.0"]);
    assert!(granted("grant-best", "", &asking).is_some());
    let error = Rules::configure(String::from(r#"{"otherwise":"deny","rules":[{}]}"#));
    assert!(error.is_err());
    assert!(matches!(Rules::judge(asking), Verdict::Grant(_)));
}

#[test]
fn every_fault_names_the_rule_and_the_member_and_repeats_nothing() {
    let mut faults = 0;
    for line in include_str!("cases.jsonl").lines() {
        // The settings of a line as text: its last member but for the fault.
        let (_, rest) = line.split_once(r#""settings":"#).unwrap();
        let text = rest.split(r#","fault":"#).next().unwrap();
        let text = match rest.contains(r#","fault":"#) {
            true => text,
            false => text.strip_suffix('}').unwrap(),
        };
        let case = Value::parse(line).unwrap();
        let fault = case.member("fault").and_then(Value::as_str);
        let told = Rules::configure(text.to_string());
        assert_eq!(told.err().as_deref(), fault, "{line}");
        faults += usize::from(fault.is_some());
        assert!(!fault.unwrap_or_default().contains("SECRET"), "{line}");
    }
    assert!(faults > 30);
}

#[test]
fn what_no_case_can_hold_is_a_fault_too() {
    let told = |text: &str| Rules::configure(text.to_string()).unwrap_err();
    for text in [" ", "{", "SECRET", "{}{}", "\u{feff}{}"] {
        assert_eq!(told(text), "must be JSON text", "{text:?}");
    }
    let twice = r#"{"otherwise":"deny","otherwise":"grant-best","rules":[]}"#;
    assert_eq!(told(twice), "must have no member twice");
    let twice = r#"{"otherwise":"deny","rules":[{"then":"deny","then":"grant-best"}]}"#;
    assert_eq!(told(twice), "rules[0]: must have no member twice");
    let long = format!(r#"{{"otherwise":"deny","rules":[]}}{}"#, " ".repeat(65_536));
    assert_eq!(told(&long), "must be at most 65536 bytes long");
    let list = |rule: &str, count: usize| {
        let rules: Vec<_> = std::iter::repeat_n(rule, count).collect();
        format!(r#"{{"otherwise":"deny","rules":[{}]}}"#, rules.join(","))
    };
    assert_eq!(Rules::configure(list(r#"{"then":"deny"}"#, 256)), Ok(()));
    assert_eq!(
        told(&list(r#"{"then":"deny"}"#, 257)),
        "rules: must have at most 256 items"
    );
    let many = told(&list("{}", 30));
    assert!(
        many.ends_with("rules[3].then: is missing; and 26 more"),
        "{many}"
    );
}
