//! What is on disk.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{Entry, Policies, Reason, Store, Watch};
use super::support::{context, exchange};
use super::{Scratch, admission, facets, force, policies, shipped};
use crate::gate::SILENT;
use crate::types::Decision;

#[test]
fn a_new_start_begins_with_what_was_in_force() {
    let scratch = Scratch::new("start");
    let first = policies(Some(scratch.store()));
    force(&first, &shipped("highest.wasm"));
    let installed = force(&first, &shipped("exact.wasm"));
    drop(first);
    let again = policies(Some(scratch.store()));
    assert_eq!(again.current().by(), installed.by());
    assert_eq!(again.status().problem, None);
    let status = again.status();
    assert!(!status.previous_is_warm);
    again.warm_up(SILENT).unwrap();
    assert!(again.status().previous_is_warm);
    let back = again.rollback().unwrap();
    assert_eq!(back.by().generation, 3);
    assert_eq!(back.by().policy, Some(shipped("highest.wasm").digest()));
}

#[test]
fn bytes_that_are_not_what_they_were_are_not_put_in_force() {
    let scratch = Scratch::new("altered");
    force(&policies(Some(scratch.store())), &shipped("exact.wasm"));
    let digest = shipped("exact.wasm").digest();
    let object = scratch.0.join("objects").join(digest.hex());
    let mut bytes = fs::read(&object).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&object, bytes).unwrap();
    let again = policies(Some(scratch.store()));
    assert_eq!(again.current().number(), 0);
    let problem = again.status().problem.unwrap();
    assert!(problem.contains("does not hold the bytes"), "{problem}");
    let served = again.settle(&exchange(None), &context()).unwrap();
    assert!(matches!(served.settlement.decision, Decision::Refused(_)));
}

#[test]
fn a_state_that_nobody_wrote_is_an_error_that_says_where() {
    let scratch = Scratch::new("state");
    let store = scratch.store();
    for (text, problem) in [
        ("{", "at line 1"),
        (
            r#"{"version":1,"unknown":2}"#,
            "is not what this version writes",
        ),
    ] {
        fs::write(scratch.0.join("current.json"), text).unwrap();
        let error = store.state().unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_directory_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("others");
    drop(scratch.store());
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(Store::open(&scratch.0).is_err());
}

#[test]
fn what_one_process_puts_in_force_the_others_follow() {
    let scratch = Scratch::new("watch");
    let here = Arc::new(policies(Some(scratch.store())));
    let watch = Watch::start(&here, |_| ()).unwrap();
    let there = policies(Some(scratch.store()));
    for file in ["highest.wasm", "exact.wasm"] {
        let installed = force(&there, &shipped(file));
        until(|| here.current().by() == installed.by());
    }
    // And the other way round.
    let back = here.rollback().unwrap();
    there.refresh(SILENT).unwrap();
    assert_eq!(there.current().by(), back.by());
    drop(watch);
}

fn until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never happens");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const CHILD: &str = "NEGOTIATOR_TEST_STORE";

/// Not a test of its own: installs one policy after another until it is killed.
#[test]
#[ignore = "run by the test below, as a process of its own"]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(path).unwrap();
    for round in 0_u8.. {
        let artifact = store.put(&vec![round; 100_000]).unwrap();
        let settings = store.put(&[round]).unwrap();
        let state = store.commit(|generation, _| {
            Some(Entry {
                generation,
                policy: artifact,
                settings: Some(settings),
                envelope: None,
                report: None,
                untrusted: false,
                reason: Reason::Installed,
            })
        });
        println!("\ndurable {}", state.unwrap().unwrap().current().generation);
    }
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_and_never_half() {
    let scratch = Scratch::new("kill");
    let mut known = 0;
    let mut cut_short = 0;
    for round in 0..60_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "policy::tests::durable::child"])
            .args(["--ignored", "--nocapture"])
            .env(CHILD, &scratch.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From when it is at work: a moment that is another one each time.
        let number = |line: &str| line.strip_prefix("durable ")?.parse::<u64>().ok();
        known = lines
            .by_ref()
            .find_map(|line| number(&line.unwrap()))
            .unwrap();
        std::thread::sleep(Duration::from_micros(round * 611 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines {
            known = number(&line.unwrap()).unwrap_or(known);
        }
        cut_short += usize::from(
            fs::read_dir(scratch.0.join("objects"))
                .unwrap()
                .any(|entry| {
                    let path = entry.unwrap().path();
                    path.extension().is_some()
                }),
        );
        let store = scratch.store();
        let state = store.state().unwrap().unwrap();
        let current = state.current();
        assert!(
            current.generation == known || current.generation == known + 1,
            "{} is in force, {known} was durable",
            current.generation
        );
        for entry in [current].into_iter().chain(state.history()) {
            let policy = store.get(entry.policy).unwrap();
            let settings = store.get(entry.settings.unwrap()).unwrap();
            assert_eq!(policy.bytes()[0], settings.bytes()[0]);
        }
    }
    println!("{known} generations; {cut_short} of 60 kills left an unfinished file");
}

#[test]
fn an_install_that_cannot_be_made_durable_changes_nothing() {
    let scratch = Scratch::new("full");
    let policies = Policies::open(admission(), facets(), Some(scratch.store()), SILENT).unwrap();
    let installed = force(&policies, &shipped("exact.wasm"));
    // A directory where the file goes: no rename can put a file there.
    let object = scratch
        .0
        .join("objects")
        .join(shipped("highest.wasm").digest().hex());
    fs::create_dir(&object).unwrap();
    let trusted = crate::trust::Trusted::bypassing_trust(shipped("highest.wasm"));
    let inspected = crate::gate::Inspected::new(trusted, super::runtime(), super::limits());
    let pluggable = &policies.admission().pluggable;
    let gated = crate::gate::Gated::by_force(inspected.unwrap(), "", pluggable, 1);
    assert!(policies.install(gated).is_err());
    assert_eq!(policies.current().by(), installed.by());
    assert_eq!(
        scratch
            .store()
            .state()
            .unwrap()
            .unwrap()
            .current()
            .generation,
        1
    );
}
