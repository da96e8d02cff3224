//! SHA-256 digests of bytes and of sets of files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

/// SHA-256 as 64 lower-case hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// The names of the files in `folder` with this extension, in byte order.
pub fn names(folder: &Path, extension: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension)
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The digest of a set of files: SHA-256 of the text that `sha256sum *.EXT`
/// prints in that folder, in byte order of the names (`LC_ALL=C`).
pub fn set(folder: &Path, extension: &str) -> Result<String> {
    let mut text = String::new();
    for name in names(folder, extension)? {
        let path = folder.join(&name);
        let bytes =
            fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let _ = writeln!(text, "{}  {name}", sha256(&bytes));
    }
    Ok(sha256(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc_is_the_published_one() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_set_has_the_digest_of_what_sha256sum_prints() {
        let folder = std::env::temp_dir().join(format!("xtask-digest-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [
            ("b.txt", "two\n"),
            ("B.txt", "one\n"),
            ("c.md", "not read\n"),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        let digest = set(&folder, "txt").unwrap();
        let names = names(&folder, "txt").unwrap();
        fs::remove_dir_all(&folder).unwrap();

        assert_eq!(names, ["B.txt", "b.txt"]);
        let listing = format!("{}  B.txt\n{}  b.txt\n", sha256(b"one\n"), sha256(b"two\n"));
        assert_eq!(digest, sha256(listing.as_bytes()));
    }
}
