//! Files that a command reads, and standard input.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::PathBuf;
use std::str::FromStr;

use super::exit::{Failure, OrExit as _};
use super::words;

/// A path, or standard input for `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Standard => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Opens it for reading. On a terminal, says what is waited for.
    pub(crate) fn open(&self, awaited: &str) -> Result<Box<dyn Read>, Failure> {
        match self {
            Self::Standard => {
                let input = io::stdin().lock();
                if input.is_terminal() {
                    words::say(&format!("reading {awaited} from the terminal"));
                }
                Ok(Box::new(input))
            }
            Self::File(path) => {
                let file =
                    File::open(path).or_unreadable(format!("cannot open {}", self.name()))?;
                Ok(Box::new(file))
            }
        }
    }

    /// Reads all of it as text, at most [`MAX_DOCUMENT`] bytes.
    pub(crate) fn read(&self, awaited: &str) -> Result<String, Failure> {
        let name = self.name();
        let mut bytes = Vec::new();
        self.open(awaited)?
            .take(MAX_DOCUMENT.saturating_add(1))
            .read_to_end(&mut bytes)
            .or_unreadable(format!("cannot read {name}"))?;
        if u64::try_from(bytes.len()).map_or(true, |length| length > MAX_DOCUMENT) {
            let message = format!("{name}: must be at most {MAX_DOCUMENT} bytes long");
            return Err(Failure::unreadable(message));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::unreadable(format!("{name}: must be UTF-8 text")))?;
        if text.starts_with('\u{feff}') {
            let message = format!("{name}: must not begin with a byte order mark");
            return Err(Failure::unreadable(message));
        }
        Ok(text)
    }
}

impl FromStr for Input {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "-" => Self::Standard,
            path => Self::File(path.into()),
        })
    }
}

/// 256 KiB: many times what a discovery document has.
const MAX_DOCUMENT: u64 = 256 * 1024;
