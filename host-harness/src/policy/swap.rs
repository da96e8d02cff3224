//! The one pointer, and everything that may move it.

mod loading;
mod moving;

use std::sync::{Arc, Mutex, OnceLock};

use arc_swap::ArcSwap;

use super::admission::{Admission, Offer};
use super::budget::{Spent, lock};
use super::error::{AdmitError, InstallError, StoreError};
use super::event::Event;
use super::generation::{self, By, Generation, Ready, Served};
use super::state::{Entry, Reason, State};
use super::store::Store;
use crate::artifact::Digest;
use crate::error::{CallError, ConfigureError, SettleError};
use crate::gate::{Gate, Gated, InForce, Progress, settings_digest};
use crate::runtime::broke_contract;
use crate::trust::Envelope;
use crate::types::{Context, Exchange, Facets};

/// The policy in force, and the ways to change it. Share it between threads.
///
/// Settling takes no lock and waits for nobody, whatever is being compiled, tried or
/// installed meanwhile.
pub struct Policies {
    current: ArcSwap<Generation>,
    spent: Mutex<Spent>,
    /// Held by whoever moves the pointer.
    moves: Mutex<Moves>,
    admission: Admission,
    facets: Facets,
    store: Option<Store>,
    listener: OnceLock<Listener>,
}

type Listener = Box<dyn Fn(&Event) + Send + Sync>;

#[derive(Default)]
struct Moves {
    /// Without a store, what one would say.
    state: Option<State>,
    /// What was in force before, still ready.
    before: Option<(Entry, Arc<Ready>)>,
    /// Why what the store says is not in force.
    problem: Option<(u64, String)>,
}

/// What came into force.
#[derive(Clone, Debug)]
pub struct Installed {
    generation: Arc<Generation>,
    reason: Reason,
}

/// What is in force, in words and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What is in force; none before the first policy.
    pub current: Option<Entry>,
    /// What a rollback leads to.
    pub previous: Option<Entry>,
    /// Whether that is compiled and configured already.
    pub previous_is_warm: bool,
    /// How often the policy in force has failed.
    pub failures: u64,
    /// Why what the store says is not in force.
    pub problem: Option<String>,
}

impl Policies {
    /// Puts in force what the store says; without a store, or with an empty one, there
    /// is no policy, and every exchange is refused with the cause `policy-failed`.
    ///
    /// What the store says is not put in force when it is not trusted any more, or does
    /// not load; then there is no policy either, and [`Policies::status`] says why.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or the negotiator does not take the facets.
    pub fn open(
        admission: Admission,
        facets: Facets,
        store: Option<Store>,
        progress: Progress<'_>,
    ) -> Result<Self, AdmitError> {
        let none = Ready {
            negotiator: admission.built_in.loaded.configure(facets.clone(), "")?,
            in_force: admission.built_in.clone(),
            is_policy: false,
        };
        let none = Generation {
            entry: None,
            ready: Arc::new(none),
        };
        let policies = Self {
            current: ArcSwap::from_pointee(none),
            spent: Mutex::default(),
            moves: Mutex::default(),
            admission,
            facets,
            store,
            listener: OnceLock::new(),
        };
        match policies.refresh(progress) {
            Ok(_) => Ok(policies),
            Err(AdmitError::Store(error @ StoreError::Io { .. })) => Err(error.into()),
            // Refused until it is put right: status and events say why.
            Err(_) => Ok(policies),
        }
    }

    /// Told of everything that happens from now on; only the first listener counts.
    pub fn listen(&self, listener: impl Fn(&Event) + Send + Sync + 'static) {
        // A second one is dropped, as documented.
        let _ = self.listener.set(Box::new(listener));
    }

    #[cfg(test)]
    pub(super) fn admission(&self) -> &Admission {
        &self.admission
    }

    /// The generation in force.
    #[must_use]
    pub fn current(&self) -> Arc<Generation> {
        self.current.load_full()
    }

    /// The store, if there is one.
    #[must_use]
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Decides, records and answers, on the generation in force when it begins.
    ///
    /// # Errors
    ///
    /// As [`Negotiator::settle`](crate::Negotiator::settle).
    pub fn settle(&self, exchange: &Exchange, context: &Context) -> Result<Served, SettleError> {
        self.settle_on(&self.current.load(), exchange, context)
    }

    /// The same on a generation that was taken before: for exchanges of several steps, all of which
    /// belong to one.
    ///
    /// # Errors
    ///
    /// As [`Policies::settle`].
    pub fn settle_on(
        &self,
        generation: &Generation,
        exchange: &Exchange,
        context: &Context,
    ) -> Result<Served, SettleError> {
        let served = generation.settle(exchange, context);
        let fault = match &served {
            Ok(served) => served.is_fault(),
            Err(SettleError::Unanswered { first, .. }) => generation::is_fault(first),
            Err(SettleError::Context(_)) => false,
        };
        if fault {
            self.failed(generation.number());
        }
        served
    }

    /// The same over JSON text: a request `settle` of the JSON contract. The inner error
    /// is an answer, too, as in [`Negotiator::json`](crate::Negotiator::json).
    ///
    /// # Errors
    ///
    /// The component failed, and failed again when it was only asked to refuse.
    pub fn settle_json(&self, request: &str) -> Result<(Result<String, String>, By), CallError> {
        let generation = self.current.load();
        let answer = generation.settle_json(request);
        let fault = match &answer {
            Ok((_, Some(failure))) | Err(failure) => generation::is_fault(failure),
            Ok((Ok(answer), None)) => broke_contract(answer),
            Ok((Err(_), None)) => false,
        };
        if fault {
            self.failed(generation.number());
        }
        answer.map(|(answer, _)| (answer, generation.by()))
    }

