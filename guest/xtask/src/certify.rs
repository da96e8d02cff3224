//! `cargo xtask certify`: `dist/certificate.json`, made anew or compared.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::dist;
use crate::sabotage::negotiator as command;
use crate::workspace::{Workspace, run};

/// The certificate, in `dist/`.
pub const CERTIFICATE: &str = "certificate.json";
/// The score of the mutants, from `cargo xtask mutants`.
pub const MUTANTS: &str = "tests/mutants/mutants.json";

/// Certifies `dist/negotiator.wasm` and writes the certificate, its figure of fuel, and the sums.
///
/// The figure on file may grow by 5 % only, unless `accept_fuel` says that more is meant.
pub fn write(workspace: &Workspace, accept_fuel: bool) -> Result<()> {
    let made = make(workspace)?;
    let path = workspace.path("dist").join(CERTIFICATE);
    let new = fs::read_to_string(&made)?;
    if let Ok(old) = fs::read_to_string(&path)
        && let (Ok(old), Ok(new)) = (worst_fuel(&old), worst_fuel(&new))
        && !accept_fuel
    {
        growth(old, new)?;
    }
    fs::write(&path, &new)?;
    dist::certified(workspace, worst_fuel(&new)?)?;
    println!("written  dist/{CERTIFICATE}");
    Ok(())
}

/// Certifies again and compares with the certificate in `dist/`, byte for byte.
pub fn check(workspace: &Workspace) -> Result<()> {
    let path = workspace.path("dist").join(CERTIFICATE);
    let on_file = fs::read_to_string(path)
        .context("dist/certificate.json cannot be read: run `cargo xtask certify`")?;
    let found = fs::read_to_string(make(workspace)?)?;
    if on_file != found {
        growth(worst_fuel(&on_file)?, worst_fuel(&found)?)?;
        bail!(
            "dist/certificate.json says something else than was found: run `cargo xtask certify`"
        );
    }
    Ok(())
}

/// Runs `negotiator certify` on the component in `dist/`.
fn make(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.path("target/certify");
    fs::create_dir_all(&folder)?;
    let mut evidence = vec![build_evidence(workspace, &folder)?];
    let mutants = workspace.path(MUTANTS);
    if mutants.is_file() {
        evidence.push(mutants);
    }
    let certificate = folder.join(CERTIFICATE);
    let mut certify = workspace.command(command(workspace)?);
    certify.arg("certify").arg("--output").arg(&certificate);
    for path in evidence {
        certify.arg("--evidence").arg(path);
    }
    run(certify.arg(dist::negotiator(workspace)))?;
    Ok(certificate)
}

/// What the component was built with, as `manifest.json` tells.
fn build_evidence(workspace: &Workspace, folder: &Path) -> Result<PathBuf> {
    let manifest = dist::read_manifest(&workspace.path("dist"))?;
    let mut text = serde_json::to_string_pretty(&manifest.build)?;
    text.push('\n');
    let path = folder.join("build.json");
    fs::write(&path, text)?;
    Ok(path)
}

fn worst_fuel(certificate: &str) -> Result<u64> {
    let certificate: Value = serde_json::from_str(certificate)?;
    certificate
        .pointer("/predicate/configuration")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find_map(|resource| resource.pointer("/annotations/fuel/worst")?.as_u64())
        .context("the certificate tells of no fuel")
}

/// Fails when the dearest call has become more than 5 % dearer.
fn growth(old: u64, new: u64) -> Result<()> {
    if u128::from(new).saturating_mul(100) > u128::from(old).saturating_mul(105) {
        bail!(
            "the dearest call takes {new} instructions, over 5 % more than the {old} on file: make \
             it cheaper, or accept it with `cargo xtask certify --accept-fuel`"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_more_fuel_is_let_through_and_not_a_bit_more() {
        assert!(growth(1_000, 900).is_ok());
        assert!(growth(1_000, 1_050).is_ok());
        assert!(growth(1_000, 1_051).is_err());
        assert!(growth(0, 1).is_err());
    }

    #[test]
    fn the_figure_is_found_where_it_stands() {
        let text = r#"{"predicate":{"configuration":[{"annotations":{}},{"annotations":{"fuel":{"worst":7}}}]}}"#;
        assert_eq!(worst_fuel(text).unwrap(), 7);
        assert!(worst_fuel("{}").is_err());
    }
}
