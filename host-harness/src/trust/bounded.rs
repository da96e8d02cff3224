//! Files of bounded size.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::error::FileError;

/// Reads a regular file as text, at most `limit` bytes of it.
pub(super) fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    let failed = |source: io::Error| FileError::Read {
        path: path.to_owned(),
        source,
    };
    // Looked at before it is opened: opening a pipe could wait for ever.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FileError::NotAFile {
            path: PathBuf::from(path),
        });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(failed)?;
    if u64::try_from(bytes.len()).map_or(true, |length| length > limit) {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    String::from_utf8(bytes).map_err(|_| FileError::NotText {
        path: path.to_owned(),
    })
}
