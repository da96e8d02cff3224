//! The engine: one a process, with every setting in one place.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::Engine;

use self::ticker::Ticker;
use crate::error::RuntimeError;

pub(crate) mod bindings;
mod call;
mod component;
mod engine;
mod guard;
mod instance;
mod json;
mod limits;
mod metered;
mod negotiator;
mod operations;
mod policy;
mod slots;
mod ticker;

pub(crate) use component::check_world;
pub use component::{Loaded, Pluggable};
pub use json::Operation;
pub(crate) use json::broke_contract;
pub use limits::Limits;
pub use negotiator::{Decided, Fuel, Negotiator, Settled};
pub(crate) use policy::Meter;
pub use policy::Policy;

/// The WebAssembly engine and the thread that enforces deadlines. Make one for
/// the process and clone it; the thread ends with the last clone and the last
/// component loaded through it.
///
/// Nothing runs without all of these: fuel, a deadline, a memory limit, and a
/// limit on what is copied out. Floating-point results are the same on every
/// machine, there are no threads and no relaxed SIMD, and only WebAssembly is
/// compiled: machine code from elsewhere is never loaded.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

struct Inner {
    // Dropped first: the thread must not outlive the engine it counts for.
    ticker: Ticker,
    engine: Engine,
    pooled: bool,
}

impl Runtime {
    /// Starts an engine that keeps room for instances ready, where the machine
    /// lets it reserve the address space; else one that asks for memory as needed.
    ///
    /// # Errors
    ///
    /// The engine or its thread cannot be started on this machine.
    pub fn new() -> Result<Self, RuntimeError> {
        match Engine::new(&engine::pooling()) {
            Ok(engine) => Self::start(engine, true),
            Err(_) => Self::on_demand(),
        }
    }

    /// Starts an engine that asks for memory as needed: a new instance takes
    /// somewhat longer, and hardly any address space is reserved.
    ///
    /// # Errors
    ///
    /// As [`Runtime::new`].
    pub fn on_demand() -> Result<Self, RuntimeError> {
        let engine = Engine::new(&engine::on_demand()).map_err(RuntimeError::Engine)?;
        Self::start(engine, false)
    }

    fn start(engine: Engine, pooled: bool) -> Result<Self, RuntimeError> {
        let ticker = Ticker::start(&engine, TICK).map_err(RuntimeError::Ticker)?;
        Ok(Self {
            inner: Arc::new(Inner {
                ticker,
                engine,
                pooled,
            }),
        })
    }

    /// Whether room for instances is kept ready.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        self.inner.pooled
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// The ticks after which a call that may take `deadline` is stopped.
    ///
    /// At least two: the first may come at once. One more than the time asks for,
    /// since the tick that is under way does not count.
    pub(crate) fn ticks(&self, deadline: Duration) -> u64 {
        let every = self.inner.ticker.every().as_nanos().max(1);
        let ticks = deadline.as_nanos().div_ceil(every).saturating_add(1);
        u64::try_from(ticks)
            .unwrap_or(MAX_TICKS)
            .clamp(2, MAX_TICKS)
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("pooled", &self.inner.pooled)
            .finish_non_exhaustive()
    }
}

/// How often deadlines are looked at.
const TICK: Duration = Duration::from_millis(10);

/// More ticks than any process lives; the engine adds them to its own count.
const MAX_TICKS: u64 = 1 << 62;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_has_two_ticks_at_least_and_never_less_than_its_time() {
        let runtime = Runtime::on_demand().unwrap();
        assert_eq!(runtime.ticks(Duration::ZERO), 2);
        assert_eq!(runtime.ticks(Duration::from_nanos(1)), 2);
        assert_eq!(runtime.ticks(Duration::from_millis(10)), 2);
        assert_eq!(runtime.ticks(Duration::from_millis(11)), 3);
        assert_eq!(runtime.ticks(Duration::from_millis(500)), 51);
        assert_eq!(runtime.ticks(Duration::MAX), MAX_TICKS);
    }
}
