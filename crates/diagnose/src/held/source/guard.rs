//! The statement by which a program itself keeps a container small: a measure that is compared, and what is done about it.
//!
//! In: a file, what the container is called. Out: the first such statement, and the expression that is the limit. What must not happen here:
//! a comparison taken for a bound that takes nothing out and keeps nothing from coming in (`if len(replay) > 1000: train()`), or
//! that nothing leads to.

use std::rc::Rc;

use super::code::{Code, Node};
use super::condition::{Asked, never};
use super::filling::filled;
use super::frame::{Frame, frames};
use super::measure::{Container, Unit};
use super::number::number;
use super::path::{Path, Root, Step, are_alike};
use super::taking::{kept, takes};

/// Ways to go on without what follows.
const LEAVES: [&str; 4] = ["return_statement", "continue_statement", "break_statement", "raise_statement"];

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'w> {
    /// What the container is called.
    pub(crate) name: &'w str,
    /// The container is an entry of what is called so, with these keys where they are known.
    pub(crate) entry: Option<Option<&'w str>>,
    pub(crate) is_list: bool,
    /// The class whose object has it.
    pub(crate) owner: &'w str,
}

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
        for frame in container.frames.iter().filter(|frame| !code.is_broken(frame.function)) {
            let here = frame.nodes().filter_map(|node| container.guard(frame, node));
            guards.extend(here.filter(|_| container.is_reached(frame, is_mentioned)));
        }
    }
    guards.iter().find(|guard| guard.is_sure()).or(guards.first()).cloned()
}

/// The containers of this file that may be the wanted one, with what fills them.
fn containers<'c>(code: &'c Code, wanted: &Wanted) -> Vec<Container<'c>> {
    let frames = frames(code);
    let steps: Vec<Step> = wanted.entry.iter().map(|key| Step::Item(key.map(str::to_owned))).collect();
    let mut adding: Vec<(Rc<Frame>, Node, Path)> = Vec::new();
    for frame in &frames {
        for node in frame.nodes() {
            let Some(path) = filled(frame, node, wanted.is_list) else { continue };
            // What is put below a key may be the first of it.
            let around = if wanted.is_list || wanted.entry.is_some() { None } else { path.around() };
            let is_it = |path: &Path| {
                let (name, entries) = path.named();
                name == wanted.name && (are_alike(entries, &steps) || are_alike(&steps, entries))
            };
            if let Some(path) = [Some(path), around].into_iter().flatten().find(is_it) {
                // An entry by a name may be the one that is accused.
                let path = if path.steps.last() == Some(&Step::Item(None)) && !steps.is_empty() {
                    Path { steps: [&path.steps[..path.steps.len() - 1], &steps].concat(), ..path }
                } else {
                    path
                };
                adding.push((Rc::clone(frame), node, path));
            }
        }
    }
    // Another class may have one of the same name, and a parent's bound may be passed by.
    if let Some(owner) = code.class_named(wanted.owner) {
        let is_owners = |path: &Path| match path.root {
            Root::Class(class) => code.family(owner).contains(&class),
            _ => false,
        };
        if adding.iter().any(|(.., path)| is_owners(path)) {
            adding.retain(|(.., path)| is_owners(path));
        }
    }
    let mut found: Vec<Container> = Vec::new();
    for (frame, node, path) in adding {
        match found.iter_mut().find(|container| path.is(&container.path, code)) {
            Some(container) => container.adding.push((frame, node)),
            None => found.push(Container { path, adding: vec![(frame, node)], frames: frames.clone() }),
        }
    }
    found
}

impl<'c> Container<'c> {
    /// What a statement of a function bounds it by.
    fn guard(&self, frame: &Rc<Frame<'c>>, node: Node) -> Option<Guard> {
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
                let asked = Asked { over: true, limit, frame: inner, unit: Unit::Elements, depends: false };
                (!is_start).then_some((asked, false))?
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
        let most = number(&inner, limit);
        Some(Guard {
            at: code.line(node),
            limit: text.to_owned(),
            most,
            unit,
            depends: depends || asks_for_limit,
        })
    }

    /// Whether a condition, which holds when there is too much or while there is room, takes out or keeps from coming in.
    fn keeps_small(&self, frame: &Rc<Frame<'c>>, statement: Node, over: bool) -> bool {
        let code = frame.code;
        let Some(body) = code.field(statement, "consequence").or_else(|| code.field(statement, "body"))
        else {
            return false;
        };
        let all_are_in = |range: &dyn Fn(Node) -> bool| {
            self.adding.iter().all(|(filling, at)| filling.chain(*at).into_iter().any(range))
        };
        if !over {
            return all_are_in(&|node| code.contains(body, node));
        }
        let leaves = || {
            let is_of_inner = |node: Node| {
                code.is(node, &["continue_statement", "break_statement"])
                    && code.in_loop(node).is_some_and(|around| code.contains(body, around))
            };
            let own = |node: Node| {
                code.is(node, &LEAVES) && code.function(node) == frame.function && !is_of_inner(node)
            };
            let end = code.below(statement).end;
            let block = code.block(statement);
            code.below(body).any(own)
                && all_are_in(&|node| node >= end && block.is_some_and(|block| code.contains(block, node)))
        };
        let otherwise = || {
            let whole =
                if code.kind(statement) == "elif_clause" { code.parent(statement) } else { Some(statement) };
            let end = code.below(body).end;
            code.kind(statement) != "while_statement"
                && all_are_in(&|node| node >= end && whole.is_some_and(|whole| code.contains(whole, node)))
        };
        takes(frame, body, &self.path) || leaves() || otherwise()
    }

    /// Conditions on the way to a statement that are not also on the way to all that fills.
    fn conditions_around(&self, frame: &Rc<Frame<'c>>, node: Node) -> Vec<(Rc<Frame<'c>>, Node)> {
        let code = frame.code;
        let mut found = Vec::new();
        let (mut frame, mut node) = (Rc::clone(frame), node);
        loop {
            let above: Vec<Node> =
                code.above(node).take_while(|above| code.kind(*above) != "function_definition").collect();
            for statement in above.into_iter().filter(|one| code.is(*one, &["if_statement", "elif_clause"])) {
                let body = code.field(statement, "consequence");
                let is_in = |node: Node| body.is_some_and(|body| code.contains(body, node));
                let fills = self.adding.iter().all(|(filling, at)| filling.chain(*at).into_iter().any(is_in));
                if let (true, false, Some(condition)) =
                    (is_in(node), fills, code.field(statement, "condition"))
                {
                    found.push((Rc::clone(&frame), condition));
                }
            }
            let Some((caller, call)) = frame.caller.clone() else { return found };
            (frame, node) = (caller, call);
        }
    }

    /// Whether anything leads to a function: it fills the container, is called or handed on; Keras and Python themselves call some.
    fn is_reached(&self, frame: &Rc<Frame<'c>>, is_mentioned: &dyn Fn(&str) -> bool) -> bool {
        let code = frame.code;
        let Some(function) = frame.function else { return true };
        if self.adding.iter().any(|(filling, _)| filling.function == Some(function)) {
            return true;
        }
        if let Some((caller, _)) = &frame.caller {
            return self.is_reached(caller, is_mentioned);
        }
        let name = code.name(function);
        name.starts_with("on_")
            || name.starts_with("__")
            || code.mentions(name, Some(function))
            || is_mentioned(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Option<Guard> {
        let code = Code::of(&source.lines().map(str::to_owned).collect::<Vec<_>>())?;
        let wanted = Wanted { name: "items", entry: None, is_list: true, owner: "" };
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
