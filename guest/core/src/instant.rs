//! Instants and freshness (ruling R13). The component has no clock: every instant is an argument.

use crate::version::{date, days_in_month};

const DAY: i64 = 86_400;

/// How long offers stay fresh after `refreshedAt`, in days.
pub const FRESH_DAYS: i64 = 90;

/// An instant, comparable with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since the last midnight UTC before year 0.
    seconds: i64,
    nanos: u32,
}

impl Instant {
    /// Reads an RFC 3339 date-time with offset: `T` and `Z` in upper case, at most nine digits of
    /// a second's fraction, a leap second only where one can be.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once('T')?;
        let day = midnight(day)?;
        let (clock, offset) = match time.strip_suffix('Z') {
            Some(clock) => (clock, 0),
            None => {
                let at = time.len().checked_sub(6)?;
                let (clock, offset) = time.split_at_checked(at)?;
                (clock, offset_seconds(offset)?)
            }
        };
        let (clock, nanos) = match clock.split_once('.') {
            Some((clock, fraction)) => (clock, fraction_nanos(fraction)?),
            None => (clock, 0),
        };
        let bytes: &[u8; 8] = clock.as_bytes().try_into().ok()?;
        let [h1, h2, b':', m1, m2, b':', s1, s2] = *bytes else {
            return None;
        };
        let (hour, minute) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
        let second = two_digits(s1, s2)?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let in_day = hour
            .checked_mul(3600)?
            .checked_add(minute.checked_mul(60)?)?;
        let utc_minute = in_day.checked_sub(offset)?.rem_euclid(DAY);
        // 23:59 UTC is the only minute that can have a sixty-first second.
        if second == 60 && utc_minute != DAY.checked_sub(60)? {
            return None;
        }
        let seconds = day
            .checked_add(in_day)?
            .checked_add(second)?
            .checked_sub(offset)?;
        Some(Self { seconds, nanos })
    }
}

/// Whether offers compared on `refreshed_at` are fresh at `now`: not more than one day in the
/// future, and up to and including 90 days old. `None` when the date is outside its grammar.
#[must_use]
pub fn fresh(refreshed_at: &str, now: Instant) -> Option<bool> {
    let midnight = midnight(refreshed_at)?;
    let bound = |days: i64| {
        let seconds = midnight.saturating_add(days.saturating_mul(DAY));
        Instant { seconds, nanos: 0 }
    };
    Some(now >= bound(-1) && now <= bound(FRESH_DAYS))
}

/// Whether text is a calendar date.
#[must_use]
pub fn is_date(text: &str) -> bool {
    date(text).is_some()
}

/// Midnight UTC of a date, in seconds since the last day before year 0.
fn midnight(text: &str) -> Option<i64> {
    let value = date(text)?;
    let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100);
    // Years before this one, and the leap years among them; year 0 is one.
    let leap_years = match year.checked_sub(1) {
        None => 0,
        Some(last) => (last / 4)
            .checked_sub(last / 100)?
            .checked_add(last / 400)?
            .checked_add(1)?,
    };
    let mut days = year.checked_mul(365)?.checked_add(leap_years)?;
    for past in 1..month {
        days = days.checked_add(days_in_month(year, past))?;
    }
    i64::try_from(days.checked_add(day)?).ok()?.checked_mul(DAY)
}

fn two_digits(tens: u8, ones: u8) -> Option<i64> {
    if !(tens.is_ascii_digit() && ones.is_ascii_digit()) {
        return None;
    }
    let (tens, ones) = (i64::from(tens & 15), i64::from(ones & 15));
    tens.checked_mul(10)?.checked_add(ones)
}

fn offset_seconds(text: &str) -> Option<i64> {
    let bytes: &[u8; 6] = text.as_bytes().try_into().ok()?;
    let [sign, h1, h2, b':', m1, m2] = *bytes else {
        return None;
    };
    let (hours, minutes) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(minutes.checked_mul(60)?)?;
    match sign {
        b'+' => Some(seconds),
        b'-' => seconds.checked_neg(),
        _ => None,
    }
}

fn fraction_nanos(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let missing = u32::try_from(9_usize.checked_sub(text.len())?).ok()?;
    text.parse::<u32>()
        .ok()?
        .checked_mul(10_u32.checked_pow(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn offsets_and_fractions_compare_as_instants() {
        assert_eq!(at("2026-11-30T12:00:00Z"), at("2026-11-30T13:30:00+01:30"));
        assert_eq!(at("2026-11-30T23:00:00-02:00"), at("2026-12-01T01:00:00Z"));
        assert_eq!(
            at("2026-11-30T12:00:00.5Z"),
            at("2026-11-30T12:00:00.500000000Z")
        );
        assert!(at("2026-11-30T12:00:00.000000001Z") > at("2026-11-30T12:00:00Z"));
        assert!(at("2027-01-01T00:00:00Z") > at("2026-12-31T23:59:59Z"));
        assert_eq!(at("1998-12-31T15:59:60-08:00"), at("1999-01-01T00:00:00Z"));
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut last = midnight("1999-12-31").unwrap();
        for year in 2000..2401_u64 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    let text = alloc::format!("{year:04}-{month:02}-{day:02}");
                    let next = midnight(&text).unwrap();
                    assert_eq!(next - last, DAY, "{text}");
                    last = next;
                }
            }
        }
        let first = [
            midnight("0000-01-01"),
            midnight("0000-12-31"),
            midnight("0001-01-01"),
        ];
        assert_eq!(first, [Some(DAY), Some(366 * DAY), Some(367 * DAY)]);
    }

    #[test]
    fn what_is_no_instant() {
        for text in [
            "",
            "2026-11-30",
            "2026-11-30T12:00:00",
            "2026-11-30 12:00:00Z",
            "2026-11-30t12:00:00Z",
            "2026-11-30T12:00:00z",
            "2026-11-30T24:00:00Z",
            "2026-11-30T12:60:00Z",
            "2026-11-30T12:00:61Z",
            "2026-11-30T12:00:60Z",
            "2026-02-30T12:00:00Z",
            "2026-11-30T12:00:00.Z",
            "2026-11-30T12:00:00.1234567890Z",
            "2026-11-30T12:00:00+24:00",
            "2026-11-30T12:00:00+01:60",
            "2026-11-30T12:00:00+0100",
            "2026-11-30T12:00Z",
            "2026-11-30T12:00:00ZZ",
            "2026-11-30T12:00:00é",
            "2026-11-30T1２:00:00Z",
        ] {
            assert_eq!(Instant::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn r13_ninety_days_and_not_a_nanosecond_more() {
        let fresh_at = |now| fresh("2026-09-18", at(now)).unwrap();
        assert!(fresh_at("2026-12-17T00:00:00Z"));
        assert!(!fresh_at("2026-12-17T00:00:00.000000001Z"));
        assert!(fresh_at("2026-09-17T00:00:00Z"));
        assert!(!fresh_at("2026-09-16T23:59:59.999999999Z"));
        assert_eq!(fresh("2026-02-30", at("2026-03-01T00:00:00Z")), None);
        assert!(fresh("2024-02-29", at("2024-05-29T00:00:00Z")).unwrap());
        assert!(!fresh("2024-02-29", at("2024-05-29T00:00:01Z")).unwrap());
        assert!(fresh("2025-12-31", at("2026-01-01T00:00:00Z")).unwrap());
    }
}
