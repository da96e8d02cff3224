//! `cargo xtask sbom`: the bill of materials of `dist/` and of the command, CycloneDX 1.6.
//!
//! Made from `cargo metadata`, `Cargo.lock` and the files of `dist/`; the same sources give the
//! same bytes on any machine, so there is no time and no serial number in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::digest;
use crate::dist::{PRODUCTS, Source};
use crate::manifest::Lock;
use crate::workspace::Workspace;

mod crates;

use crates::Crates;

/// Where it stands.
pub const PATH: &str = "dist/sbom.cdx.json";

/// Writes the bill.
pub fn write(workspace: &Workspace) -> Result<()> {
    fs::write(workspace.path(PATH), text(workspace)?)
        .with_context(|| format!("{PATH} cannot be written"))?;
    println!("wrote {PATH}");
    Ok(())
}

/// Compares the bill with what the sources give.
pub fn check(workspace: &Workspace) -> Result<()> {
    let found = fs::read_to_string(workspace.path(PATH)).unwrap_or_default();
    if found != text(workspace)? {
        bail!("{PATH} is not what the sources give: run `cargo xtask sbom`");
    }
    Ok(())
}

fn text(workspace: &Workspace) -> Result<String> {
    let mut text = serde_json::to_string_pretty(&bill(workspace)?)?;
    text.push('\n');
    Ok(text)
}

fn bill(workspace: &Workspace) -> Result<Bill> {
    let lock = Lock::read(workspace)?;
    let guest = Crates::read(workspace, Some(crate::toolchain::TARGET))?;
    let host = Crates::read(workspace, None)?;
    let mut bill = Parts::default();

    // What is loaded: each file, and the crates that it is compiled from or with.
    let mut files = Vec::new();
    for product in &PRODUCTS {
        let package = match product.source {
            Source::Crate(package, ..) => package,
            Source::CoreOf(path) => package_of(path)?,
        };
        let path = format!("dist/{}", product.path);
        let bytes =
            fs::read(workspace.path(&path)).with_context(|| format!("{path} cannot be read"))?;
        files.push(path.clone());
        bill.add(Component {
            hashes: vec![Hash::sha256(digest::sha256(&bytes))],
            licenses: vec![License::new("Apache-2.0")],
            ..Component::new("file", &path, &path)
        });
        let own = guest.package(package)?;
        bill.depends(&path, [own.reference()]);
        bill.crates(&guest, package, &lock)?;
    }
    let optimizer = optimizer(workspace)?;
    let optimized = optimizer.reference.clone();
    bill.add(optimizer);
    for file in &files {
        bill.depends(file, [optimized.clone()]);
    }

    // The command has the component inside, and its own crates.
    bill.crates(&host, COMMAND, &lock)?;
    let command = host.package(COMMAND)?;
    let inside = EMBEDDED.iter().map(|path| (*path).to_owned());
    bill.depends(&command.reference(), inside);

    let version = command.version.clone();
    let root = "openwop-negotiator".to_owned();
    bill.depends(&root, files.into_iter().chain([command.reference()]));
    let subject = Component {
        version: Some(version),
        licenses: vec![License::new("Apache-2.0")],
        ..Component::new("application", &root, &root)
    };
    Ok(bill.finish(subject))
}

/// The crate that a component is built from.
fn package_of(path: &str) -> Result<&'static str> {
    PRODUCTS
        .iter()
        .find(|product| product.path == path)
        .and_then(|product| match product.source {
            Source::Crate(package, ..) => Some(package),
            Source::CoreOf(_) => None,
        })
        .with_context(|| format!("{path} is built from no crate"))
}

/// What makes core modules smaller: it writes bytes that are shipped.
fn optimizer(workspace: &Workspace) -> Result<Component> {
    let path = "guest/xtask/binaryen/package-lock.json";
    let text = fs::read_to_string(workspace.path(path))
        .with_context(|| format!("{path} cannot be read"))?;
    let lock: serde_json::Value = serde_json::from_str(&text)?;
    let version = lock
        .pointer("/packages/node_modules~1binaryen/version")
        .and_then(serde_json::Value::as_str)
        .with_context(|| format!("{path} has no binaryen"))?;
    let purl = format!("pkg:npm/binaryen@{version}");
    Ok(Component {
        version: Some(version.to_owned()),
        scope: Some("excluded"),
        licenses: vec![License::new("Apache-2.0")],
        purl: Some(purl.clone()),
        ..Component::new("application", &purl, "binaryen")
    })
}

