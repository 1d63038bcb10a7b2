//! Breaks sentences into lines; continued lines are indented.
//!
//! In: a text, which may have colours. Out: lines as a terminal counts columns: a wide letter takes two, a colour none.

use textwrap::core::{Fragment, display_width};
use textwrap::wrap_algorithms::wrap_first_fit;

/// What stays on one line: a word, or a number and its unit, with the spaces behind it.
#[derive(Debug)]
struct Piece<'a> {
    text: &'a str,
    spaces: usize,
}

impl Fragment for Piece<'_> {
    fn width(&self) -> f64 {
        display_width(self.text) as f64
    }

    fn whitespace_width(&self) -> f64 {
        self.spaces as f64
    }

    fn penalty_width(&self) -> f64 {
        0.0
    }
}

/// Words of `text` in lines of at most `width` columns, the second and later ones indented by `indent`; spaces at
/// the beginning stay. A number and its unit stay together.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let first = text.len() - words.len();
    let pieces = pieces(words);
    let widths = [first, indent].map(|taken| width.saturating_sub(taken) as f64);
    let mut out = " ".repeat(first);
    for (i, line) in wrap_first_fit(&pieces, &widths).into_iter().enumerate() {
        if i > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        for (j, piece) in line.iter().enumerate() {
            out.push_str(piece.text);
            if j + 1 < line.len() {
                out.push_str(&" ".repeat(piece.spaces));
            }
        }
    }
    out
}

/// Columns that a text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    display_width(text)
}

fn pieces(words: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for word in words.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ');
        let before = words.get(begin..end).unwrap_or_default();
        let is_bound = is_number(before.trim_end_matches(' ')) && before.ends_with(' ') && is_unit(bare);
        if end > begin && !bare.is_empty() && !is_bound {
            pieces.push(piece(before));
            begin = end;
        }
        end += word.len();
    }
    pieces.push(piece(words.get(begin..).unwrap_or_default()));
    pieces
}

fn piece(text: &str) -> Piece<'_> {
    let bare = text.trim_end_matches(' ');
    Piece { text: bare, spaces: text.len() - bare.len() }
}

fn is_number(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit())
}

/// A unit, with the punctuation behind it.
fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches([')', '.', ',', ':', ';']);
    matches!(word, "B" | "KiB" | "MiB" | "GiB" | "TiB" | "%" | "s" | "min" | "h" | "days")
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn continued_lines_are_indented_and_words_stay_whole() {
        assert_eq!(wrap("aa bb cc dd", 5, 2), "aa bb\n  cc\n  dd");
        assert_eq!(wrap("longerthanthewidth b", 5, 1), "longerthanthewidth\n b");
        assert_eq!(wrap("  a  b", 9, 1), "  a  b");
        assert_eq!(wrap("", 5, 1), "");
        assert_eq!(wrap("up to 8.3 MiB).", 11, 2), "up to\n  8.3 MiB).");
        assert_eq!(wrap("8 in the", 4, 0), "8 in\nthe");
        assert_eq!(wrap("8 MiB, 9 s, 7 %", 7, 0), "8 MiB,\n9 s,\n7 %");
    }

    #[test]
    fn wide_letters_take_two_columns_and_colours_none() {
        assert_eq!(wrap("記憶 記憶 b", 9, 0), "記憶 記憶\nb");
        assert_eq!(wrap("\u{1b}[1mLEAK\u{1b}[0m ab", 7, 0), "\u{1b}[1mLEAK\u{1b}[0m ab");
    }
}
