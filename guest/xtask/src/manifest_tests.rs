//! Manifests as they are written and compared.

use super::*;

const TEXT: &str = r#"{
  "package": "openwop:negotiation@2.0.0",
  "artifacts": [
    {
      "path": "negotiator.wasm",
      "kind": "component",
      "world": "openwop:negotiation/negotiator-closed@2.0.0",
      "sha256": "aa",
      "bytes": 7,
      "imports": [],
      "exports": [
        "openwop:negotiation/json@2.0.0"
      ],
      "worstFuel": 12
    },
    {
      "path": "negotiator.core.wasm",
      "kind": "core-module",
      "world": "openwop:negotiation/negotiator-closed@2.0.0",
      "sha256": "bb",
      "bytes": 6,
      "imports": [],
      "exports": [
        "memory"
      ]
    }
  ],
  "wit": "w1",
  "corpus": "c1",
  "build": {
    "builder": "debian",
    "rustc": "1.96.0",
    "rustcCommit": "ac68faa2",
    "linker": "Debian LLD 22.1.8",
    "optimizer": "binaryen, wasm-opt version 132",
    "encoder": "wit-component 0.254.2",
    "target": "wasm32-unknown-unknown",
    "profile": "guest",
    "rustflags": [
      "-Cpanic=immediate-abort"
    ],
    "cargoFlags": [],
    "dependencies": "d1"
  }
}
"#;

#[test]
fn a_manifest_is_written_as_it_was_read() {
    assert_eq!(Manifest::parse(TEXT).unwrap().text().unwrap(), TEXT);
}

#[test]
fn findings_stay_with_the_bytes_they_were_made_on() {
    let before = Manifest::parse(TEXT).unwrap();
    let bare = TEXT.replace("\n      ],\n      \"worstFuel\": 12\n", "\n      ]\n");

    let mut same = Manifest::parse(&bare).unwrap();
    assert!(same.artifacts[0].findings.is_empty());
    same.keep_findings(&before);
    assert_eq!(same.text().unwrap(), TEXT);

    let mut other = Manifest::parse(&bare.replace("\"aa\"", "\"ab\"")).unwrap();
    other.keep_findings(&before);
    assert!(other.artifacts[0].findings.is_empty());
}

#[test]
fn every_part_of_the_toolchain_makes_bytes_incomparable() {
    let manifest = Manifest::parse(TEXT).unwrap().build;
    assert_eq!(manifest.incomparable(&manifest), Vec::<String>::new());
    for (old, new, said) in [
        (
            "\"debian\"",
            "\"installed\"",
            "builder: `debian` in manifest.json, `installed` here",
        ),
        (
            "1.96.0",
            "1.97.0",
            "rustc: `1.96.0` in manifest.json, `1.97.0` here",
        ),
        ("ac68faa2", "ac68faa3", "rustc's commit: "),
        ("LLD 22.1.8", "LLD 22.1.9", "linker: "),
        ("0.254.2", "0.254.3", "encoder: "),
        ("wasm32-unknown-unknown", "wasm32-wasip2", "target: "),
        ("\"guest\"", "\"release\"", "profile: "),
        ("immediate-abort", "abort", "rustflags: "),
        (
            "\"cargoFlags\": []",
            "\"cargoFlags\": [\"-Zx\"]",
            "cargo flags: ",
        ),
    ] {
        let other = Manifest::parse(&TEXT.replace(old, new)).unwrap().build;
        let reasons = manifest.incomparable(&other);
        assert_eq!(reasons.len(), 1, "{old}: {reasons:?}");
        assert!(reasons[0].starts_with(said), "{reasons:?}");
    }
}

#[test]
fn changed_dependencies_are_a_difference_and_no_reason_to_skip() {
    let manifest = Manifest::parse(TEXT).unwrap();
    let other = Manifest::parse(&TEXT.replace("\"d1\"", "\"d2\"")).unwrap();
    assert!(manifest.build.incomparable(&other.build).is_empty());
    assert_eq!(
        manifest.differences(&other),
        ["the digest of the dependencies was d1 and is d2"]
    );
}

#[test]
fn differences_name_what_changed() {
    let manifest = Manifest::parse(TEXT).unwrap();
    assert!(manifest.differences(&manifest).is_empty());
    let text = TEXT
        .replace("\"c1\"", "\"c2\"")
        .replace("negotiator.core.wasm", "core.wasm");
    let found = manifest.differences(&Manifest::parse(&text).unwrap());
    assert_eq!(
        found,
        [
            "the digest of the corpus was c1 and is c2",
            "core.wasm is built and not in manifest.json",
            "negotiator.core.wasm is in manifest.json and not built",
        ]
    );
}

const LOCK: &str = r#"version = 4

[[package]]
name = "policy-exact"
version = "2.0.0"
dependencies = [
 "dlmalloc",
]

[[package]]
name = "dlmalloc"
version = "0.2.14"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "c0"

[[package]]
name = "syn"
version = "2.0.119"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "c1"

[[package]]
name = "syn"
version = "3.0.10"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "c2"
"#;

#[test]
fn the_lock_tells_versions_and_which_names_are_ambiguous() {
    let lock = Lock::parse(LOCK);
    assert_eq!(lock.version("dlmalloc").unwrap(), "0.2.14");
    assert!(
        lock.version("syn")
            .unwrap_err()
            .to_string()
            .contains("several")
    );
    assert!(
        lock.version("rand")
            .unwrap_err()
            .to_string()
            .contains("no rand")
    );
}

#[test]
fn dependencies_are_listed_once_with_their_checksums_and_without_our_crates() {
    let tree = "policy-exact v2.0.0 (/somewhere/guest/policies/exact)\n\
        syn v3.0.10\n\
        dlmalloc v0.2.14\n\
        \n\
        syn v2.0.119 (proc-macro)\n\
        dlmalloc v0.2.14\n";
    assert_eq!(
        Lock::parse(LOCK).listing(tree).unwrap(),
        "dlmalloc 0.2.14 c0\nsyn 2.0.119 c1\nsyn 3.0.10 c2\n"
    );
    assert!(Lock::parse(LOCK).listing("rand v0.9.0\n").is_err());
}
