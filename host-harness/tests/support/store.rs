//! A directory of policies, and the command that works on it.
#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a part of tests, each of which uses some of it"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use negotiator::Digest;
use serde_json::Value;

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
pub const EXACT: &str = "dist/policies/exact.wasm";
pub const HIGHEST: &str = "dist/policies/highest.wasm";

/// A directory of policies.
pub struct Store(pub PathBuf);

impl Store {
    /// Empty, but for a trust file that lets the shipped policies in.
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("policy-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        let pins = [EXACT, HIGHEST].map(|file| {
            let digest = digest(file);
            format!("[[pin]]\nname = \"shipped\"\ndigest = \"{digest}\"\n")
        });
        fs::write(folder.join("negotiator.trust.toml"), pins.concat()).unwrap();
        Self(folder)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_negotiator"));
        command
            .current_dir(ROOT)
            .args(arguments)
            .arg("--policies")
            .arg(&self.0);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The generation in force and its policy, as the next host would find them.
    pub fn in_force(&self) -> (u64, String) {
        let output = self.run(&["policy", "status", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", told(&output));
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        match &status["current"] {
            Value::Null => (0, String::new()),
            current => (
                current["generation"].as_u64().unwrap(),
                current["policy"].as_str().unwrap().to_owned(),
            ),
        }
    }
}

pub fn digest(file: &str) -> String {
    Digest::of(&fs::read(Path::new(ROOT).join(file)).unwrap()).to_string()
}

pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
