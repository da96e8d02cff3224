//! `dist/manifest.json`: what is in `dist/`, and what it was made with.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::build::PROFILE;
use crate::optimize::Optimizer;
use crate::toolchain::{Builder, TARGET, Toolchain};
use crate::workspace::{Workspace, output};

/// The manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The WIT package.
    pub package: String,
    /// The files that hosts load.
    pub artifacts: Vec<Artifact>,
    /// The digest of `wit/`: SHA-256 of what `sha256sum *.wit` prints there.
    pub wit: String,
    /// The digest of the corpus that hosts replay, likewise: `*.jsonl` of
    /// `tests/vectors`.
    pub corpus: String,
    /// What the artifacts were made with.
    pub build: Build,
}

/// One file that hosts load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Its place in `dist/`.
    pub path: String,
    /// What kind of file it is.
    pub kind: Kind,
    /// The full name of the world that it fits.
    pub world: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Everything that it imports, in byte order.
    pub imports: Vec<String>,
    /// Everything that it exports, in byte order.
    pub exports: Vec<String>,
    /// What other tools found out about these very bytes, such as their worst
    /// use of fuel; kept by a new build as long as the bytes stay the same.
    #[serde(flatten)]
    pub findings: Map<String, Value>,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A component.
    Component,
    /// A core module, for hosts whose runtime has no components.
    CoreModule,
}

/// What the artifacts were made with. Two builds with an equal value give equal
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    /// Which way of building: `debian` or `installed`.
    pub builder: String,
    /// The release of the compiler.
    pub rustc: String,
    /// The commit of the compiler's sources.
    pub rustc_commit: String,
    /// The linker.
    pub linker: String,
    /// What made core modules smaller: name, version, flags.
    pub optimizer: String,
    /// What made components of core modules.
    pub encoder: String,
    /// The target.
    pub target: String,
    /// The cargo profile.
    pub profile: String,
    /// The compiler flags.
    pub rustflags: Vec<String>,
    /// The cargo flags.
    pub cargo_flags: Vec<String>,
    /// The digest of the guest's dependencies: SHA-256 of one line for each,
    /// `name version checksum`, in byte order.
    pub dependencies: String,
}

impl Manifest {
    /// Reads the text of `manifest.json`.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).context("manifest.json cannot be read")
    }

    /// The text of `manifest.json`.
    pub fn text(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Takes over the findings on artifacts whose bytes are the same as before.
    pub fn keep_findings(&mut self, before: &Self) {
        for artifact in &mut self.artifacts {
            let same = before
                .artifacts
                .iter()
                .find(|old| old.path == artifact.path && old.sha256 == artifact.sha256);
            if let Some(old) = same {
                artifact.findings.clone_from(&old.findings);
            }
        }
    }

    /// What differs apart from the toolchain, a sentence for each; `self` is
    /// the manifest in `dist/`, `built` the one just made.
    pub fn differences(&self, built: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (what, old, new) in [
            ("the WIT package's name", &self.package, &built.package),
            ("the digest of wit/", &self.wit, &built.wit),
            ("the digest of the corpus", &self.corpus, &built.corpus),
            (
                "the digest of the dependencies",
                &self.build.dependencies,
                &built.build.dependencies,
            ),
        ] {
            if old != new {
                found.push(format!("{what} was {old} and is {new}"));
            }
        }
        let paths = |manifest: &Self| -> BTreeSet<String> {
            let paths = manifest.artifacts.iter();
            paths.map(|artifact| artifact.path.clone()).collect()
        };
        let (old, new) = (paths(self), paths(built));
        for path in old.symmetric_difference(&new) {
            found.push(if new.contains(path) {
                format!("{path} is built and not in manifest.json")
            } else {
                format!("{path} is in manifest.json and not built")
            });
        }
        found
    }
}

impl Build {
    /// What a build with this toolchain would be made with.
    pub fn of(
        workspace: &Workspace,
        toolchain: &Toolchain,
        optimizer: &Optimizer,
        packages: &[&str],
    ) -> Result<Self> {
        let lock = Lock::read(workspace)?;
        let builder: Builder = toolchain.builder;
        let owned = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect();
        Ok(Self {
            builder: builder.name().to_owned(),
            rustc: toolchain.version.release.clone(),
            rustc_commit: toolchain.version.commit.clone(),
            linker: toolchain.linker.clone(),
            optimizer: optimizer.description.clone(),
            encoder: format!("wit-component {}", lock.version("wit-component")?),
            target: TARGET.to_owned(),
            profile: PROFILE.to_owned(),
            rustflags: owned(builder.rustflags()),
            cargo_flags: owned(builder.cargo_flags()),
            dependencies: lock.closure(workspace, packages)?,
        })
    }

