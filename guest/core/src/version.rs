//! Versions: their grammar and their order (rulings R2, R3).

use core::fmt;
use core::str;

use serde::{Serialize, Serializer};

/// The protocol that an exchange is held in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Agent2Agent: versions are `<major>.<minor>`.
    A2a,
    /// Model Context Protocol: versions are revision dates.
    Mcp,
}

impl Protocol {
    /// The name in the grammar of discovery and of the record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A2a => "a2a",
            Self::Mcp => "mcp",
        }
    }
}

/// A version in the grammar of its protocol.
///
/// Order is numeric for A2A and by date for MCP; it means nothing across protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// A2A: the major number. MCP: the date as the number `yyyymmdd`.
    major: u64,
    /// A2A: the minor number. MCP: 0.
    minor: u64,
    protocol: Protocol,
}

/// The first MCP revision without a handshake: it is stateless and has no `initialize`.
pub const FIRST_STATELESS: Version = Version {
    major: 20_260_728,
    minor: 0,
    protocol: Protocol::Mcp,
};

impl Version {
    /// Reads canonical text: `<major>.<minor>` or `YYYY-MM-DD`. Nothing else is tolerated.
    #[must_use]
    pub fn parse(protocol: Protocol, text: &str) -> Option<Self> {
        match protocol {
            Protocol::A2a => {
                let (major, minor) = text.split_once('.')?;
                Some(Self {
                    major: number(major)?,
                    minor: number(minor)?,
                    protocol,
                })
            }
            Protocol::Mcp => Some(Self {
                major: date(text)?,
                minor: 0,
                protocol,
            }),
        }
    }

    /// Reads text as it may stand on the wire: like [`Version::parse`], and for A2A a patch number
    /// counts and is cut (R3), since patch numbers are never negotiated.
    #[must_use]
    pub fn parse_wire(protocol: Protocol, text: &str) -> Option<Self> {
        if protocol == Protocol::A2a
            && let Some((version, patch)) = text.rsplit_once('.')
            && version.contains('.')
        {
            number(patch)?;
            return Self::parse(protocol, version);
        }
        Self::parse(protocol, text)
    }

    /// The protocol whose version this is.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        self.protocol
    }

    /// Whether this is an MCP revision that has `initialize`.
    #[must_use]
    pub fn is_handshake(self) -> bool {
        self.protocol == Protocol::Mcp && self < FIRST_STATELESS
    }

    /// The canonical text.
    #[must_use]
    pub fn text(self) -> VersionText {
        let mut text = VersionText {
            bytes: [0; MAX_TEXT],
            start: MAX_TEXT,
        };
        match self.protocol {
            Protocol::A2a => {
                text.prepend_number(self.minor, 1);
                text.prepend(b'.');
                text.prepend_number(self.major, 1);
            }
            Protocol::Mcp => {
                // Every date fits 32 bits, on which a machine divides much faster.
                let mut date = u32::try_from(self.major).unwrap_or(0);
                for place in 0..8 {
                    if place == 2 || place == 4 {
                        text.prepend(b'-');
                    }
                    text.prepend_digit(date % 10);
                    date /= 10;
                }
            }
        }
        text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text().as_str())
    }
}

/// Two numbers of twenty digits and a dot.
const MAX_TEXT: usize = 41;

/// The canonical text of a version, without an allocation.
pub struct VersionText {
    bytes: [u8; MAX_TEXT],
    start: usize,
}

impl VersionText {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.bytes
            .get(self.start..)
            .and_then(|bytes| str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    fn prepend(&mut self, byte: u8) {
        self.start = self.start.saturating_sub(1);
        if let Some(slot) = self.bytes.get_mut(self.start) {
            *slot = byte;
        }
    }

    fn prepend_digit(&mut self, digit: u32) {
        self.prepend(b'0'.saturating_add(u8::try_from(digit).unwrap_or(0)));
    }

    fn prepend_number(&mut self, mut number: u64, width: u8) {
        let mut digits: u8 = 0;
        while number > 0 || digits < width {
            let digit = u8::try_from(number % 10).unwrap_or(0);
            self.prepend(b'0'.saturating_add(digit));
            number /= 10;
            digits = digits.saturating_add(1);
        }
    }
}

/// A decimal number without sign or leading zeros, at most 2^64-1.
fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.parse().ok()
}

