//! The settings of the engine. They hold for everything that runs in the process;
//! what differs from one component to the next is in [`Limits`](super::Limits).

use wasmtime::{Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

use super::guard::{MAX_INSTANCES, MAX_MEMORIES, MAX_TABLES};
use super::limits::MAX_MEMORY;

/// Room for a thousand instances is reserved at the start, as address space that
/// costs no memory until it is used.
pub(super) fn pooling() -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(COMPONENTS)
        .total_core_instances(COMPONENTS.saturating_mul(8))
        .total_memories(COMPONENTS.saturating_mul(2))
        .total_tables(COMPONENTS.saturating_mul(4))
        .max_core_instances_per_component(u32::try_from(MAX_INSTANCES).unwrap_or(u32::MAX))
        .max_memories_per_component(u32::try_from(MAX_MEMORIES).unwrap_or(u32::MAX))
        .max_tables_per_component(u32::try_from(MAX_TABLES).unwrap_or(u32::MAX))
        .max_memories_per_module(u32::try_from(MAX_MEMORIES).unwrap_or(u32::MAX))
        .max_tables_per_module(u32::try_from(MAX_TABLES).unwrap_or(u32::MAX))
        .max_memory_size(MAX_MEMORY)
        .table_elements(20_000)
        // A memory that is used again is wiped rather than unmapped, which is quicker
        // as long as it covers stack and data: the component has 64 KiB of stack.
        .linear_memory_keep_resident(256 * 1024)
        .table_keep_resident(64 * 1024)
        .max_unused_warm_slots(64)
        .pagemap_scan(Enabled::Auto);
    let mut config = common();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}

/// For machines that cannot reserve that much: every memory begins small and moves
/// when it grows.
pub(super) fn on_demand() -> Config {
    let mut config = common();
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(4 * 1024 * 1024)
        .memory_reservation_for_growth(1024 * 1024)
        .memory_guard_size(64 * 1024)
        .memory_may_move(true);
    config
}

fn common() -> Config {
    let mut config = Config::new();
    config
        // Limits: instructions exactly, time as a backstop, and the machine's stack.
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(256 * 1024)
        // The same input gives the same bytes on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .relaxed_simd_deterministic(true)
        // Nothing runs beside the call, and nothing outlives it.
        .shared_memory(false)
        .concurrency_support(false)
        .wasm_memory64(false)
        // A trap is told by its code; names out of the component are not shown.
        .wasm_backtrace_max_frames(None)
        .cranelift_opt_level(OptLevel::Speed)
        .parallel_compilation(true);
    config
}

/// Live components: the kept instances of a few generations, each with its policy,
/// and the fresh ones of the calls under way.
const COMPONENTS: u32 = 1000;
