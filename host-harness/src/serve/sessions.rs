//! MCP sessions: which version each agreed on, and whose it is.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::exchange::id;
use crate::types::Subject;

/// The sessions of this process. A client whose session is gone begins a new one.
pub(super) struct Sessions {
    most: usize,
    sessions: Mutex<HashMap<String, Session>>,
}

struct Session {
    version: String,
    subject: Option<Subject>,
    used: Instant,
}

impl Sessions {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            sessions: Mutex::default(),
        }
    }

    /// A new session, under a name that nobody can guess.
    pub(super) fn begin(&self, version: &str, subject: Option<&Subject>) -> String {
        let name = format!("{}{}", id("mcp-"), id(""));
        self.remember(name.clone(), version, subject);
        name
    }

    /// A session that an upstream named.
    pub(super) fn remember(&self, name: String, version: &str, subject: Option<&Subject>) {
        let mut sessions = self.lock();
        if sessions.len() >= self.most && !sessions.contains_key(&name) {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                sessions.remove(&oldest);
            }
        }
        let session = Session {
            version: version.to_owned(),
            subject: subject.cloned(),
            used: Instant::now(),
        };
        sessions.insert(name, session);
    }

    /// The version of a session, for its owner; for anybody else there is none.
    pub(super) fn version(&self, name: &str, subject: Option<&Subject>) -> Option<String> {
        let mut sessions = self.lock();
        let session = sessions.get_mut(name)?;
        if session.subject.as_ref() != subject {
            return None;
        }
        session.used = Instant::now();
        Some(session.version.clone())
    }

    pub(super) fn end(&self, name: &str) {
        self.lock().remove(name);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
