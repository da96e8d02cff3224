//! Who is let in.

use super::super::{Admission, Offer, Policies};
use super::support::{context, exchange};
use super::{Scratch, admission, facets, force, policies, runtime, shipped, trapping};
use crate::error::AdmitError;
use crate::gate::{FailureKind, GateError, SILENT};
use crate::trust::Trust;

fn pinned(digest: impl std::fmt::Display) -> Trust {
    Trust::from_text(&format!("[[pin]]\nname = \"a\"\ndigest = \"{digest}\"\n")).unwrap()
}

fn open(admission: Admission) -> Policies {
    Policies::open(admission, facets(), None, SILENT).unwrap()
}

#[test]
fn nobody_is_let_in_by_default() {
    let policies = open(Admission::new(runtime()).unwrap());
    let error = policies
        .admit(&Offer::new(shipped("exact.wasm")), SILENT)
        .unwrap_err();
    assert!(matches!(error, AdmitError::Untrusted(_)), "{error:?}");
    let asking = Offer::new(shipped("exact.wasm")).allow_untrusted(true);
    let error = policies.admit(&asking, SILENT).unwrap_err();
    assert!(matches!(error, AdmitError::BypassNotAllowed), "{error:?}");
    let trusting = admission()
        .allow_untrusted(false)
        .trusting_only(pinned(shipped("highest.wasm").digest()));
    let error = open(trusting)
        .admit(&Offer::new(shipped("exact.wasm")), SILENT)
        .unwrap_err();
    assert!(matches!(error, AdmitError::Untrusted(_)), "{error:?}");
}

#[test]
fn who_is_trusted_still_has_to_pass_the_gate() {
    let trusting = admission().trusting_only(pinned(trapping().digest()));
    let error = open(trusting)
        .admit(&Offer::new(trapping()), SILENT)
        .unwrap_err();
    let AdmitError::Gate(GateError::Failed(report)) = error else {
        panic!("{error:?}")
    };
    assert_eq!(report.failures[0].kind, FailureKind::Trap);
}

#[test]
fn a_bypass_marks_every_settlement_and_does_not_outlast_its_permission() {
    let scratch = Scratch::new("bypass");
    let loose = policies(Some(scratch.store()));
    force(&loose, &shipped("exact.wasm"));
    assert!(
        loose
            .settle(&exchange(None), &context())
            .unwrap()
            .by
            .untrusted
    );
    assert!(policies(Some(scratch.store())).current().by().untrusted);
    let open =
        |admission| Policies::open(admission, facets(), Some(scratch.store()), SILENT).unwrap();
    let strict = open(admission().allow_untrusted(false));
    assert_eq!(strict.current().number(), 0);
    assert!(
        strict
            .status()
            .problem
            .unwrap()
            .contains("--allow-untrusted")
    );
    // Somebody vouches for it by now.
    let trust = pinned(shipped("exact.wasm").digest());
    let vouched = open(admission().allow_untrusted(false).trusting_only(trust));
    assert_eq!(
        vouched.current().by().policy,
        Some(shipped("exact.wasm").digest())
    );
    assert!(!vouched.current().by().untrusted);
}
