use crate::{Protocol, Version, digest, facets_valid, fresh, rounds, task_state};

use super::facets;

const ORIGINS: &[(&str, &str)] = &[
    (
        "https://peer.example/x?y",
        "3a61b99132bfdfa2ce5f773d8dc89d8246bfe6b266791549de14a6692d1bb1e1",
    ),
    (
        "http://127.0.0.1:8080/a2a/jsonrpc",
        "d30a576c0318716717366ab932e3d7dfbc4009a5bc10176403b60892912f070e",
    ),
    (
        "http://[::1]:9/x",
        "d16060a8c51798a8de9e6a63a00c1109b3d3eae7f5cc0ab40e7e622f0c9a34ad",
    ),
    (
        "https://bücher.example/",
        "edcf346bca2dce514f29462537e7cfb50b206c547164e91957db04ff75d03607",
    ),
];

#[test]
fn origins_have_their_published_digests() {
    for (url, expected) in ORIGINS {
        assert_eq!(digest(url).as_deref(), Some(*expected), "{url}");
    }
    assert_eq!(
        digest("http://Example.COM:80/"),
        digest("http://example.com")
    );
    assert_eq!(digest("HTTP://0x7f.1/"), digest("http://127.0.0.1"));
    assert_ne!(
        digest("https://peer.example./"),
        digest("https://peer.example/")
    );
    for opaque in [
        "stdio:",
        "peer.example:50051",
        "file:///x",
        "data:,x",
        "",
        "peer.example",
    ] {
        assert_eq!(digest(opaque), None, "{opaque}");
    }
}

#[test]
fn freshness_lasts_ninety_days_and_starts_a_day_early() {
    let fresh = |now| fresh("2026-09-18", now);
    assert_eq!(fresh("2026-12-17T00:00:00Z"), Some(true));
    assert_eq!(fresh("2026-12-17T00:00:00.000000001Z"), Some(false));
    assert_eq!(fresh("2026-12-17T01:00:00+01:00"), Some(true));
    assert_eq!(fresh("2026-12-17T00:00:00-00:01"), Some(false));
    assert_eq!(fresh("2026-09-17T00:00:00Z"), Some(true));
    assert_eq!(fresh("2026-09-16T23:59:59.999Z"), Some(false));
    for text in [
        "2026-12-17",
        "2026-12-17T00:00:00",
        "2026-12-17t00:00:00Z",
        "2026-12-17T00:00:00z",
        "2026-12-17T24:00:00Z",
        "2026-12-17T00:60:00Z",
        "2026-12-17T00:00:00.Z",
        "2026-12-17T00:00:00.0000000001Z",
        "2026-12-17T00:00:00+24:00",
        "2026-02-30T00:00:00Z",
        "2026-12-17T0:00:00Z",
        "2026-12-17T00:00:00.+5Z",
        "2026-12-17T00:00Z",
        "2026-12-17T+1:00:00Z",
    ] {
        assert_eq!(fresh(text), None, "{text}");
    }
}

#[test]
fn freshness_counts_leap_days() {
    assert_eq!(fresh("2024-02-28", "2024-05-28T00:00:00Z"), Some(true));
    assert_eq!(fresh("2024-02-28", "2024-05-28T00:00:01Z"), Some(false));
    assert_eq!(fresh("2023-02-28", "2023-05-29T00:00:00Z"), Some(true));
    assert_eq!(fresh("2023-02-28", "2023-05-29T00:00:01Z"), Some(false));
    assert_eq!(fresh("2023-12-15", "2024-03-14T00:00:00Z"), Some(true));
    assert_eq!(fresh("2023-12-15", "2024-03-14T00:00:01Z"), Some(false));
}

#[test]
fn rounds_end_after_the_ceiling() {
    assert_eq!(rounds(4, 4), Some(true));
    assert_eq!(rounds(4, 5), Some(false));
    assert_eq!(rounds(0, 0), None);
    assert_eq!(rounds(17, 0), None);
}