    /// Takes a policy through trust, inspection and gate, compared with what is in force.
    /// Takes seconds, and holds nobody up. It is not in force then: see
    /// [`Policies::install`].
    ///
    /// # Errors
    ///
    /// It failed at one of these steps.
    pub fn admit(&self, offer: &Offer, progress: Progress<'_>) -> Result<Gated, AdmitError> {
        let trusted =
            self.admission
                .trusted(&offer.artifact, offer.envelope.as_ref(), offer.untrusted)?;
        let inspected = self.admission.inspected(trusted, progress)?;
        let mut gate = Gate::new(&self.admission.pluggable).allow_loosening(offer.loosening);
        if let Some(time) = offer.within {
            gate = gate.within(time);
        }
        if let Some(replay) = &offer.replay {
            gate = gate.replaying(self.facets.clone(), replay.clone());
        }
        let current = self.current();
        let in_force = InForce {
            generation: Some(current.number()),
            ..current.ready.in_force.clone()
        };
        let gated = gate.run(inspected, &offer.settings, &in_force, progress)?;
        Ok(gated.with_envelope(offer.envelope.clone()))
    }

    /// Puts a policy in force: durably first, then for every call that begins from now
    /// on. Calls under way end on what they began with.
    ///
    /// # Errors
    ///
    /// It was compared with something that is no longer in force; it does not take the
    /// facets of this host; or it cannot be made durable. What is in force stays.
    pub fn install(&self, gated: Gated) -> Result<Installed, InstallError> {
        let ready = Arc::new(Ready::of(&self.admission, &self.facets, &gated)?);
        let mut moves = lock(&self.moves);
        if gated.against() != Some(self.current.load().number()) {
            return Err(InstallError::Overtaken);
        }
        let envelope = gated.envelope().map(Envelope::to_json);
        let entry = |generation| Entry {
            generation,
            policy: gated.report().artifact,
            settings: settings_digest(gated.settings()),
            envelope: envelope.as_deref().map(|text| Digest::of(text.as_bytes())),
            report: Some(Digest::of(&gated.report().to_json())),
            untrusted: !gated.inspected().trusted().basis().is_trusted(),
            reason: Reason::Installed,
        };
        if let Some(store) = &self.store {
            store.put(gated.inspected().trusted().artifact().bytes())?;
            store.put(&gated.report().to_json())?;
            if !gated.settings().is_empty() {
                store.put(gated.settings().as_bytes())?;
            }
            if let Some(envelope) = &envelope {
                store.put(envelope.as_bytes())?;
            }
        }
        let state = self.commit(&mut moves, |number, state| {
            // Another process may have been quicker.
            let before = state.map_or(0, |state| state.current().generation);
            (gated.against() == Some(before)).then(|| entry(number))
        })?;
        let state = state.ok_or(InstallError::Overtaken)?;
        Ok(self.put_in_force(&mut moves, state.current().clone(), ready))
    }

    /// Goes back to the newest generation before that has another policy or other
    /// settings, as a new generation. Quick: that one was kept ready.
    ///
    /// # Errors
    ///
    /// There is none; it is not let in any more; or it cannot be made durable.
    pub fn rollback(&self) -> Result<Installed, InstallError> {
        let mut moves = lock(&self.moves);
        self.go_back(&mut moves, Reason::RolledBack)
    }

    /// The same, if this generation is still in force: for somebody who decides by what was
    /// in force a while ago, when a policy may have been replaced by the one before already.
    ///
    /// # Errors
    ///
    /// Another one is in force; or as [`Policies::rollback`].
    pub fn rollback_from(&self, generation: u64) -> Result<Installed, InstallError> {
        let mut moves = lock(&self.moves);
        if self.current.load().number() != generation {
            return Err(InstallError::Overtaken);
        }
        self.go_back(&mut moves, Reason::RolledBack)
    }

    /// What is in force, and what a rollback leads to.
    #[must_use]
    pub fn status(&self) -> Status {
        let moves = lock(&self.moves);
        let current = self.current();
        let previous = self.previous(&moves);
        let before = moves.before.as_ref();
        let is_warm = |previous: &Entry| before.is_some_and(|(before, _)| before.is_like(previous));
        Status {
            previous_is_warm: previous.as_ref().is_some_and(is_warm),
            previous,
            failures: Spent::total(&self.spent, current.number()),
            current: current.entry.clone(),
            problem: moves.problem.as_ref().map(|(_, problem)| problem.clone()),
        }
    }

    fn previous(&self, moves: &Moves) -> Option<Entry> {
        let stored = self.store.as_ref().map(Store::state);
        let state = match &stored {
            Some(state) => state.as_ref().ok()?.as_ref(),
            None => moves.state.as_ref(),
        };
        state?.previous().cloned()
    }

    fn tell(&self, event: &Event) {
        if let Some(listener) = self.listener.get() {
            listener(event);
        }
    }
}

impl Ready {
    fn of(admission: &Admission, facets: &Facets, gated: &Gated) -> Result<Self, ConfigureError> {
        let policy = gated.inspected().policy();
        let in_force = InForce {
            decisions: gated.decisions().cloned(),
            ..InForce::of(&admission.pluggable, policy, gated.settings())
        };
        let negotiator = in_force
            .loaded
            .configure(facets.clone(), gated.settings())?;
        Ok(Self {
            negotiator,
            in_force,
            is_policy: true,
        })
    }
}

impl Installed {
    /// What names it in answers.
    #[must_use]
    pub fn by(&self) -> By {
        self.generation.by()
    }

    /// The generation.
    #[must_use]
    pub fn generation(&self) -> &Arc<Generation> {
        &self.generation
    }

    /// How it came into force.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }
}

impl std::fmt::Debug for Policies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policies")
            .field("current", &self.current.load().by())
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
