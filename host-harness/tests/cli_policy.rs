//! `negotiator policy`, as an operator uses it: beside a host that runs, with components that
//! misbehave, and killed in the middle.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

#[path = "support/store.rs"]
mod store;

use store::{EXACT, HIGHEST, ROOT, Store, digest, told};

fn start(store: &Store) -> Host {
    let mut child = store
        .command(&["call", "settle"])
        .args(["--facets", "host-harness/examples/discovery.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Host {
        requests: child.stdin.take().unwrap(),
        answers: BufReader::new(child.stdout.take().unwrap()),
        child,
    }
}

/// A host that settles what it is asked, until it is killed.
struct Host {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Host {
    /// An authenticated caller that names no version: `exact` and `highest` part here.
    fn settle(&mut self) -> Value {
        writeln!(
            self.requests,
            r#"{{"exchange":{{"protocol":"a2a","direction":"outbound","authenticated":true,"card":{{"supportedInterfaces":[{{"url":"https://peer.example/a","protocolBinding":"JSONRPC","protocolVersion":"0.3"}}]}}}},"context":{{"at":"2026-11-30T12:00:00Z"}}}}"#
        )
        .unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Which generation answers, with which policy, and how.
    fn answer(&mut self) -> (u64, Option<String>, String) {
        let answer = self.settle();
        assert!(answer["record"].is_object(), "{answer}");
        (
            answer["generation"].as_u64().unwrap(),
            answer["policy"].as_str().map(str::to_owned),
            answer["cause"].as_str().unwrap().to_owned(),
        )
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_policy_of_a_running_host_is_changed_and_changed_back() {
    let store = Store::new("running");
    let mut host = start(&store);
    assert_eq!(host.answer(), (0, None, "policy-failed".to_owned()));

    // Nobody trusts this one.
    let rules = "dist/policies/rules.wasm";
    let output = store.run(&["policy", "install", rules]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert!(told(&output).contains("not trusted"), "{}", told(&output));
    assert_eq!(host.answer().0, 0);

    // The host answers while the gate is at work.
    let report = store.0.join("gate.json");
    let mut install = store
        .command(&["policy", "install", EXACT])
        .arg("--report")
        .arg(&report)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut meanwhile = 0;
    while install.try_wait().unwrap().is_none() {
        meanwhile += usize::from(host.answer().0 == 0);
    }
    let output = install.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(
        meanwhile > 10,
        "{meanwhile} answers while the gate was at work"
    );
    let exact = Some(digest(EXACT));
    assert_eq!(
        host.answer(),
        (1, exact.clone(), "policy-denied".to_owned())
    );
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["outcome"], "passed");
    assert!(report["grid"]["decisions"].as_u64().unwrap() >= 500_000);

    // It accepts more than what is in force: somebody has to say so.
    let output = store.run(&["policy", "install", HIGHEST]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("loosens"), "{}", told(&output));
    assert_eq!(host.answer().0, 1);
    let output = store.run(&["policy", "install", HIGHEST, "--allow-loosening"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let highest = Some(digest(HIGHEST));
    assert_eq!(host.answer(), (2, highest.clone(), "common".to_owned()));

    let output = store.run(&["policy", "list", "--json"]);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let numbers = list["generations"].as_array().unwrap().iter();
    let numbers: Vec<_> = numbers.map(|one| one["generation"].as_u64()).collect();
    assert_eq!(numbers, [Some(2), Some(1)]);

    let output = store.run(&["policy", "rollback"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert_eq!(
        host.answer(),
        (3, exact.clone(), "policy-denied".to_owned())
    );

    // Another host, after this one was killed, goes on with the same.
    drop(host);
    assert_eq!(
        start(&store).answer(),
        (3, exact, "policy-denied".to_owned())
    );
}

#[test]
fn nothing_that_misbehaves_is_let_in_even_if_nobody_asks_for_trust() {
    let store = Store::new("hostile");
    let hostile = Path::new(ROOT).join("tests/hostile");
    for (name, exit, problem) in [
        // Which limit is met first depends on the machine.
        ("endless-loop", 1, "gate failed"),
        ("memory-bomb", 1, "gate failed"),
        ("unreachable", 1, "it trapped"),
        ("trap-in-realloc", 1, "it trapped"),
        ("trap-in-post-return", 1, "it trapped"),
        ("giant-answer", 1, "gate failed"),
        ("outside-candidates", 1, "it granted"),
        ("changes-its-mind", 1, "in two ways"),
        ("extra-import", 3, "imports what it may not have"),
        ("wrong-version", 3, "does not fit the world"),
        ("core-module", 3, "a module was given"),
        ("truncated", 3, ""),
    ] {
        let file = match name {
            "truncated" => "well-behaved",
            name => name,
        };
        let mut bytes = wat::parse_file(hostile.join(format!("{file}.wat"))).unwrap();
        if name == "truncated" {
            bytes.truncate(bytes.len() / 2);
        }
        let path = store.0.join(format!("{name}.wasm"));
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let output = store.run(&["policy", "install", path, "--allow-untrusted", "--json"]);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(exit), "{name}: {told}");
        assert!(told.contains(problem), "{name}: {told}");
        assert_eq!(store.in_force().0, 0, "{name}");
    }
    assert_eq!(start(&store).answer().2, "policy-failed");
}

#[test]
fn an_install_that_is_killed_at_any_moment_leaves_the_old_or_the_new_policy() {
    let store = Store::new("killed");
    let install = |file: &str| {
        store
            .command(&["policy", "install", file, "--allow-loosening"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let begun = Instant::now();
    assert!(install(EXACT).wait().unwrap().success());
    let whole = begun.elapsed();
    let objects = || fs::read_dir(store.0.join("objects")).unwrap().count();
    let (mut old, mut new) = (0, 0);
    for round in 0..4_u32 {
        let (before, policy) = store.in_force();
        let next = if policy == digest(EXACT) {
            HIGHEST
        } else {
            EXACT
        };
        let known = objects();
        let mut child = install(next);
        let begun = Instant::now();
        // Every other time a while after the start; else as soon as anything is written, and a bit.
        let wait = if round % 2 == 0 {
            whole * (1 + round) / 4
        } else {
            let changed = || objects() != known || store.0.join("current.json.tmp").exists();
            while !changed() && child.try_wait().unwrap().is_none() && begun.elapsed() < whole * 3 {
                std::thread::sleep(Duration::from_micros(200));
            }
            Duration::from_micros(u64::from(round) * 700)
        };
        std::thread::sleep(wait);
        let _ = child.kill();
        child.wait().unwrap();

        let found = store.in_force();
        let after = if found.0 == before {
            old += 1;
            (before, policy)
        } else {
            new += 1;
            (before + 1, digest(next))
        };
        assert_eq!(found, after, "round {round}");
        let (generation, policy, cause) = start(&store).answer();
        assert_eq!(
            (generation, policy),
            (after.0, Some(after.1.clone())),
            "round {round}"
        );
        let cause_of = |policy: &str| {
            if policy == digest(EXACT) {
                "policy-denied"
            } else {
                "common"
            }
        };
        assert_eq!(cause, cause_of(&after.1));
    }
    println!("{old} kills left the old policy, {new} the new one; a whole install took {whole:?}");
    assert!(old > 0);
}