/// Components and edges, each once, in byte order.
#[derive(Default)]
struct Parts {
    components: BTreeMap<String, Component>,
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Parts {
    fn add(&mut self, component: Component) {
        self.components
            .insert(component.reference.clone(), component);
    }

    fn depends(&mut self, on: &str, others: impl IntoIterator<Item = String>) {
        self.edges.entry(on.to_owned()).or_default().extend(others);
    }

    /// Adds a crate and everything that it is compiled from or with.
    fn crates(&mut self, crates: &Crates, package: &str, lock: &Lock) -> Result<()> {
        for package in crates.closure(package)? {
            let reference = package.reference();
            let checksum = lock.checksum(&package.name, &package.version);
            self.add(Component {
                version: Some(package.version.clone()),
                hashes: checksum.map(Hash::sha256).into_iter().collect(),
                licenses: package
                    .license
                    .as_deref()
                    .map(License::new)
                    .into_iter()
                    .collect(),
                purl: package.is_published.then(|| reference.clone()),
                ..Component::new("library", &reference, &package.name)
            });
            self.depends(&reference, crates.needs(package)?);
        }
        Ok(())
    }

    fn finish(mut self, subject: Component) -> Bill {
        // Every component has its entry, so that "none" and "not known" are told apart.
        for reference in self.components.keys() {
            self.edges.entry(reference.clone()).or_default();
        }
        Bill {
            bom_format: "CycloneDX",
            spec_version: "1.6",
            version: 1,
            metadata: Metadata { component: subject },
            components: self.components.into_values().collect(),
            dependencies: self
                .edges
                .into_iter()
                .map(|(reference, depends_on)| Edge {
                    reference,
                    depends_on,
                })
                .collect(),
        }
    }
}

/// The crate of the command.
const COMMAND: &str = "negotiator";

/// What the command has inside.
const EMBEDDED: [&str; 2] = ["dist/negotiator.wasm", "dist/negotiator-pluggable.wasm"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bill {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: Metadata,
    components: Vec<Component>,
    dependencies: Vec<Edge>,
}

#[derive(Serialize)]
struct Metadata {
    component: Component,
}

#[derive(Serialize)]
struct Component {
    r#type: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<License>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
}

impl Component {
    fn new(kind: &'static str, reference: &str, name: &str) -> Self {
        Self {
            r#type: kind,
            reference: reference.to_owned(),
            name: name.to_owned(),
            version: None,
            scope: None,
            hashes: Vec::new(),
            licenses: Vec::new(),
            purl: None,
        }
    }
}

#[derive(Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

impl Hash {
    fn sha256(content: impl Into<String>) -> Self {
        Self {
            alg: "SHA-256",
            content: content.into(),
        }
    }
}

#[derive(Serialize)]
struct License {
    expression: String,
}

impl License {
    /// Older crates separate licences by a slash, which SPDX does not know.
    fn new(text: &str) -> Self {
        let words = text.split('/').map(str::trim);
        Self {
            expression: words.collect::<Vec<_>>().join(" OR "),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Edge {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: BTreeSet<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Bill {
        bill(&Workspace::find().unwrap()).unwrap()
    }

    #[test]
    fn the_bill_names_what_is_shipped_and_nothing_that_only_tests_need() {
        let bill = parts();
        let names: BTreeSet<&str> = bill
            .components
            .iter()
            .map(|part| part.name.as_str())
            .collect();
        for name in [
            "dist/negotiator.wasm",
            "negotiation-core",
            "wasmtime",
            "serde_json",
            "binaryen",
        ] {
            assert!(names.contains(name), "{name}");
        }
        for name in ["proptest", "jsonschema", "xtask"] {
            assert!(!names.contains(name), "{name}");
        }
    }

    #[test]
    fn every_edge_leads_somewhere_and_every_published_crate_has_its_digest() {
        let bill = parts();
        let known: BTreeSet<&str> = bill
            .components
            .iter()
            .map(|part| part.reference.as_str())
            .collect();
        assert_eq!(known.len(), bill.components.len());
        for edge in &bill.dependencies {
            for on in &edge.depends_on {
                assert!(known.contains(on.as_str()), "{} needs {on}", edge.reference);
            }
        }
        for part in &bill.components {
            let from_crates = part
                .purl
                .as_deref()
                .is_some_and(|purl| purl.starts_with("pkg:cargo/"));
            assert!(!from_crates || part.hashes.len() == 1, "{}", part.reference);
            assert!(!part.licenses.is_empty(), "{}", part.reference);
        }
        // What a file of dist/ is made of does not hold the engine that runs it.
        let closure = |from: &str| {
            let mut seen = BTreeSet::from([from.to_owned()]);
            let mut open = vec![from.to_owned()];
            while let Some(next) = open.pop() {
                let edges = bill
                    .dependencies
                    .iter()
                    .filter(|edge| edge.reference == next);
                for on in edges.flat_map(|edge| &edge.depends_on) {
                    if seen.insert(on.clone()) {
                        open.push(on.clone());
                    }
                }
            }
            seen
        };
        let has_engine =
            |set: &BTreeSet<String>| set.iter().any(|name| name.contains("/wasmtime@"));
        assert!(!has_engine(&closure("dist/negotiator.wasm")));
        assert!(has_engine(&closure("openwop-negotiator")));
    }

    #[test]
    fn licences_are_expressions() {
        assert_eq!(
            License::new("MIT/Apache-2.0").expression,
            "MIT OR Apache-2.0"
        );
        assert_eq!(
            License::new("MIT OR Apache-2.0").expression,
            "MIT OR Apache-2.0"
        );
    }
}
