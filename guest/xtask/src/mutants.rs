//! `cargo xtask mutants`: small changes to the rules and to the gate, each of which a test must
//! notice.
//!
//! A run may be stopped at any time: the next one goes on with what was not tried yet, or was not
//! noticed. What was noticed counts as long as the mutated source is the same; it is kept in
//! `tests/mutants`, so that the next one may be on another machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::certify::MUTANTS;
use crate::digest::sha256;
use crate::workspace::{Workspace, output, show};

/// Reasons why a mutant may live, by its name without the line.
const REASONS: &str = "tests/mutants/reasons.json";
/// How to get the tool.
pub const INSTALL: &str = "cargo install --locked cargo-mutants@27.1.0";

/// What is mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Area {
    /// The rules, `guest/core`: ten seconds for each of some 700 mutants.
    Core,
    /// The gate of policies, `host-harness/src/gate`: a minute for each of some 230.
    Gate,
}

impl Area {
    const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Gate => "gate",
        }
    }

    /// Where the source is.
    const fn sources(self) -> &'static [&'static str] {
        match self {
            Self::Core => &["guest/core/src"],
            Self::Gate => &["host-harness/src/gate", "host-harness/src/gate.rs"],
        }
    }

    /// What cargo-mutants is told: what to mutate, and which tests to run.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Core => &[
                "--package=negotiation-core",
                "--test-package=negotiation-core",
                "--test-package=negotiation-mutants",
            ],
            Self::Gate => &[
                "--package=negotiator",
                "--file=host-harness/src/gate.rs",
                "--file=host-harness/src/gate/*.rs",
                "--cargo-test-arg=--lib",
                "--cargo-test-arg=--test=gate",
            ],
        }
    }
}

/// What became of the mutants of an area.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Score {
    /// The mutants that could be built.
    pub mutants: usize,
    /// A test failed, or never ended.
    pub caught: usize,
    /// No test noticed, and there is a reason why.
    pub excused: usize,
    /// No test noticed.
    pub missed: usize,
}

/// Makes mutants of an area, or of what changed in it since a commit, and counts who lives. The
/// score of a whole area is kept in a file, for the certificate.
///
/// `changed` is the commit, or none for the one that the verdicts on file came with.
pub fn run_all(workspace: &Workspace, area: Area, changed: Option<Option<String>>) -> Result<()> {
    if !is_installed(workspace) {
        bail!("cargo-mutants is not installed: `{INSTALL}`");
    }
    let mut folder = workspace.path("target/mutants").join(area.name());
    let mut cargo = workspace.cargo();
    cargo.arg("mutants").args(area.arguments());
    cargo.args([
        "--profile=mutants",
        "--jobs=1",
        "--no-shuffle",
        "--timeout=120",
    ]);
    let is_whole = changed.is_none();
    if let Some(commit) = changed {
        let commit = match commit {
            Some(commit) => commit,
            None => tried(workspace, area)?,
        };
        folder.push("changed");
        fs::create_dir_all(&folder)?;
        let mut git = workspace.command("git");
        let changed = output(git.args(["diff", &commit, "--"]).args(area.sources()))?;
        if changed.is_empty() {
            println!("nothing changed in {} since {commit}", area.name());
            return Ok(());
        }
        let path = folder.join("changed.diff");
        fs::write(&path, changed)?;
        cargo.arg("--in-diff").arg(path);
    } else {
        resume(workspace, area, &folder)?;
        cargo.arg("--iterate");
    }
    cargo.arg("--output").arg(&folder);
    let mut found = Found::default();
    // What a run that was stopped left.
    found.add(&folder)?;
    eprintln!("$ {}", show(&cargo));
    let ended = cargo.status().context("cargo-mutants cannot be run")?;
    found.add(&folder)?;
    if is_whole {
        let text = found.known(&sources_digest(workspace, area)?);
        fs::write(known(workspace, area), text)?;
    }
    // It also ends so where a mutant lives or hangs; whether that is excused is found out here.
    if !matches!(ended.code(), Some(0 | 2 | 3)) {
        bail!("cargo-mutants was stopped ({ended}); run it again to go on");
    }
    let reasons = fs::read_to_string(workspace.path(REASONS))?;
    let (score, missed) = found.count(&serde_json::from_str(&reasons)?);
    println!(
        "{} mutants: {} caught, {} excused, {} missed",
        score.mutants, score.caught, score.excused, score.missed
    );
    if is_whole {
        keep(&workspace.path(MUTANTS), area, score)?;
    }
    if !missed.is_empty() {
        bail!(
            "no test notices these; write one, or a reason in {REASONS}:\n  {}",
            missed.join("\n  ")
        );
    }
    Ok(())
}

