//! The statement by which a program itself keeps a container small: a measure that is compared, and what is done about it.
//!
//! In: a file, what the container is called. Out: the first such statement, and the expression that is the limit. What must not happen here:
//! a comparison taken for a bound that takes nothing out and keeps nothing from coming in (`if len(replay) > 1000: train()`), or
//! that nothing leads to.

use std::rc::Rc;

use super::code::{Code, Node};
use super::condition::{Asked, never};
use super::container::{Container, Wanted, containers};
use super::frame::Frame;
use super::measure::Unit;
use super::number::{is_fixed, number};
use super::path::{Root, Step};
use super::taking::kept;

/// A statement that keeps a container small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    /// Its line, from 0.
    pub(crate) at: usize,
    /// The expression for the most that it lets be.
    pub(crate) limit: String,
    /// That as a number, where the source says it once.
    pub(crate) most: Option<u64>,
    pub(crate) unit: Unit,
    /// More is asked than how much there is: the bound may never come into force.
    pub(crate) depends: bool,
}

impl Guard {
    /// `if self.limit is not None and len(...) > self.limit`: where nobody sees it set, it is none.
    pub(crate) fn is_sure(&self) -> bool {
        self.most.is_some() || !self.depends
    }
}

/// The statement that bounds what is wanted. `is_mentioned` says of a function's name whether other files say it.
pub(crate) fn guard(code: &Code, wanted: &Wanted, is_mentioned: &dyn Fn(&str) -> bool) -> Option<Guard> {
    code.is_about(code.class_named(wanted.owner));
    let mut guards = Vec::new();
    for container in containers(code, wanted) {
        for frame in container.frames.all.iter().filter(|frame| !code.is_broken(frame.function)) {
            let nodes = frame.nodes().take_while(|_| !code.is_spent());
            let here = nodes.filter_map(|node| container.guard(frame, node, wanted.numbers));
            guards.extend(here.filter(|_| container.is_reached(frame, is_mentioned)));
        }
    }
    let found = guards.iter().find(|guard| guard.is_sure()).or(guards.first());
    // Nothing is said of a file that takes too long.
    found.filter(|_| !code.is_spent()).cloned()
}

impl<'c> Container<'c> {
    /// What a statement of a function bounds it by.
    fn guard(&self, frame: &Rc<Frame<'c>>, node: Node, numbers: &[(String, Option<u64>)]) -> Option<Guard> {
        let code = frame.code;
        let (asked, depends) = match code.kind(node) {
            "if_statement" | "elif_clause" | "while_statement" => {
                let all = self.asked(frame, code.field(node, "condition")?);
                let asked = all.into_iter().find(|asked| self.keeps_small(frame, node, asked.over))?;
                let depends = asked.depends;
                (asked, depends)
            }
            "assignment" | "delete_statement" => {
                let (limit, inner) = kept(frame, node, &self.path)?;
                let is_start = frame.function.is_some_and(|function| code.name(function) == "__init__");
                let is_bound = !is_start && !self.rises(&inner, limit);
                let asked = Asked { over: true, limit, frame: inner, unit: Unit::Elements, depends: false };
                is_bound.then_some((asked, false))?
            }
            _ => return None,
        };
        let Asked { limit, frame: inner, unit, .. } = asked;
        let around = self.conditions_around(frame, node);
        if around.iter().any(|(frame, condition)| never(frame, *condition, false)) {
            return None;
        }
        let text = inner.code.text(limit);
        let asks_for_limit = around.iter().any(|(frame, condition)| {
            std::iter::once(*condition)
                .chain(code.below(*condition))
                .any(|part| frame.code.text(part) == text)
        });
        let most = match self.seen(&inner, limit, numbers) {
            // No length is above `None`.
            Some(Seen::Nothing) => return None,
            Some(Seen::Number(most)) => Some(most),
            None => number(&inner, limit),
        };
        Some(Guard {
            at: code.line(node),
            limit: text.to_owned(),
            most,
            unit,
            depends: depends || asks_for_limit,
        })
    }
}

/// What a look met in place of a limit.
enum Seen {
    Number(u64),
    /// `None`.
    Nothing,
}

