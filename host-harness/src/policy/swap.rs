//! The one pointer, and everything that may move it.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

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
use crate::gate::{Gate, Gated, InForce, Progress, Report, settings_digest};
use crate::runtime::broke_contract;
use crate::shared::chain;
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
        let generation = self.current.load();
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

    /// Puts in force what the store says, where that is something else than what is.
    ///
    /// # Errors
    ///
    /// What the store says is not let in; what is in force stays.
    pub fn refresh(&self, progress: Progress<'_>) -> Result<Option<Installed>, AdmitError> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let found = store.state();
        let entry = match &found {
            Ok(None) => return Ok(None),
            Ok(Some(state)) => state.current().clone(),
            Err(error) => {
                self.note_problem(0, &error.to_string());
                return found.map(|_| None).map_err(AdmitError::from);
            }
        };
        let current = self.current();
        if current.number() == entry.generation {
            return Ok(None);
        }
        if entry.generation <= current.number() {
            let problem = "the store has an older generation than the one in force";
            self.note_problem(entry.generation, problem);
            return Ok(None);
        }
        // Beside the calls, and beside whoever may want to roll back meanwhile.
        let warm = {
            let moves = lock(&self.moves);
            let kept = moves.before.as_ref();
            let kept = kept.filter(|(before, _)| before.is_like(&entry));
            kept.map(|(before, ready)| (Arc::clone(ready), before.untrusted))
        };
        let same = current.entry.as_ref().filter(|now| now.is_like(&entry));
        let known = match (same, warm) {
            (Some(now), _) => Some((Arc::clone(&current.ready), now.untrusted)),
            (None, warm) => warm,
        };
        let ready = match known {
            Some(known) => Ok(known),
            None => {
                let loaded = self.load(store, &entry, progress);
                loaded.map(|(ready, untrusted)| (Arc::new(ready), untrusted))
            }
        };
        let (ready, untrusted) = match ready {
            Ok(ready) => ready,
            Err(error) => {
                self.note_problem(entry.generation, &chain(&error));
                return Err(error);
            }
        };
        let mut moves = lock(&self.moves);
        // Somebody may have moved on while this was loaded.
        if self.current.load().number() >= entry.generation {
            return Ok(None);
        }
        let entry = Entry { untrusted, ..entry };
        Ok(Some(self.put_in_force(&mut moves, entry, ready)))
    }

    /// Gets ready what a rollback leads to, where it is not: after a start, say.
    ///
    /// # Errors
    ///
    /// It is not let in any more.
    pub fn warm_up(&self, progress: Progress<'_>) -> Result<(), AdmitError> {
        let (Some(store), Some(entry)) = (&self.store, self.status().previous) else {
            return Ok(());
        };
        let is_warm = |moves: &Moves| {
            let before = moves.before.as_ref();
            before.is_some_and(|(before, _)| before.is_like(&entry))
        };
        if is_warm(&lock(&self.moves)) {
            return Ok(());
        }
        let (ready, untrusted) = self.load(store, &entry, progress)?;
        let mut moves = lock(&self.moves);
        if self.previous(&moves).as_ref() == Some(&entry) {
            moves.before = Some((Entry { untrusted, ..entry }, Arc::new(ready)));
        }
        Ok(())
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

    /// Counts a failure of the policy, and reverts when that was one too many.
    #[cold]
    fn failed(&self, number: u64) {
        if !Spent::note(&self.spent, self.admission.budget, number, Instant::now()) {
            return;
        }
        let mut moves = lock(&self.moves);
        let current = self.current();
        // Once only: not for a call that began before, nor for a revert that fails, too.
        if current.number() != number || current.is_reverted() {
            return;
        }
        if self.go_back(&mut moves, Reason::ErrorBudget).is_err() {
            self.tell(&Event::OverBudget { by: current.by() });
        }
    }

    fn go_back(&self, moves: &mut Moves, reason: Reason) -> Result<Installed, InstallError> {
        let before = self.previous(moves).ok_or(InstallError::NothingBefore)?;
        let warm = moves.before.as_ref();
        let warm = warm.filter(|(entry, _)| entry.is_like(&before));
        let (ready, untrusted) = match (warm, &self.store) {
            (Some((entry, ready)), _) => (Arc::clone(ready), entry.untrusted),
            (None, Some(store)) => {
                let loaded = self.load(store, &before, crate::gate::SILENT);
                let (ready, untrusted) =
                    loaded.map_err(|error| InstallError::Admit(Box::new(error)))?;
                (Arc::new(ready), untrusted)
            }
            (None, None) => return Err(InstallError::NothingBefore),
        };
        let entry = |generation| Entry {
            generation,
            reason,
            untrusted,
            ..before.clone()
        };
        let committed = self.commit(moves, |number, state| {
            let previous = state.and_then(State::previous);
            let unchanged = previous.is_some_and(|previous| previous.is_like(&before));
            unchanged.then(|| entry(number))
        });
        let entry = match committed {
            Ok(Some(state)) => state.current().clone(),
            Ok(None) => return Err(InstallError::Overtaken),
            // Better a good policy for as long as this process lives than a bad one.
            Err(error) if reason == Reason::ErrorBudget => {
                let problem = chain(&error);
                self.tell(&Event::NotDurable { problem });
                entry(self.current.load().number().saturating_add(1))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(self.put_in_force(moves, entry, ready))
    }

    /// Makes durable what `next` gives; nothing where it gives nothing.
    fn commit(
        &self,
        moves: &mut Moves,
        next: impl FnOnce(u64, Option<&State>) -> Option<Entry>,
    ) -> Result<Option<State>, StoreError> {
        if let Some(store) = &self.store {
            return store.commit(next);
        }
        let before = moves.state.take();
        let number = before
            .as_ref()
            .map_or(1, |state| state.current().generation.saturating_add(1));
        moves.state = match next(number, before.as_ref()) {
            Some(entry) => Some(State::after(before, entry).0),
            None => {
                moves.state = before;
                return Ok(None);
            }
        };
        Ok(moves.state.clone())
    }

    fn put_in_force(&self, moves: &mut Moves, entry: Entry, ready: Arc<Ready>) -> Installed {
        let reason = entry.reason;
        let generation = Arc::new(Generation {
            entry: Some(entry),
            ready,
        });
        let before = self.current.swap(Arc::clone(&generation));
        moves.problem = None;
        if let Some(entry) = &before.entry
            && generation
                .entry
                .as_ref()
                .is_some_and(|now| !now.is_like(entry))
        {
            moves.before = Some((entry.clone(), Arc::clone(&before.ready)));
        }
        self.tell(&Event::InForce {
            by: generation.by(),
            reason,
        });
        Installed { generation, reason }
    }

    /// Loads a generation of the store as if it were offered now; only the gate is
    /// believed where its report is there and is about just this.
    fn load(
        &self,
        store: &Store,
        entry: &Entry,
        progress: Progress<'_>,
    ) -> Result<(Ready, bool), AdmitError> {
        let artifact = store.get(entry.policy)?;
        let envelope = match entry.envelope {
            Some(digest) => Envelope::from_json(&store.text(Some(digest))?).ok(),
            None => None,
        };
        let settings = store.text(entry.settings)?;
        let admission = &self.admission;
        let trusted = admission.trusted(&artifact, envelope.as_ref(), entry.untrusted)?;
        let inspected = admission.inspected(trusted, progress)?;
        let report = entry.report.and_then(|report| store.get(report).ok());
        let report = report.and_then(|report| Report::from_json(report.bytes()));
        let inspected = match report {
            None => Err(Box::new(inspected)),
            Some(report) => inspected.passed_before(&settings, &admission.pluggable, report),
        };
        let gated = match inspected {
            Ok(gated) => gated,
            // It was in force, so it loosens nothing.
            Err(inspected) => Gate::new(&admission.pluggable).allow_loosening(true).run(
                *inspected,
                &settings,
                &admission.built_in,
                progress,
            )?,
        };
        let untrusted = !gated.inspected().trusted().basis().is_trusted();
        Ok((Ready::of(admission, &self.facets, &gated)?, untrusted))
    }

    fn note_problem(&self, generation: u64, problem: &str) {
        let mut moves = lock(&self.moves);
        let noted = Some((generation, problem.to_owned()));
        if moves.problem != noted {
            moves.problem = noted;
            drop(moves);
            self.tell(&Event::NotInForce {
                generation,
                problem: problem.to_owned(),
            });
        }
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
