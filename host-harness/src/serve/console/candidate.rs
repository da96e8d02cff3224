//! What a policy would change, before it is in force.

use std::sync::Arc;
use std::thread;

use axum::extract::State;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Semaphore, oneshot};

use super::super::Shared;
use super::super::answer::{self, Answer};
use super::{failed, inside, unavailable, unread};
use crate::Artifact;
use crate::gate::SILENT;
use crate::policy::Offer;
use crate::policy::control::Failed;
use crate::trust::Envelope;

/// A policy with all that belongs to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Candidate {
    /// The component, in base64.
    policy: String,
    /// Its settings, as they are.
    #[serde(default)]
    settings: String,
    /// The signed statement about it, as it is.
    envelope: Option<String>,
}

/// Takes a policy through trust and gate, as an installation would, and puts nothing in force.
pub(super) async fn compare(State(shared): State<Arc<Shared>>, body: String) -> Answer {
    let Some(policies) = shared.exchanges.policies() else {
        return inside();
    };
    let offer = match offer(&body) {
        Ok(offer) => offer,
        Err(message) => return unread(message),
    };
    let Ok(place) = PLACE.try_acquire() else {
        return unavailable("Another policy is being tried; wait until that is done");
    };
    let policies = Arc::clone(policies);
    let (done, report) = oneshot::channel();
    // A thread of its own, which does not keep this host from ending.
    let thread = thread::Builder::new().name("negotiator-try".to_owned());
    let begun = thread.spawn(move || {
        let tried = policies.admit(&offer, SILENT);
        drop(place);
        // Nobody may be waiting any more.
        let _ = done.send(
            tried
                .map(|gated| gated.report().clone())
                .map_err(Failed::from),
        );
    });
    if begun.is_err() {
        return unavailable("No thread could be started");
    }
    match report.await {
        Ok(Ok(report)) => answer::json(200, &json!({ "report": report })),
        Ok(Err(problem)) => failed(&problem),
        Err(_) => unavailable("The policy was not tried to the end"),
    }
}

fn offer(body: &str) -> Result<Offer, &'static str> {
    let candidate: Candidate = serde_json::from_str(body).map_err(
        |_| "The body must be {\"policy\": base64, \"settings\": text, \"envelope\": text}",
    )?;
    let bytes = BASE64_STANDARD.decode(&candidate.policy);
    let bytes = bytes.map_err(|_| "`policy` must be base64, with padding")?;
    // To see what it would loosen is what this is for.
    let offer = Offer::new(Artifact::from_bytes(bytes))
        .settings(candidate.settings)
        .allow_loosening(true);
    match candidate.envelope {
        None => Ok(offer),
        Some(text) => Envelope::from_json(&text)
            .map(|envelope| offer.envelope(envelope))
            .map_err(|_| "`envelope` must be the text of a signed statement"),
    }
}

/// A gate takes a core for seconds: one at a time.
static PLACE: Semaphore = Semaphore::const_new(1);

/// Bytes of a body: a large policy in base64.
pub(super) const MOST: usize = 16 * 1024 * 1024;
