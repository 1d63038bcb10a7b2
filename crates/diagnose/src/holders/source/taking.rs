//! Statements that take something out of a container.
//!
//! In: a node, the frame that it stands in, a container. Out: whether it does, and by how much is kept. What must not happen here: another
//! container that is emptied, a variable that is given a part while the container stays whole.

use std::rc::Rc;

use super::code::Node;
use super::filling::{last_name, refers};
use super::frame::Frame;
use super::names::Value;
use super::path::{Path, Root};

/// Ways to take from a container.
const REMOVING_METHODS: [&str; 9] = [
    "pop",
    "popitem",
    "popleft",
    "popright",
    "clear",
    "remove",
    "discard",
    "get_nowait",
    "difference_update",
];
/// What makes an empty container.
const EMPTY: [&str; 6] = ["list", "dict", "set", "deque", "OrderedDict", "defaultdict"];
/// Functions that pick some out of many.
const PICKS: [&str; 3] = ["islice", "nlargest", "nsmallest"];
/// Functions in functions that are looked into.
const MAX_FUNCTION_DEPTH: usize = 3;

/// Whether anything in a block, or in a function that it calls, takes from the container.
pub(crate) fn takes(frame: &Rc<Frame>, block: Node, path: &Path) -> bool {
    takes_within(frame, block, path, MAX_FUNCTION_DEPTH)
}

/// The same where nothing more is asked within the block.
pub(super) fn takes_surely(frame: &Rc<Frame>, block: Node, path: &Path) -> bool {
    let code = frame.code;
    code.children(block).any(|statement| match code.kind(statement) {
        "if_statement" | "while_statement" | "function_definition" | "class_definition" => false,
        "for_statement" | "with_statement" | "try_statement" => code
            .children(statement)
            .any(|inner| code.kind(inner) == "block" && takes_surely(frame, inner, path)),
        _ => takes(frame, statement, path),
    })
}

fn takes_within(frame: &Rc<Frame>, block: Node, path: &Path, depth: usize) -> bool {
    let code = frame.code;
    // What a `lambda` does is done later, or never.
    let is_later = |node: Node| {
        code.above(node).take_while(|above| *above != block).any(|above| code.kind(above) == "lambda")
    };
    let own = |node: &Node| code.function(*node) == frame.function && !is_later(*node);
    std::iter::once(block).chain(code.below(block)).filter(own).any(|node| {
        takes_here(frame, node, path)
            || depth > 0 && code.kind(node) == "call" && {
                let called = code.called(node);
                called.is_some_and(|function| {
                    takes_within(&frame.entered(function, node), function, path, depth - 1)
                })
            }
    })
}

fn takes_here(frame: &Rc<Frame>, node: Node, path: &Path) -> bool {
    let code = frame.code;
    // All of a bucket goes with its entry.
    let is_it = |node: Node| {
        let found = frame.path(node);
        found.is_some_and(|found| {
            found.is(path, code) || path.around().is_some_and(|around| found.is(&around, code))
        })
    };
    match code.kind(node) {
        "call" => {
            let Some(function) = code.field(node, "function") else { return false };
            let name = last_name(code, function);
            if code.kind(function) == "attribute" && REMOVING_METHODS.contains(&name) {
                return code.field(function, "object").is_some_and(is_it);
            }
            let first = code.field(node, "arguments").and_then(|list| code.children(list).next());
            name == "heappop" && first.is_some_and(is_it)
        }
        "delete_statement" => {
            let target = |node: &Node| code.kind(*node) == "subscript";
            let of = |node: Node| code.field(node, "value").is_some_and(is_it);
            code.below(node).filter(target).any(of)
        }
        "assignment" => {
            let Some(value) = code.field(node, "right").map(|value| code.bare(value)) else { return false };
            if !is_set(frame, node, path) {
                return false;
            }
            let is_empty = match code.kind(value) {
                "list" | "dictionary" => code.children(value).next().is_none(),
                "call" => {
                    code.field(value, "function").is_some_and(|name| EMPTY.contains(&last_name(code, name)))
                        && !refers(frame, value, path)
                }
                _ => false,
            };
            let is_part = |node: Node| match code.kind(node) {
                "slice" => code
                    .parent(node)
                    .and_then(|part| code.field(part, "value"))
                    .is_some_and(|of| derives(frame, of, path)),
                "call" => {
                    code.field(node, "function").is_some_and(|name| PICKS.contains(&last_name(code, name)))
                        && derives(frame, node, path)
                }
                kind => kind == "if_clause",
            };
            is_empty || refers(frame, value, path) && code.below(value).any(is_part)
        }
        _ => false,
    }
}

