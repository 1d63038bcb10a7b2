//! The terminal's words for one reserved row.
//!
//! In: the terminal's size and a text. Out: escape sequences, each piece to be written at once so that nothing of the
//! program's can come between. Pure.
//!
//! The rows above the bottom one become the scroll region: whatever the program prints, with carriage returns and
//! backspaces as it likes, scrolls in there and never touches the bottom row.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// Saves the cursor and its colours; [`RESTORE_CURSOR`] brings both back.
const SAVE: &str = "\x1b7";
const RESTORE_CURSOR: &str = "\x1b8";
/// Hangul, the first script whose letters take two columns.
const FIRST_WIDE: u32 = 0x1100;
const WHOLE_REGION: &str = "\x1b[r";

/// Rows and columns of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    rows: u16,
    columns: u16,
}

impl From<(u16, u16)> for Size {
    fn from((rows, columns): (u16, u16)) -> Self {
        Self { rows, columns }
    }
}

impl Size {
    /// In less than this a line of ours would take more than it gives.
    pub(super) fn is_enough(self) -> bool {
        self.rows >= 5 && self.columns >= 40
    }

    /// Columns of the bottom row that may be used; the last one stays free, as some terminals wrap on it.
    pub(super) fn columns(self) -> usize {
        usize::from(self.columns) - 1
    }
}

/// Takes the bottom row away from the program.
///
/// The index (`ESC D`) scrolls by one if the cursor stands in that row, so that what is there moves up; unlike a line
/// feed it keeps the column. Setting the region moves the cursor, hence save and back.
pub(super) fn reserve(size: Size) -> String {
    format!("\x1bD\x1b[A{SAVE}\x1b[1;{}r{RESTORE_CURSOR}", size.rows.saturating_sub(1))
}

/// Writes the bottom row.
pub(super) fn line(size: Size, text: &str) -> String {
    format!("{SAVE}\x1b[{};1H\x1b[0m\x1b[2K{}{RESTORE_CURSOR}", size.rows, cut(text, size.columns()))
}

/// Gives the bottom row back, empty.
pub(super) fn release(size: Size) -> String {
    format!("{SAVE}{WHOLE_REGION}\x1b[{};1H\x1b[0m\x1b[2K{RESTORE_CURSOR}", size.rows)
}

/// Gives the bottom row back after the size has changed: where it stood, something of the program's may stand now.
pub(super) fn release_for_resize(_old: Size) -> String {
    format!("{SAVE}{WHOLE_REGION}{RESTORE_CURSOR}")
}

/// The text up to this many columns, without anything a terminal could take for a command.
///
/// What some terminals draw wide counts as two columns: too short a line is harmless, one that wraps is not.
fn cut(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        used += if u32::from(letter) < FIRST_WIDE { 1 } else { letter.width_cjk().unwrap_or(0) };
        if used > columns {
            break;
        }
        // Cannot fail: a String takes everything.
        out.write_char(letter).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { rows: 24, columns: 80 };

    #[test]
    fn the_region_leaves_out_the_bottom_row() {
        assert_eq!(reserve(SIZE), "\x1bD\x1b[A\x1b7\x1b[1;23r\x1b8");
    }

    #[test]
    fn each_piece_brings_the_cursor_back() {
        for text in [line(SIZE, "x"), release(SIZE), release_for_resize(SIZE)] {
            assert!(text.starts_with(SAVE) && text.ends_with(RESTORE_CURSOR), "{text:?}");
        }
    }

    #[test]
    fn text_never_wraps_and_commands_nothing() {
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(cut("ä·ü", 2), "ä·");
        assert_eq!(cut("記憶記憶", 5), "記憶");
        assert_eq!(cut("a\x1b[2Jb\r\n", 10), "a[2Jb");
    }

    #[test]
    fn small_terminals_get_no_line() {
        assert!(!Size::from((4, 80)).is_enough());
        assert!(!Size::from((24, 39)).is_enough());
        assert!(Size::from((5, 40)).is_enough());
    }
}
