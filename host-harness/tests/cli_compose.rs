//! `negotiator compose` and `negotiator policy schema`: files in, a file or an exit code out.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(arguments)
        .current_dir(ROOT)
        .output()
        .unwrap()
}

/// A folder of its own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compose-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn wat(name: &str, folder: &Path) -> PathBuf {
    let file = Path::new(ROOT).join(format!("tests/hostile/{name}.wat"));
    let path = folder.join(format!("{name}.wasm"));
    fs::write(&path, wat::parse_file(file).unwrap()).unwrap();
    path
}

#[test]
fn rules_and_their_settings_become_one_file_that_other_commands_take() {
    let folder = folder("rules");
    let (settings, out) = (folder.join("rules.json"), folder.join("out.wasm"));
    let rules = r#"{"otherwise":"grant-best","rules":[
        {"when":{"protocol":"a2a","version":"0.3"},"then":"deny"}]}"#;
    fs::write(&settings, rules).unwrap();
    fs::write(&out, "what was here before").unwrap();
    let policy = "dist/policies/rules.wasm";
    let arguments = [
        "compose",
        "--policy",
        policy,
        "--settings",
        text(&settings),
        "-o",
        text(&out),
    ];
    let output = run(&arguments);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let digest = negotiator::Digest::of(&fs::read(&out).unwrap()).to_string();
    assert!(
        told.starts_with(&format!(r#"{{"digest":"{digest}""#)),
        "{told}"
    );
    // The same again: the same bytes, and nothing else is left in the folder.
    assert_eq!(String::from_utf8(run(&arguments).stdout).unwrap(), told);
    assert_eq!(names(&folder), ["out.wasm", "rules.json"]);

    let output = run(&["matrix", "--protocol", "a2a", "--component", text(&out)]);
    let table = String::from_utf8(output.stdout).unwrap();
    let row = table.lines().find(|line| line.starts_with("0.3 ")).unwrap();
    assert!(row.contains("refused: unsupported"), "{table}");
    let row = table.lines().find(|line| line.starts_with("1.0 ")).unwrap();
    assert!(row.contains("1.0 (exact)"), "{table}");
}

#[test]
fn bad_settings_end_with_2_name_the_rule_and_write_nothing() {
    let folder = folder("bad");
    let settings = folder.join("rules.json");
    let rules = r#"{"otherwise":"deny","rules":[{"name":"old","then":"SECRET"}]}"#;
    fs::write(&settings, rules).unwrap();
    let out = folder.join("out.wasm");
    fs::write(&out, "what was here before").unwrap();
    let policy = "dist/policies/rules.wasm";
    let output = run(&[
        "compose",
        "--policy",
        policy,
        "--settings",
        text(&settings),
        "-o",
        text(&out),
    ]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    let problem = r#"rules[0].then (rule old): must be "grant-best" or "grant-exact" or "deny""#;
    assert!(told.contains(problem) && !told.contains("SECRET"), "{told}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "what was here before");
    assert_eq!(names(&folder), ["out.wasm", "rules.json"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_written_to_and_stays_what_it_is() {
    use std::os::unix::fs::FileTypeExt as _;
    let folder = folder("pipe");
    let (pipe, copy) = (folder.join("pipe"), folder.join("copy"));
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let mut reader = Command::new("cat")
        .arg(&pipe)
        .stdout(fs::File::create(&copy).unwrap())
        .spawn()
        .unwrap();
    let policy = "dist/policies/exact.wasm";
    let output = run(&["compose", "--policy", policy, "-o", text(&pipe)]);
    let stays = fs::metadata(&pipe).unwrap().file_type().is_fifo();
    if !stays {
        // Nobody will ever write to what it waits for.
        reader.kill().unwrap();
    }
    reader.wait().unwrap();
    assert!(stays && output.status.success());
    let digest = negotiator::Digest::of(&fs::read(&copy).unwrap()).to_string();
    assert!(String::from_utf8(output.stdout).unwrap().contains(&digest));
}

#[test]
fn what_is_no_policy_ends_with_3_and_its_imports_are_named() {
    let folder = folder("hostile");
    let out = folder.join("out.wasm");
    for (name, told) in [
        (
            "extra-import",
            "imports what it may not have: `openwop:negotiation/clock@2.0.0`, \
             `wasi:sockets/tcp@0.2.0`; it must import nothing",
        ),
        ("wrong-version", "policy-provider"),
        (
            "core-module",
            "a module was given where a component is needed",
        ),
    ] {
        let policy = wat(name, &folder);
        let output = run(&["compose", "--policy", text(&policy), "-o", text(&out)]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{error}");
        assert!(error.contains(told), "{error}");
        assert!(!out.exists());
    }
    let output = run(&["compose", "--policy", "no-such-file", "-o", text(&out)]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_place_that_cannot_be_written_ends_with_2() {
    let folder = folder("place");
    let policy = "dist/policies/exact.wasm";
    for out in [folder.join("no-such-folder/out.wasm"), folder.clone()] {
        let output = run(&["compose", "--policy", policy, "-o", text(&out)]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("cannot write"), "{told}");
    }
    assert_eq!(names(&folder), Vec::<String>::new());
    let out = folder.join("out.wasm");
    let output = run(&[
        "compose",
        "--component",
        "x",
        "--policy",
        policy,
        "-o",
        text(&out),
    ]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_schema_is_printed_as_it_lies_beside_the_policy() {
    let output = run(&["policy", "schema"]);
    assert_eq!(output.status.code(), Some(0));
    let file = Path::new(ROOT).join("guest/policies/rules/settings.schema.json");
    assert_eq!(output.stdout, fs::read(file).unwrap());
}
