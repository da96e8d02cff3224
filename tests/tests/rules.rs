//! The named rules over typed inputs without bounds, on the component, each from its answer alone.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

use std::sync::LazyLock;

use negotiation_model::Version;
use negotiation_tests::typed::{Question, question};
use negotiator::proof::{self, Rule, settlement_text};
use negotiator::types::{Decision, Direction, Named, Settlement, Surface};
use negotiator::{Artifact, Limits, Loaded, Negotiator, Runtime};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Questions for each rule.
const CASES: u32 = 20_000;

static LOADED: LazyLock<Loaded> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator())
        .unwrap()
        .keep(1)
});

fn settle(question: &Question) -> Settlement {
    let negotiator = LOADED.configure(question.facets.clone(), "").unwrap();
    let (settlement, _) = negotiator
        .settle_metered(&question.exchange, &question.context)
        .unwrap();
    settlement
}

fn agreed(question: &Question, settlement: &Settlement) -> Option<Version> {
    match &settlement.decision {
        Decision::Accepted(accepted) => Some(question.version(&accepted.version).unwrap()),
        Decision::Refused(_) => None,
    }
}

/// Runs a rule over many questions; at least `enough` of them must have told something about it.
fn holds(enough: u32, rule: impl Fn(&Question, &Settlement) -> Result<bool, TestCaseError>) {
    let telling = std::cell::Cell::new(0_u32);
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&question(), |question| {
            let settlement = settle(&question);
            telling.set(telling.get() + u32::from(rule(&question, &settlement)?));
            Ok(())
        })
        .unwrap();
    assert!(
        telling.get() >= enough,
        "only {} told anything",
        telling.get()
    );
}

/// RFC 0175 §D.2.
#[test]
fn floor() {
    holds(2_000, |question, settlement| {
        let agreed = agreed(question, settlement);
        let floor = question.version(&question.facet().floor);
        prop_assert!(agreed.is_none() || agreed >= floor);
        Ok(agreed.is_some())
    });
}

/// RFC 0175 §D.1.
#[test]
fn authentication() {
    holds(300, |question, settlement| {
        let agreed = agreed(question, settlement).filter(|_| !question.exchange.authenticated);
        let preferred = question.version(&question.facet().preferred);
        prop_assert!(agreed.is_none() || agreed >= preferred);
        Ok(agreed.is_some())
    });
}

/// RFC 0175 §B.1: offered by this host, and by the peer where it told.
#[test]
fn membership() {
    holds(2_000, |question, settlement| {
        let Decision::Accepted(accepted) = &settlement.decision else {
            return Ok(false);
        };
        prop_assert!(question.facet().offered.contains(&accepted.version));
        let exchange = &question.exchange;
        if exchange.direction == Direction::Outbound && exchange.answered.is_none() {
            let offers = exchange.offers.as_ref().unwrap();
            prop_assert!(offers.contains(&accepted.version));
        }
        Ok(true)
    });
}

/// RFC 0175 §D: nothing above what was asked for, but where a handshake chooses (R1, R9).
#[test]
fn ceiling() {
    holds(1_000, |question, settlement| {
        let exchange = &question.exchange;
        let handshake = exchange.surface == Surface::McpInitialize
            || (exchange.surface == Surface::McpRequest && exchange.answered.is_some());
        let (Some(agreed), Named::One(asked)) = (agreed(question, settlement), &exchange.named)
        else {
            return Ok(false);
        };
        prop_assert!(handshake || Some(agreed) <= question.version(asked));
        Ok(!handshake)
    });
}

/// The legal versions of an outbound exchange without an `initialize` answer, in one expression.
fn legal(question: &Question) -> Option<Vec<Version>> {
    let (exchange, facet) = (&question.exchange, question.facet());
    let no_answer = exchange.answered.is_none() || exchange.surface == Surface::A2aCall;
    if exchange.direction == Direction::Inbound || !no_answer {
        return None;
    }
    let asked = match &exchange.named {
        Named::Nothing => question.version(&facet.preferred)?,
        Named::One(text) => question.version(text)?,
        _ => return Some(Vec::new()),
    };
    let [floor, preferred] = [&facet.floor, &facet.preferred].map(|text| question.version(text));
    let offers = exchange.offers.iter().flatten();
    let legal = offers
        .filter(|_| facet.offered.contains(&asked.to_string()))
        .filter(|text| facet.offered.contains(text))
        .filter_map(|text| question.version(text))
        .filter(|version| Some(*version) >= floor && *version <= asked)
        .filter(|version| exchange.authenticated || Some(*version) >= preferred);
    Some(legal.collect())
}

