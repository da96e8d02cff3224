//! The published decision vectors, outbound as they are told: what the peer offers, and what is
//! asked for.

use serde_json::{Value, json};

use super::{a2a_out, brief, mcp_out};

const F1: (&[&str], &str, &str) = (&["1.0"], "1.0", "1.0");
const F2: (&[&str], &str, &str) = (&["0.3", "1.0"], "1.0", "0.3");
const F3: (&[&str], &str, &str) = (&["1.0", "1.1"], "1.1", "1.0");
const M2: (&[&str], &str, &str) = (&["2025-06-18", "2026-07-28"], "2026-07-28", "2025-06-18");

type Facet = (&'static [&'static str], &'static str, &'static str);

fn outcome(facet: Facet, requested: &str, offers: &[&str], authenticated: bool) -> String {
    let (offered, preferred, floor) = facet;
    let mut exchange = json!({ "offers": offers });
    if !requested.is_empty() {
        exchange["requested"] = requested.into();
    }
    let mut request: Value;
    if preferred.contains('.') {
        request = a2a_out(authenticated, exchange);
        request["facets"] = json!({ "a2a": {
            "versions": offered, "preferredVersion": preferred, "minimumVersion": floor,
        }});
    } else {
        request = mcp_out(authenticated, exchange);
        request["facets"] = json!({ "mcp": {
            "revisions": offered, "preferredVersion": preferred, "minimumRevision": floor,
        }});
    }
    brief(&request)
}

#[test]
fn the_published_vectors_hold() {
    let vectors: &[(Facet, &str, &[&str], bool, &str)] = &[
        (F1, "", &["0.3", "1.0"], true, "1.0 exact 1.0"),
        (F1, "", &["0.3"], true, "below-floor offers-below-floor 1.0"),
        (
            F1,
            "",
            &["0.3"],
            false,
            "below-floor offers-below-floor 1.0",
        ),
        (
            F1,
            "0.3",
            &["1.0"],
            true,
            "below-floor named-below-floor 0.3",
        ),
        (
            F1,
            "1.1",
            &["1.0", "1.1"],
            true,
            "unsupported not-offered 1.1",
        ),
        (F1, "", &["2.0"], true, "unsupported no-common 1.0"),
        (F1, "", &[], true, "unsupported no-offers 1.0"),
        (F2, "", &["0.3"], true, "0.3 common 1.0"),
        (
            F2,
            "",
            &["0.3"],
            false,
            "unauthenticated credential-missing 1.0",
        ),
        (F2, "0.3", &["0.3", "1.0"], true, "0.3 exact 0.3"),
        (
            F2,
            "0.3",
            &["0.3"],
            false,
            "unauthenticated credential-missing 0.3",
        ),
        (F2, "", &["0.3", "1.0"], false, "1.0 exact 1.0"),
        (F3, "", &["1.0"], true, "1.0 common 1.1"),
        (
            F3,
            "",
            &["1.0"],
            false,
            "unauthenticated credential-missing 1.1",
        ),
        (F3, "1.0", &["1.0", "1.1"], true, "1.0 exact 1.0"),
        (
            F3,
            "0.9",
            &["0.9"],
            true,
            "below-floor named-below-floor 0.9",
        ),
        (
            M2,
            "",
            &["2025-06-18"],
            true,
            "2025-06-18 common 2026-07-28",
        ),
        (
            M2,
            "",
            &["2025-06-18"],
            false,
            "unauthenticated credential-missing 2026-07-28",
        ),
        (
            M2,
            "2025-11-25",
            &["2025-11-25"],
            true,
            "unsupported not-offered 2025-11-25",
        ),
        (
            M2,
            "2025-03-26",
            &["2025-03-26"],
            true,
            "below-floor named-below-floor 2025-03-26",
        ),
    ];
    for (facet, requested, offers, authenticated, expected) in vectors {
        let case = format!("{facet:?} {requested:?} {offers:?} {authenticated}");
        assert_eq!(
            outcome(*facet, requested, offers, *authenticated),
            *expected,
            "{case}"
        );
    }
}

#[test]
fn one_point_ten_is_above_one_point_nine() {
    let facet: Facet = (&["1.9", "1.10", "0.9"], "1.10", "0.9");
    assert_eq!(
        outcome(facet, "", &["1.9", "1.10"], true),
        "1.10 exact 1.10"
    );
    assert_eq!(
        outcome(facet, "1.9", &["1.9", "1.10"], true),
        "1.9 exact 1.9"
    );
    assert_eq!(
        outcome(facet, "", &["0.10"], true),
        "unsupported no-common 1.10"
    );
}
