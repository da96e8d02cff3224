//! `cargo xtask dist`: from source to `dist/`, and back to the proof that
//! `dist/` is what the source gives.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::componentize::componentize;
use crate::inspect::{self, Wit};
use crate::manifest::{Artifact, Build, Kind, Manifest};
use crate::optimize::Optimizer;
use crate::steps::{Ended, Report};
use crate::toolchain::{Builder, Toolchain};
use crate::workspace::Workspace;
use crate::{build, digest, replay};

/// A file of `dist/` that hosts load.
struct Product {
    path: &'static str,
    kind: Kind,
    world: &'static str,
    imports: &'static [&'static str],
    /// The most bytes that it may have.
    budget: usize,
    source: Source,
}

/// Where its bytes come from.
#[derive(Clone, Copy)]
enum Source {
    /// The crate, with its default features or without.
    Crate(&'static str, bool),
    /// The core module of another product, before it is wrapped.
    CoreOf(&'static str),
}

const NEGOTIATOR: &str = "negotiator.wasm";
const CORE: &str = "negotiator.core.wasm";

const PRODUCTS: [Product; 5] = [
    Product {
        path: NEGOTIATOR,
        kind: Kind::Component,
        world: "negotiator-closed",
        imports: &[],
        budget: 320_000,
        source: Source::Crate("negotiator-component", true),
    },
    Product {
        path: "negotiator-pluggable.wasm",
        kind: Kind::Component,
        world: "negotiator",
        imports: &["openwop:negotiation/policy@2.0.0"],
        budget: 320_000,
        source: Source::Crate("negotiator-component", false),
    },
    Product {
        path: CORE,
        kind: Kind::CoreModule,
        world: "negotiator-closed",
        imports: &[],
        budget: 320_000,
        source: Source::CoreOf(NEGOTIATOR),
    },
    Product {
        path: "policies/exact.wasm",
        kind: Kind::Component,
        world: "policy-provider",
        imports: &[],
        budget: 32 * 1024,
        source: Source::Crate("policy-exact", true),
    },
    Product {
        path: "policies/highest.wasm",
        kind: Kind::Component,
        world: "policy-provider",
        imports: &[],
        budget: 32 * 1024,
        source: Source::Crate("policy-highest", true),
    },
];

const MANIFEST: &str = "manifest.json";
const SUMS: &str = "SHA256SUMS";

/// The content of `dist/`, by path.
type Files = BTreeMap<String, Vec<u8>>;

/// Builds everything and writes it to `dist/`.
pub fn write(workspace: &Workspace, builder: Option<Builder>) -> Result<()> {
    let toolchain = Toolchain::find(builder)?;
    println!("building with {}", toolchain.describe());
    let dist = workspace.path("dist");
    let files = make(workspace, &toolchain)?;
    for stale in loadable(&dist)? {
        if !files.contains_key(&stale) {
            fs::remove_file(dist.join(&stale))?;
            println!("removed  {stale}");
        }
    }
    for (path, bytes) in &files {
        let target = dist.join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        let before = fs::read(&target).ok();
        let change = match before {
            None => "new",
            Some(before) if before == *bytes => "same",
            Some(_) => "changed",
        };
        fs::write(&target, bytes)?;
        println!(
            "{change:8} {:>8} {}  {path}",
            bytes.len(),
            digest::sha256(bytes)
        );
    }
    Ok(())
}

/// Checks `dist/` as it is, then builds anew and compares.
pub fn check(workspace: &Workspace, builder: Option<Builder>, report: &mut Report) -> Result<()> {
    let dist = workspace.path("dist");
    let manifest = read_manifest(&dist)?;
    report.step("dist: files fit the manifest", || {
        check_files(workspace, &dist, &manifest).map(|()| Ended::Passed)
    });
    let toolchain = match Toolchain::find(builder) {
        Ok(toolchain) => toolchain,
        Err(error) => {
            report.step("dist: same bytes as a new build", || {
                Ok(Ended::Skipped(format!("nothing was built: {error:#}")))
            });
            return Ok(());
        }
    };
    println!("building with {}", toolchain.describe());
    let packages = packages();
    let optimizer = Optimizer::install(workspace)?;
    let here = Build::of(workspace, &toolchain, &optimizer, &packages)?;
    let reasons = manifest.build.incomparable(&here);
    let files = make(workspace, &toolchain)?;
    if reasons.is_empty() {
        report.step("dist: same bytes as a new build", || {
            compare(&dist, &files).map(|()| Ended::Passed)
        });
        return Ok(());
    }
    report.step("dist: same bytes as a new build", || {
        Ok(Ended::Skipped(format!(
            "bytes are not compared, since another toolchain makes other bytes: {}",
            reasons.join("; ")
        )))
    });
    let rebuilt = workspace.path("target/dist-check");
    fs::create_dir_all(&rebuilt)?;
    let path = rebuilt.join(NEGOTIATOR);
    fs::write(
        &path,
        files.get(NEGOTIATOR).context("no negotiator was built")?,
    )?;
    report.step("dist: vectors on dist/negotiator.wasm", || {
        replay::rust(workspace, &dist.join(NEGOTIATOR))
    });
    report.step("dist: vectors on the rebuilt negotiator.wasm", || {
        replay::rust(workspace, &path)
    });
    Ok(())
}

/// The negotiator in `dist/`.
pub fn negotiator(workspace: &Workspace) -> PathBuf {
    workspace.path("dist").join(NEGOTIATOR)
}

/// Its core module.
pub fn core_module(workspace: &Workspace) -> PathBuf {
    workspace.path("dist").join(CORE)
}

/// Builds all files of `dist/` and checks them, without writing them.
fn make(workspace: &Workspace, toolchain: &Toolchain) -> Result<Files> {
    let wit = Wit::read(workspace)?;
    let optimizer = Optimizer::install(workspace)?;
    let own_paths = [workspace.root().to_path_buf(), build::cargo_home()];
    let mut files = Files::new();
    let mut cores = Files::new();
    let mut artifacts = Vec::new();
    for product in &PRODUCTS {
        let (bytes, found) = match product.source {
            Source::Crate(package, default_features) => {
                let core = build::core_module(workspace, toolchain, package, default_features)?;
                let core = optimizer.optimize(&core).with_context(|| product.path)?;
                let bytes = componentize(&core).with_context(|| product.path)?;
                let found = inspect::component(&wit, &bytes, product.world, product.imports)
                    .with_context(|| product.path)?;
                cores.insert(product.path.to_owned(), core);
                (bytes, found)
            }
            Source::CoreOf(path) => {
                let core = cores
                    .get(path)
                    .context("a core module comes after its component")?;
                let component = files.get(path).context("no component")?;
                let found = inspect::core_module(core, component).with_context(|| product.path)?;
                (core.clone(), found)
            }
        };
        inspect::size(&bytes, product.budget).with_context(|| product.path)?;
        inspect::no_build_paths(&bytes, &own_paths).with_context(|| product.path)?;
        artifacts.push(Artifact {
            path: product.path.to_owned(),
            kind: product.kind,
            world: wit.world_name(product.world),
            sha256: digest::sha256(&bytes),
            bytes: bytes.len(),
            imports: found.imports,
            exports: found.exports,
            findings: serde_json::Map::new(),
        });
        files.insert(product.path.to_owned(), bytes);
    }
    for name in digest::names(&workspace.path("wit"), "wit")? {
        let bytes = fs::read(workspace.path("wit").join(&name))?;
        files.insert(format!("wit/{name}"), bytes);
    }
    let mut manifest = Manifest {
        package: wit.package()?,
        artifacts,
        wit: digest::set(&workspace.path("wit"), "wit")?,
        corpus: digest::set(&workspace.path("tests/vectors"), "jsonl")?,
        build: Build::of(workspace, toolchain, &optimizer, &packages())?,
    };
    if let Ok(before) = read_manifest(&workspace.path("dist")) {
        manifest.keep_findings(&before);
    }
    files.insert(MANIFEST.to_owned(), manifest.text()?.into_bytes());
    files.insert(SUMS.to_owned(), sums(&files).into_bytes());
    Ok(files)
}

/// What `sha256sum` would print for these files.
fn sums(files: &Files) -> String {
    let lines = files
        .iter()
        .map(|(path, bytes)| format!("{}  {path}\n", digest::sha256(bytes)));
    lines.collect()
}

fn packages() -> Vec<&'static str> {
    let mut packages: Vec<&'static str> = PRODUCTS
        .iter()
        .filter_map(|product| match product.source {
            Source::Crate(package, _) => Some(package),
            Source::CoreOf(_) => None,
        })
        .collect();
    packages.dedup();
    packages
}

fn read_manifest(dist: &Path) -> Result<Manifest> {
    let text = fs::read_to_string(dist.join(MANIFEST))
        .context("dist/manifest.json cannot be read: run `cargo xtask dist`")?;
    Manifest::parse(&text)
}

/// Checks all that can be checked of `dist/` without building: each artifact
/// against the manifest and its world, the core module against its component,
/// the copy of the WIT package, the sums, and that nothing else lies there.
fn check_files(workspace: &Workspace, dist: &Path, manifest: &Manifest) -> Result<()> {
    let wit = Wit::read(workspace)?;
    let mut problems = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for product in &PRODUCTS {
        known.push(product.path.to_owned());
        if let Err(error) = check_product(&wit, dist, manifest, product) {
            problems.push(format!("{}: {error:#}", product.path));
        }
    }
    for name in digest::names(&workspace.path("wit"), "wit")? {
        let path = format!("wit/{name}");
        if fs::read(dist.join(&path)).ok() != fs::read(workspace.path(&path)).ok() {
            problems.push(format!("{path}: differs from the one outside dist/"));
        }
        known.push(path);
    }
    for path in loadable(dist)? {
        if !known.contains(&path) {
            problems.push(format!("{path}: is not built by `cargo xtask dist`"));
        }
    }
    let sums = fs::read_to_string(dist.join(SUMS)).context("dist/SHA256SUMS cannot be read")?;
    for line in sums.lines() {
        let (sum, path) = line
            .split_once("  ")
            .context("SHA256SUMS: not a line of sha256sum")?;
        match fs::read(dist.join(path)) {
            Ok(bytes) if digest::sha256(&bytes) == sum => {}
            Ok(_) => problems.push(format!("{path}: is not the file in SHA256SUMS")),
            Err(_) => problems.push(format!("{path}: is in SHA256SUMS and cannot be read")),
        }
    }
    for path in known.iter().map(String::as_str).chain([MANIFEST]) {
        if !sums
            .lines()
            .any(|line| line.ends_with(&format!("  {path}")))
        {
            problems.push(format!("{path}: is missing in SHA256SUMS"));
        }
    }
    if !problems.is_empty() {
        bail!("run `cargo xtask dist`: {}", problems.join("; "));
    }
    Ok(())
}

fn check_product(wit: &Wit, dist: &Path, manifest: &Manifest, product: &Product) -> Result<()> {
    let bytes = fs::read(dist.join(product.path)).context("cannot be read")?;
    let found = match product.source {
        Source::Crate(..) => inspect::component(wit, &bytes, product.world, product.imports)?,
        Source::CoreOf(path) => inspect::core_module(&bytes, &fs::read(dist.join(path))?)?,
    };
    inspect::size(&bytes, product.budget)?;
    inspect::no_build_paths(&bytes, &[])?;
    let artifact = manifest
        .artifacts
        .iter()
        .find(|artifact| artifact.path == product.path);
    let artifact = artifact.context("is not in manifest.json")?;
    let expected = Artifact {
        path: product.path.to_owned(),
        kind: product.kind,
        world: wit.world_name(product.world),
        sha256: digest::sha256(&bytes),
        bytes: bytes.len(),
        imports: found.imports,
        exports: found.exports,
        findings: artifact.findings.clone(),
    };
    if *artifact != expected {
        bail!("is not what manifest.json says");
    }
    Ok(())
}

/// Compares a new build with `dist/`, prints each file's result, and fails if
/// any byte differs.
fn compare(dist: &Path, files: &Files) -> Result<()> {
    let mut differing = Vec::new();
    for (path, bytes) in files {
        let found = fs::read(dist.join(path)).ok();
        let result = match &found {
            None => "missing",
            Some(found) if found == bytes => "same",
            Some(_) => "DIFFERS",
        };
        println!("{result:8} {}  {path}", digest::sha256(bytes));
        if result != "same" {
            differing.push(path.as_str());
        }
    }
    if differing.is_empty() {
        return Ok(());
    }
    let mut text = format!(
        "dist/ is not what the source gives; run `cargo xtask dist`: {}",
        differing.join(", ")
    );
    let built = files.get(MANIFEST).context("no manifest was built")?;
    let built = Manifest::parse(&String::from_utf8_lossy(built))?;
    for difference in read_manifest(dist)?.differences(&built) {
        text.push_str("\n  ");
        text.push_str(&difference);
    }
    bail!(text);
}

/// The files in `dist/` that somebody could load, by path in byte order.
fn loadable(dist: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (folder, extension) in [("", "wasm"), ("policies", "wasm"), ("wit", "wit")] {
        let path = dist.join(folder);
        if !path.is_dir() {
            continue;
        }
        for name in digest::names(&path, extension)? {
            let prefix = if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            };
            found.push(format!("{prefix}{name}"));
        }
    }
    Ok(found)
}
