//! What a decision costs, ours and the same one in other engines: `cargo bench --bench decisions`.
//!
//! Times depend on the machine and its load; compare the rows of one run. The table at the end
//! gives each as a ratio to the bare call: a call of a component's empty function, in an engine
//! without fuel, deadlines and this crate.

mod ours;
mod peers;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use criterion::Criterion;

fn main() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/criterion"));
    let mut criterion = Criterion::default()
        .output_directory(&folder)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    ours::measure(&mut criterion);
    peers::measure(&mut criterion);
    criterion.final_summary();
    table::print(&folder);
}
