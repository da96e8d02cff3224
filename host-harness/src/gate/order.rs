//! Which of two versions is newer.

use std::cmp::Ordering;

use crate::proof;
use crate::types::Protocol;

/// Orders two versions of the grammar: A2A by major and minor as numbers, MCP by date.
/// Text outside of it is below everything.
pub(super) fn compare(protocol: Protocol, a: &str, b: &str) -> Ordering {
    let read = |text| proof::version(protocol, text);
    read(a).cmp(&read(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers_and_dates_as_dates() {
        assert_eq!(compare(Protocol::A2a, "0.10", "0.3"), Ordering::Greater);
        assert_eq!(compare(Protocol::A2a, "1.9", "1.10"), Ordering::Less);
        let dates = ("2025-11-25", "2026-07-28");
        assert_eq!(compare(Protocol::Mcp, dates.0, dates.1), Ordering::Less);
        assert_eq!(compare(Protocol::A2a, "1.0", "1.0"), Ordering::Equal);
    }
}
