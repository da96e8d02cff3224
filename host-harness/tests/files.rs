//! Artifacts come from files, and every file that is none is told apart.
#![expect(clippy::unwrap_used, clippy::string_slice, reason = "a test")]

use std::fs;
use std::path::PathBuf;

use negotiator::error::{ArtifactError, DigestError};
use negotiator::{Artifact, Digest, MAX_ARTIFACT_BYTES};

/// A directory of its own for each test, empty at the start.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_file_is_its_bytes_and_their_digest() {
    let path = directory("whole").join("a.wasm");
    fs::write(&path, b"abc").unwrap();
    let artifact = Artifact::from_file(&path).unwrap();
    assert_eq!(artifact.bytes(), b"abc");
    assert_eq!(
        artifact.digest().to_string(),
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn what_is_no_readable_file_is_told_by_its_path() {
    let directory = directory("unreadable");
    let missing = directory.join("missing.wasm");
    let error = Artifact::from_file(&missing).unwrap_err();
    assert!(matches!(error, ArtifactError::Open { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        format!("cannot open `{}`", missing.display())
    );
    assert!(matches!(
        Artifact::from_file(&directory),
        Err(ArtifactError::NotAFile { .. })
    ));

    let empty = directory.join("empty.wasm");
    fs::write(&empty, b"").unwrap();
    assert!(matches!(
        Artifact::from_file(&empty),
        Err(ArtifactError::Empty { .. })
    ));
}

#[cfg(unix)]
#[test]
fn a_device_without_end_is_not_read() {
    assert!(matches!(
        Artifact::from_file("/dev/zero"),
        Err(ArtifactError::NotAFile { .. })
    ));
}

#[test]
fn a_file_is_read_up_to_64_mib_and_no_further() {
    let path = directory("large").join("large.wasm");
    let file = fs::File::create(&path).unwrap();
    file.set_len(MAX_ARTIFACT_BYTES + 1).unwrap();
    let error = Artifact::from_file(&path).unwrap_err();
    assert!(matches!(
        error,
        ArtifactError::TooLarge {
            limit: MAX_ARTIFACT_BYTES,
            ..
        }
    ));
    assert!(
        error.to_string().ends_with("is larger than 67108864 bytes"),
        "{error}"
    );
    file.set_len(MAX_ARTIFACT_BYTES).unwrap();
    assert_eq!(
        Artifact::from_file(&path).unwrap().bytes().len(),
        67_108_864
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn a_digest_is_read_as_it_is_written() {
    let digest = Digest::of(b"abc");
    assert_eq!(digest.to_string().parse(), Ok(digest));
    assert_eq!(digest.to_string(), format!("sha256:{}", digest.hex()));

    let hex = digest.hex();
    let wrong = [
        (hex.clone(), DigestError::Prefix),
        (format!("SHA256:{hex}"), DigestError::Prefix),
        (format!("sha256:{}", &hex[1..]), DigestError::Length),
        (format!("sha256:{hex}0"), DigestError::Length),
        (format!("sha256:{hex}00"), DigestError::Length),
        (format!("sha256:{}", hex.to_uppercase()), DigestError::Digit),
        (format!("sha256:g{}", &hex[1..]), DigestError::Digit),
        (format!("sha256:/{}", &hex[1..]), DigestError::Digit),
        (format!("sha256:`{}", &hex[1..]), DigestError::Digit),
        (String::new(), DigestError::Prefix),
    ];
    for (text, error) in wrong {
        assert_eq!(text.parse::<Digest>(), Err(error), "{text}");
    }
}
