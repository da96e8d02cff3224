//! What each host reports, and the table of all.

use anyhow::{Result, bail};
use serde::Deserialize;

/// What a host reports in the last line of its output.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The language.
    pub language: String,
    runtime: String,
    version: String,
    passed: u32,
    total: u32,
    /// Median of one settle as JSON, microseconds.
    settle_micros: f64,
    /// From the file to the first answer, milliseconds.
    load_millis: f64,
    /// Resident at the end.
    #[serde(rename = "memoryMiB")]
    memory: f64,
    /// Resident before the settles and after them; absent without any.
    #[serde(rename = "memoryBeforeMiB", default)]
    before: Option<f64>,
    #[serde(rename = "memoryAfterMiB", default)]
    after: Option<f64>,
}

/// A leak of one byte a settle is a MiB in a million; heaps that are collected
/// breathe more than that.
const BREATH_MIB: f64 = 8.0;

impl Row {
    /// Whether everything passed, and memory did not grow.
    pub fn verdict(&self, cases: u32) -> Result<()> {
        if self.passed != cases || self.total != cases {
            bail!(
                "{} of {} cases passed; there are {cases}",
                self.passed,
                self.total
            );
        }
        if let (Some(before), Some(after)) = (self.before, self.after)
            && after > before + BREATH_MIB
        {
            bail!("memory grew from {before:.1} to {after:.1} MiB");
        }
        Ok(())
    }

    fn cells(&self) -> [String; 7] {
        let settles = match (self.before, self.after) {
            (Some(before), Some(after)) => format!("{before:.1} → {after:.1}"),
            _ => "-".to_owned(),
        };
        [
            self.language.clone(),
            format!("{} {}", self.runtime, self.version),
            format!("{}/{}", self.passed, self.total),
            format!("{:.1}", self.settle_micros),
            format!("{:.0}", self.load_millis),
            format!("{:.1}", self.memory),
            settles,
        ]
    }
}

/// The table, a line for each row.
pub fn text(rows: &[Row]) -> String {
    let head = [
        "language",
        "runtime",
        "passed",
        "µs a settle",
        "load, ms",
        "memory, MiB",
        "before → after",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let mut text = String::from("\n");
    for line in &lines {
        for (column, cell) in line.iter().enumerate() {
            let longest = lines.iter().filter_map(|line| line.get(column));
            let width = longest.map(|cell| cell.chars().count()).max();
            let width = width.unwrap_or_default();
            // Words to the left, figures to the right.
            if column < 2 {
                text.push_str(&format!("{cell:width$}  "));
            } else {
                text.push_str(&format!("{cell:>width$}  "));
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(more: &str) -> Row {
        serde_json::from_str(&format!(
            r#"{{"language":"Go","runtime":"wazero","version":"1","passed":3,"total":3,
            "settleMicros":12.34,"loadMillis":56.7,"memoryMiB":8.9{more}}}"#
        ))
        .unwrap()
    }

    #[test]
    fn growth_and_missing_cases_fail() {
        row("").verdict(3).unwrap();
        assert!(row("").verdict(4).is_err());
        row(r#","memoryBeforeMiB":20.0,"memoryAfterMiB":27.0"#)
            .verdict(3)
            .unwrap();
        let error = row(r#","memoryBeforeMiB":20.0,"memoryAfterMiB":29.0"#).verdict(3);
        assert_eq!(
            error.unwrap_err().to_string(),
            "memory grew from 20.0 to 29.0 MiB"
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = text(&[row(r#","memoryBeforeMiB":1.0,"memoryAfterMiB":2.0"#)]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                "language  runtime   passed  µs a settle  load, ms  memory, MiB  before → after",
                "Go        wazero 1     3/3         12.3        57          8.9       1.0 → 2.0",
            ]
        );
    }
}
