//! What people read on standard error.

use std::io::Write as _;

use clap::builder::styling::{AnsiColor, Style};

/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What did not.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// A heading.
pub(crate) const HEAD: Style = Style::new().bold();
/// What may be passed over.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Says a line. A closed standard error leaves nobody to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Says what went wrong.
pub(crate) fn error(message: &str) {
    say(&format!("{BAD}error:{BAD:#} {}", shown(message)));
}

/// Text that may come from a file, fit for a terminal: one line, nothing that moves the cursor,
/// not endless.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        if position == MAX_SHOWN {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Characters that print nothing or turn the text around them.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}')
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

const MAX_SHOWN: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shown_moves_the_cursor() {
        assert_eq!(
            shown("a\u{1b}[2Jb\nc\u{202e}d"),
            "a\\u{1b}[2Jb\\u{a}c\\u{202e}d"
        );
        assert_eq!(shown(&"é".repeat(3000)).chars().count(), MAX_SHOWN + 1);
    }
}
