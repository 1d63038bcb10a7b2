//! What a condition asks of how full a container is.
//!
//! In: a condition. Out: whether it holds when there is too much or while there is room, and the expression that is the limit. What must
//! not happen here: whether there is anything at all (`len(x) > 0`) taken for a bound; an `or` by which more comes in; a condition that cannot hold.

use std::rc::Rc;

use super::code::Node;
use super::container::Container;
use super::filling::refers;
use super::frame::Frame;
use super::measure::{Unit, fresh};
use super::number::is_none;
use super::path::Path;

/// Conditions in conditions, by brackets, names and methods.
const MAX_CONDITION_DEPTH: usize = 8;

/// A measure that is compared with a limit.
pub(crate) struct Asked<'c> {
    /// The condition holds when there is too much.
    pub(crate) over: bool,
    pub(crate) limit: Node,
    /// Where the limit is to be read.
    pub(crate) frame: Rc<Frame<'c>>,
    pub(crate) unit: Unit,
    /// More is asked: where there is too much it may not hold.
    pub(crate) depends: bool,
}

impl<'c> Container<'c> {
    /// All that a condition asks of it.
    pub(crate) fn asked(&self, frame: &Rc<Frame<'c>>, condition: Node) -> Vec<Asked<'c>> {
        self.asked_within(frame, condition, false, MAX_CONDITION_DEPTH)
    }

    fn asked_within(
        &self,
        frame: &Rc<Frame<'c>>,
        condition: Node,
        is_not: bool,
        depth: usize,
    ) -> Vec<Asked<'c>> {
        let code = frame.code;
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let condition = code.bare(condition);
        let returned = |function: Node| {
            let inner = frame.entered(function, condition);
            let values = inner.returned();
            let is_one = values.len() == 1;
            let of = |value: Node| self.asked_within(&inner, value, is_not, depth);
            let all = values.into_iter().flat_map(of);
            let all = all.filter(|asked| is_one || asked.over);
            all.map(|asked| Asked { depends: asked.depends || !is_one, ..asked }).collect()
        };
        match code.kind(condition) {
            "not_operator" => {
                let inner = code.field(condition, "argument");
                inner.map_or(Vec::new(), |inner| self.asked_within(frame, inner, !is_not, depth))
            }
            "boolean_operator" => {
                let parts: Vec<Node> =
                    ["left", "right"].iter().filter_map(|side| code.field(condition, side)).collect();
                let all =
                    code.field(condition, "operator").is_some_and(|sign| code.text(sign) == "and") != is_not;
                if all && parts.iter().any(|part| never(frame, *part, is_not)) {
                    return Vec::new();
                }
                // `self.items and len(self.items) > most` asks no more than the length.
                let is_it = |part: &Node| frame.path(*part).is_some_and(|path| path.is(&self.path, code));
                let more = parts.iter().filter(|part| !is_it(part)).count() > 1;
                let asked = parts.iter().flat_map(|part| self.asked_within(frame, *part, is_not, depth));
                // `len(x) < most or x is new` lets more in; `len(x) > most and x.old` leaves more there.
                asked
                    .filter(|one| all || one.over)
                    .map(|one| Asked { depends: one.depends || all && one.over && more, ..one })
                    .collect()
            }
            "comparison_operator" => self.compared(frame, condition, is_not),
            "call" => code.called(condition).map_or(Vec::new(), returned),
            "identifier" => fresh(frame, condition)
                .map_or(Vec::new(), |value| self.asked_within(frame, value, is_not, depth)),
            "attribute" => {
                let property = code.meant(condition).filter(|function| code.is_property(*function));
                property.map_or(Vec::new(), returned)
            }
            _ => Vec::new(),
        }
    }

    /// Whether a limit goes up with the container: the program counts it up, or it is the length of another one that gets an element wherever
    /// this one does.
    pub(super) fn rises(&self, frame: &Rc<Frame<'c>>, limit: Node) -> bool {
        let code = frame.code;
        let is_whole = |node: Node| code.parent(node).is_none_or(|above| code.kind(above) != "attribute");
        let parts = || std::iter::once(limit).chain(code.below(limit));
        let names = parts().filter(|part| code.is(*part, &["identifier", "attribute"]) && is_whole(*part));
        let paths: Vec<Path> =
            names.filter_map(|part| frame.path(part)).filter(|path| !path.is(&self.path, code)).collect();
        let is_up = |path: &Path, frame: &Rc<Frame<'c>>, node: Node| {
            let left = code.field(node, "left").and_then(|left| frame.path(left));
            let Some(left) = left.filter(|left| left.is(path, code)) else { return false };
            let right = || code.field(node, "right").filter(|right| code.kind(*right) == "binary_operator");
            match code.kind(node) {
                "augmented_assignment" => {
                    code.field(node, "operator").is_some_and(|sign| ["+=", "*="].contains(&code.text(sign)))
                }
                _ => right().is_some_and(|right| refers(frame, right, &left)),
            }
        };
        let is_counted = |path: &Path| {
            code.settings(path.named().0).any(|node| {
                self.frames.of_function(code.function(node)).iter().any(|frame| is_up(path, frame, node))
            })
        };
        paths.iter().any(|path| self.is_beside(frame, path) || is_counted(path))
    }

    fn compared(&self, frame: &Rc<Frame<'c>>, comparison: Node, is_not: bool) -> Vec<Asked<'c>> {
        let code = frame.code;
        let parts: Vec<Node> = code.children(comparison).collect();
        let is_chain = parts.len() > 3;
        let of = |part: &[Node]| {
            let [left, sign, right] = part else { return None };
            let (over, is_equal) = match code.text(*sign) {
                ">" | ">=" => (true, false),
                "<" | "<=" => (false, false),
                "==" => (true, true),
                _ => return None,
            };
            let is_no_number =
                |side: &Node| code.is(*side, &["string", "none", "true", "false", "list", "tuple"]);
            if is_no_number(left) || is_no_number(right) {
                return None;
            }
            let (measure, limit, over) = match self.measure(frame, *left) {
                Some(measure) => (measure, *right, over),
                None => (self.measure(frame, *right)?, *left, !over || is_equal),
            };
            let is_small = ["0", "1"].contains(&code.text(limit));
            let over = over != measure.is_room;
            let ((limit, frame), unit) = match measure.less {
                Some(less) if is_small => (less, measure.unit),
                // Whether there is anything at all is no bound.
                None if is_small => return None,
                None => ((limit, Rc::clone(frame)), measure.unit),
                Some(_) => ((limit, Rc::clone(frame)), Unit::Other),
            };
            let over = over != is_not;
            let is_none = is_equal && is_not || is_none(&frame, limit) || self.rises(&frame, limit);
            (!is_none).then_some(Asked { over, limit, frame, unit, depends: is_chain && over })
        };
        let starts = (0..parts.len().saturating_sub(2)).step_by(2);
        starts.filter_map(|start| of(parts.get(start..start + 3)?)).collect()
    }
}

/// Whether a part of a condition cannot hold: `self.limit is not None` where that is never set.
pub(super) fn never(frame: &Rc<Frame>, part: Node, is_not: bool) -> bool {
    let code = frame.code;
    let part = code.bare(part);
    if is_not {
        return false;
    }
    if code.kind(part) != "comparison_operator" {
        return is_none(frame, part);
    }
    let parts: Vec<Node> = code.children(part).collect();
    match parts.as_slice() {
        [left, sign, right] => {
            ["is not", "!="].contains(&code.text(*sign))
                && code.kind(*right) == "none"
                && is_none(frame, *left)
        }
        _ => false,
    }
}
