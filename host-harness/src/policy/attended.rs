//! Policies that somebody looks after.

use std::io;
use std::sync::Arc;
use std::thread;

use super::control::Control;
use super::error::AdmitError;
use super::swap::Policies;
use super::watch::Watch;
use crate::gate::{SILENT, Step};

/// Policies that follow their store, answer `negotiator policy` through the socket there, and keep
/// the generation before ready. All of it ends when this is dropped.
pub struct Attended {
    policies: Arc<Policies>,
    _watch: Watch,
    control: Option<Control>,
}

impl Attended {
    /// Begins. `progress` is told what is done for a policy that another process put in force;
    /// `cold` is told, once, when the generation before cannot be made ready.
    ///
    /// # Errors
    ///
    /// The socket cannot be made, or no thread be started.
    pub fn start(
        policies: Policies,
        progress: impl Fn(Step) + Send + Sync + 'static,
        cold: impl FnOnce(AdmitError) + Send + 'static,
    ) -> io::Result<Self> {
        let policies = Arc::new(policies);
        let control = Control::start(&policies)?;
        let watch = Watch::start(&policies, progress)?;
        // Not at once, but soon: a rollback is to take no time.
        let to_warm = Arc::clone(&policies);
        let warm = move || {
            if let Err(error) = to_warm.warm_up(SILENT) {
                cold(error);
            }
        };
        thread::Builder::new()
            .name("negotiator-warm".to_owned())
            .spawn(warm)?;
        Ok(Self {
            policies,
            _watch: watch,
            control,
        })
    }

    /// The policies.
    #[must_use]
    pub fn policies(&self) -> &Arc<Policies> {
        &self.policies
    }

    /// Whether `negotiator policy` is answered here. Without a store it is not, nor where another
    /// host on the same store does; this one follows that one then.
    #[must_use]
    pub fn answers(&self) -> bool {
        self.control.is_some()
    }
}
