//! Reads the members of a request, and says what is wrong without repeating any of it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::value::has_repeats;
use super::{MAX_REQUEST, Number, Value};
use crate::facet::Fault;

/// A request that cannot be read: where, and what to do. Never the value itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest {
    /// The path of the member, such as `exchange.headers[2]`.
    pub path: String,
    /// What it must be.
    pub problem: String,
}

impl BadRequest {
    /// A problem at a path.
    #[must_use]
    pub fn new(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_string(),
            problem: problem.to_string(),
        }
    }
}

impl From<Fault> for BadRequest {
    fn from(fault: Fault) -> Self {
        Self {
            path: fault.path,
            problem: fault.problem,
        }
    }
}

/// One object of a request, with the path to it.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    path: &'a str,
    members: &'a [(String, Value)],
}

/// Parses a whole request, which must be an object.
///
/// # Errors
/// Text that is too long, or is no JSON object.
pub fn parse_request(text: &str) -> Result<Value, BadRequest> {
    if text.len() > MAX_REQUEST {
        return Err(BadRequest::new(
            "request",
            "must be at most 65536 bytes long",
        ));
    }
    match Value::parse(text) {
        Some(value @ Value::Object(_)) => Ok(value),
        Some(_) => Err(BadRequest::new("request", "must be a JSON object")),
        None => Err(BadRequest::new("request", "must be JSON text")),
    }
}

impl<'a> Object<'a> {
    /// Parses nothing: takes a value that must be an object, all of whose members are known.
    ///
    /// # Errors
    /// Another type, a repeated member, an unknown member.
    pub fn read(path: &'a str, value: &'a Value, known: &[&str]) -> Result<Self, BadRequest> {
        let object = Self::open(path, value)?;
        if object
            .members
            .iter()
            .any(|(name, _)| !known.contains(&name.as_str()))
        {
            let problem = format!("must have no members but {}", known.join(", "));
            return Err(BadRequest::new(path, &problem));
        }
        Ok(object)
    }

    /// As [`Object::read`], but any further member is left alone.
    ///
    /// # Errors
    /// Another type, a repeated member.
    pub fn open(path: &'a str, value: &'a Value) -> Result<Self, BadRequest> {
        let Value::Object(members) = value else {
            return Err(BadRequest::new(path, "must be an object"));
        };
        if has_repeats(members) {
            return Err(BadRequest::new(path, "must have no member twice"));
        }
        Ok(Self { path, members })
    }

    /// A member, if it is there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.members
            .iter()
            .find(|(member, _)| member == name)
            .map(|(_, value)| value)
    }

    /// The path of a member.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        if self.path == "request" {
            name.to_string()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// An error at a member.
    #[must_use]
    pub fn bad(&self, name: &str, problem: &str) -> BadRequest {
        BadRequest::new(&self.path(name), problem)
    }

    /// A member that must be there.
    ///
    /// # Errors
    /// It is missing.
    pub fn need(&self, name: &str) -> Result<&'a Value, BadRequest> {
        self.get(name).ok_or_else(|| self.bad(name, "is missing"))
    }

    /// A string, if it is there.
    ///
    /// # Errors
    /// Another type.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, BadRequest> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.bad(name, "must be a string")),
        }
    }

    /// A string that must be there.
    ///
    /// # Errors
    /// It is missing, or of another type.
    pub fn need_text(&self, name: &str) -> Result<&'a str, BadRequest> {
        self.need(name)?
            .as_str()
            .ok_or_else(|| self.bad(name, "must be a string"))
    }

    /// A string that must be one of a few.
    ///
    /// # Errors
    /// It is missing, or something else.
    pub fn need_one_of<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, BadRequest> {
        let given = self.need(name)?;
        self.one_of(name, given, choices)
    }

    /// A given member that must be one of a few strings.
    ///
    /// # Errors
    /// It is something else.
    pub fn one_of<T: Copy>(
        &self,
        name: &str,
        given: &Value,
        choices: &[(&str, T)],
    ) -> Result<T, BadRequest> {
        let given = given.as_str();
        choices
            .iter()
            .find(|(word, _)| given == Some(*word))
            .map(|(_, choice)| *choice)
            .ok_or_else(|| {
                let words: Vec<_> = choices
                    .iter()
                    .map(|(word, _)| format!("\"{word}\""))
                    .collect();
                self.bad(name, &format!("must be {}", words.join(" or ")))
            })
    }

    /// A boolean that must be there.
    ///
    /// # Errors
    /// It is missing, or of another type.
    pub fn need_bool(&self, name: &str) -> Result<bool, BadRequest> {
        match self.need(name)? {
            Value::Bool(value) => Ok(*value),
            _ => Err(self.bad(name, "must be true or false")),
        }
    }

    /// An integer within bounds, if it is there.
    ///
    /// # Errors
    /// Another type, or out of bounds.
    pub fn integer(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, BadRequest> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(Number::Unsigned(value))) if (least..=most).contains(value) => {
                Ok(Some(*value))
            }
            Some(_) => Err(self.bad(name, &format!("must be an integer from {least} to {most}"))),
        }
    }

    /// An integer within bounds that must be there.
    ///
    /// # Errors
    /// It is missing, of another type, or out of bounds.
    pub fn need_integer(&self, name: &str, least: u64, most: u64) -> Result<u64, BadRequest> {
        self.integer(name, least, most)?
            .ok_or_else(|| self.bad(name, "is missing"))
    }

    /// Any JSON that a peer wrote, if it is there.
    ///
    /// # Errors
    /// It names a member twice, at any depth.
    pub fn foreign(&self, name: &str) -> Result<Option<&'a Value>, BadRequest> {
        match self.get(name) {
            Some(value) if value.repeats_a_member() => {
                Err(self.bad(name, "must have no member twice"))
            }
            other => Ok(other),
        }
    }
}
