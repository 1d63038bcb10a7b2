//! The statement by which a program itself keeps a container small: a length that is compared, and what is done about it.
//!
//! In: lines of Python, a container's name, the lines that add to it. Out: the first such statement, and the expression that is the bound.
//! What must not happen here: a comparison taken for a bound that takes nothing out and keeps nothing from coming in (`if len(replay) > 1000:
//! train()`).

use super::blocks::{around, below, function, indent};
use super::comparison::{Comparison, comparison};
use super::words::{bracketed, code, is_dotted, is_name, mentions};

/// A statement that keeps a container small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    /// Its line, from 0.
    pub(crate) at: usize,
    /// The expression for the most elements that it lets be.
    pub(crate) limit: String,
    /// More than the length is asked: the bound may never come into force.
    pub(crate) depends: bool,
}

/// Ways to take from a container.
const TAKES: [&str; 7] =
    [".pop(", ".popitem(", ".popleft(", ".clear(", ".remove(", ".discard(", ".popright("];
/// Functions that take from the list that is their first argument.
const TAKER: &str = "heappop(";
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
        let same = |line: &usize| {
            let is_class = around(lines, *line, "class ") == around(lines, at, "class ");
            let called = lines.get(*line).is_some_and(|line| spelled(code(line), name, &container));
            (container == "self" || called) && is_class || called && !is_selfs(&container)
        };
        (adding.iter().any(same) && is_reached(lines, at, adding)).then_some(guard)
    })
}

fn is_selfs(container: &str) -> bool {
    container.starts_with("self.") || container.starts_with("cls.")
}

/// Whether a line says `self.items` where that is the container, and not the `items` of something else.
fn spelled(line: &str, name: &str, container: &str) -> bool {
    let owner = container.strip_suffix(name).unwrap_or("self.");
    mentions(line, name).any(|(before, _)| {
        let own = before.rfind(|c: char| !is_name(c) && c != '.').map_or(before, |at| &before[at + 1..]);
        own == owner
    })
}

/// Whether anything leads to the statement: it stands where the container is filled, outside of functions, or in one that is called.
fn is_reached(lines: &[String], at: usize, adding: &[usize]) -> bool {
    let Some(head) = around(lines, at, "def ") else { return true };
    if adding.iter().any(|line| around(lines, *line, "def ") == Some(head)) {
        return true;
    }
    let name =
        lines.get(head).and_then(|line| line.trim_start().trim_start_matches("async ").strip_prefix("def "));
    let Some(name) = name.and_then(|name| name.split('(').next()) else { return false };
    // Keras and Python themselves call these.
    name.starts_with("on_")
        || name.starts_with("__")
        || lines.iter().enumerate().any(|(line, text)| {
            line != head && mentions(code(text), name).any(|(_, after)| after.starts_with('('))
        })
}

/// `if len(x) > most: x.pop(0)`, `if len(x) < most: x.append(y)`, with the container as it is written.
fn compared(lines: &[String], name: &str, adding: &[usize], at: usize) -> Option<(Guard, String)> {
    let line = code(lines.get(at)?);
    let text = line.trim_start();
    let condition = ["if ", "elif ", "while "].iter().find_map(|word| text.strip_prefix(word))?;
    let Comparison { container, over, limit, depends, rest } = comparison(condition, name)?;
    let inside = below(lines, at);
    let is_inside = |line: &usize| *line == at && !rest.trim().is_empty() || inside.contains(line);
    let takes = |line: &str| {
        let own = if container == "self" { format!("self.{name}") } else { container.clone() };
        takes(line, name, &own) || takes_elsewhere(lines, line, name, &own)
    };
    let keeps_small = if over {
        let block: Vec<&str> =
            [rest].into_iter().chain(lines.get(inside.clone())?.iter().map(|line| code(line))).collect();
        block.iter().any(|line| takes(line))
            || block.iter().any(|line| LEAVES.iter().any(|word| line.trim_start().starts_with(word)))
                && all_follow(lines, at, adding)
            || otherwise(lines, at).is_some_and(|other| adding.iter().all(|line| other.contains(line)))
    } else {
        adding.iter().all(is_inside)
    };
    (keeps_small && !adding.is_empty()).then_some((Guard { at, limit, depends }, container))
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
    Some((Guard { at, limit: limit.trim().to_owned(), depends: false }, container))
}

/// Whether a line takes from the container that is written so, or empties it. What exchanges an element takes none.
fn takes(line: &str, name: &str, container: &str) -> bool {
    mentions(line, name).any(|(before, after)| {
        let start = before.rfind(|c: char| !is_name(c) && c != '.').map_or(0, |at| at + 1);
        if format!("{}{name}", &before[start..]) != container {
            return false;
        }
        let (call, after) = (before[..start].trim_end(), after.trim_start());
        let is_target = call.is_empty();
        let value = after.strip_prefix("[:]").unwrap_or(after).trim_start().strip_prefix('=');
        let value = value.filter(|value| is_target && !value.starts_with('=')).map(str::trim);
        TAKES.iter().any(|take| after.starts_with(take))
            || call.ends_with(TAKER)
            || after.starts_with('[') && call.ends_with("del")
            || value.is_some_and(|value| {
                EMPTY.iter().any(|empty| value.starts_with(empty))
                    || mentions(value, name).any(|(_, after)| after.starts_with('[') && after.contains(':'))
            })
    })
}

/// Whether a line calls a function of this file, by `self._evict()` or `evict(cache)`, that does so.
fn takes_elsewhere(lines: &[String], line: &str, name: &str, container: &str) -> bool {
    let called = line.match_indices('(').filter_map(|(at, _)| {
        let function = line[..at].rsplit(|c: char| !is_name(c)).next()?;
        (!function.is_empty()).then_some(function)
    });
    called.filter_map(|called| function(lines, called)).any(|body| {
        lines.get(body).is_some_and(|body| body.iter().any(|line| takes(code(line), name, container)))
    })
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
            "if len(self.items) < self.most or item.is_rare:\n    self.items.append(item)",
            "self.items.append(item)\nif len(self.items) > self.most:\n    self.items[0] = small(self.items[0])",
            "items = self.items\nself.items.append(item)\nif len(items) > self.most:\n    items = []",
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
    fn a_function_that_nobody_calls_takes_nothing_out() {
        let program = |call: &str| {
            limit(&format!(
                "class A:\n    def add(self, x):\n        self.items.append(x)\n\n    def trim(self):\n        if len(self.items) > MOST:\n            \
                 self.items.pop(0)\n{call}\n"
            ))
        };
        assert_eq!(program(""), None);
        assert_eq!(program("a.trim()").as_deref(), Some("MOST"));
    }

    #[test]
    fn a_condition_that_asks_for_more_is_told() {
        let depends = |condition: &str| {
            let source = format!(
                "class A:\n    def add(self, x):\n        self.items.append(x)\n        if {condition}:\n            self.items.pop(0)\n"
            );
            let lines: Vec<String> = source.lines().map(str::to_owned).collect();
            guard(&lines, "items", &[2]).map(|guard| guard.depends)
        };
        assert_eq!(depends("len(self.items) > MOST"), Some(false));
        assert_eq!(depends("self.most is not None and len(self.items) > self.most"), Some(true));
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
