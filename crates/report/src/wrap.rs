//! Breaks sentences into lines; continued lines are indented.

/// Words of `text` in lines of at most `width` columns, the second and later ones indented by `indent`.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if column > 0 {
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
        assert_eq!(wrap("", 5, 1), "");
    }
}
