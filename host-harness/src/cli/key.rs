//! `negotiator key`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use negotiator::error::KeyError;
use negotiator::shared::chain;
use negotiator::trust::SecretKey;
use serde::Serialize;

use super::answer;
use super::exit::{Exit, Failure, OrExit as _};
use super::words;

/// Make a key that signs, or print the public half of one
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make an Ed25519 key
    ///
    /// The file is PKCS#8 in PEM without a password, readable by its owner alone; a file that is
    /// there is never overwritten. The public half is printed: {"keyid","public"}. It goes into
    /// trust files.
    #[command(after_help = GENERATE_HELP)]
    Generate {
        /// The file to write
        #[arg(short, long, value_name = "KEY")]
        output: PathBuf,
    },
    /// Print the public half of a key: {"keyid","public"}
    Public {
        /// The key file
        key: PathBuf,
    },
}

const GENERATE_HELP: &str = "\
Example:
  negotiator key generate -o release.pem

Exit codes:
  0  done
  2  the file could not be written, or is there already";

#[derive(Serialize)]
struct Told {
    keyid: String,
    public: String,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let key = match &args.command {
        Command::Generate { output } => {
            let key = SecretKey::generate().or_unreadable("cannot make a key")?;
            let text = key.to_pem().or_unreadable("cannot make a key")?;
            write_private(output, text.as_bytes())
                .or_unreadable(format!("cannot write {}", output.display()))?;
            words::say(&format!(
                "wrote {}: keep it to yourself, and give away what is printed here",
                output.display()
            ));
            key
        }
        Command::Public { key } => read(key)?,
    };
    let public = key.public();
    answer::print(&Told {
        keyid: public.id(),
        public: public.to_string(),
    })?;
    Ok(Exit::Done)
}

/// A key out of a file; says so when others could read it, too.
pub(crate) fn read(path: &Path) -> Result<SecretKey, Failure> {
    let key = SecretKey::from_file(path).map_err(|error| match error {
        KeyError::File(error) => Failure::unreadable(chain(&error)),
        error => Failure::unreadable(format!("{}: {error}", path.display())),
    })?;
    if is_open_to_others(path) {
        words::say(&format!(
            "warning: others can read {}: `chmod 600` it",
            path.display()
        ));
    }
    Ok(key)
}

/// Writes a new file that nobody else can read, at no time.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a key is none; the error that counts is the first one.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}
