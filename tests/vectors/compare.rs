//! Holds an answer against what a case expects.

use serde_json::Value;

use crate::Case;

impl Case {
    /// Everything in which an answer differs from what the case expects.
    #[must_use]
    pub fn mismatches(&self, answer: &Result<String, String>) -> Vec<String> {
        let mut found = Vec::new();
        let text = match answer {
            Ok(text) | Err(text) => text,
        };
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return vec![format!("the answer is no JSON: {text}")];
        };
        let fails = ["error", "errorCode", "errorPath"]
            .iter()
            .any(|m| self.line.contains_key(*m));
        if fails != answer.is_err() {
            return vec![format!(
                "must {}, got {text}",
                if fails { "fail" } else { "be answered" }
            )];
        }
        let mut same = |what: &str, expected: &Value, got: Option<&Value>| {
            if !got.is_some_and(|got| identical(expected, got)) {
                let got = got.map_or_else(|| "nothing".to_string(), Value::to_string);
                found.push(format!("{what}: expected {expected}, got {got}"));
            }
        };
        let by_member = matches!(self.operation.as_str(), "settle" | "refuse" | "decide");
        for (member, expected) in &self.line {
            match member.as_str() {
                "record" | "entry" => same(member, expected, value.get(member)),
                "error" => same(member, expected, Some(&value)),
                "errorCode" => same(member, expected, value.pointer("/error/code")),
                "errorPath" => same(member, expected, value.pointer("/error/path")),
                "answer" => {
                    for (name, expected) in expected.as_object().into_iter().flatten() {
                        match name.as_str() {
                            "code" => same(name, expected, value.pointer("/answer/error/code")),
                            "statusIn" => {
                                let status = value.pointer("/answer/status");
                                let fits = expected
                                    .as_array()
                                    .is_some_and(|list| list.iter().any(|one| Some(one) == status));
                                same(name, &Value::Bool(true), Some(&Value::Bool(fits)));
                            }
                            _ => same(name, expected, value.pointer(&format!("/answer/{name}"))),
                        }
                    }
                }
                "expect" if by_member => {
                    for (name, expected) in expected.as_object().into_iter().flatten() {
                        same(name, expected, value.get(name));
                    }
                }
                "expect" => same(member, expected, Some(&value)),
                "findings" => {
                    let wrong = findings(expected, value.get("findings"));
                    same(member, &Value::Bool(true), Some(&Value::Bool(!wrong)));
                }
                "absent" => {
                    for secret in expected.as_array().into_iter().flatten() {
                        let leaked = secret.as_str().is_some_and(|secret| text.contains(secret));
                        same("leaked", &Value::Bool(false), Some(&Value::Bool(leaked)));
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Whether an expected finding is missing, or a rule was found that is not expected.
fn findings(expected: &Value, got: Option<&Value>) -> bool {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (expected, got) = (list(Some(expected)), list(got));
    let fits = |expected: &Value, got: &Value| {
        expected.get("rule") == got.get("rule")
            && expected
                .get("path")
                .is_none_or(|path| Some(path) == got.get("path"))
    };
    let missing = expected
        .iter()
        .any(|one| !got.iter().any(|other| fits(one, other)));
    let surplus = got
        .iter()
        .any(|one| !expected.iter().any(|e| e.get("rule") == one.get("rule")));
    missing || surplus
}

/// Equality with the order of members.
fn identical(a: &Value, b: &Value) -> bool {
    let [a, b] = [a, b].map(Value::to_string);
    a == b
}