/// A calendar date `YYYY-MM-DD` as the number `yyyymmdd`.
pub(crate) fn date(text: &str) -> Option<u64> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *bytes else {
        return None;
    };
    // A date fits 32 bits; checked arithmetic on 64 takes 128-bit products in wasm.
    let mut value: u32 = 0;
    for byte in [y1, y2, y3, y4, m1, m2, d1, d2] {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u32::from(byte & 15))?;
    }
    let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100);
    let days = days_in_month(year.into(), month.into());
    (day >= 1 && u64::from(day) <= days).then_some(value.into())
}

/// Days of a month in the Gregorian calendar; 0 when there is no such month.
pub(crate) const fn days_in_month(year: u64, month: u64) -> u64 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn a2a(text: &str) -> Option<Version> {
        Version::parse(Protocol::A2a, text)
    }

    fn mcp(text: &str) -> Option<Version> {
        Version::parse(Protocol::Mcp, text)
    }

    #[test]
    fn canonical_text_survives_a_round_trip() {
        for text in [
            "0.0",
            "1.0",
            "0.10",
            "1.10",
            "18446744073709551615.18446744073709551615",
        ] {
            assert_eq!(a2a(text).unwrap().to_string(), text);
        }
        for text in ["0000-01-01", "2024-02-29", "2026-07-28", "9999-12-31"] {
            assert_eq!(mcp(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn r2_text_outside_the_grammar_is_no_version() {
        for text in [
            "",
            ".",
            "1",
            "1.",
            ".1",
            "v1.0",
            "01.0",
            "1.00",
            "1.0.0",
            "1.0+x",
            "1.0rc1",
            " 1.0",
            "1.0 ",
            "1,0",
            "-1.0",
            "+1.0",
            "１.0",
            "1.0\n",
            "18446744073709551616.0",
            "1..0",
        ] {
            assert_eq!(a2a(text), None, "{text:?}");
        }
        for text in [
            "",
            "2026-7-28",
            "2026-02-30",
            "2023-02-29",
            "1900-02-29",
            "2026-00-10",
            "2026-13-01",
            "2026-04-31",
            "2026-01-00",
            "20260728",
            "2026-07-28T00:00:00Z",
            "2026/07/28",
            "+026-07-28",
            " 2026-07-28",
            "2026-07-28\n",
            "DRAFT-2026-v1",
            "２026-07-28",
        ] {
            assert_eq!(mcp(text), None, "{text:?}");
        }
    }

    #[test]
    fn r3_a_patch_counts_on_the_a2a_wire_alone() {
        let wire = |text| Version::parse_wire(Protocol::A2a, text);
        assert_eq!(wire("1.0.0"), a2a("1.0"));
        assert_eq!(wire("0.3.17"), a2a("0.3"));
        assert_eq!(wire("1.0"), a2a("1.0"));
        for text in ["1.0.00", "1.0.", "1.0.0.0", "1.0.x", "01.0.0", "1..0", "1"] {
            assert_eq!(wire(text), None, "{text:?}");
        }
        assert_eq!(Version::parse_wire(Protocol::Mcp, "2026-07-28.0"), None);
    }

    #[test]
    fn order_is_numeric_and_by_date() {
        assert!(a2a("1.10") > a2a("1.9"));
        assert!(a2a("0.10") > a2a("0.3"));
        assert!(a2a("2.0") > a2a("1.99"));
        assert!(mcp("2025-11-25") > mcp("2025-06-18"));
    }

    #[test]
    fn the_handshake_ends_with_the_first_stateless_revision() {
        assert!(mcp("2026-07-27").unwrap().is_handshake());
        assert!(!mcp("2026-07-28").unwrap().is_handshake());
        assert_eq!(mcp("2026-07-28"), Some(FIRST_STATELESS));
        assert!(!a2a("0.3").unwrap().is_handshake());
    }
}
