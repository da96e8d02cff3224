//! `cargo xtask dist`: from source to `dist/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::certify::CERTIFICATE;
use crate::componentize::componentize;
use crate::inspect::{self, Wit};
use crate::manifest::{Artifact, Build, Kind, Manifest};
use crate::optimize::Optimizer;
use crate::toolchain::{Builder, Toolchain};
use crate::workspace::Workspace;
use crate::{build, digest, pins};

/// A file of `dist/` that hosts load.
pub struct Product {
    /// Its place in `dist/`.
    pub path: &'static str,
    /// What kind of file it is.
    pub kind: Kind,
    /// The world that it fits.
    pub world: &'static str,
    /// All that it may import.
    pub imports: &'static [&'static str],
    /// The most bytes that it may have.
    pub budget: usize,
    /// Where its bytes come from.
    pub source: Source,
}

/// Where its bytes come from.
#[derive(Clone, Copy)]
pub enum Source {
    /// The crate, with its default features or without.
    Crate(&'static str, bool),
    /// The core module of another product, before it is wrapped.
    CoreOf(&'static str),
}

/// The component with the default policy inside.
pub const NEGOTIATOR: &str = "negotiator.wasm";
const CORE: &str = "negotiator.core.wasm";

/// All files of `dist/` that hosts load; a core module comes after its component.
pub const PRODUCTS: [Product; 6] = [
    Product {
        path: NEGOTIATOR,
        kind: Kind::Component,
        world: "negotiator-closed",
        imports: &[],
        budget: 320 * 1024,
        source: Source::Crate("negotiator-component", true),
    },
    Product {
        path: "negotiator-pluggable.wasm",
        kind: Kind::Component,
        world: "negotiator",
        imports: &["openwop:negotiation/policy@2.0.0"],
        budget: 320 * 1024,
        source: Source::Crate("negotiator-component", false),
    },
    Product {
        path: CORE,
        kind: Kind::CoreModule,
        world: "negotiator-closed",
        imports: &[],
        budget: 320 * 1024,
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
    Product {
        path: "policies/rules.wasm",
        kind: Kind::Component,
        world: "policy-provider",
        imports: &[],
        budget: 96 * 1024,
        source: Source::Crate("policy-rules", true),
    },
];

/// The manifest, in `dist/`.
pub const MANIFEST: &str = "manifest.json";
/// The corpus that hosts replay.
pub const CORPUS: &str = "tests/vectors";
/// The sums of all other files, in `dist/`.
pub const SUMS: &str = "SHA256SUMS";

/// The content of `dist/`, by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What a build needs.
pub struct Tools {
    toolchain: Toolchain,
    optimizer: Optimizer,
}

impl Tools {
    /// Finds and installs them, and says which.
    pub fn find(workspace: &Workspace, builder: Option<Builder>) -> Result<Self> {
        let toolchain = Toolchain::find(builder)?;
        let optimizer = Optimizer::install(workspace)?;
        println!("building with {}", toolchain.describe());
        Ok(Self {
            toolchain,
            optimizer,
        })
    }

    /// What a build with them is made with.
    pub fn build(&self, workspace: &Workspace) -> Result<Build> {
        Build::of(workspace, &self.toolchain, &self.optimizer, &packages())
    }
}

/// Builds everything and writes it to `dist/`.
pub fn write(workspace: &Workspace, builder: Option<Builder>) -> Result<()> {
    let tools = Tools::find(workspace, builder)?;
    let dist = workspace.path("dist");
    let files = make(workspace, &tools)?;
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
    pins::write(workspace, &files)
}

/// Takes a new certificate into the manifest and the sums.
pub fn certified(workspace: &Workspace, worst_fuel: u64) -> Result<()> {
    let dist = workspace.path("dist");
    let mut manifest = read_manifest(&dist)?;
    for artifact in &mut manifest.artifacts {
        if artifact.path == NEGOTIATOR {
            let findings = &mut artifact.findings;
            findings.insert("worstFuel".to_owned(), worst_fuel.into());
        }
    }
    fs::write(dist.join(MANIFEST), manifest.text()?)?;
    let mut files = Files::new();
    for path in loadable(&dist)?
        .into_iter()
        .chain([MANIFEST, CERTIFICATE].map(str::to_owned))
    {
        files.insert(path.clone(), fs::read(dist.join(&path))?);
    }
    fs::write(dist.join(SUMS), sums(&files))?;
    Ok(())
}

/// The certificate in `dist/`, if it is about these very bytes of the negotiator.
fn certificate(workspace: &Workspace, negotiator: Option<&Vec<u8>>) -> Option<Vec<u8>> {
    let text = fs::read_to_string(workspace.path("dist").join(CERTIFICATE)).ok()?;
    let about_it = text.contains(&digest::sha256(negotiator?));
    about_it.then(|| text.into_bytes())
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
pub fn make(workspace: &Workspace, tools: &Tools) -> Result<Files> {
    let wit = Wit::read(workspace)?;
    let own_paths = [workspace.root().to_path_buf(), build::cargo_home()];
    let mut files = Files::new();
    let mut cores = Files::new();
    let mut artifacts = Vec::new();
    for product in &PRODUCTS {
        let (bytes, found) = match product.source {
            Source::Crate(package, default_features) => {
                let core =
                    build::core_module(workspace, &tools.toolchain, package, default_features)?;
                let core = tools
                    .optimizer
                    .optimize(&core)
                    .with_context(|| product.path)?;
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
        corpus: digest::set(&workspace.path(CORPUS), "jsonl")?,
        build: tools.build(workspace)?,
    };
    if let Ok(before) = read_manifest(&workspace.path("dist")) {
        manifest.keep_findings(&before);
    }
    files.insert(MANIFEST.to_owned(), manifest.text()?.into_bytes());
    if let Some(certificate) = certificate(workspace, files.get(NEGOTIATOR)) {
        files.insert(CERTIFICATE.to_owned(), certificate);
    }
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

/// The manifest in this folder.
pub fn read_manifest(dist: &Path) -> Result<Manifest> {
    let text = fs::read_to_string(dist.join(MANIFEST))
        .context("dist/manifest.json cannot be read: run `cargo xtask dist`")?;
    Manifest::parse(&text)
}

/// The files in `dist/` that somebody could load, by path in byte order.
pub fn loadable(dist: &Path) -> Result<Vec<String>> {
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
