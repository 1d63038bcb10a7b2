//! The statement of a line that holds a header too: `self.scores.append(x)` of `def on_epoch_end(self, e): self.scores.append(x)`.
//!
//! In: a line of Python. Out: the part that a change replaces. What must not happen here: a colon of a slice, a lambda or a
//! text taken for the header's end.

const HEADERS: [&str; 10] =
    ["def ", "async ", "for ", "while ", "if ", "elif ", "else:", "with ", "try:", "class "];

/// The body of a header on the same line; without one, the whole line.
pub(crate) fn statement(line: &str) -> &str {
    if !HEADERS.iter().any(|header| line.starts_with(header)) {
        return line;
    }
    let body = end_of_header(line).and_then(|end| line.get(end + 1..)).map_or("", str::trim);
    if body.is_empty() { line } else { statement(body) }
}

/// Where the colon is that ends the header.
fn end_of_header(line: &str) -> Option<usize> {
    let (mut depth, mut quote, mut lambdas) = (0_usize, None, 0_usize);
    for (at, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != character),
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ':') if depth == 0 && lambdas == 0 => return Some(at),
            (None, ':') if depth == 0 => lambdas -= 1,
            (None, 'l') if depth == 0 && starts_lambda(line, at) => lambdas += 1,
            _ => {}
        }
    }
    None
}

fn starts_lambda(line: &str, at: usize) -> bool {
    let before = line.get(..at).and_then(|text| text.chars().next_back());
    let after = line.get(at..).and_then(|text| text.strip_prefix("lambda"));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !before.is_some_and(is_word) && after.is_some_and(|rest| !rest.starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_a_change_replaces() {
        for (line, expected) in [
            ("self.scores.append(x)", "self.scores.append(x)"),
            ("def on_epoch_end(self, e, logs=None): self.scores.append(x)", "self.scores.append(x)"),
            ("def keep(x: int = {1: 2}[1]) -> None: kept[1:2] = x", "kept[1:2] = x"),
            ("for x in rows: kept.append(x)", "kept.append(x)"),
            ("if a == \":\": kept.append(a)", "kept.append(a)"),
            ("if lambda x: x: kept.append(1)", "kept.append(1)"),
            ("with open(name) as f: kept.append(f.read())", "kept.append(f.read())"),
            ("for x in rows: if x: kept.append(x)", "kept.append(x)"),
            ("for x in keep(rows):", "for x in keep(rows):"),
            ("formats: dict = {}", "formats: dict = {}"),
            ("x = [y for y in rows]", "x = [y for y in rows]"),
        ] {
            assert_eq!(statement(line), expected, "{line}");
        }
    }
}
