//! Rules, "Versions".

use std::fmt;

/// The protocol of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Agent2Agent: versions are `<major>.<minor>`.
    A2a,
    /// Model Context Protocol: versions are revision dates.
    Mcp,
}

impl Protocol {
    /// The name on record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A2a => "a2a",
            Self::Mcp => "mcp",
        }
    }
}

/// A version in the grammar of its protocol. The order is that of the rules; it has a meaning
/// within one protocol only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `<major>.<minor>`.
    A2a(u64, u64),
    /// Year, month, day.
    Mcp(u16, u8, u8),
}

/// The first revision without a handshake.
const FIRST_WITHOUT_HANDSHAKE: Version = Version::Mcp(2026, 7, 28);

impl Version {
    /// Reads a version in canonical form, as a host writes it in its own facet.
    pub fn read(protocol: Protocol, text: &str) -> Option<Self> {
        match protocol {
            Protocol::A2a => match numbers(text)?.as_slice() {
                [major, minor] => Some(Self::A2a(*major, *minor)),
                _ => None,
            },
            Protocol::Mcp => date(text).map(|(year, month, day)| Self::Mcp(year, month, day)),
        }
    }

    /// Reads a version as the other side writes it: in A2A a patch part counts and is cut (R3).
    pub fn read_wire(protocol: Protocol, text: &str) -> Option<Self> {
        match protocol {
            Protocol::A2a => match numbers(text)?.as_slice() {
                [major, minor] | [major, minor, _] => Some(Self::A2a(*major, *minor)),
                _ => None,
            },
            Protocol::Mcp => Self::read(protocol, text),
        }
    }

    /// Whether it is an MCP revision that begins with `initialize`.
    pub fn has_handshake(self) -> bool {
        matches!(self, Self::Mcp(..)) && self < FIRST_WITHOUT_HANDSHAKE
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::A2a(major, minor) => write!(f, "{major}.{minor}"),
            Self::Mcp(year, month, day) => write!(f, "{year:04}-{month:02}-{day:02}"),
        }
    }
}

/// All parts between dots, if every one of them is a number of the A2A grammar.
fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split('.').map(number).collect()
}

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.starts_with('0') && text != "0";
    if digits && !leading_zero {
        text.parse().ok()
    } else {
        None
    }
}

/// A calendar date, `YYYY-MM-DD` exactly.
pub(crate) fn date(text: &str) -> Option<(u16, u8, u8)> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let all_digits = parts
        .iter()
        .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    if !all_digits || (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (1..=days_in(year, month)?)
        .contains(&day)
        .then_some((year, month, day))
}

/// The length of a month of the Gregorian calendar; none for a month that there is not.
fn days_in(year: u16, month: u8) -> Option<u8> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        1..=12 => Some(31),
        _ => None,
    }
}