#[test]
fn no_status_projects_to_auth_required() {
    let known = [
        "pending",
        "running",
        "paused",
        "cancelling",
        "waiting-approval",
        "waiting-input",
        "waiting-external",
        "completed",
        "failed",
        "cancelled",
    ];
    for status in known {
        assert!(
            task_state(status).unwrap().starts_with("TASK_STATE_"),
            "{status}"
        );
        assert_ne!(
            task_state(status),
            Some("TASK_STATE_AUTH_REQUIRED"),
            "{status}"
        );
    }
    assert_eq!(task_state("waiting-auth"), None);
}

#[test]
fn facets_must_hold_together() {
    assert!(facets_valid(&facets()));
    assert!(!facets_valid(&serde_json::json!({})));
    let mut no_date = facets();
    no_date["mcp"]["revisions"][0] = "2025-06-31".into();
    assert!(!facets_valid(&no_date));
    for (member, value) in [
        ("versions", serde_json::json!([])),
        ("versions", serde_json::json!(["0.3", "1.0", "1.0"])),
        ("versions", serde_json::json!(["0.3", "1.0.0"])),
        ("preferredVersion", "1.1".into()),
        ("minimumVersion", "0.2".into()),
        ("preferredVersion", "0.3.0".into()),
    ] {
        let mut facets = facets();
        facets["a2a"][member] = value;
        assert!(!facets_valid(&facets), "{facets}");
    }
}

#[test]
fn facets_have_at_most_256_versions() {
    let facets = |count: u32| {
        let versions: Vec<String> = (0..count).map(|minor| format!("1.{minor}")).collect();
        serde_json::json!({ "a2a": {
            "versions": versions, "preferredVersion": "1.0", "minimumVersion": "1.0",
        }})
    };
    assert!(facets_valid(&facets(256)));
    assert!(!facets_valid(&facets(257)));
}

#[test]
fn versions_keep_to_their_grammar() {
    let a2a = |text| Version::read_wire(Protocol::A2a, text);
    assert_eq!(a2a("0.10"), Some(Version::A2a(0, 10)));
    assert_eq!(
        a2a("18446744073709551615.0"),
        Some(Version::A2a(u64::MAX, 0))
    );
    assert_eq!(a2a("1.0.18446744073709551615"), Some(Version::A2a(1, 0)));
    assert_eq!(Version::read(Protocol::A2a, "1.0.0"), None);
    for text in [
        "",
        "1",
        "v1.0",
        "01.0",
        "1.00",
        "1.0.00",
        "1.0.0.0",
        "1.0+x",
        "1.0rc1",
        " 1.0",
        "1.0 ",
        "1..0",
        ".1",
        "1.",
        "+1.0",
        "-1.0",
        "١.٠",
        "18446744073709551616.0",
        "1.0.18446744073709551616",
    ] {
        assert_eq!(a2a(text), None, "{text}");
    }

    let mcp = |text| Version::read_wire(Protocol::Mcp, text);
    assert_eq!(mcp("2024-02-29"), Some(Version::Mcp(2024, 2, 29)));
    assert_eq!(mcp("0000-02-29"), Some(Version::Mcp(0, 2, 29)));
    assert_eq!(mcp("9999-12-31").unwrap().to_string(), "9999-12-31");
    for text in [
        "2023-02-29",
        "1900-02-29",
        "2026-7-28",
        "2026-07-32",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-04-31",
        "20260728",
        "2026-07-28 ",
        "02026-07-28",
        "2026-07-28-01",
        "2026/07/28",
        "+026-07-28",
        "DRAFT-2026-v1",
    ] {
        assert_eq!(mcp(text), None, "{text}");
    }
    assert!(mcp("2026-07-27").unwrap().has_handshake());
    assert!(!mcp("2026-07-28").unwrap().has_handshake());
}
