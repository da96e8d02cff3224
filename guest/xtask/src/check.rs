//! `cargo xtask dist --check`: the proof that `dist/` is what the source gives.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::dist::{
    self, CORPUS, Files, MANIFEST, NEGOTIATOR, PRODUCTS, Product, SUMS, Source, Tools,
};
use crate::inspect::{self, Wit};
use crate::manifest::{Artifact, Manifest};
use crate::steps::{Ended, Report};
use crate::toolchain::Builder;
use crate::workspace::Workspace;
use crate::{digest, pins, replay};

/// Checks `dist/` as it is, then builds anew and compares.
pub fn run(workspace: &Workspace, builder: Option<Builder>, report: &mut Report) -> Result<()> {
    let folder = workspace.path("dist");
    let manifest = dist::read_manifest(&folder)?;
    report.step("dist: files fit the manifest", || {
        check_files(workspace, &folder, &manifest).map(|()| Ended::Passed)
    });
    report.step("dist: pins of the adapters", || {
        pins::check(workspace).map(|()| Ended::Passed)
    });
    let tools = match Tools::find(workspace, builder) {
        Ok(tools) => tools,
        Err(error) => {
            report.step(SAME_BYTES, || {
                Ok(Ended::Skipped(format!("nothing was built: {error:#}")))
            });
            return Ok(());
        }
    };
    let reasons = manifest.build.incomparable(&tools.build(workspace)?);
    let files = dist::make(workspace, &tools)?;
    if reasons.is_empty() {
        report.step(SAME_BYTES, || {
            compare(&folder, &files).map(|()| Ended::Passed)
        });
        return Ok(());
    }
    report.step(SAME_BYTES, || {
        Ok(Ended::NotNeeded(format!(
            "skipped: another toolchain makes other bytes, so the vectors are run on both; {}",
            reasons.join("; ")
        )))
    });
    let rebuilt = workspace.path("target/dist-check");
    fs::create_dir_all(&rebuilt)?;
    let rebuilt = rebuilt.join(NEGOTIATOR);
    let bytes = files.get(NEGOTIATOR).context("no negotiator was built")?;
    fs::write(&rebuilt, bytes)?;
    report.step("dist: vectors on dist/negotiator.wasm", || {
        replay::rust(workspace, &folder.join(NEGOTIATOR))
    });
    report.step("dist: vectors on the rebuilt negotiator.wasm", || {
        replay::rust(workspace, &rebuilt)
    });
    Ok(())
}

const SAME_BYTES: &str = "dist: same bytes as a new build";

