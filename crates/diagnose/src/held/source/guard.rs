//! The statement by which a program itself keeps a container small: a length that is compared, and what is done about it.
//!
//! In: lines of Python, a container's name, the lines that add to it. Out: the first such statement, and the expression that is the bound.
//! What must not happen here: a comparison taken for a bound that takes nothing out and keeps nothing from coming in (`if len(replay) > 1000:
//! train()`).

use super::blocks::{around, below, function, indent};
use super::words::{bracketed, code, is_dotted, is_name, last_name, mentions};

/// A statement that keeps a container small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    /// Its line, from 0.
    pub(crate) at: usize,
    /// The expression for the most elements that it lets be.
    pub(crate) limit: String,
}

/// Ways to take from a container.
const TAKES: [&str; 7] =
    [".pop(", ".popitem(", ".popleft(", ".clear(", ".remove(", ".discard(", ".popright("];
/// Functions that take from the list that is their first argument, or exchange an element of it.
const TAKERS: [&str; 3] = ["heappop(", "heapreplace(", "heappushpop("];
/// What a container is after it was emptied.
const EMPTY: [&str; 9] = [
    "[]",
    "{}",
    "list()",
    "dict()",
    "set()",
    "deque()",
    "collections.deque()",
    "OrderedDict()",
    "defaultdict(",
];
/// Ways to go on without what follows.
const LEAVES: [&str; 4] = ["return", "continue", "break", "raise"];

/// The statement that bounds what is called `name`, to which `adding` are all the lines that add.
pub(crate) fn guard(lines: &[String], name: &str, adding: &[usize]) -> Option<Guard> {
    let of = |at: usize| compared(lines, name, adding, at).or_else(|| cut(lines, name, at));
    (0..lines.len()).find_map(|at| {
        let (guard, container) = of(at)?;
        let own = |line: &usize| around(lines, *line, "class ") == around(lines, at, "class ");
        let is_selfs = container == "self" || container.starts_with("self.") || container.starts_with("cls.");
        (if is_selfs { adding.iter().any(own) } else { !adding.is_empty() }).then_some(guard)
    })
}

/// `if len(x) > most: x.pop(0)`, `if len(x) < most: x.append(y)`, with the container as it is written.
fn compared(lines: &[String], name: &str, adding: &[usize], at: usize) -> Option<(Guard, String)> {
    let line = code(lines.get(at)?);
    let text = line.trim_start();
    let condition = ["if ", "elif ", "while "].iter().find_map(|word| text.strip_prefix(word))?;
    let Comparison { container, over, limit, rest } = comparison(condition, name)?;
    let inside = below(lines, at);
    let is_inside = |line: &usize| *line == at && !rest.trim().is_empty() || inside.contains(line);
    let keeps_small = if over {
        let block: Vec<&str> =
            [rest].into_iter().chain(lines.get(inside.clone())?.iter().map(|line| code(line))).collect();
        block.iter().any(|line| takes(line, name) || takes_elsewhere(lines, line, name))
            || block.iter().any(|line| LEAVES.iter().any(|word| line.trim_start().starts_with(word)))
                && all_follow(lines, at, adding)
            || otherwise(lines, at).is_some_and(|other| adding.iter().all(|line| other.contains(line)))
    } else {
        adding.iter().all(is_inside)
    };
    (keeps_small && !adding.is_empty()).then_some((Guard { at, limit }, container))
}

/// A length that is compared with something.
struct Comparison<'c> {
    container: String,
    /// The condition holds when there are too many.
    over: bool,
    limit: String,
    /// What stands behind the condition on the same line.
    rest: &'c str,
}

