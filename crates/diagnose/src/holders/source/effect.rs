//! What is done where a condition holds: whether that keeps a container small, and whether the program comes there at all.
//!
//! In: a statement with a condition, the container with what fills it. Out: yes or no. What must not happen here: a loop of its own that is left,
//! taken for the container's function that is.

use std::rc::Rc;

use super::code::Node;
use super::container::Container;
use super::frame::Frame;
use super::taking::takes;

/// Ways to go on without what follows.
const LEAVES: [&str; 4] = ["return_statement", "continue_statement", "break_statement", "raise_statement"];

impl<'c> Container<'c> {
    /// Whether a condition, which holds when there is too much or while there is room, takes out or keeps from coming in.
    pub(super) fn keeps_small(&self, frame: &Rc<Frame<'c>>, statement: Node, over: bool) -> bool {
        let code = frame.code;
        let Some(body) = code.field(statement, "consequence").or_else(|| code.field(statement, "body"))
        else {
            return false;
        };
        let all_are_in = |range: &dyn Fn(Node) -> bool| {
            self.adding.iter().all(|(filling, at)| filling.chain(*at).into_iter().any(range))
        };
        if !over {
            return all_are_in(&|node| code.contains(body, node))
                || self.takes_otherwise(frame, statement, body);
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

    /// Whether it takes out where the condition, that there is room, does not hold: in the `else`, or behind a `return`.
    fn takes_otherwise(&self, frame: &Rc<Frame<'c>>, statement: Node, body: Node) -> bool {
        let code = frame.code;
        if code.kind(statement) != "if_statement" {
            return false;
        }
        let is_left = code.children(body).any(|node| code.is(node, &LEAVES));
        let end = code.below(statement).end;
        let behind = code
            .block(statement)
            .into_iter()
            .flat_map(|block| code.children(block))
            .filter(|node| *node >= end);
        let otherwise = code.children(statement).filter(|node| *node >= code.below(body).end);
        otherwise.chain(behind.filter(|_| is_left)).any(|node| takes(frame, node, &self.path))
    }

    /// Conditions on the way to a statement that are not also on the way to all that fills.
    pub(super) fn conditions_around(&self, frame: &Rc<Frame<'c>>, node: Node) -> Vec<(Rc<Frame<'c>>, Node)> {
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
    pub(super) fn is_reached(&self, frame: &Rc<Frame<'c>>, is_mentioned: &dyn Fn(&str) -> bool) -> bool {
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
