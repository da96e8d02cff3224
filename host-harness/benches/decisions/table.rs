//! One table of everything that was measured, as ratios to the bare call.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The group of our own rows.
pub const OURS: &str = "ours";
/// The group of the other engines.
pub const PEERS: &str = "peers";

/// Prints the medians that criterion wrote in this run or an earlier one.
pub fn print(folder: &Path) {
    let Some(bare) = median(&folder.join(OURS).join("bare call")) else {
        return;
    };
    println!("\n{:<62} {:>12} {:>10}", "", "median, ns", "× bare");
    for group in [OURS, PEERS] {
        let mut rows = Vec::new();
        rows_below(&folder.join(group), "", &mut rows);
        rows.sort_by(|one, other| one.1.total_cmp(&other.1));
        for (name, nanoseconds) in rows {
            println!(
                "{name:<62} {nanoseconds:>12.1} {:>10.2}",
                nanoseconds / bare
            );
        }
    }
}

fn rows_below(folder: &Path, name: &str, rows: &mut Vec<(String, f64)>) {
    if let Some(nanoseconds) = median(folder) {
        let calls = name
            .rsplit('/')
            .next()
            .and_then(|last| last.parse::<f64>().ok());
        rows.push(match calls {
            Some(calls) => (format!("{name}, each"), nanoseconds / calls),
            None => (name.to_owned(), nanoseconds),
        });
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let below = match name {
            "" => file.to_string_lossy().into_owned(),
            _ => format!("{name}/{}", file.to_string_lossy()),
        };
        if entry.path().is_dir() && file != "report" {
            rows_below(&entry.path(), &below, rows);
        }
    }
}

fn median(folder: &Path) -> Option<f64> {
    let text = fs::read_to_string(folder.join("new/estimates.json")).ok()?;
    let estimates: Value = serde_json::from_str(&text).ok()?;
    estimates.pointer("/median/point_estimate")?.as_f64()
}
