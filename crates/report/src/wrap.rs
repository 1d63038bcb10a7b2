//! Breaks sentences into lines; continued lines are indented.

/// Words of `text` in lines of at most `width` columns, the second and later ones indented by `indent`; spaces at
/// the beginning stay. A number and its unit stay together.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let mut out = " ".repeat(text.len() - words.len());
    let mut column = out.len();
    let words: Vec<&str> = words.split(' ').collect();
    for (i, word) in words.iter().enumerate() {
        let length = word.chars().count();
        let unit = words.get(i + 1).filter(|next| is_number(word) && is_unit(next));
        let needed = length + unit.map_or(0, |unit| 1 + unit.chars().count());
        let belongs = i > 0 && is_unit(word) && words.get(i - 1).is_some_and(|before| is_number(before));
        if i > 0 && column + 1 + needed > width && !(belongs && column + 1 + length <= width) {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
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
    }
}
