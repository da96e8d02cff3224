//! The threat model has the sections of its template (RFC 0173, RFC 0175 §F.1), names every
//! invariant, and each of its witnesses is a test that exists.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use negotiation_tests::corpus::root;

const SECTIONS: [&str; 8] = [
    "Why this model",
    "Trust boundaries",
    "Adversaries",
    "Threats",
    "Invariants",
    "Residual risks",
    "Verification",
    "References",
];

const INVARIANTS: [&str; 5] = [
    "a2a-version-no-silent-downgrade",
    "mcp-version-no-silent-downgrade",
    "interop-negotiation-authenticated",
    "interop-minimum-version-enforced",
    "interop-peer-no-authority-escalation",
];

fn document() -> String {
    fs::read_to_string(root().join("host-harness/docs/threat-model.md")).unwrap()
}

#[test]
fn it_has_the_sections_of_the_template() {
    let document = document();
    let headings: Vec<_> = document
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .filter_map(|heading| heading.split_once(". "))
        .map(|(_, title)| title)
        .collect();
    assert_eq!(headings, SECTIONS);
}

#[test]
fn each_invariant_has_witnesses_that_exist() {
    let mut tests = BTreeSet::new();
    for folder in [
        "tests/tests",
        "host-harness/tests",
        "host-harness/src",
        "guest/core/src",
    ] {
        collect(&root().join(folder), &mut tests);
    }
    let document = document();
    let (_, section) = document.split_once("## 5. Invariants").unwrap();
    let (section, _) = section.split_once("## 6.").unwrap();
    let mut named = BTreeSet::new();
    for row in section
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
    {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [_, invariant, _, witnesses, _] = cells.as_slice() else {
            panic!("a row without three cells: {row}");
        };
        named.insert(invariant.trim_matches('`').to_owned());
        let witnesses: Vec<_> = witnesses
            .split(", ")
            .map(|name| name.trim_matches('`'))
            .collect();
        assert!(!witnesses.is_empty(), "{invariant} has no witness");
        for witness in witnesses {
            assert!(
                tests.contains(witness),
                "{invariant}: no test is called `{witness}`"
            );
        }
    }
    for invariant in INVARIANTS {
        assert!(named.contains(invariant), "{invariant} is not in the table");
    }
}

/// The names of all test functions under a folder.
fn collect(folder: &Path, tests: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, tests);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            // Properties stand inside a macro, with their arguments.
            let text = fs::read_to_string(&path).unwrap();
            let mut lines = text.lines().map(str::trim);
            while let Some(line) = lines.next() {
                if line != "#[test]" {
                    continue;
                }
                let Some(next) = lines.find(|line| line.starts_with("fn ")) else {
                    break;
                };
                let name = next
                    .trim_start_matches("fn ")
                    .split('(')
                    .next()
                    .unwrap_or_default();
                tests.insert(name.to_owned());
            }
        }
    }
}
