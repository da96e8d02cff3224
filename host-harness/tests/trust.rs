//! The way of a key from its making to a trusted artifact, with the command alone.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn negotiator(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("trust-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("policy.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
    path
}

fn generate(directory: &Path, file: &str) -> String {
    let output = negotiator(directory, &["key", "generate", "-o", file]);
    assert!(output.status.success());
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    told.get("public").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn two_keys_sign_and_the_artifact_is_trusted() {
    let here = directory("two-keys");
    let keys = [generate(&here, "a.pem"), generate(&here, "b.pem")];
    let keys = keys.map(|public| {
        let name = &public.get(8..16).unwrap().replace(['+', '/'], "-");
        format!("[[key]]\nname = \"{name}\"\npublic = \"{public}\"\n")
    });
    let trust = format!("threshold = 2\n{}", keys.concat());
    fs::write(here.join("negotiator.trust.toml"), trust).unwrap();
    let verify = [
        "verify",
        "policy.wasm",
        "--trust",
        "negotiator.trust.toml",
        "--envelope",
        "e.json",
    ];

    let sign = ["sign", "policy.wasm", "-o", "e.json", "--key"];
    let signed = negotiator(&here, &[&sign[..], &["a.pem"]].concat());
    assert!(signed.status.success());
    assert_eq!(negotiator(&here, &verify).status.code(), Some(3));

    let again = [&sign[..], &["b.pem", "--add-to", "e.json"]].concat();
    assert!(negotiator(&here, &again).status.success());
    let verified = negotiator(&here, &verify);
    assert_eq!(verified.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&verified.stdout).contains("\"trusted\":true"));

    fs::write(here.join("policy.wasm"), b"\0asm\x0d\0\x01\0\0").unwrap();
    assert_eq!(negotiator(&here, &verify).status.code(), Some(3));
}

#[test]
fn a_key_is_never_overwritten() {
    let here = directory("overwritten");
    generate(&here, "key.pem");
    let before = fs::read(here.join("key.pem")).unwrap();
    let output = negotiator(&here, &["key", "generate", "-o", "key.pem"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(fs::read(here.join("key.pem")).unwrap(), before);
}

#[test]
fn nothing_of_the_private_half_is_printed() {
    let here = directory("private");
    generate(&here, "key.pem");
    let pem = fs::read_to_string(here.join("key.pem")).unwrap();
    let secret = pem.lines().nth(1).unwrap();
    // The last 40 digits of the base64 hold nothing but the key.
    let secret = secret.get(secret.len() - 40..).unwrap();
    for arguments in [
        &["key", "public", "key.pem"][..],
        &["sign", "policy.wasm", "--key", "key.pem"],
        &["verify", "policy.wasm", "--trust", "key.pem"],
        &[
            "sign",
            "policy.wasm",
            "--key",
            "key.pem",
            "--report",
            "key.pem",
        ],
        &[
            "sign",
            "policy.wasm",
            "--key",
            "key.pem",
            "--add-to",
            "key.pem",
        ],
    ] {
        let output = negotiator(&here, arguments);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.is_empty() && !text.contains(secret), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_a_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let here = directory("readable");
    generate(&here, "key.pem");
    let path = here.join("key.pem");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let warns = || {
        let output = negotiator(&here, &["key", "public", "key.pem"]);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).contains("warning")
    };
    assert!(!warns());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(warns());
}
