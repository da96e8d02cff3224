//! What must hold of every decision, over a small grid that is complete.

use crate::{
    Case, Direction, Named, Outcome, Policy, Protocol, Reason, Session, Surface, Version, decide,
};

/// Two handshake revisions, the first without, and one that nobody offers below, between, above.
fn versions() -> [Version; 6] {
    [
        Version::Mcp(2024, 1, 1),
        Version::Mcp(2025, 1, 1),
        Version::Mcp(2025, 6, 1),
        Version::Mcp(2026, 1, 1),
        Version::Mcp(2026, 7, 28),
        Version::Mcp(2027, 1, 1),
    ]
}

fn facets() -> Vec<(Vec<Version>, Version, Version)> {
    let [_, a, _, b, c, _] = versions();
    let mut facets = Vec::new();
    for offered in [vec![a], vec![c], vec![a, b], vec![c, a], vec![a, b, c]] {
        for preferred in &offered {
            for floor in offered.iter().filter(|floor| *floor <= preferred) {
                facets.push((offered.clone(), *preferred, *floor));
            }
        }
    }
    facets
}

fn names() -> Vec<Named> {
    let mut names = vec![Named::Nothing, Named::Malformed, Named::Ambiguous];
    names.extend(versions().map(Named::One));
    names.extend([
        Named::Contradiction(None),
        Named::Contradiction(Some(versions()[1])),
    ]);
    names
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut sessions = vec![None, Some(Session::Malformed)];
    sessions.extend(versions().map(|version| Some(Session::Version(version))));
    let mut answers = vec![None, Some(Named::Malformed)];
    answers.extend(versions().map(|version| Some(Named::One(version))));
    let [a, b, c, d, e, f] = versions();
    let lists = [
        vec![],
        vec![a],
        vec![a, b],
        vec![c, d],
        vec![e],
        vec![b, e],
        vec![f],
        vec![a, f],
    ];
    for (offered, preferred, floor) in facets() {
        for named in names() {
            let case = Case {
                protocol: Protocol::Mcp,
                direction: Direction::Inbound,
                authenticated: true,
                surface: Surface::McpInitialize,
                offered: offered.clone(),
                preferred,
                floor,
                named,
                session: None,
                offers: Vec::new(),
                answered: None,
            };
            cases.push(case.clone());
            for session in &sessions {
                let surface = if session.is_some() {
                    Surface::McpSession
                } else {
                    Surface::McpRequest
                };
                cases.push(Case {
                    surface,
                    session: *session,
                    ..case.clone()
                });
            }
            for (offers, answered) in lists
                .iter()
                .flat_map(|list| answers.iter().map(move |answer| (list, answer)))
            {
                cases.push(Case {
                    direction: Direction::Outbound,
                    surface: Surface::McpRequest,
                    offers: offers.clone(),
                    answered: *answered,
                    ..case.clone()
                });
            }
        }
    }
    let anonymous: Vec<Case> = cases
        .iter()
        .map(|case| Case {
            authenticated: false,
            ..case.clone()
        })
        .collect();
    cases.extend(anonymous);
    cases
}

fn is_legal(case: &Case, outcome: &Outcome) {
    let Some(version) = outcome.version else {
        assert_ne!(outcome.reason, Reason::Ok, "{case:?}");
        return;
    };
    assert_eq!(outcome.reason, Reason::Ok, "{case:?}");
    assert!(version >= case.floor, "{case:?}");
    assert!(case.offered.contains(&version), "{case:?}");
    assert!(case.authenticated || version >= case.preferred, "{case:?}");
    assert!(outcome.candidates.contains(&version), "{case:?}");
    if case.direction == Direction::Outbound && case.answered.is_none() {
        assert!(
            Some(version) <= outcome.requested && case.offers.contains(&version),
            "{case:?}"
        );
    }
    if case.surface == Surface::McpInitialize || outcome.cause.as_str() == "answered" {
        assert!(version.has_handshake(), "{case:?}");
    } else if let (Direction::Inbound, Some(requested)) = (case.direction, outcome.requested) {
        assert_eq!(version, requested, "{case:?}");
    }
    assert_eq!(
        outcome.downgraded,
        outcome.requested.is_some_and(|asked| version < asked)
    );
}

#[test]
fn no_decision_breaks_a_promise() {
    let cases = cases();
    assert!(cases.len() > 20_000, "only {} cases", cases.len());
    for case in cases {
        let highest = decide(&case, Policy::Highest);
        is_legal(&case, &highest);
        assert_eq!(
            highest.version,
            highest.candidates.iter().max().copied(),
            "{case:?}"
        );
        let exact = decide(&case, Policy::Exact);
        is_legal(&case, &exact);
        assert!(
            exact.version.is_none_or(|version| version == exact.asked),
            "{case:?}"
        );
        for policy in [Policy::DenyAll, Policy::Fails, Policy::GrantOutside] {
            assert_eq!(decide(&case, policy).version, None, "{case:?}");
        }
    }
}

#[test]
fn authenticating_never_hurts() {
    for case in cases().into_iter().filter(|case| !case.authenticated) {
        let anonymous = decide(&case, Policy::Highest);
        let known = decide(
            &Case {
                authenticated: true,
                ..case.clone()
            },
            Policy::Highest,
        );
        assert!(
            anonymous.version.is_none() || anonymous.version == known.version,
            "{case:?}"
        );
        assert_ne!(known.reason, Reason::Unauthenticated, "{case:?}");
    }
}

#[test]
fn raising_the_floor_never_helps() {
    for case in cases() {
        for floor in case
            .offered
            .iter()
            .filter(|f| **f > case.floor && **f <= case.preferred)
        {
            let raised = decide(
                &Case {
                    floor: *floor,
                    ..case.clone()
                },
                Policy::Highest,
            );
            let before = decide(&case, Policy::Highest);
            assert!(
                raised.version.is_none() || raised.version == before.version,
                "{case:?}"
            );
        }
    }
}