/// Whether an assignment sets the container itself, or all that is in it; a variable that only stood for it is none.
pub(super) fn is_set(frame: &Frame, assignment: Node, path: &Path) -> bool {
    let code = frame.code;
    let Some(left) = code.field(assignment, "left") else { return false };
    let whole = code.field(left, "subscript").is_some_and(|part| code.text(part).trim() == ":");
    let target = if whole { code.field(left, "value").unwrap_or(left) } else { left };
    let Some(found) = frame.path(target).filter(|found| found.is(path, code)) else { return false };
    if whole || code.kind(target) != "identifier" {
        return true;
    }
    let name = code.text(target);
    let is_parameter =
        frame.function.is_some_and(|function| code.parameters(function).iter().any(|(own, _)| *own == name));
    let is_own = match &found.root {
        Root::Local(function, own) => frame.function == Some(*function) && own == name,
        Root::Global(own) => own == name && code.home(frame.function, name).is_none(),
        Root::Class(_) => false,
    };
    is_own && found.steps.is_empty() && !is_parameter
}

/// Of `x = x[-most:]`, `x[:] = sorted(x)[:most]` and `del x[:-most]`, which keep no more each time they are passed: the number that is kept.
pub(crate) fn kept<'c>(frame: &Rc<Frame<'c>>, node: Node, path: &Path) -> Option<(Node, Rc<Frame<'c>>)> {
    let code = frame.code;
    match code.kind(node) {
        "delete_statement" => {
            let target = code.children(node).next().filter(|target| code.kind(*target) == "subscript")?;
            let of = frame.path(code.field(target, "value")?).filter(|of| of.is(path, code));
            let (bound, is_end) = one_bound(frame, target).filter(|_| of.is_some())?;
            let most = match (is_end, negated(frame, bound)) {
                (true, most) => most,
                (false, None) => Some(bound),
                (false, Some(_)) => None,
            };
            most.map(|most| (most, Rc::clone(frame)))
        }
        "assignment" => {
            let value = code.bare(code.field(node, "right")?);
            if let Some(most) = last_ones(frame, value) {
                let is_its = is_set(frame, node, path) && derives(frame, value, path);
                return is_its.then(|| (most, Rc::clone(frame)));
            }
            // `self.items = shortened(self.items, most)`
            let call = Some(value).filter(|value| code.kind(*value) == "call")?;
            let function = code.called(call)?;
            if !is_set(frame, node, path) || !refers(frame, call, path) {
                return None;
            }
            let inner = frame.entered(function, call);
            let returned = |node: &Node| code.kind(*node) == "return_statement";
            let mut values = inner.nodes().filter(returned).filter_map(|node| code.children(node).next());
            let (first, more) = (values.next()?, values.next());
            let most = last_ones(&inner, code.bare(first)).filter(|_| more.is_none())?;
            derives(&inner, first, path).then_some((most, inner))
        }
        _ => None,
    }
}

/// Whether an expression has to do with the container: says it, or a variable that was made of it.
pub(super) fn derives(frame: &Frame, expression: Node, path: &Path) -> bool {
    let code = frame.code;
    let made_of_it = |name: Node| {
        code.values(frame.function, code.text(name)).iter().any(|(_, value)| match value {
            Value::Is(value) | Value::IsEntry(value) => refers(frame, *value, path),
            Value::Unknown => false,
        })
    };
    refers(frame, expression, path)
        || std::iter::once(expression)
            .chain(code.below(expression))
            .any(|node| code.kind(node) == "identifier" && made_of_it(node))
}

/// `most` of `x[-most:]` and `x[:most]`.
fn last_ones(frame: &Frame, value: Node) -> Option<Node> {
    let code = frame.code;
    if code.kind(value) == "call" {
        let is_picked = ["nlargest", "nsmallest"].contains(&last_name(code, code.field(value, "function")?));
        return code.children(code.field(value, "arguments")?).next().filter(|_| is_picked);
    }
    let (bound, is_end) = one_bound(frame, value)?;
    match (is_end, negated(frame, bound)) {
        (false, most) => most,
        (true, None) => Some(bound),
        (true, Some(_)) => None,
    }
}

/// The one bound of a slice, and whether it is its end.
fn one_bound(frame: &Frame, value: Node) -> Option<(Node, bool)> {
    let code = frame.code;
    let part = code.field(value, "subscript").filter(|part| code.kind(*part) == "slice")?;
    let mut bounds = code.children(part);
    let bound = bounds.next().filter(|_| bounds.next().is_none())?;
    let text = code.text(part).trim();
    (text.matches(':').count() == 1).then(|| (bound, text.starts_with(':')))
}

/// `most` of `-most`.
fn negated(frame: &Frame, node: Node) -> Option<Node> {
    let code = frame.code;
    let is_minus = code.field(node, "operator").is_some_and(|sign| code.text(sign) == "-");
    code.field(node, "argument").filter(|_| code.kind(node) == "unary_operator" && is_minus)
}
