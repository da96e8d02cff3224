//! Lines out of a capture or a log, which hold a request and say whose it is.

use std::borrow::Cow;

use super::members::Members;

/// A line of `settle`: a request, or an object that holds one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// The `id` of a capture, as JSON text.
    pub(crate) id: Option<&'a str>,
    /// The request, exactly as it is written.
    pub(crate) request: &'a str,
}

/// An id that cannot be given back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadId;

impl BadId {
    pub(crate) const PATH: &'static str = "id";
    pub(crate) const PROBLEM: &'static str = "must be an integer, or a string of 1 to 200 \
         characters out of letters, digits and . _ ~ : / @ + -";
}

/// Looks whether a line holds a request beside other things. What is no object is left to the
/// component, which says what is wrong with it.
pub(crate) fn open(line: &str) -> Result<Entry<'_>, BadId> {
    let bare = Entry {
        id: None,
        request: line,
    };
    let Ok(members) = Members::of(line) else {
        return Ok(bare);
    };
    let Some(request) = members.get("request") else {
        return Ok(bare);
    };
    let id = members.get("id");
    if id.is_some_and(|id| !may_be_given_back(id)) {
        return Err(BadId);
    }
    Ok(Entry { id, request })
}

/// Whether an id can stand in an answer: a plain label, which does not carry content.
fn may_be_given_back(id: &str) -> bool {
    if serde_json::from_str::<u64>(id).is_ok() {
        return true;
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~:/@+-".contains(&byte);
    serde_json::from_str::<Cow<'_, str>>(id)
        .is_ok_and(|id| (1..=200).contains(&id.len()) && id.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_is_opened_and_anything_else_is_left_alone() {
        let entry = |id, request| Ok(Entry { id, request });
        let capture = r#"{"id":"a/b@1","source":"x → y","request":{"a":1,"a":2}}"#;
        assert_eq!(open(capture), entry(Some(r#""a/b@1""#), r#"{"a":1,"a":2}"#));
        assert_eq!(open(r#"{"id":7,"request":[]}"#), entry(Some("7"), "[]"));
        assert_eq!(open(r#"{"request":{}}"#), entry(None, "{}"));
        for bare in [
            r#"{"id":"a","exchange":{}}"#,
            "[]",
            "{",
            "",
            r#"{"request":1,"request":2}"#,
        ] {
            assert_eq!(open(bare), entry(None, bare));
        }
    }

    #[test]
    fn an_id_is_a_plain_label() {
        let long = format!(r#""{}""#, "x".repeat(201));
        for id in [
            r#""""#, r#""a b""#, r#""a\n""#, r#""é""#, "null", "{}", "-1", "1.5", &long,
        ] {
            let line = format!(r#"{{"id":{id},"request":{{}}}}"#);
            assert_eq!(open(&line), Err(BadId), "{id}");
        }
        assert!(open(r#"{"id":"\u0061","request":{}}"#).is_ok());
    }
}
