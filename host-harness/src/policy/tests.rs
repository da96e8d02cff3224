//! Swaps, budgets and stores, with policies that are put in by force: the gate would not
//! let most of them through.

#[path = "../../tests/support/mod.rs"]
mod support;

mod budget;
mod durable;
mod load;
mod trust;

use std::sync::OnceLock;

use support::{Wat, facets, runtime, shipped};

use super::{Admission, Installed, Policies, Store};
use crate::gate::{Gated, Inspected, SILENT};
use crate::trust::Trusted;
use crate::{Artifact, Limits};

fn admission() -> Admission {
    static ADMISSION: OnceLock<Admission> = OnceLock::new();
    let admission = ADMISSION.get_or_init(|| Admission::new(runtime()).unwrap());
    admission.clone().allow_untrusted(true)
}

fn policies(store: Option<Store>) -> Policies {
    Policies::open(admission(), facets(), store, SILENT).unwrap()
}

/// Puts a policy in force that nobody tried and nobody vouches for.
fn force(policies: &Policies, artifact: &Artifact) -> Installed {
    let trusted = Trusted::bypassing_trust(artifact.clone());
    let inspected = Inspected::new(trusted, runtime(), policies.admission().limits.clone());
    let against = policies.current().number();
    let pluggable = &policies.admission().pluggable;
    let gated = Gated::by_force(inspected.unwrap(), "", pluggable, against);
    policies.install(gated).unwrap()
}

/// A policy whose judgement has this body.
fn judging(body: &str) -> Artifact {
    let wat = Wat::obliging_policy().body("policy@2.0.0#judge", body);
    Artifact::from_bytes(wat.component())
}

fn trapping() -> Artifact {
    judging("unreachable")
}

fn limits() -> Limits {
    Limits::policy()
}

/// A directory of its own, which is gone when the test is over.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("negotiator-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn store(&self) -> Store {
        Store::open(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
