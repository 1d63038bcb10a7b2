//! Breaks sentences into lines; continued lines are indented.

/// Words of `text` in lines of at most `width` columns, the second and later ones indented by `indent`; spaces at
/// the beginning stay.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let mut out = " ".repeat(text.len() - words.len());
    let mut column = out.len();
    for (i, word) in words.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > width {
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

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn continued_lines_are_indented_and_words_stay_whole() {
        assert_eq!(wrap("aa bb cc dd", 5, 2), "aa bb\n  cc\n  dd");
        assert_eq!(wrap("longerthanthewidth b", 5, 1), "longerthanthewidth\n b");
        assert_eq!(wrap("  a  b", 9, 1), "  a  b");
        assert_eq!(wrap("", 5, 1), "");
    }
}
