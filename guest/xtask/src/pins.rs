//! The digests that the language adapters hold of the files they load.
//!
//! An adapter has them in a file with `pins` in its name, a line each, in the
//! syntax of its language: the name of the artifact, then 64 hex digits.
//! `cargo xtask dist` writes the digits and `dist --check` compares them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::digest;
use crate::dist::{Files, PRODUCTS};
use crate::workspace::Workspace;

/// Where the adapters are.
pub const ADAPTERS: &str = "host-harness/adapters";

/// Writes the digests of these artifacts into the pins of all adapters.
pub fn write(workspace: &Workspace, files: &Files) -> Result<()> {
    let digests = digests(|path| files.get(path).cloned());
    for path in pin_files(&workspace.path(ADAPTERS))? {
        let text = fs::read_to_string(&path)?;
        let (pinned, _) = pinned(&text, &digests);
        if pinned != text {
            fs::write(&path, pinned)?;
            println!("pinned   {}", path.display());
        }
    }
    Ok(())
}

/// Compares the pins of all adapters with the files in `dist/`.
///
/// Errors: every pin that is another one, and adapters without any.
pub fn check(workspace: &Workspace) -> Result<()> {
    let dist = workspace.path("dist");
    let digests = digests(|path| fs::read(dist.join(path)).ok());
    let mut problems = Vec::new();
    let mut found = 0_usize;
    for path in pin_files(&workspace.path(ADAPTERS))? {
        let text =
            fs::read_to_string(&path).with_context(|| format!("{} is no text", path.display()))?;
        let (expected, count) = pinned(&text, &digests);
        found = found.saturating_add(count);
        for (number, (is, should)) in (1_u32..).zip(text.lines().zip(expected.lines())) {
            if is != should {
                problems.push(format!(
                    "{}:{number} pins other bytes than dist/ has",
                    path.display()
                ));
            }
        }
    }
    if found == 0 {
        problems.push(format!("{ADAPTERS} holds no pin"));
    }
    if !problems.is_empty() {
        bail!("run `cargo xtask dist`: {}", problems.join("; "));
    }
    println!("{found} pins, each the digest of the file in dist/");
    Ok(())
}

/// Name and digest of each artifact.
type Digests = Vec<(&'static str, String)>;

fn digests(read: impl Fn(&str) -> Option<Vec<u8>>) -> Digests {
    PRODUCTS
        .iter()
        .filter_map(|product| Some((product.path, digest::sha256(&read(product.path)?))))
        .collect()
}

/// The text with the digest of each artifact that a line names, and how many
/// lines pin one.
fn pinned(text: &str, digests: &Digests) -> (String, usize) {
    let mut count = 0_usize;
    let lines = text.split_inclusive('\n').map(|line| {
        let digest = digests.iter().find(|(path, _)| names(line, path));
        match (digest, hex(line)) {
            (Some((_, digest)), Some(hex)) => {
                count = count.saturating_add(1);
                line.replace(hex, digest)
            }
            _ => line.to_owned(),
        }
    });
    let text = lines.collect();
    (text, count)
}

/// Whether the line names this artifact, and not one whose name ends alike.
fn names(line: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line
            .get(at.saturating_add(name.len())..)
            .and_then(|text| text.chars().next());
        let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_.".contains(c));
        !inside(before) && !inside(after)
    })
}

/// The first run of exactly 64 hex digits in the line.
fn hex(line: &str) -> Option<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// All files with `pins` in their name, in the order of their paths.
fn pin_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let kind = entry.file_type()?;
            // What is built or installed there is no source.
            let made = ["target", "node_modules", "build", "dist", "__pycache__"];
            if kind.is_dir() && !name.starts_with('.') && !made.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if kind.is_file() && name.contains("pins") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests() -> Digests {
        vec![
            ("negotiator.wasm", "a".repeat(64)),
            ("policies/exact.wasm", "b".repeat(64)),
        ]
    }

    #[test]
    fn the_digest_beside_a_name_is_written_in_any_syntax() {
        let old = "0".repeat(64);
        for (line, digit) in [
            ("\"negotiator.wasm\": \"H\",\r\n", "a"),
            ("const X = \"H\" // negotiator.wasm\n", "a"),
            ("    'policies/exact.wasm' => 'H',", "b"),
        ] {
            let (text, count) = pinned(&line.replace('H', &old), &digests());
            assert_eq!((text, count), (line.replace('H', &digit.repeat(64)), 1));
        }
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        let old = "0".repeat(64);
        for line in [
            format!("my-negotiator.wasm {old}\n"),
            format!("negotiator.wasm.map {old}\n"),
            format!("negotiator.core.wasm {old}\n"),
            format!("negotiator.wasm {old}0\n"),
            "negotiator.wasm\n".to_owned(),
            format!("{old}\n"),
        ] {
            assert_eq!(pinned(&line, &digests()), (line.clone(), 0));
        }
    }

    #[test]
    fn the_pins_as_they_are_fit_dist() {
        check(&Workspace::find().unwrap()).unwrap();
    }
}