fn comparison<'c>(condition: &'c str, name: &'c str) -> Option<Comparison<'c>> {
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
        is_bound.then(|| Comparison { container: container.to_owned(), over, limit, rest })
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

/// `x = x[-most:]`, `x[:] = x[-most:]`, `del x[:-most]`, each time it is passed.
fn cut(lines: &[String], name: &str, at: usize) -> Option<(Guard, String)> {
    let text = code(lines.get(at)?).trim();
    let (before, after) = mentions(text, name).next()?;
    let deletes = before.strip_prefix("del ");
    let prefix = deletes.unwrap_or(before);
    let container = format!("{prefix}{name}");
    if !is_dotted(&container) {
        return None;
    }
    let after = after.trim_start();
    let limit = if deletes.is_some() {
        bracketed(after)?.0.trim().strip_prefix(":-")?
    } else {
        let value = after.strip_prefix("[:]").unwrap_or(after).trim_start().strip_prefix('=')?.trim_start();
        let kept = value.strip_prefix(container.as_str())?;
        bracketed(kept)?.0.trim().strip_prefix('-')?.strip_suffix(':')?
    };
    Some((Guard { at, limit: limit.trim().to_owned() }, container))
}

/// Whether a line takes from what is called so, exchanges an element of it or empties it.
fn takes(line: &str, name: &str) -> bool {
    mentions(line, name).any(|(before, after)| {
        let after = after.trim_start();
        let call = before.trim_end_matches(|c: char| is_name(c) || c == '.');
        let statement = before.trim_start();
        let is_target =
            statement.is_empty() || statement.ends_with('.') && is_dotted(statement.trim_end_matches('.'));
        let value = after.strip_prefix("[:]").unwrap_or(after).trim_start().strip_prefix('=');
        let value = value.filter(|value| is_target && !value.starts_with('=')).map(str::trim);
        TAKES.iter().any(|take| after.starts_with(take))
            || TAKERS.iter().any(|taker| call.ends_with(taker))
            || after.starts_with('[') && call.trim_end().ends_with("del")
            || is_target && after.starts_with('[') && is_exchanged(after)
            || value.is_some_and(|value| {
                EMPTY.iter().any(|empty| value.starts_with(empty))
                    || mentions(value, name).any(|(_, after)| after.starts_with('[') && after.contains(':'))
            })
    })
}

/// `[index] = value`.
fn is_exchanged(after: &str) -> bool {
    bracketed(after).is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Whether a line calls a function of this file, by `self._evict()` or `evict(cache)`, that does so.
fn takes_elsewhere(lines: &[String], line: &str, name: &str) -> bool {
    let called = line.match_indices('(').filter_map(|(at, _)| {
        let function = line[..at].rsplit(|c: char| !is_name(c)).next()?;
        (!function.is_empty()).then_some(function)
    });
    called
        .filter_map(|called| function(lines, called))
        .any(|body| lines.get(body).is_some_and(|body| body.iter().any(|line| takes(code(line), name))))
}

/// Whether all of these lines come after the statement, in its function, and where it is passed on the way to them.
fn all_follow(lines: &[String], at: usize, adding: &[usize]) -> bool {
    let depth = |at: usize| lines.get(at).and_then(|line| indent(line)).unwrap_or(0);
    let within = around(lines, at, "def ").map_or(0..lines.len(), |head| below(lines, head));
    adding.iter().all(|line| *line > at && within.contains(line) && depth(*line) >= depth(at))
}

/// The block that is gone through when the condition does not hold.
fn otherwise(lines: &[String], at: usize) -> Option<std::ops::Range<usize>> {
    let next = below(lines, at).end;
    let line = lines.get(next)?;
    let is_else = indent(line) == indent(lines.get(at)?) && line.trim_start().starts_with("else:");
    is_else.then(|| below(lines, next))
}

#[cfg(test)]
mod tests {
    use super::super::super::adds::adds_to_list;
    use super::*;

    /// The limit of what is called `items`, a list.
    fn limit(source: &str) -> Option<String> {
        let lines: Vec<String> = source.lines().map(str::to_owned).collect();
        let adding: Vec<usize> = (0..lines.len()).filter(|at| adds_to_list(&lines[*at], "items")).collect();
        guard(&lines, "items", &adding).map(|guard| guard.limit)
    }

    fn in_class(body: &str) -> Option<String> {
        let body = body.replace('\n', "\n        ");
        limit(&format!(
            "class Replay:\n    def add(self, item):\n        {body}\n    def size(self):\n        return 1\n"
        ))
    }

    #[test]
    fn what_is_too_much_is_taken_out() {
        for body in [
            "self.items.append(item)\nif len(self.items) > self.most:\n    self.items.pop(0)",
            "if len(self.items) >= self.most:\n    del self.items[0]\nself.items.append(item)",
            "self.items.append(item)\nif len(self.items) > self.most: self.items.pop(0)",
            "self.items.append(item)\nwhile self.most < len(self.items):\n    self.items.popleft()",
            "self.items.append(item)\nif self.most and len(self.items) > self.most:\n    self.items = self.items[1:]",
            "self.items.append(item)\nif len(self) > self.most:\n    self.items.pop(0)",
            "self.items.append(item)\nif len(self.items) == self.most:\n    write(self.items)\n    self.items = []",
            "self.items.append(item)\nself.items = self.items[-self.most:]",
            "self.items.append(item)\ndel self.items[:-self.most]",
            "if len(self.items) < self.most:\n    self.items.append(item)\nelse:\n    self.items[k] = item",
            "if len(self.items) < self.most:\n    heapq.heappush(self.items, item)",
            "if len(self.items) >= self.most:\n    heapq.heapreplace(self.items, item)\nelse:\n    heapq.heappush(self.items, item)",
            "if len(self.items) >= self.most:\n    return\nself.items.append(item)",
            "for item in all:\n    if len(self.items) >= self.most:\n        break\n    self.items.append(item)",
            "if len(self.items) < self.most:\n    self.items.append(None)\nself.items[self.place] = item",
        ] {
            assert_eq!(in_class(body).as_deref(), Some("self.most"), "{body}");
        }
    }

    #[test]
    fn a_length_that_is_asked_for_something_else_is_no_bound() {
        for body in [
            "self.items.append(item)\nif len(self.items) > self.most:\n    self.train()",
            "self.items.append(item)\nif len(self.items) > self.most:\n    return self.items[-1]",
            "self.items.append(item)\nif len(self.items) > self.most:\n    self.others.pop(0)",
            "self.items.append(item)\nif len(self.others) > self.most:\n    self.items.pop(0)",
            "self.items.append(item)\nif not len(self.items) > self.most:\n    self.items.pop(0)",
            "self.items.append(item)\nif len(self.items) > 0:\n    self.items.pop(0)",
            "if len(self.items) < self.most:\n    self.items.append(item)\nself.items.append(other)",
            "if len(self.items) < self.most:\n    log(item)\nself.items.append(item)",
            "self.items.append(item)\nif len(self.items[key]) > self.most:\n    self.items[key].pop(0)",
            "self.items.append(item)\nif self.items:\n    self.items.pop(0)",
            "if len(self.items) < self.most:\n    return\nself.items.append(item)",
            "self.items.append(item)",
        ] {
            assert_eq!(in_class(body), None, "{body}");
        }
    }

    #[test]
    fn a_function_of_its_own_takes_it_out() {
        let class = |evict: &str| {
            limit(&format!(
                "class A:\n    def add(self, x):\n        self.items.append(x)\n        if len(self.items) > MOST:\n            \
                 self._evict()\n\n    def _evict(self):\n        {evict}\n"
            ))
        };
        assert_eq!(class("self.items.pop(0)").as_deref(), Some("MOST"));
        assert_eq!(class("self.log('full')"), None);
    }

    #[test]
    fn another_class_says_nothing() {
        let other = "class B:\n    def f(self, x):\n        if len(self.items) > MOST:\n            self.items.pop(0)\n";
        assert_eq!(
            limit(&format!("class A:\n    def add(self, x):\n        self.items.append(x)\n\n{other}")),
            None
        );
        assert_eq!(limit(&format!("{other}        self.items.append(x)\n")).as_deref(), Some("MOST"));
        let outside = "a.items.append(x)\nif len(a.items) > MOST:\n    a.items.pop(0)\n";
        assert_eq!(limit(outside).as_deref(), Some("MOST"));
        assert_eq!(limit("if len(a.items) > MOST:\n    a.items.pop(0)\n"), None, "nothing is added here");
    }
}
