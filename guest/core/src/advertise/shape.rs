//! Collects findings, and the small tests of shape that all members share.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Finding, below};
use crate::json::Value;

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.0
    }

    pub(super) fn add(&mut self, rule: &'static str, path: &str, problem: &str) {
        self.0.push(Finding {
            rule,
            path: path.to_string(),
            problem: problem.to_string(),
        });
    }

    /// A finding about the shape of the document.
    pub(super) fn schema(&mut self, path: &str, problem: &str) {
        self.add("discovery.schema", path, problem);
    }

    /// An object that must have no other members. Their names are not repeated.
    pub(super) fn closed(&mut self, value: &Value, path: &str, known: &[&str]) {
        match value {
            Value::Object(members) => {
                if members
                    .iter()
                    .any(|(name, _)| !known.contains(&name.as_str()))
                {
                    let problem = alloc::format!("must have no members but {}", known.join(", "));
                    self.schema(path, &problem);
                }
            }
            _ => self.schema(path, "must be an object"),
        }
    }

    /// A member that, if there, must be text of some form.
    pub(super) fn text(
        &mut self,
        object: &Value,
        path: &str,
        name: &str,
        fits: impl Fn(&str) -> bool,
        problem: &str,
    ) {
        match object.member(name).map(Value::as_str) {
            None => {}
            Some(Some(text)) if fits(text) => {}
            Some(_) => self.schema(&below(path, name), problem),
        }
    }

    /// A member that, if there, must be a boolean.
    pub(super) fn boolean(&mut self, object: &Value, path: &str, name: &str) {
        if !matches!(object.member(name), None | Some(Value::Bool(_))) {
            self.schema(&below(path, name), "must be true or false");
        }
    }

    /// A member that, if there, must be a list of texts of some form.
    pub(super) fn texts(
        &mut self,
        object: &Value,
        path: &str,
        name: &str,
        fits: impl Fn(&str) -> bool,
        problem: &str,
    ) {
        match object.member(name) {
            None => {}
            Some(Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    if !item.as_str().is_some_and(&fits) {
                        self.schema(&alloc::format!("{}[{index}]", below(path, name)), problem);
                    }
                }
            }
            Some(_) => self.schema(&below(path, name), "must be a list"),
        }
    }
}
