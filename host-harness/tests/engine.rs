//! The engine and its clock, seen from outside: one test, in a process of its own,
//! since it counts that process's threads and takes away its address space.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use negotiator::{Artifact, Limits, Negotiator, Runtime};
use support::{Wat, context, exchange, facets};

const CHILD: &str = "NEGOTIATOR_TEST_CHILD";

#[test]
fn the_clock_lives_as_long_as_it_is_needed_and_the_engine_starts_anywhere() {
    if std::env::var_os(CHILD).is_some() {
        return settle_without_address_space();
    }
    assert_eq!(clocks(), 0);
    let runtime = Runtime::new().unwrap();
    let clone = runtime.clone();
    wait_for_clocks(1);
    let artifact = Artifact::from_bytes(Wat::obliging("negotiator-closed").component());
    let loaded = Negotiator::load(&runtime, &artifact, Limits::negotiator()).unwrap();
    let negotiator = loaded.configure(facets(), "").unwrap();
    drop(runtime);
    drop(clone);
    drop(loaded);
    // Calls still have their deadline.
    assert_eq!(clocks(), 1);
    negotiator.settle(&exchange(None), &context()).unwrap();
    drop(negotiator);
    assert_eq!(
        clocks(),
        0,
        "the thread must have ended when the last owner is gone"
    );

    // Engines do not share a clock.
    let two = [Runtime::new().unwrap(), Runtime::on_demand().unwrap()];
    wait_for_clocks(2);
    drop(two);
    assert_eq!(clocks(), 0);

    // The pool of instances needs terabytes of address space; here are four gigabytes.
    let shell = "ulimit -v 4194304 && exec \"$0\" --exact \"$1\" --nocapture";
    let child = Command::new("sh")
        .args(["-c", shell])
        .arg(std::env::current_exe().unwrap())
        .arg("the_clock_lives_as_long_as_it_is_needed_and_the_engine_starts_anywhere")
        .env(CHILD, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && told.contains("settled without a pool"),
        "{child:?}"
    );
}

fn settle_without_address_space() {
    let runtime = Runtime::new().unwrap();
    assert!(!runtime.is_pooled());
    let artifact = Artifact::from_bytes(Wat::obliging("negotiator-closed").component());
    let loaded = Negotiator::load(&runtime, &artifact, Limits::negotiator()).unwrap();
    let negotiators = (0..100)
        .map(|_| loaded.configure(facets(), "").unwrap())
        .collect::<Vec<_>>();
    for negotiator in negotiators {
        assert_eq!(
            negotiator
                .settle(&exchange(None), &context())
                .unwrap()
                .failure,
            None
        );
    }
    println!("settled without a pool");
}

/// How many threads of this process are clocks.
fn clocks() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::io::Result<fs::DirEntry>| {
        // A thread may end between the listing and the look.
        fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default()
    };
    tasks
        .map(name)
        .filter(|name| name.trim_end() == "negotiator-tick")
        .count()
}

/// A thread gives itself its name when it begins to run.
fn wait_for_clocks(count: usize) {
    let begun = Instant::now();
    while clocks() != count && begun.elapsed() < Duration::from_secs(10) {
        std::thread::yield_now();
    }
    assert_eq!(clocks(), count);
}