/// Whether the tool is here.
pub fn is_installed(workspace: &Workspace) -> bool {
    let version = workspace.cargo().args(["mutants", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

/// The commit that the last verdicts of an area came with.
fn tried(workspace: &Workspace, area: Area) -> Result<String> {
    let known = known(workspace, area);
    let mut git = workspace.command("git");
    let commit = output(git.args(["log", "-1", "--format=%H", "--"]).arg(&known))?;
    if commit.trim().is_empty() {
        bail!(
            "there is no {} yet: run `cargo xtask mutants {}`",
            known.display(),
            area.name()
        );
    }
    Ok(commit.trim().to_owned())
}

/// Where the verdicts of an area are kept: the digest of what was mutated, then a line a mutant.
fn known(workspace: &Workspace, area: Area) -> PathBuf {
    let file = format!("tests/mutants/{}.txt", area.name());
    workspace.path(&file)
}

/// Removes what is known of another source, and takes up what was kept of this one.
fn resume(workspace: &Workspace, area: Area, folder: &Path) -> Result<()> {
    let digest = sources_digest(workspace, area)?;
    let stamp = folder.join("of.txt");
    if fs::read_to_string(&stamp).is_ok_and(|known| known == digest) {
        return Ok(());
    }
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    let lists = folder.join("mutants.out");
    fs::create_dir_all(&lists)?;
    fs::write(stamp, &digest)?;
    let text = fs::read_to_string(known(workspace, area)).unwrap_or_default();
    if text.lines().next() == Some(&digest) {
        for verdict in ["caught", "unviable"] {
            let names = text
                .lines()
                .filter_map(|line| line.strip_prefix(verdict)?.strip_prefix(' '));
            let names: String = names.map(|name| format!("{name}\n")).collect();
            fs::write(lists.join(verdict).with_extension("txt"), names)?;
        }
    }
    Ok(())
}

/// The digest of everything that is mutated.
fn sources_digest(workspace: &Workspace, area: Area) -> Result<String> {
    let mut text = String::new();
    for source in area.sources() {
        let mut files = Vec::new();
        walk(&workspace.path(source), &mut files)?;
        for file in files {
            text.push_str(&sha256(&fs::read(file)?));
        }
    }
    Ok(sha256(text.as_bytes()))
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| walk(entry, files))
}

/// Puts the score of one area beside that of the others.
fn keep(path: &Path, area: Area, score: Score) -> Result<()> {
    let mut all: BTreeMap<String, Score> = match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => BTreeMap::new(),
    };
    all.insert(area.name().to_owned(), score);
    let mut text = serde_json::to_string_pretty(&all)?;
    text.push('\n');
    Ok(fs::write(path, text)?)
}

/// What became of each mutant, by its name: `FILE:LINE:COLUMN: what was changed`.
#[derive(Default)]
struct Found(BTreeMap<String, Verdict>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Caught,
    Missed,
    Unviable,
}

impl Found {
    /// Reads the lists that a run left; a later verdict replaces an earlier one.
    fn add(&mut self, folder: &Path) -> Result<()> {
        let kept = folder.join("unviable.txt");
        let mut unviable = fs::read_to_string(&kept).unwrap_or_default();
        for (file, verdict) in [
            ("missed", Verdict::Missed),
            // Among them are those of earlier runs that could not be built.
            ("previously_caught", Verdict::Caught),
            ("caught", Verdict::Caught),
            ("timeout", Verdict::Caught),
            ("unviable", Verdict::Unviable),
        ] {
            let path = folder.join("mutants.out").join(file).with_extension("txt");
            let Ok(text) = fs::read_to_string(path) else {
                continue;
            };
            if verdict == Verdict::Unviable {
                unviable.push_str(&text);
            }
            let names = text.lines().map(|name| (name.to_owned(), verdict));
            self.0.extend(names);
        }
        let names = unviable.lines();
        self.0
            .extend(names.map(|name| (name.to_owned(), Verdict::Unviable)));
        Ok(fs::write(kept, unviable)?)
    }

    /// The verdicts as they are kept.
    fn known(&self, digest: &str) -> String {
        let mut text = format!("{digest}\n");
        for (name, verdict) in &self.0 {
            let verdict = match verdict {
                Verdict::Caught => "caught",
                Verdict::Missed => "missed",
                Verdict::Unviable => "unviable",
            };
            text.push_str(&format!("{verdict} {name}\n"));
        }
        text
    }

    /// The score, and the names of those that live without a reason.
    fn count(&self, reasons: &BTreeMap<String, String>) -> (Score, Vec<String>) {
        let mut score = Score::default();
        let mut missed = Vec::new();
        for (name, verdict) in &self.0 {
            let count = match verdict {
                Verdict::Unviable => continue,
                Verdict::Caught => &mut score.caught,
                Verdict::Missed if reasons.contains_key(&without_line(name)) => &mut score.excused,
                Verdict::Missed => {
                    missed.push(name.clone());
                    &mut score.missed
                }
            };
            *count = count.saturating_add(1);
            score.mutants = score.mutants.saturating_add(1);
        }
        (score, missed)
    }
}

/// `FILE: what was changed`: lines move.
fn without_line(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    let file = parts.next().unwrap_or_default();
    format!("{file}:{}", parts.nth(2).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_are_counted_over_several_runs_and_those_with_a_reason_excused() {
        let folder = std::env::temp_dir().join(format!("mutants-{}", std::process::id()));
        let write = |file: &str, text: &str| {
            fs::create_dir_all(folder.join("mutants.out")).unwrap();
            fs::write(folder.join("mutants.out").join(file), text).unwrap();
        };
        write("caught.txt", "a.rs:1:2: replace x with y\n");
        write(
            "missed.txt",
            "a.rs:3:2: replace < with <=\na.rs:6:1: replace r\n",
        );
        write("unviable.txt", "a.rs:5:2: replace q\n");
        let mut found = Found::default();
        found.add(&folder).unwrap();
        fs::remove_dir_all(folder.join("mutants.out")).unwrap();
        write(
            "previously_caught.txt",
            "a.rs:1:2: replace x with y\na.rs:5:2: replace q\n",
        );
        write(
            "timeout.txt",
            "a.rs:2:2: replace x with z\na.rs:6:1: replace r\n",
        );
        write(
            "missed.txt",
            "a.rs:3:2: replace < with <=\na.rs:4:2: replace a::b -> c with d\n",
        );
        found.add(&folder).unwrap();
        // As another process would find it.
        let mut again = Found::default();
        again.add(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let reasons = BTreeMap::from([("a.rs: replace < with <=".to_owned(), "same".to_owned())]);
        let expected = Score {
            mutants: 5,
            caught: 3,
            excused: 1,
            missed: 1,
        };
        for found in [found, again] {
            let (score, missed) = found.count(&reasons);
            assert_eq!(score, expected);
            assert_eq!(missed, ["a.rs:4:2: replace a::b -> c with d"]);
        }
    }
}