    /// Why the bytes of a build made with `other` cannot be compared with this
    /// one's; nothing if they can. Dependencies are no reason: when they
    /// changed, a new build of `dist/` is due.
    pub fn incomparable(&self, other: &Self) -> Vec<String> {
        let flags = |flags: &[String]| flags.join(" ");
        let pairs = [
            ("builder", self.builder.clone(), other.builder.clone()),
            ("rustc", self.rustc.clone(), other.rustc.clone()),
            (
                "rustc's commit",
                self.rustc_commit.clone(),
                other.rustc_commit.clone(),
            ),
            ("linker", self.linker.clone(), other.linker.clone()),
            ("optimizer", self.optimizer.clone(), other.optimizer.clone()),
            ("encoder", self.encoder.clone(), other.encoder.clone()),
            ("target", self.target.clone(), other.target.clone()),
            ("profile", self.profile.clone(), other.profile.clone()),
            ("rustflags", flags(&self.rustflags), flags(&other.rustflags)),
            (
                "cargo flags",
                flags(&self.cargo_flags),
                flags(&other.cargo_flags),
            ),
        ];
        let differing = pairs.into_iter().filter(|(_, old, new)| old != new);
        differing
            .map(|(what, old, new)| format!("{what}: `{old}` in manifest.json, `{new}` here"))
            .collect()
    }
}

/// The packages in `Cargo.lock`.
pub struct Lock {
    packages: Vec<Locked>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Locked {
    name: String,
    version: String,
    checksum: String,
}

impl Lock {
    /// Reads the file.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let text = std::fs::read_to_string(workspace.path("Cargo.lock"))
            .context("Cargo.lock cannot be read")?;
        Ok(Self::parse(&text))
    }

    // The file is written by cargo alone, one `key = "value"` a line.
    fn parse(text: &str) -> Self {
        let mut packages: Vec<Locked> = Vec::new();
        for line in text.lines() {
            if line == "[[package]]" {
                packages.push(Locked::default());
                continue;
            }
            let (Some(package), Some((key, value))) = (packages.last_mut(), line.split_once(" = "))
            else {
                continue;
            };
            let value = value.trim_matches('"').to_owned();
            match key {
                "name" => package.name = value,
                "version" => package.version = value,
                "checksum" => package.checksum = value,
                _ => {}
            }
        }
        Self { packages }
    }

    /// The SHA-256 digest of a crate's archive; the project's own have none.
    pub fn checksum(&self, name: &str, version: &str) -> Option<&str> {
        self.packages
            .iter()
            .find(|locked| locked.name == name && locked.version == version)
            .map(|locked| locked.checksum.as_str())
            .filter(|checksum| !checksum.is_empty())
    }

    fn version(&self, name: &str) -> Result<&str> {
        let mut versions = self.packages.iter().filter(|package| package.name == name);
        match (versions.next(), versions.next()) {
            (Some(only), None) => Ok(&only.version),
            (None, _) => bail!("Cargo.lock has no {name}"),
            (Some(_), Some(_)) => bail!("Cargo.lock has several versions of {name}"),
        }
    }

    /// The digest of everything that `packages` are compiled from or with,
    /// apart from the project's own crates.
    fn closure(&self, workspace: &Workspace, packages: &[&str]) -> Result<String> {
        let mut cargo = workspace.cargo();
        cargo.args(["tree", "--locked", "--target", TARGET]);
        cargo.args(["--edges", "normal,build", "--prefix", "none", "--no-dedupe"]);
        cargo.args(["--format", "{p}"]);
        for package in packages {
            cargo.args(["--package", package]);
        }
        Ok(crate::digest::sha256(
            self.listing(&output(&mut cargo)?)?.as_bytes(),
        ))
    }

    /// A line `name version checksum` for each package in the output of
    /// `cargo tree`, in byte order, each once, the project's own left out.
    fn listing(&self, tree: &str) -> Result<String> {
        let mut lines = BTreeSet::new();
        for line in tree.lines().filter(|line| !line.is_empty()) {
            let mut words = line.split(' ');
            let (Some(name), Some(version)) = (words.next(), words.next()) else {
                bail!("`cargo tree` printed a line that is no package");
            };
            let version = version.trim_start_matches('v');
            let locked = self
                .packages
                .iter()
                .find(|locked| locked.name == name && locked.version == version)
                .with_context(|| format!("Cargo.lock has no {name} {version}"))?;
            if !locked.checksum.is_empty() {
                lines.insert(format!("{name} {version} {}\n", locked.checksum));
            }
        }
        Ok(lines.into_iter().collect())
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
