//! One JSON object a line on standard error. Nothing that a peer wrote is in it.

use std::io::Write as _;

use serde_json::{Map, Value};

/// Says that something happened. Members are words of this program.
pub(crate) fn say(event: &str, members: &[(&str, &str)]) {
    let mut line = Map::new();
    let mut add = |name: &str, text: &str| {
        line.insert(name.to_owned(), Value::String(text.to_owned()));
    };
    add("at", &super::exchange::now());
    add("event", event);
    for (name, text) in members {
        add(name, text);
    }
    let line = Value::Object(line);
    // Nobody reads it any more: that is no reason to stop serving.
    let _ = writeln!(std::io::stderr(), "{line}");
}
