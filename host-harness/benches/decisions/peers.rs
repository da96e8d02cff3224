//! The same decision in engines that people write such rules in today.
//!
//! The decision: a version that is named is offered, at or above the floor, and, where the caller
//! is not authenticated, at or above preferred. Each engine gets the posture once, in the form that
//! suits it best: versions with their ranks, so that none has to read or compare version texts.
//! What it does not do, and we do: read the grammar, say why, name a downgrade, bound what a
//! decision may cost, and ask a policy.
//!
//! Each is measured with what it is asked kept from call to call, and built in the call.

mod cedar;
mod cel;
mod lua;
mod rego;

use criterion::Criterion;
use negotiator_benches::{FLOOR, NAMED, OFFERED, PREFERRED, QUESTIONS};

use crate::table::PEERS;

/// An engine that has the rule and the posture.
trait Peer {
    const NAME: &'static str;
    /// What one decision is about, ready to be used again.
    type Asked;

    fn new() -> Self;
    fn asked(&self, named: &str, authenticated: bool) -> Self::Asked;
    fn decide(&mut self, asked: &Self::Asked) -> bool;
}

pub fn measure(criterion: &mut Criterion) {
    one::<rego::Rego>(criterion);
    one::<cedar::Cedar>(criterion);
    one::<cel::Cel>(criterion);
    one::<lua::Lua>(criterion);
}

fn one<P: Peer>(criterion: &mut Criterion) {
    let mut peer = P::new();
    for (named, authenticated, accepted) in QUESTIONS {
        let asked = peer.asked(named, authenticated);
        assert_eq!(peer.decide(&asked), accepted, "{}: {named}", P::NAME);
    }
    let mut group = criterion.benchmark_group(PEERS);
    let asked = peer.asked(NAMED, true);
    group.bench_function(format!("{}, kept", P::NAME), |b| {
        b.iter(|| peer.decide(&asked));
    });
    group.bench_function(format!("{}, built in the call", P::NAME), |b| {
        b.iter(|| {
            let asked = peer.asked(NAMED, true);
            peer.decide(&asked)
        });
    });
    group.finish();
}

/// The rank of a version: where it stands among those offered.
fn rank(version: &str) -> i64 {
    OFFERED
        .iter()
        .position(|&offered| offered == version)
        .and_then(|at| i64::try_from(at).ok())
        .unwrap_or(-1)
}

fn posture() -> (Vec<(String, i64)>, i64, i64) {
    let offered = OFFERED.map(|version| (version.to_owned(), rank(version)));
    (offered.to_vec(), rank(FLOOR), rank(PREFERRED))
}
