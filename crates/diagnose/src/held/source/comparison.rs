//! The length of a container in a condition: `len(self.items) > self.most`.
//!
//! In: a condition. Out: whether it holds when there are too many elements or while there is room, and what the length is compared with. What must
//! not happen here: whether there is anything at all (`len(x) > 0`) taken for a bound.

use super::words::{bracketed, is_dotted, last_name, mentions};

/// A length that is compared with something.
pub(super) struct Comparison<'c> {
    pub(super) container: String,
    /// The condition holds when there are too many.
    pub(super) over: bool,
    /// The expression it is compared with.
    pub(super) limit: String,
    /// More is asked than the length.
    pub(super) depends: bool,
    /// What stands behind the condition on the same line.
    pub(super) rest: &'c str,
}

/// In a condition, without its `if`, the length of what is called `name`, or of `self`.
pub(super) fn comparison<'c>(condition: &'c str, name: &'c str) -> Option<Comparison<'c>> {
    let (condition, rest) = head(condition)?;
    let found = |(before, after): (&str, &str)| {
        let (inside, behind) = bracketed(after)?;
        let container = inside.trim();
        if before.trim_end().ends_with("not") || !is_dotted(container) {
            return None;
        }
        if last_name(container) != name && container != "self" {
            return None;
        }
        let behind = behind.trim_start();
        let operator = |text: &str, starts: bool| {
            let all = [(">=", true), ("<=", false), ("==", true), (">", true), ("<", false)];
            let is_it = |(sign, _): &&(&'static str, bool)| {
                if starts { text.starts_with(sign) } else { text.ends_with(sign) }
            };
            all.iter().find(is_it).copied()
        };
        let (over, limit) = if let Some((sign, over)) = operator(behind, true) {
            (over, first_term(behind[sign.len()..].trim_start()))
        } else {
            let before = before.trim_end();
            let (sign, over) = operator(before, false)?;
            (!over || sign == "==", last_term(before[..before.len() - sign.len()].trim_end()))
        };
        let limit = limit.trim().trim_start_matches('(').to_owned();
        // Whether there is anything at all is no bound.
        let is_bound = !limit.is_empty() && !["0", "1"].contains(&limit.as_str());
        // `len(x) < most or x is new` lets more in.
        let is_bound = is_bound && (over || !condition.contains(" or "));
        let depends = condition.contains(" and ");
        is_bound.then(|| Comparison { container: container.to_owned(), over, limit, depends, rest })
    };
    mentions(condition, "len").find_map(found)
}

/// The condition of a statement, and what stands behind its colon.
fn head(condition: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in condition.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 => return Some((&condition[..at], &condition[at + 1..])),
            _ => {}
        }
    }
    None
}

fn first_term(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return &text[..at],
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (text[at..].starts_with(" and ") || text[at..].starts_with(" or ")) {
            return &text[..at];
        }
    }
    text
}

fn last_term(text: &str) -> &str {
    [" and ", " or ", "not "].iter().fold(text, |text, word| text.rsplit(word).next().unwrap_or(text))
}
