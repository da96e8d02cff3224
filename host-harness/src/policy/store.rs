//! Policies on disk.
//!
//! ```text
//! DIR/current.json          what is in force, and what was before
//! DIR/objects/<sha256 hex>  artifacts, settings, envelopes, gate reports
//! DIR/lock                  held while something is written
//! ```
//!
//! Objects are named by the digest of their bytes and never change. `current.json` is
//! the one file that does: it is written aside, made durable, and renamed, so that
//! whoever reads it finds the old state or the new one, whenever the power goes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::state::{Entry, State};
use crate::artifact::{Artifact, Digest, MAX_ARTIFACT_BYTES};

/// A directory that policies are kept in. Cloning is cheap.
///
/// Whoever can write to it decides what a host runs, within what its trust file
/// allows: it belongs to the operator alone, and is refused when others may write
/// there.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Opens a directory, and makes it when it is not there.
    ///
    /// # Errors
    ///
    /// It is no directory, others may write to it, or it cannot be made.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let store = Self { root: root.into() };
        let objects = store.root.join(OBJECTS);
        directory(&objects).map_err(|source| store.at(&objects, source))?;
        private(&store.root).map_err(|source| store.at(&store.root, source))?;
        Ok(store)
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is in force, and what was before; nothing before the first policy.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not one that this version writes.
    pub fn state(&self) -> Result<Option<State>, StoreError> {
        let path = self.root.join(CURRENT);
        let bytes = match read(&path, MAX_STATE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.at(&path, source)),
        };
        State::parse(&bytes).map(Some).map_err(|problem| {
            let path = path.clone();
            StoreError::State { path, problem }
        })
    }

    /// Keeps some bytes under their digest. What is there already is not written
    /// again.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        let path = self.object(digest);
        let _lock = self.lock()?;
        if !read(&path, MAX_ARTIFACT_BYTES).is_ok_and(|kept| Digest::of(&kept) == digest) {
            self.replace(&path, bytes)?;
        }
        Ok(digest)
    }

    /// The bytes kept under a digest.
    ///
    /// # Errors
    ///
    /// They are not there, or are not those bytes any more.
    pub(super) fn get(&self, digest: Digest) -> Result<Artifact, StoreError> {
        let path = self.object(digest);
        let bytes = read(&path, MAX_ARTIFACT_BYTES).map_err(|source| self.at(&path, source))?;
        let artifact = Artifact::from_bytes(bytes);
        if artifact.digest() == digest {
            Ok(artifact)
        } else {
            Err(StoreError::Altered { path })
        }
    }

    /// The text kept under a digest; the empty text for none.
    ///
    /// # Errors
    ///
    /// As [`Store::get`]; or it is no text.
    pub(super) fn text(&self, digest: Option<Digest>) -> Result<String, StoreError> {
        let Some(digest) = digest else {
            return Ok(String::new());
        };
        let bytes = self.get(digest)?.bytes().to_vec();
        String::from_utf8(bytes).map_err(|_| StoreError::State {
            path: self.object(digest),
            problem: "must be UTF-8 text".to_owned(),
        })
    }

    /// Puts something in force: `next` is given the number of the new generation and
    /// what was in force before, and says what is from now on, or nothing to leave all
    /// as it is. When this returns, it is durable.
    ///
    /// # Errors
    ///
    /// It cannot be written; the old state then stays.
    pub(super) fn commit(
        &self,
        next: impl FnOnce(u64, Option<&State>) -> Option<Entry>,
    ) -> Result<Option<State>, StoreError> {
        let _lock = self.lock()?;
        self.sweep();
        let before = self.state()?;
        let number = before
            .as_ref()
            .map_or(1, |state| state.current().generation.saturating_add(1));
        let Some(entry) = next(number, before.as_ref()) else {
            return Ok(None);
        };
        let (state, dropped) = State::after(before, entry);
        self.replace(&self.root.join(CURRENT), &state.to_json())?;
        for digest in dropped {
            // What is left over only takes room.
            let _ = fs::remove_file(self.object(digest));
        }
        Ok(Some(state))
    }

    fn object(&self, digest: Digest) -> PathBuf {
        self.root.join(OBJECTS).join(digest.hex())
    }

    /// Held until it is dropped, or its process ends in whatever way.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.root.join(LOCK);
        let locked = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .and_then(|file| file.lock().map(|()| file));
        locked.map_err(|source| self.at(&path, source))
    }

    /// Writes a file aside, makes it durable and puts it in place. The lock is held.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let aside = path.with_extension(ASIDE);
        let written = (|| {
            let mut options = OpenOptions::new();
            options.create(true).truncate(true).write(true);
            let mut file = options.open(&aside)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&aside, path)?;
            // The name is durable only when its directory is.
            File::open(path.parent().unwrap_or(&self.root))?.sync_all()
        })();
        written.map_err(|source| self.at(path, source))
    }

    /// Removes what writers left that ended half-way. The lock is held, so there is
    /// no other writer.
    fn sweep(&self) {
        for directory in [self.root.clone(), self.root.join(OBJECTS)] {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            for path in entries.map(|entry| entry.path()) {
                if path.extension().is_some_and(|extension| extension == ASIDE) {
                    let _ = fs::remove_file(path);
                }
            }
        }
    }

    fn at(&self, path: &Path, source: io::Error) -> StoreError {
        StoreError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// Makes a directory that only its owner may look into.
fn directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Refuses a directory that others may write to.
fn private(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o022 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "must not be writable by others: chmod go-w",
            ));
        }
    }
    let _ = metadata;
    Ok(())
}

/// Reads a file of at most so many bytes.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if u64::try_from(read).map_or(true, |read| read > limit) {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "is larger than anything that is written there",
        ));
    }
    Ok(bytes)
}

/// The file that says what is in force.
pub(crate) const CURRENT: &str = "current.json";
const OBJECTS: &str = "objects";
const LOCK: &str = "lock";
const ASIDE: &str = "tmp";

/// 1 MiB: many times what [`State`] can grow to.
const MAX_STATE: u64 = 1024 * 1024;
