//! The trust file. `docs/trust.md` has its grammar.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::TrustFileError;
use super::key::PublicKey;
use super::{NamedKey, Pin, Trust};
use crate::artifact::Digest;

/// Room for two thousand pins.
pub(super) const MAX_BYTES: u64 = 256 * 1024;

/// Each key may cost a verification for each signature of an envelope.
const MAX_KEYS: usize = 64;

const MAX_NAME: usize = 64;

pub(super) fn read(text: &str) -> Result<Trust, TrustFileError> {
    if u64::try_from(text.len()).map_or(true, |length| length > MAX_BYTES) {
        return Err(TrustFileError::Member {
            line: 1,
            member: "file".to_owned(),
            problem: "must be at most 262144 bytes long".to_owned(),
        });
    }
    let lines = Lines(text);
    // The messages of the parser are fixed texts.
    let document = DeTable::parse(text).map_err(|error| TrustFileError::Syntax {
        line: lines.at(error.span().map_or(0, |span| span.start)),
        problem: error.message().to_owned(),
    })?;
    let top = Table {
        lines,
        path: String::new(),
        line: 1,
        members: document.get_ref(),
    };
    top.knows(&["gate", "threshold", "pin", "key"])?;

    let pins: Vec<Pin> = top
        .tables("pin")?
        .iter()
        .map(Table::pin)
        .collect::<Result<_, _>>()?;
    let tables = top.tables("key")?;
    let keys: Vec<NamedKey> = tables.iter().map(Table::key).collect::<Result<_, _>>()?;
    if let Some(beyond) = tables.get(MAX_KEYS) {
        return Err(beyond.wrong_self("is one key too many: there may be 64"));
    }
    no_repeats(&tables, &keys)?;
    let threshold = top.threshold(keys.len())?;
    Ok(Trust {
        pins,
        keys,
        threshold,
        gate: top.gate()?,
    })
}

/// One key under two names would count twice to people who read the file.
fn no_repeats(tables: &[Table<'_>], keys: &[NamedKey]) -> Result<(), TrustFileError> {
    for (position, (table, key)) in tables.iter().zip(keys).enumerate() {
        let earlier = keys.iter().take(position);
        for other in earlier {
            if other.key == key.key {
                return Err(table.wrong("public", "must not be the key of an earlier one"));
            }
            if other.name == key.name {
                return Err(table.wrong("name", "must not be the name of an earlier one"));
            }
        }
    }
    Ok(())
}

/// A table and where it stands.
struct Table<'a> {
    lines: Lines<'a>,
    /// `pin[0]`; empty for the file as a whole.
    path: String,
    line: usize,
    members: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    fn pin(&self) -> Result<Pin, TrustFileError> {
        self.knows(&["name", "digest"])?;
        let digest: Digest = self
            .text("digest")?
            .parse()
            .map_err(|_| self.wrong("digest", "must be `sha256:` and 64 hex digits, lower case"))?;
        Ok(Pin {
            name: self.name()?,
            digest,
        })
    }

    fn key(&self) -> Result<NamedKey, TrustFileError> {
        self.knows(&["name", "public"])?;
        let key: PublicKey = self
            .text("public")?
            .parse()
            .map_err(|error: super::error::KeyError| self.wrong("public", &error.to_string()))?;
        Ok(NamedKey {
            name: self.name()?,
            key,
        })
    }

    /// How many keys must have signed: one, unless the file says more.
    fn threshold(&self, keys: usize) -> Result<usize, TrustFileError> {
        let Some(value) = self.members.get("threshold") else {
            return Ok(1);
        };
        value
            .get_ref()
            .as_integer()
            .filter(|integer| integer.radix() == 10)
            .and_then(|integer| integer.as_str().parse().ok())
            .filter(|threshold| (1..=keys).contains(threshold))
            .ok_or_else(|| {
                self.wrong(
                    "threshold",
                    "must be a number from 1 to the number of keys in the file",
                )
            })
    }

    /// Whether a signed statement must hold a gate result.
    fn gate(&self) -> Result<bool, TrustFileError> {
        match self
            .members
            .get("gate")
            .map(|value| value.get_ref().as_str())
        {
            None | Some(Some("optional")) => Ok(false),
            Some(Some("required")) => Ok(true),
            Some(_) => Err(self.wrong("gate", "must be \"required\" or \"optional\"")),
        }
    }

    fn name(&self) -> Result<String, TrustFileError> {
        let name = self.text("name")?;
        let fits = (1..=MAX_NAME).contains(&name.chars().count())
            && name.chars().all(|c| c.is_ascii_graphic() || c == ' ')
            && name.trim() == name;
        if !fits {
            return Err(self.wrong(
                "name",
                "must be 1 to 64 printable ASCII characters, no space at either end",
            ));
        }
        Ok(name.to_owned())
    }

    fn text(&self, member: &str) -> Result<&'a str, TrustFileError> {
        match self.members.get(member) {
            None => Err(self.wrong_self(&format!("must have `{member}`"))),
            Some(value) => value
                .get_ref()
                .as_str()
                .ok_or_else(|| self.wrong(member, "must be a string")),
        }
    }

    /// The items of an array of tables; none where there is no such member.
    fn tables(&self, member: &str) -> Result<Vec<Table<'a>>, TrustFileError> {
        let Some(value) = self.members.get(member) else {
            return Ok(Vec::new());
        };
        let shape = || self.wrong(member, &format!("must be written as `[[{member}]]`"));
        let items = value.get_ref().as_array().ok_or_else(shape)?;
        items
            .iter()
            .enumerate()
            .map(|(position, item)| {
                let members = item.get_ref().as_table().ok_or_else(shape)?;
                Ok(Table {
                    lines: self.lines,
                    path: format!("{member}[{position}]"),
                    line: self.lines.at(item.span().start),
                    members,
                })
            })
            .collect()
    }

    /// Any other member is an error: a misspelt one would go unnoticed.
    fn knows(&self, known: &[&str]) -> Result<(), TrustFileError> {
        let unknown = self
            .members
            .keys()
            .filter(|member| !known.contains(&member.get_ref().as_ref()))
            .min_by_key(|member| member.span().start);
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let member = if self.path.is_empty() {
            "file"
        } else {
            &self.path
        };
        Err(TrustFileError::Member {
            line: self.lines.at(unknown.span().start),
            member: member.to_owned(),
            problem: format!(
                "has an unknown member; it may have `{}`",
                known.join("`, `")
            ),
        })
    }

    fn wrong(&self, member: &str, problem: &str) -> TrustFileError {
        let line = self
            .members
            .get(member)
            .map_or(self.line, |value: &Spanned<DeValue<'_>>| {
                self.lines.at(value.span().start)
            });
        let dot = if self.path.is_empty() { "" } else { "." };
        TrustFileError::Member {
            line,
            member: format!("{}{dot}{member}", self.path),
            problem: problem.to_owned(),
        }
    }

    fn wrong_self(&self, problem: &str) -> TrustFileError {
        TrustFileError::Member {
            line: self.line,
            member: self.path.clone(),
            problem: problem.to_owned(),
        }
    }
}

/// Tells lines from offsets.
#[derive(Clone, Copy)]
struct Lines<'a>(&'a str);

impl Lines<'_> {
    /// The line of an offset, from 1.
    fn at(self, offset: usize) -> usize {
        let before = self.0.bytes().take(offset);
        before
            .filter(|byte| *byte == b'\n')
            .count()
            .saturating_add(1)
    }
}