/// RFC 0175 §D: the best legal version under the default policy.
#[test]
fn maximality() {
    holds(500, |question, settlement| {
        let (Some(agreed), Some(legal)) = (agreed(question, settlement), legal(question)) else {
            return Ok(false);
        };
        prop_assert_eq!(Some(agreed), legal.into_iter().max());
        Ok(true)
    });
}

/// RFC 0175 §D: where there is a legal version, one is agreed on.
#[test]
fn liveness() {
    holds(500, |question, settlement| {
        let Some(legal) = legal(question) else {
            return Ok(false);
        };
        let agreed = agreed(question, settlement);
        prop_assert_eq!(agreed.is_some(), !legal.is_empty());
        Ok(agreed.is_some())
    });
}

/// RFC 0242 §A, §B; and every other rule that can be seen on one settlement.
#[test]
fn record_truth() {
    holds(CASES, |question, settlement| {
        let Question {
            facets,
            exchange,
            context,
        } = question;
        let checked = proof::check_settlement(facets, exchange, context, settlement);
        prop_assert_eq!(checked, Ok(()));
        let best = proof::check_best(facets, exchange, &settlement.decision);
        prop_assert_eq!(best, Ok(()));
        Ok(true)
    });
}

/// docs/rules.md, byte for byte.
#[test]
fn model() {
    holds(CASES, |question, settlement| {
        let Question {
            facets,
            exchange,
            context,
        } = question;
        let told = proof::settled(facets, exchange, context, proof::Policy::Highest).unwrap();
        prop_assert_eq!(settlement_text(settlement), told.text);
        Ok(true)
    });
}

/// RFC 0242 §A: a secret in every text that a peer can write appears in no byte that leaves.
#[test]
fn content_free() {
    const SECRET: &str = "zq9secret";
    holds(CASES, |question, _| {
        let mut question = question.clone();
        let plant = |text: &mut String| {
            if question_version_is_foreign(text) {
                *text = format!("{text}{SECRET}");
            }
        };
        let exchange = &mut question.exchange;
        for named in [Some(&mut exchange.named), exchange.answered.as_mut()] {
            if let Some(Named::One(text) | Named::Contradiction(Some(text))) = named {
                text.push_str(SECRET);
            }
        }
        if let Some(session) = &mut exchange.session {
            session.push_str(SECRET);
        }
        for offer in exchange.offers.iter_mut().flatten() {
            plant(offer);
        }
        let url = question.context.peer_url.get_or_insert_default();
        url.push_str("/zq9secret?zq9secret");
        let text = settlement_text(&settle(&question));
        prop_assert!(!text.contains(SECRET), "{}", text);
        Ok(true)
    });
}

/// Every other offer is left as it was, so that something can be agreed on.
fn question_version_is_foreign(text: &str) -> bool {
    text.len().is_multiple_of(2)
}

/// The same input gives the same bytes in an instance that has seen other things.
#[test]
fn determinism() {
    holds(CASES, |question, settlement| {
        let negotiator = LOADED.configure(question.facets.clone(), "").unwrap();
        let mut other = question.exchange.clone();
        other.authenticated = !other.authenticated;
        let _ = negotiator.settle_metered(&other, &question.context);
        let (again, _) = negotiator
            .settle_metered(&question.exchange, &question.context)
            .unwrap();
        prop_assert_eq!(settlement_text(&again), settlement_text(settlement));
        Ok(true)
    });
}

/// RFC 0175 §D.1: what is agreed on without a credential is agreed on with one.
#[test]
fn monotone_authentication() {
    holds(300, |question, settlement| {
        let Some(without) =
            agreed(question, settlement).filter(|_| !question.exchange.authenticated)
        else {
            return Ok(false);
        };
        let mut proven = question.clone();
        proven.exchange.authenticated = true;
        prop_assert_eq!(agreed(&proven, &settle(&proven)), Some(without));
        Ok(true)
    });
}

/// RFC 0175 §D.2: what is agreed on above a raised floor was agreed on before.
#[test]
fn monotone_floor() {
    holds(300, |question, settlement| {
        let mut raised = question.clone();
        let facet = match &mut raised.facets {
            negotiator::types::Facets {
                a2a: Some(facet), ..
            }
            | negotiator::types::Facets {
                mcp: Some(facet), ..
            } => facet,
            _ => return Ok(false),
        };
        if facet.floor == facet.preferred {
            return Ok(false);
        }
        facet.floor.clone_from(&facet.preferred);
        let Some(above) = agreed(&raised, &settle(&raised)) else {
            return Ok(false);
        };
        prop_assert_eq!(Some(above), agreed(question, settlement));
        Ok(true)
    });
}

#[test]
fn every_rule_has_a_name_and_a_section_of_its_own() {
    let mut names: Vec<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Rule::ALL.len());
}
