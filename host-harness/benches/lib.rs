//! The one posture and the exchanges that every benchmark is about.

use negotiator::types::{
    Context, Direction, Exchange, Facet, Facets, Named, Protocol, Subject, Surface,
};

/// What the host offers, oldest first; preferred and floor are among them.
pub const OFFERED: [&str; 3] = ["0.3", "1.0", "1.1"];
/// The version below which nobody lands without authentication.
pub const PREFERRED: &str = "1.0";
/// The version below which nobody lands.
pub const FLOOR: &str = "0.3";
/// The version that the measured call names; the caller is authenticated.
pub const NAMED: &str = "1.0";

/// Every question that an engine must answer right before it is measured: what the call names,
/// whether it is authenticated, and whether it is accepted.
pub const QUESTIONS: [(&str, bool, bool); 8] = [
    ("0.3", true, true),
    ("0.3", false, false),
    ("1.0", true, true),
    ("1.0", false, true),
    ("1.1", true, true),
    ("1.1", false, true),
    ("0.2", true, false),
    ("2.0", true, false),
];

/// Both facets. That of MCP is there since a host has both; it is not asked for.
pub fn facets() -> Facets {
    let facet = |offered: &[&str], preferred: &str, floor: &str| Facet {
        offered: offered.iter().map(|&version| version.to_owned()).collect(),
        preferred: preferred.to_owned(),
        floor: floor.to_owned(),
    };
    Facets {
        a2a: Some(facet(&OFFERED, PREFERRED, FLOOR)),
        mcp: Some(facet(
            &["2025-06-18", "2025-11-25"],
            "2025-11-25",
            "2025-06-18",
        )),
    }
}

/// An A2A call to us that names a version.
pub fn exchange(named: &str, authenticated: bool) -> Exchange {
    Exchange {
        protocol: Protocol::A2a,
        direction: Direction::Inbound,
        authenticated,
        surface: Surface::A2aCall,
        named: Named::One(named.to_owned()),
        session: None,
        offers: None,
        answered: None,
    }
}

/// A context with an address to digest, an owner and an event id.
pub fn context() -> Context {
    Context {
        at: "2026-11-30T12:00:00Z".to_owned(),
        peer_url: Some("https://peer.example/x".to_owned()),
        subject: Some(Subject {
            tenant: "acme".to_owned(),
            workspace: Some("ws-1".to_owned()),
        }),
        run_id: None,
        sequence: None,
        event_id: Some("hev-0123456789abcdef01234567".to_owned()),
    }
}
