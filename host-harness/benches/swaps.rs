//! What a swap costs the calls beside it: `cargo bench --bench swaps`.
//!
//! All cores settle all the time. Slices of time without swaps and with swaps take turns, so
//! that whatever else the machine does hits both alike; compare the two columns of one run.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use negotiator::gate::{SILENT, Step};
use negotiator::policy::{Admission, Offer, Policies};
use negotiator::trust::Trust;
use negotiator::{Artifact, Runtime};
use negotiator_benches::{NAMED, context, exchange, facets};

/// Swaps all in all, and slices of time of each kind.
const SWAPS: usize = 1_000;
const SLICES: usize = 20;
const PAUSE: Duration = Duration::from_millis(2);

const QUIET: usize = 0;
const SWAPPING: usize = 1;
const OVER: usize = 2;

fn main() {
    let shipped = |file: &str| {
        let path = format!("{}/../../dist/policies/{file}", env!("CARGO_MANIFEST_DIR"));
        Artifact::from_file(path).unwrap()
    };
    let artifacts = ["exact.wasm", "highest.wasm"].map(shipped);
    let pins = artifacts.iter().enumerate().map(|(at, artifact)| {
        let digest = artifact.digest();
        format!("[[pin]]\nname = \"p{at}\"\ndigest = \"{digest}\"\n")
    });
    let trust = Trust::from_text(&pins.collect::<String>()).unwrap();
    let admission = Admission::new(&Runtime::new().unwrap()).unwrap();
    let policies = Policies::open(admission.trusting_only(trust), facets(), None, SILENT).unwrap();
    for artifact in artifacts {
        let begun = Instant::now();
        let offer = Offer::new(artifact).allow_loosening(true);
        let gated = policies.admit(&offer, &|_: Step| ()).unwrap();
        let decisions = gated.report().grid.decisions;
        policies.install(gated).unwrap();
        println!(
            "gate of {decisions} decisions, twice, and the comparison: {:.1} s",
            begun.elapsed().as_secs_f64()
        );
    }

    let phase = AtomicUsize::new(QUIET);
    let taken: Mutex<[Vec<u64>; 2]> = Mutex::default();
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let mut swaps = Vec::new();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut mine: [Vec<u64>; 2] = Default::default();
                let (exchange, context) = (exchange(NAMED, true), context());
                loop {
                    let now = phase.load(Ordering::Relaxed);
                    if now == OVER {
                        break;
                    }
                    let begun = Instant::now();
                    let served = policies.settle(&exchange, &context).unwrap();
                    let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap();
                    assert_eq!(served.failure, None);
                    mine[now].push(nanoseconds);
                }
                let mut all = taken.lock().unwrap();
                for kind in [QUIET, SWAPPING] {
                    all[kind].append(&mut mine[kind]);
                }
            });
        }
        for _ in 0..SLICES {
            phase.store(SWAPPING, Ordering::Relaxed);
            let slice = Instant::now();
            for _ in 0..SWAPS / SLICES {
                let begun = Instant::now();
                policies.rollback().unwrap();
                swaps.push(u64::try_from(begun.elapsed().as_nanos()).unwrap());
                thread::sleep(PAUSE);
            }
            let length = slice.elapsed();
            phase.store(QUIET, Ordering::Relaxed);
            thread::sleep(length);
        }
        phase.store(OVER, Ordering::Relaxed);
    });
    let mut taken = taken.into_inner().unwrap();
    for kind in &mut taken {
        kind.sort_unstable();
    }
    swaps.sort_unstable();
    let at = |sorted: &[u64], share: f64| sorted[(sorted.len() as f64 * share) as usize];
    println!("{threads} threads; {SWAPS} swaps, one every {PAUSE:?} at most");
    println!(
        "{:>10} {:>12} {:>12} {:>8}",
        "settle", "quiet ns", "swapping ns", "ratio"
    );
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)] {
        let [quiet, swapping] = [QUIET, SWAPPING].map(|kind| at(&taken[kind], share));
        let ratio = swapping as f64 / quiet as f64;
        println!("{name:>10} {quiet:>12} {swapping:>12} {ratio:>8.2}");
    }
    let counts = taken.map(|kind| kind.len());
    println!(
        "{:>10} {:>12} {:>12}",
        "calls", counts[QUIET], counts[SWAPPING]
    );
    println!(
        "a swap: p50 {} ns, p99 {} ns",
        at(&swaps, 0.5),
        at(&swaps, 0.99)
    );
}
