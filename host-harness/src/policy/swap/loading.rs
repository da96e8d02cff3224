//! From the store into this process.

use std::sync::Arc;

use super::{Installed, Moves, Policies};
use crate::gate::{Gate, Progress, Report};
use crate::policy::budget::lock;
use crate::policy::error::AdmitError;
use crate::policy::event::Event;
use crate::policy::generation::Ready;
use crate::policy::state::Entry;
use crate::policy::store::Store;
use crate::shared::chain;
use crate::trust::Envelope;

impl Policies {
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

    /// Loads a generation of the store as if it were offered now; only the gate is
    /// believed where its report is there and is about just this.
    pub(super) fn load(
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
}
