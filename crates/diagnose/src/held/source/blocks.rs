//! Blocks of Python by their indentation.

use std::ops::Range;

/// Letters before the first that is no blank; `None` for a line that says nothing.
pub(crate) fn indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty() && !text.starts_with('#')).then(|| line.len() - text.len())
}

/// The lines below `head` that belong to it: indented further, up to the first that is not.
pub(crate) fn below(lines: &[String], head: usize) -> Range<usize> {
    let Some(own) = lines.get(head).and_then(|line| indent(line)) else { return head..head };
    let ends = |line: &String| indent(line).is_some_and(|found| found <= own);
    let length = lines.iter().skip(head + 1).position(ends);
    head + 1..length.map_or(lines.len(), |length| head + 1 + length)
}

/// The innermost line above `at` that begins so and that `at` lies below: `def `, `class `.
pub(crate) fn around(lines: &[String], at: usize, keyword: &str) -> Option<usize> {
    let mut own = indent(lines.get(at)?)?;
    for (above, line) in lines.iter().enumerate().take(at).rev() {
        let Some(found) = indent(line).filter(|found| *found < own) else { continue };
        own = found;
        if line[found..].trim_start_matches("async ").starts_with(keyword) {
            return Some(above);
        }
    }
    None
}

/// The body of the one function of this name.
pub(crate) fn function(lines: &[String], name: &str) -> Option<Range<usize>> {
    let is_it = |line: &String| {
        let rest = line.trim_start().trim_start_matches("async ").strip_prefix("def ");
        rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('('))
    };
    let mut found = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(is_it));
    let (first, more) = (found.next()?, found.next());
    more.is_none().then(|| below(lines, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn blocks_end_where_the_indentation_does() {
        let code = lines("class A:\n    def f(self):\n        a\n\n# note\n        b\n    x = 1\ny = 2");
        assert_eq!(below(&code, 0), 1..7);
        assert_eq!(below(&code, 1), 2..6);
        assert_eq!(below(&code, 7), 8..8);
        assert_eq!(around(&code, 5, "def "), Some(1));
        assert_eq!(around(&code, 5, "class "), Some(0));
        assert_eq!(around(&code, 6, "def "), None);
        assert_eq!(function(&code, "f"), Some(2..6));
        assert_eq!(function(&code, "g"), None);
    }
}
