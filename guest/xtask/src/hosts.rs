//! `cargo xtask hosts`: the component in every host language.
//!
//! Each folder of `host-harness/adapters` that has a `hosts.json` is one:
//!
//! ```json
//! { "language": "Go", "needs": ["go"], "setup": [["go", "build", …]], "run": ["…"], "test": [["…"]] }
//! ```
//!
//! Commands run in that folder. `run` gets `--vectors FILE --component
//! dist/negotiator.wasm [--settles N] [--threads N]`; its last line on standard
//! output is a [`Row`]. In arguments `{repo}` and `{dist}` are folders of the
//! project, `{work}` is one for what is built, and `{python}` is the Python of
//! a virtual environment made for the adapter.

mod corpus;
mod table;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::pins::ADAPTERS;
use crate::steps::{Ended, Report};
use crate::workspace::{self, Workspace};

use table::Row;

/// What an adapter says of itself in its `hosts.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adapter {
    /// The name of its language.
    language: String,
    /// Programs that must be there.
    #[serde(default)]
    needs: Vec<String>,
    /// What to run once before anything else.
    #[serde(default)]
    setup: Vec<Vec<String>>,
    /// What replays the corpus.
    run: Vec<String>,
    /// Its own tests.
    #[serde(default)]
    test: Vec<Vec<String>>,
    /// Its folder.
    #[serde(skip)]
    folder: PathBuf,
}

/// What to do with each adapter.
#[derive(Clone, Copy)]
pub struct Load {
    /// How many settles to make after the replay; 0 for none.
    pub settles: u32,
    /// How many threads share them.
    pub threads: u32,
    /// Whether to run the adapters' own tests too.
    pub tests: bool,
}

/// Replays the corpus in these languages (folder names; all if there are none), and prints the
/// table.
pub fn run(
    workspace: &Workspace,
    languages: &[String],
    load: Load,
    report: &mut Report,
) -> Result<()> {
    let adapters = adapters(workspace, languages)?;
    let vectors = workspace.path("target/hosts/vectors.jsonl");
    let cases = corpus::write(workspace, &vectors)?;
    println!("{cases} cases, with the exact answers of the native rules");
    let mut rows = Vec::new();
    for adapter in &adapters {
        let name = adapter.name();
        let mut ready = false;
        report.step(&format!("host: {name}"), || {
            if let Some(program) = adapter.needs.iter().find(|program| !is_on_path(program)) {
                return Ok(Ended::Skipped(format!("{program} is not installed")));
            }
            adapter.set_up(workspace)?;
            ready = true;
            let row = adapter.replay(workspace, &vectors, load)?;
            let verdict = row.verdict(cases);
            rows.push(row);
            verdict.map(|()| Ended::Passed)
        });
        if load.tests && ready && !adapter.test.is_empty() {
            report.step(&format!("host: {name}: its own tests"), || {
                for command in &adapter.test {
                    workspace::run(&mut adapter.command(workspace, command)?)?;
                }
                Ok(Ended::Passed)
            });
        }
    }
    print!("{}", table::text(&rows));
    Ok(())
}

fn adapters(workspace: &Workspace, languages: &[String]) -> Result<Vec<Adapter>> {
    let mut adapters = Vec::new();
    for entry in fs::read_dir(workspace.path(ADAPTERS))? {
        let folder = entry?.path();
        let about = folder.join("hosts.json");
        if !about.is_file() {
            continue;
        }
        let text = fs::read_to_string(&about)?;
        let mut adapter: Adapter = serde_json::from_str(&text)
            .with_context(|| format!("{} cannot be read", about.display()))?;
        adapter.folder = folder;
        adapters.push(adapter);
    }
    adapters.sort_by(|left, right| left.folder.cmp(&right.folder));
    for language in languages {
        if !adapters.iter().any(|adapter| adapter.name() == *language) {
            let names: Vec<String> = adapters.iter().map(Adapter::name).collect();
            bail!("no adapter `{language}`; there are: {}", names.join(", "));
        }
    }
    adapters.retain(|adapter| languages.is_empty() || languages.contains(&adapter.name()));
    Ok(adapters)
}

