//! Names as whole words in a line of code.

/// A letter of a name.
pub(crate) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A line without its comment. A `#` in a text ends it, too: what is behind it is not read.
pub(crate) fn code(line: &str) -> &str {
    line.split('#').next().unwrap_or(line)
}

/// Where `name` stands as a word of its own: what is before it, and what behind.
pub(crate) fn mentions<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = (&'c str, &'c str)> {
    let parts = code.match_indices(name).map(move |(at, _)| (&code[..at], &code[at + name.len()..]));
    parts.filter(|(before, after)| !before.ends_with(is_name) && !after.starts_with(is_name))
}

/// What stands in the brackets that `code` begins with, and what behind them.
pub(crate) fn bracketed(code: &str) -> Option<(&str, &str)> {
    let inner = code.strip_prefix(['(', '[', '{'])?;
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + c.len_utf8()..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_their_own() {
        let found = |code, name| mentions(code, name).count();
        assert_eq!(found("heapq.heappush(self.heap, x)", "heap"), 1);
        assert_eq!(found("heap = heap + heap_of", "heap"), 2);
        assert_eq!(found("heaps", "heap"), 0);
        assert_eq!(
            mentions("heapq.heappush(self.heap, x)", "heap").next(),
            Some(("heapq.heappush(self.", ", x)"))
        );
    }

    #[test]
    fn brackets_end_where_they_end() {
        assert_eq!(bracketed("(a[0], (b)) > c"), Some(("a[0], (b)", " > c")));
        assert_eq!(bracketed("(a"), None);
        assert_eq!(bracketed("a"), None);
    }
}
