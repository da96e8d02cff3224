//! Files that a command writes.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use super::exit::{Failure, OrExit as _};

/// Writes a file so that its name leads to all of it or to what it was before,
/// also when the machine stops half-way. What is no file, such as `/dev/stdout` or a pipe,
/// is written to as it is.
pub(crate) fn whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    try_whole(path, bytes).or_unreadable(format!("cannot write {}", path.display()))
}

fn try_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            return File::options().write(true).open(path)?.write_all(bytes);
        }
        _ => {}
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = folder.join(temporary);
    let written = File::create_new(&temporary).and_then(|mut file| {
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let moved = written.and_then(|()| fs::rename(&temporary, path));
        if moved.is_err() {
            // The first error says more than one about cleaning up.
            let _ = fs::remove_file(&temporary);
        }
        moved
    });
    written?;
    // The new name lasts once its folder does; not every system can open one.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