impl Adapter {
    /// The name of its folder.
    fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn work(&self, workspace: &Workspace) -> PathBuf {
        workspace.path("target/hosts").join(self.name())
    }

    fn set_up(&self, workspace: &Workspace) -> Result<()> {
        let work = self.work(workspace);
        fs::create_dir_all(&work)?;
        let mut commands = self.setup.iter().chain([&self.run]).chain(&self.test);
        let wants_python = commands.any(|command| command.iter().any(|word| word.contains(PYTHON)));
        if wants_python && !python(&work).exists() {
            let mut command = workspace.command("python3");
            workspace::run(command.args(["-m", "venv"]).arg(work.join("venv")))?;
        }
        for command in &self.setup {
            workspace::run(&mut self.command(workspace, command)?)?;
        }
        Ok(())
    }

    fn replay(&self, workspace: &Workspace, vectors: &Path, load: Load) -> Result<Row> {
        let mut command = self.command(workspace, &self.run)?;
        command.arg("--vectors").arg(vectors);
        command
            .arg("--component")
            .arg(workspace.path("dist/negotiator.wasm"));
        if load.settles > 0 {
            command.args(["--settles", &load.settles.to_string()]);
            command.args(["--threads", &load.threads.to_string()]);
        }
        let (text, passed) = workspace::captured(&mut command)?;
        let row = text.lines().next_back().map(serde_json::from_str::<Row>);
        let Some(Ok(mut row)) = row else {
            bail!(
                "the last line of its output is no JSON object:\n{}",
                text.trim_end()
            );
        };
        if !passed {
            bail!("the replay failed:\n{}", text.trim_end());
        }
        row.language.clone_from(&self.language);
        Ok(row)
    }

    fn command(&self, workspace: &Workspace, words: &[String]) -> Result<Command> {
        let work = self.work(workspace);
        let fill = |word: &String| {
            word.replace(PYTHON, &python(&work).to_string_lossy())
                .replace("{repo}", &workspace.root().to_string_lossy())
                .replace("{dist}", &workspace.path("dist").to_string_lossy())
                .replace("{work}", &work.to_string_lossy())
        };
        let (program, arguments) = words
            .split_first()
            .context("an empty command in hosts.json")?;
        let mut command = Command::new(fill(program));
        command
            .args(arguments.iter().map(fill))
            .current_dir(&self.folder);
        Ok(command)
    }
}

const PYTHON: &str = "{python}";

fn python(work: &Path) -> PathBuf {
    work.join("venv/bin/python")
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_can_be_read_and_an_unknown_one_is_named() {
        let workspace = Workspace::find().unwrap();
        let all = adapters(&workspace, &[]).unwrap();
        assert!(all.iter().any(|adapter| adapter.name() == "go"));
        let one = adapters(&workspace, &["go".to_owned()]).unwrap();
        assert_eq!(one.len(), 1);
        let error = adapters(&workspace, &["cobol".to_owned()]).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("no adapter `cobol`; there are: ")
        );
    }

    #[test]
    fn words_in_braces_become_places() {
        let workspace = Workspace::find().unwrap();
        let all = adapters(&workspace, &["go".to_owned()]).unwrap();
        let words = ["{python}", "{work}/a:{repo}", "{dist}"].map(str::to_owned);
        let command = all.first().unwrap().command(&workspace, &words).unwrap();
        let root = workspace.root().to_string_lossy();
        assert_eq!(
            command.get_program().to_string_lossy(),
            format!("{root}/target/hosts/go/venv/bin/python")
        );
        let arguments: Vec<_> = command
            .get_args()
            .map(|word| word.to_string_lossy())
            .collect();
        assert_eq!(
            arguments,
            [
                format!("{root}/target/hosts/go/a:{root}"),
                format!("{root}/dist")
            ]
        );
    }
}
