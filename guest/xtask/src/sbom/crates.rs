//! Which crates a crate is compiled from or with, as `cargo metadata` tells.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::workspace::{Workspace, output};

/// The crates of one target, or of all targets at once.
pub struct Crates {
    packages: BTreeMap<String, Package>,
    nodes: BTreeMap<String, Node>,
}

/// One crate.
#[derive(Deserialize)]
pub struct Package {
    id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence, as it states it.
    pub license: Option<String>,
    source: Option<String>,
    /// Whether it comes from a registry rather than from this project.
    #[serde(skip)]
    pub is_published: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Need>,
}

#[derive(Deserialize)]
struct Need {
    pkg: String,
    dep_kinds: Vec<Way>,
}

#[derive(Deserialize)]
struct Way {
    kind: Option<String>,
}

impl Crates {
    /// Asks cargo, which leaves the lock file as it is.
    pub fn read(workspace: &Workspace, target: Option<&str>) -> Result<Self> {
        let mut cargo = workspace.cargo();
        cargo.args(["metadata", "--locked", "--format-version", "1"]);
        if let Some(target) = target {
            cargo.args(["--filter-platform", target]);
        }
        let metadata: Metadata = serde_json::from_str(&output(&mut cargo)?)
            .context("the output of `cargo metadata` cannot be read")?;
        let packages = metadata.packages.into_iter().map(|mut package| {
            package.is_published = package.source.is_some();
            (package.id.clone(), package)
        });
        let nodes = metadata.resolve.nodes.into_iter();
        Ok(Self {
            packages: packages.collect(),
            nodes: nodes.map(|node| (node.id.clone(), node)).collect(),
        })
    }

    /// A crate of this project.
    pub fn package(&self, name: &str) -> Result<&Package> {
        self.packages
            .values()
            .find(|package| package.name == name && !package.is_published)
            .with_context(|| format!("the project has no crate {name}"))
    }

    /// A crate of this project and all that it is compiled from or with.
    pub fn closure(&self, name: &str) -> Result<Vec<&Package>> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![self.package(name)?];
        while let Some(package) = open.pop() {
            if seen.insert(&package.id) {
                found.push(package);
                open.extend(self.direct(package)?);
            }
        }
        Ok(found)
    }

    /// The names in the bill of what a crate needs directly.
    pub fn needs(&self, package: &Package) -> Result<Vec<String>> {
        let direct = self.direct(package)?;
        Ok(direct.into_iter().map(Package::reference).collect())
    }

    /// What only tests need is left out.
    fn direct(&self, package: &Package) -> Result<Vec<&Package>> {
        let node = self
            .nodes
            .get(&package.id)
            .context("a crate without a node")?;
        let shipped = node.deps.iter().filter(|need| {
            need.dep_kinds
                .iter()
                .any(|way| way.kind.as_deref() != Some("dev"))
        });
        shipped
            .map(|need| {
                self.packages
                    .get(&need.pkg)
                    .context("a node without a crate")
            })
            .collect()
    }
}

impl Package {
    /// Its name in the bill: the package URL.
    pub fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}
