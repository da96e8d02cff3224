//! Moving the pointer: forward, and back.

use std::sync::Arc;
use std::time::Instant;

use super::{Installed, Moves, Policies};
use crate::policy::budget::{Spent, lock};
use crate::policy::error::{InstallError, StoreError};
use crate::policy::event::Event;
use crate::policy::generation::{Generation, Ready};
use crate::policy::state::{Entry, Reason, State};
use crate::shared::chain;

impl Policies {
    /// Counts a failure of the policy, and reverts when that was one too many.
    #[cold]
    pub(super) fn failed(&self, number: u64) {
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

    pub(super) fn go_back(
        &self,
        moves: &mut Moves,
        reason: Reason,
    ) -> Result<Installed, InstallError> {
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
    pub(super) fn commit(
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

    pub(super) fn put_in_force(
        &self,
        moves: &mut Moves,
        entry: Entry,
        ready: Arc<Ready>,
    ) -> Installed {
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
}
