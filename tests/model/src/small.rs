//! The small rules around a negotiation.

use serde_json::Value;
use sha2::{Digest, Sha256};
use url::{Origin, Url};

use crate::request::read_facet;
use crate::version::{Protocol, date};

/// SHA-256 of the WHATWG serialised origin of a URL, in lower-case hex; none where the origin is
/// no tuple or the text no URL (R8).
pub fn digest(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    match origin {
        Origin::Opaque(_) => None,
        Origin::Tuple(..) => {
            let hash = Sha256::digest(origin.ascii_serialization().as_bytes());
            Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}

/// Whether offers compared on `refreshed_at` (`YYYY-MM-DD`) are fresh at `now` (RFC 3339 with
/// offset): from one day before that midnight UTC up to and including 90 days after it (R13).
/// None for text outside those grammars.
pub fn fresh(refreshed_at: &str, now: &str) -> Option<bool> {
    let (year, month, day) = date(refreshed_at)?;
    let midnight = days(year, month, day)?.checked_mul(NANOS_A_DAY)?;
    let age = instant(now)?.checked_sub(midnight)?;
    let least = NANOS_A_DAY.checked_neg()?;
    let most = NANOS_A_DAY.checked_mul(90)?;
    Some((least..=most).contains(&age))
}

/// Whether one more round may be sent after so many `input_required` results; none for a ceiling
/// outside 1..=16.
pub fn rounds(max_rounds: u64, input_required_seen: u64) -> Option<bool> {
    (1..=16)
        .contains(&max_rounds)
        .then_some(input_required_seen <= max_rounds)
}

/// The A2A task state of a run status (RFC 0175 §E.2); none for an unknown status.
pub fn task_state(status: &str) -> Option<&'static str> {
    match status {
        "pending" => Some("TASK_STATE_SUBMITTED"),
        "running" | "paused" | "cancelling" => Some("TASK_STATE_WORKING"),
        "waiting-approval" | "waiting-input" | "waiting-external" => {
            Some("TASK_STATE_INPUT_REQUIRED")
        }
        "completed" => Some("TASK_STATE_COMPLETED"),
        "failed" => Some("TASK_STATE_FAILED"),
        "cancelled" => Some("TASK_STATE_CANCELED"),
        _ => None,
    }
}

/// Whether facets could be configured: at least one is there, and all that are there are valid.
pub fn facets_valid(facets: &Value) -> bool {
    let valid = [("a2a", Protocol::A2a), ("mcp", Protocol::Mcp)].map(|(name, protocol)| {
        facets
            .get(name)
            .map(|facet| read_facet(facet, protocol).is_ok())
    });
    valid.contains(&Some(true)) && !valid.contains(&Some(false))
}

const NANOS_A_DAY: i128 = 86_400_000_000_000;

/// Days since the first of March of the year 0 (a year that begins in March ends with its leap
/// day).
fn days(year: u16, month: u8, day: u8) -> Option<i128> {
    let before_march = month <= 2;
    let year = i128::from(year).checked_sub(i128::from(before_march))?;
    let leap_days = [4, 400]
        .map(|n| year.div_euclid(n))
        .into_iter()
        .sum::<i128>()
        .checked_sub(year.div_euclid(100))?;
    let before_month = match month {
        3 => 0,
        4 => 31,
        5 => 61,
        6 => 92,
        7 => 122,
        8 => 153,
        9 => 184,
        10 => 214,
        11 => 245,
        12 => 275,
        1 => 306,
        2 => 337,
        _ => return None,
    };
    Some(
        [
            year.checked_mul(365)?,
            leap_days,
            before_month,
            i128::from(day),
        ]
        .into_iter()
        .sum(),
    )
}

/// Nanoseconds of an RFC 3339 date-time, on the scale of [`days`].
fn instant(text: &str) -> Option<i128> {
    let (day, time) = text.split_once('T')?;
    let (year, month, day) = date(day)?;
    let (clock, offset) = match time.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (clock, offset) = time.split_at_checked(at)?;
            let (sign, offset) = match offset.strip_prefix('+') {
                Some(offset) => (1_i128, offset),
                None => (-1, offset.strip_prefix('-')?),
            };
            let (hours, minutes) = offset.split_once(':')?;
            let minutes = minutes_of(two_digits(hours, 23)?, two_digits(minutes, 59)?)?;
            (clock, minutes.checked_mul(sign)?)
        }
    };
    let (clock, fraction) = clock
        .split_once('.')
        .map_or((clock, None), |(c, f)| (c, Some(f)));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = parts.as_slice() else {
        return None;
    };
    let minutes = minutes_of(two_digits(hours, 23)?, two_digits(minutes, 59)?)?;
    let seconds = two_digits(seconds, 59)?;

    let days = days(year, month, day)?.checked_mul(NANOS_A_DAY)?;
    let minutes = minutes.checked_sub(offset)?.checked_mul(60_000_000_000)?;
    let seconds = seconds.checked_mul(1_000_000_000)?;
    Some(
        [days, minutes, seconds, nanoseconds(fraction)?]
            .into_iter()
            .sum(),
    )
}

fn minutes_of(hours: i128, minutes: i128) -> Option<i128> {
    hours.checked_mul(60)?.checked_add(minutes)
}

fn two_digits(text: &str, most: i128) -> Option<i128> {
    let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number <= most)
}

/// One to nine digits of a second's fraction.
fn nanoseconds(fraction: Option<&str>) -> Option<i128> {
    let Some(digits) = fraction else {
        return Some(0);
    };
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !(1..=9).contains(&digits.len()) || !all_digits {
        return None;
    }
    format!("{digits:0<9}").parse().ok()
}
