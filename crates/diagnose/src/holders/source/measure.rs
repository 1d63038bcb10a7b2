//! What says how full a container is: its length, a sum over it, a number that is counted up beside it.
//!
//! In: an expression, the container, the statements that fill it. Out: whether it is such a measure, and in which unit. What must not happen
//! here: a number that nobody counts up where the container is filled; a length that was taken before the loop.

use std::rc::Rc;

use super::code::Node;
use super::container::Container;
use super::filling::{filled, last_name, refers};
use super::frame::Frame;
use super::path::{Path, Root};
use super::taking::{derives, takes_surely};

/// Names, methods and properties that stand for measures.
const MAX_MEASURE_DEPTH: usize = 4;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Elements,
    Bytes,
    Other,
}

/// How full the container is, less some expression, or the room that is left of that.
pub(crate) struct Measure<'c> {
    pub(crate) unit: Unit,
    pub(crate) less: Option<(Node, Rc<Frame<'c>>)>,
    /// That expression less how full it is.
    pub(crate) is_room: bool,
}

impl<'c> Container<'c> {
    /// Whether an expression in a frame says how full it is.
    pub(crate) fn measure(&self, frame: &Rc<Frame<'c>>, node: Node) -> Option<Measure<'c>> {
        self.measure_within(frame, node, MAX_MEASURE_DEPTH)
    }

    fn measure_within(&self, frame: &Rc<Frame<'c>>, node: Node, depth: usize) -> Option<Measure<'c>> {
        let (code, depth) = (frame.code, depth.checked_sub(1)?);
        let node = code.bare(node);
        let plain = |unit| Some(Measure { unit, less: None, is_room: false });
        match code.kind(node) {
            "call" => {
                let function = code.field(node, "function")?;
                let arguments = code.field(node, "arguments")?;
                let of = match code.text(function) {
                    "len" => code.children(arguments).next(),
                    "sum" if refers(frame, arguments, &self.path) => {
                        return plain(unit_of(code.text(arguments)));
                    }
                    // Over all lists of a dict.
                    "sum" if self.path.around().is_some_and(|around| refers(frame, arguments, &around)) => {
                        return plain(Unit::Other);
                    }
                    _ if ["qsize", "__len__"].contains(&last_name(code, function)) => {
                        code.field(function, "object")
                    }
                    _ => return self.returned(frame, node, code.called(node)?, depth),
                };
                let of = frame.path(of?)?;
                (self.is_it(&of, frame) || self.is_beside(frame, &of)).then_some(())?;
                plain(Unit::Elements)
            }
            "binary_operator" => {
                let (left, right) = (code.field(node, "left")?, code.field(node, "right")?);
                let measure = self.measure_within(frame, left, depth);
                match (code.text(code.field(node, "operator")?), measure) {
                    ("-", Some(measure)) if measure.less.is_none() => {
                        Some(Measure { less: Some((right, Rc::clone(frame))), ..measure })
                    }
                    ("+", Some(measure)) => Some(measure),
                    ("+", None) => self.measure_within(frame, right, depth),
                    ("-", None) => {
                        let measure = self
                            .measure_within(frame, right, depth)
                            .filter(|measure| measure.less.is_none())?;
                        Some(Measure { less: Some((left, Rc::clone(frame))), is_room: true, ..measure })
                    }
                    ("/" | "//" | "*" | ">>", Some(_)) => plain(Unit::Other),
                    _ => None,
                }
            }
            "identifier" | "attribute" => {
                let fresh = fresh(frame, node).and_then(|value| self.measure_within(frame, value, depth));
                if fresh.is_some() {
                    return fresh;
                }
                if let Some(property) = code.meant(node).filter(|function| code.is_property(*function)) {
                    return self.returned(frame, node, property, depth);
                }
                plain(self.counted(&frame.path(node)?, frame)?)
            }
            _ => None,
        }
    }

    /// `len(self)` is that of what it keeps.
    fn is_it(&self, path: &Path, frame: &Frame) -> bool {
        let is_self = || match (&path.root, &self.path.root) {
            (Root::Class(one), Root::Class(other)) => {
                path.steps.is_empty() && frame.code.is_akin(*one, *other)
            }
            _ => false,
        };
        path.is(&self.path, frame.code) || is_self()
    }

    /// What the one `return` of a function says.
    fn returned(&self, frame: &Rc<Frame<'c>>, by: Node, function: Node, depth: usize) -> Option<Measure<'c>> {
        let inner = frame.entered(function, by);
        let mut values = inner.returned().into_iter();
        let only = values.next().filter(|_| values.next().is_none())?;
        self.measure_within(&inner, only, depth)
    }

    /// Whether another container gets an element wherever this one does: `self.order.append(key)`.
    pub(super) fn is_beside(&self, frame: &Frame, other: &Path) -> bool {
        let code = frame.code;
        !self.adding.is_empty()
            && self.adding.iter().all(|(frame, at)| {
                beside(frame, *at)
                    .any(|node| filled(frame, node, false).is_some_and(|path| path.is(other, code)))
            })
    }

    /// The unit of what is counted up wherever the container is filled, and set back only where it is emptied.
    fn counted(&self, counter: &Path, frame: &Frame) -> Option<Unit> {
        let code = frame.code;
        let is_it = |frame: &Frame, node: Node| frame.path(node).is_some_and(|path| path.is(counter, code));
        code.settings(counter.named().0).next()?;
        let mut unit = None;
        for (frame, at) in &self.adding {
            let step = beside(frame, *at).find_map(|node| {
                let left = code.field(node, "left").filter(|left| is_it(frame, *left))?;
                let right = code.field(node, "right")?;
                let counts = match code.kind(node) {
                    "augmented_assignment" => code.text(code.field(node, "operator")?) == "+=",
                    "assignment" => {
                        code.kind(right) == "binary_operator" && refers(frame, right, &frame.path(left)?)
                    }
                    _ => false,
                };
                counts.then(|| if code.text(right) == "1" { Unit::Elements } else { summed(frame, right) })
            })?;
            unit = Some(unit.filter(|unit| *unit != step).map_or(step, |_| Unit::Other));
        }
        let is_reset = |frame: &Rc<Frame<'c>>, node: Node| {
            let is_its = code.field(node, "left").is_some_and(|left| is_it(frame, left));
            let Some(right) = code.field(node, "right").filter(|_| is_its) else { return false };
            let is_back = match code.kind(node) {
                "assignment" => {
                    code.kind(right) != "binary_operator"
                        && !self.is_start(frame, node)
                        && !derives(frame, right, &self.path)
                }
                // `self.used -= self.items[key].nbytes`, where that is replaced.
                "augmented_assignment" => {
                    let is_less = code.field(node, "operator").is_some_and(|sign| code.text(sign) != "+=");
                    is_less && !derives(frame, right, &self.path)
                }
                _ => false,
            };
            is_back && !code.block(node).is_some_and(|block| takes_surely(frame, block, &self.path))
        };
        let is_set_back = code.settings(counter.named().0).any(|node| {
            self.frames.of_function(code.function(node)).iter().any(|frame| is_reset(frame, node))
        });
        unit.filter(|_| !is_set_back)
    }

    /// Whether an assignment is where an object, the file, or the one call of the function that fills the container begins.
    fn is_start(&self, frame: &Frame, node: Node) -> bool {
        let code = frame.code;
        let Some(function) = frame.function else { return code.in_loop(node).is_none() };
        if code.name(function) == "__init__" {
            return true;
        }
        let fills = self.adding.iter().any(|(filling, _)| filling.function == frame.function);
        let is_variable = code.field(node, "left").is_some_and(|left| code.kind(left) == "identifier");
        let lives_as_long = matches!(self.path.root, Root::Local(home, _) if home == function);
        let is_once = || {
            frame
                .caller
                .as_ref()
                .is_some_and(|(caller, call)| caller.function.is_none() && code.in_loop(*call).is_none())
        };
        fills && is_variable && code.in_loop(node).is_none() && (lives_as_long || is_once())
    }
}

impl Frame<'_> {
    /// The expressions that the function returns.
    pub(crate) fn returned(&self) -> Vec<Node> {
        let code = self.code;
        let returns = self.nodes().filter(|node| code.kind(*node) == "return_statement");
        returns.filter_map(|node| code.children(node).next()).collect()
    }
}

/// The value of a variable that is set once, as often as it is asked for.
pub(super) fn fresh(frame: &Frame, node: Node) -> Option<Node> {
    let code = frame.code;
    if code.kind(node) != "identifier" {
        return None;
    }
    let values = code.values(frame.function, code.text(node));
    let [(place, super::names::Value::Is(value))] = values else { return None };
    let loops = code.in_loop(node);
    loops.is_none_or(|around| code.contains(around, *place)).then_some(*value)
}

/// What stands in the same block as a statement, or in one around it up to the function.
fn beside<'f>(frame: &'f Frame, at: Node) -> impl Iterator<Item = Node> + 'f {
    let code = frame.code;
    frame.nodes().filter(move |node| {
        code.is(*node, &["augmented_assignment", "assignment", "call"])
            && code.block(*node).is_some_and(|block| code.contains(block, at))
    })
}

/// Of what a variable was made of.
fn summed(frame: &Frame, value: Node) -> Unit {
    unit_of(frame.code.text(fresh(frame, value).unwrap_or(value)))
}

/// Of what is summed up.
fn unit_of(text: &str) -> Unit {
    if ["nbytes", "getsizeof"].iter().any(|word| text.contains(word)) { Unit::Bytes } else { Unit::Other }
}
