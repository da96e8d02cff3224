//! What the targets share.

use negotiation_core::{Highest, ops};
use serde_json::Value;

/// Runs an operation on the native core, twice, and checks what holds for any request: both
/// answers are the same, each is an object of JSON, and an error is one of the three codes.
pub fn answered(operation: &str, request: &str) -> Result<Value, Value> {
    let run = || ops::run(operation, request, None, &mut Highest).expect("a known operation");
    let (first, second) = (run(), run());
    assert_eq!(first, second, "{operation}: two answers to one request");
    let (Ok(text) | Err(text)) = &first;
    let value: Value = serde_json::from_str(text).expect("an answer is JSON");
    assert!(value.is_object());
    match first {
        Ok(_) => {
            assert!(value.get("error").is_none_or(|error| !error.is_object()
                || error.get("code").is_none_or(|code| !code.is_string())));
            Ok(value)
        }
        Err(_) => {
            let code = value.pointer("/error/code").and_then(Value::as_str);
            assert!(
                matches!(code, Some("bad-request" | "invalid-facets")),
                "{operation}: {value}"
            );
            Err(value)
        }
    }
}

/// A string that is often near the grammar of versions, dates and members, and sometimes anything.
#[derive(Debug, Clone)]
pub struct Text(pub String);

impl<'a> arbitrary::Arbitrary<'a> for Text {
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        const WORDS: [&str; 24] = [
            "0.2",
            "0.3",
            "0.3.0",
            "1.0",
            "1.0.0",
            "1.0.7",
            "1.1",
            "2.0",
            "1",
            "v1.0",
            "01.0",
            "1.0 ",
            " 1.0",
            "1.0,1.0",
            "1.0,0.3",
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28",
            "2026-02-30",
            "2027-01-01",
            "",
            "null",
        ];
        let text = match u.int_in_range(0..=7)? {
            0..=5 => (*u.choose(&WORDS)?).to_owned(),
            6 => format!("{}{}", u.choose(&WORDS)?, <&str>::arbitrary(u)?),
            _ => <&str>::arbitrary(u)?.to_owned(),
        };
        Ok(Self(text))
    }
}