impl Container<'_> {
    /// The value of a limit that is an attribute of the object that has the container, and keeps what it was made with.
    fn seen(&self, frame: &Frame, limit: Node, numbers: &[(String, Option<u64>)]) -> Option<Seen> {
        let is_of_object = matches!(self.path.root, Root::Class(_))
            && self.path.steps.iter().filter(|step| matches!(step, Step::Attribute(_))).count() == 1;
        let name = frame.code.text(limit).strip_prefix("self.").filter(|_| is_of_object)?;
        let (_, value) = numbers.iter().find(|(one, _)| one == name)?;
        is_fixed(frame.code, name).then_some(value.map_or(Seen::Nothing, Seen::Number))
    }
}

#[cfg(test)]
mod tests {
    use super::super::container::Part;
    use super::*;

    fn found(source: &str) -> Option<Guard> {
        found_with(source, &[])
    }

    fn found_with(source: &str, numbers: &[(String, Option<u64>)]) -> Option<Guard> {
        let code = Code::of(&source.lines().map(str::to_owned).collect::<Vec<_>>())?;
        let wanted = Wanted { name: "items", part: Part::Whole, is_list: true, owner: "", numbers };
        guard(&code, &wanted, &|_| false)
    }

    /// The limit of what is called `items`, a list.
    fn limit(source: &str) -> Option<String> {
        found(source).map(|guard| guard.limit)
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
    fn a_limit_that_a_look_met_has_its_value() {
        let source = |other: &str| {
            format!(
                "class A:\n    def __init__(self, most):\n        self.items, self.most = [], most\n\n    def add(self, x):\n        \
                 self.items.append(x)\n        if len(self.items) > self.most:\n            self.items.pop(0)\n{other}"
            )
        };
        let most = |other: &str, value: Option<u64>| {
            found_with(&source(other), &[("other".to_owned(), Some(3)), ("most".to_owned(), value)])
                .map(|guard| guard.most)
        };
        assert_eq!(found(&source("")).map(|guard| guard.most), Some(None), "the source does not say it");
        assert_eq!(most("", Some(400)), Some(Some(400)));
        assert_eq!(most("", None), None, "no bound");
        let grows = "\n    def widen(self):\n        self.most += 100\n";
        assert_eq!(most(grows, Some(400)), None, "a limit that rises is none");
        let set = "\n    def set(self, most):\n        self.most = most\n";
        assert_eq!(most(set, Some(400)), Some(None), "another may be set");
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
            found(&source).map(|guard| guard.depends)
        };
        assert_eq!(depends("len(self.items) > MOST"), Some(false));
        assert_eq!(depends("self.most is not None and len(self.items) > self.most"), Some(true));
    }

    #[test]
    fn a_function_that_is_not_understood_bounds_nothing() {
        let source = |line: &str| {
            format!(
                "def add(a, x):\n    a.items.append(x)\n    {line}\n    if len(a.items) > MOST:\n        a.items.pop(0)\n"
            )
        };
        assert_eq!(limit(&source("y = 3")).as_deref(), Some("MOST"));
        assert_eq!(limit(&source("y = = 3")), None);
        assert_eq!(limit(&(source("y = 3") + "def other():\n    y = = 3\n")).as_deref(), Some("MOST"));
    }

    #[test]
    fn names_that_lead_on_and_on_come_to_an_end() {
        let function = |n: usize| {
            let returns = format!("    if x: return f{}(a)\n", n + 1).repeat(40);
            format!(
                "def f{n}(a):\n{returns}    g(a)\ndef g{n}(a):\n{}",
                format!("    g{}(a)\n", n + 1).repeat(40)
            )
        };
        let functions: String = (0..9).map(function).collect();
        let source = format!(
            "{functions}def add(a, x):\n    a.items.append(x)\n    if f0(a) or len(a.items) > 4:\n        g0(a)\n"
        );
        assert_eq!(limit(&source), None);
    }

    #[test]
    fn what_takes_too_long_comes_to_an_end_and_says_nothing() {
        let source = |calls: usize| {
            let limit = format!("{}3{}", "f(".repeat(calls), ")".repeat(calls));
            let text = format!(
                "class A:\n    def add(self, x):\n        self.items.append(x)\n        if len(self.items) > {limit}:\n            self.items.pop(0)\n"
            );
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        for (calls, is_spent) in [(10, false), (5000, true)] {
            let code = Code::of(&source(calls)).expect("it is Python");
            let wanted = Wanted { name: "items", part: Part::Whole, is_list: true, owner: "A", numbers: &[] };
            assert_eq!((guard(&code, &wanted, &|_| false).is_none(), code.is_spent()), (is_spent, is_spent));
        }
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