/// Checks all that can be checked of `dist/` without building: each artifact
/// against the manifest and its world, the core module against its component,
/// the copy of the WIT package, the sums, and that nothing else lies there.
fn check_files(workspace: &Workspace, folder: &Path, manifest: &Manifest) -> Result<()> {
    let wit = Wit::read(workspace)?;
    let mut problems = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for product in &PRODUCTS {
        known.push(product.path.to_owned());
        if let Err(error) = check_product(&wit, folder, manifest, product) {
            problems.push(format!("{}: {error:#}", product.path));
        }
    }
    for name in digest::names(&workspace.path("wit"), "wit")? {
        let path = format!("wit/{name}");
        if fs::read(folder.join(&path)).ok() != fs::read(workspace.path(&path)).ok() {
            problems.push(format!("{path}: differs from the one outside dist/"));
        }
        known.push(path);
    }
    for path in dist::loadable(folder)? {
        if !known.contains(&path) {
            problems.push(format!("{path}: is not built by `cargo xtask dist`"));
        }
    }
    for (what, stated, found) in [
        (
            "wit/",
            &manifest.wit,
            digest::set(&workspace.path("wit"), "wit")?,
        ),
        (
            "the corpus",
            &manifest.corpus,
            digest::set(&workspace.path(CORPUS), "jsonl")?,
        ),
    ] {
        if *stated != found {
            problems.push(format!(
                "{what} has changed since manifest.json was written"
            ));
        }
    }
    let sums = fs::read_to_string(folder.join(SUMS)).context("dist/SHA256SUMS cannot be read")?;
    for line in sums.lines() {
        let (sum, path) = line
            .split_once("  ")
            .context("SHA256SUMS: not a line of sha256sum")?;
        match fs::read(folder.join(path)) {
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

fn check_product(wit: &Wit, folder: &Path, manifest: &Manifest, product: &Product) -> Result<()> {
    let bytes = fs::read(folder.join(product.path)).context("cannot be read")?;
    let found = match product.source {
        Source::Crate(..) => inspect::component(wit, &bytes, product.world, product.imports)?,
        Source::CoreOf(path) => inspect::core_module(&bytes, &fs::read(folder.join(path))?)?,
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
fn compare(folder: &Path, files: &Files) -> Result<()> {
    let mut differing = Vec::new();
    for (path, bytes) in files {
        let found = fs::read(folder.join(path)).ok();
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
    for difference in dist::read_manifest(folder)?.differences(&built) {
        text.push_str("\n  ");
        text.push_str(&difference);
    }
    bail!(text);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn dist_as_it_is_passes() {
        with_copy("clean", |_| {}, |result| result.unwrap());
    }

    #[test]
    fn one_changed_byte_anywhere_is_found_and_the_file_named() {
        for file in [
            "negotiator.wasm",
            "policies/exact.wasm",
            "wit/types.wit",
            MANIFEST,
        ] {
            let change = |folder: &Path| {
                let path = folder.join(file);
                let mut bytes = fs::read(&path).unwrap();
                // In the last third lie data, docs and sections that nothing checks by itself.
                let middle = bytes.len() * 2 / 3;
                bytes[middle] ^= 1;
                fs::write(&path, bytes).unwrap();
            };
            with_copy("byte", change, |result| {
                let error = format!("{:#}", result.unwrap_err());
                assert!(error.contains(file), "{file}: {error}");
            });
        }
    }

    #[test]
    fn missing_unknown_and_unlisted_files_are_found() {
        let remove = |folder: &Path| fs::remove_file(folder.join("policies/highest.wasm")).unwrap();
        with_copy("missing", remove, |result| {
            let error = format!("{:#}", result.unwrap_err());
            assert!(
                error.contains("policies/highest.wasm: cannot be read"),
                "{error}"
            );
        });
        let add = |folder: &Path| {
            fs::copy(
                folder.join("policies/highest.wasm"),
                folder.join("policies/other.wasm"),
            )
            .unwrap();
        };
        with_copy("unknown", add, |result| {
            let error = format!("{:#}", result.unwrap_err());
            assert!(
                error.contains("policies/other.wasm: is not built"),
                "{error}"
            );
        });
        let unlist = |folder: &Path| {
            let sums = fs::read_to_string(folder.join(SUMS)).unwrap();
            let lines = sums
                .lines()
                .filter(|line| !line.ends_with("negotiator.core.wasm"));
            let sums: String = lines.map(|line| format!("{line}\n")).collect();
            fs::write(folder.join(SUMS), sums).unwrap();
        };
        with_copy("unlisted", unlist, |result| {
            let error = format!("{:#}", result.unwrap_err());
            assert!(
                error.contains("negotiator.core.wasm: is missing in SHA256SUMS"),
                "{error}"
            );
        });
    }

    #[test]
    fn a_core_module_of_another_component_is_found_even_with_matching_sums() {
        let workspace = Workspace::find().unwrap();
        let product = PRODUCTS
            .iter()
            .find(|product| product.path.contains("core"))
            .unwrap();
        let change = |folder: &Path| {
            let core = fs::read(folder.join(product.path)).unwrap();
            // A module without its last section is as valid, and is not the same.
            let mut extended = core.clone();
            extended.extend([0, 2, 1, b'x']);
            fs::write(folder.join(product.path), &extended).unwrap();
            for file in [MANIFEST, SUMS] {
                let text = fs::read_to_string(folder.join(file)).unwrap();
                let text = text.replace(&digest::sha256(&core), &digest::sha256(&extended));
                fs::write(folder.join(file), text).unwrap();
            }
        };
        let folder = copy(&workspace, "core");
        change(&folder);
        let manifest = dist::read_manifest(&folder).unwrap();
        let wit = Wit::read(&workspace).unwrap();
        let result = check_product(&wit, &folder, &manifest, product);
        fs::remove_dir_all(&folder).unwrap();
        let error = format!("{:#}", result.unwrap_err());
        assert!(
            error.contains("not the core module of the component"),
            "{error}"
        );
    }

    /// Checks a changed copy of `dist/` against the manifest from before.
    fn with_copy(name: &str, change: impl Fn(&Path), verify: impl Fn(Result<()>)) {
        let workspace = Workspace::find().unwrap();
        let folder = copy(&workspace, name);
        let mut manifest = dist::read_manifest(&folder).unwrap();
        // Who adds a case need not be able to build for wasm to run the tests.
        manifest.corpus = digest::set(&workspace.path(CORPUS), "jsonl").unwrap();
        change(&folder);
        let result = check_files(&workspace, &folder, &manifest);
        fs::remove_dir_all(&folder).unwrap();
        verify(result);
    }

    fn copy(workspace: &Workspace, name: &str) -> PathBuf {
        let unique = format!("xtask-check-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        for inner in ["", "policies", "wit"] {
            let from = workspace.path("dist").join(inner);
            fs::create_dir_all(folder.join(inner)).unwrap();
            for entry in from.read_dir().unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_file() {
                    fs::copy(entry.path(), folder.join(inner).join(entry.file_name())).unwrap();
                }
            }
        }
        folder
    }
}
