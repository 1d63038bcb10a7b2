//! A function with what it was called with: which argument its parameters stand for.
//!
//! In: the tree, a function, the calls of it. Out: frames, and what the names in them were given. What must not happen here: the argument of
//! another call.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::code::{Code, Node};

/// Calls within calls that are followed.
const MAX_CALL_DEPTH: usize = 3;
/// Calls of one function that are looked at.
const MAX_CALLS: usize = 8;

/// A function that runs, or the file outside of functions.
pub(crate) struct Frame<'c> {
    pub(crate) code: &'c Code,
    pub(crate) function: Option<Node>,
    given: Vec<(&'c str, Node, Rc<Frame<'c>>)>,
    /// Who called it, and where.
    pub(crate) caller: Option<(Rc<Frame<'c>>, Node)>,
}

impl<'c> Frame<'c> {
    /// A function of which nobody knows who calls it; or the file outside of functions.
    pub(crate) fn of(code: &'c Code, function: Option<Node>) -> Rc<Self> {
        Rc::new(Self { code, function, given: Vec::new(), caller: None })
    }

    /// The function as it is entered by a call, or where a property is read.
    pub(crate) fn entered(self: &Rc<Self>, function: Node, by: Node) -> Rc<Self> {
        let code = self.code;
        let parameters = code.parameters(function);
        let parameters = parameters.iter().skip(usize::from(code.is_method(function)));
        let arguments: Vec<Node> =
            code.field(by, "arguments").into_iter().flat_map(|list| code.children(list)).collect();
        let is_spread = arguments.iter().any(|one| code.is(*one, &["list_splat", "dictionary_splat"]));
        let is_named = |one: &&Node| code.kind(**one) == "keyword_argument";
        let by_place: Vec<Node> = arguments.iter().filter(|one| !is_named(one)).copied().collect();
        let outside = Self::of(code, None);
        let mut given = Vec::new();
        for (place, (name, default)) in parameters.enumerate().filter(|_| !is_spread) {
            let mut by_name = arguments.iter().filter(is_named).filter(|one| code.name(**one) == *name);
            let named = by_name.next().and_then(|one| code.field(*one, "value"));
            if let Some(value) = named.or_else(|| by_place.get(place).copied()) {
                given.push((*name, value, Rc::clone(self)));
            } else if let Some(default) = default {
                given.push((*name, *default, Rc::clone(&outside)));
            }
        }
        Rc::new(Self { code, function: Some(function), given, caller: Some((Rc::clone(self), by)) })
    }

    /// What a parameter was given, and where that is to be read.
    pub(crate) fn given(&self, name: &str) -> Option<(Node, &Rc<Frame<'c>>)> {
        self.given.iter().find(|(own, ..)| *own == name).map(|(_, value, frame)| (*value, frame))
    }

    /// A node, the call that led to its function, the call that led to that one, and so on.
    pub(crate) fn chain(&self, node: Node) -> Vec<Node> {
        let mut chain = vec![node];
        let mut frame = self;
        while let Some((caller, call)) = &frame.caller {
            chain.push(*call);
            frame = caller;
        }
        chain
    }

    /// The function, and those that led to it by calls.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Option<Node>> {
        let by_calls =
            std::iter::successors(Some(self), |frame| frame.caller.as_ref().map(|(caller, _)| &**caller));
        by_calls.map(|frame| frame.function)
    }

    /// The statements and calls of the function, without those of functions in it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + use<'c> {
        self.code.statements(self.function)
    }
}

/// Every function of the file as it is called there; as it stands where nobody is seen to call it.
pub(crate) struct Frames<'c> {
    pub(crate) all: Vec<Rc<Frame<'c>>>,
    of: HashMap<Option<Node>, Range<usize>>,
}

impl<'c> Frames<'c> {
    pub(crate) fn of(code: &'c Code) -> Self {
        let mut calls = Calls::new();
        for call in code.all().filter(|node| code.kind(*node) == "call") {
            if let Some(function) = code.called(call) {
                calls.entry(function).or_default().push(call);
            }
        }
        let mut all = vec![Frame::of(code, None)];
        let mut of = HashMap::from([(None, 0..1)]);
        for function in code.functions() {
            let start = all.len();
            all.extend(entered(code, function, &calls, MAX_CALL_DEPTH));
            of.insert(Some(function), start..all.len());
        }
        Self { all, of }
    }

    /// Those of a function.
    pub(crate) fn of_function(&self, function: Option<Node>) -> &[Rc<Frame<'c>>] {
        self.of.get(&function).and_then(|range| self.all.get(range.clone())).unwrap_or_default()
    }
}

/// Where each function is called.
type Calls = HashMap<Node, Vec<Node>>;

fn entered<'c>(code: &'c Code, function: Node, calls: &Calls, depth: usize) -> Vec<Rc<Frame<'c>>> {
    let mut found = Vec::new();
    for call in calls.get(&function).into_iter().flatten().filter(|_| depth > 0) {
        let callers = match code.function(*call) {
            Some(caller) if caller == function => continue,
            Some(caller) => entered(code, caller, calls, depth - 1),
            None => vec![Frame::of(code, None)],
        };
        found.extend(callers.iter().map(|caller| caller.entered(function, *call)));
        if found.len() >= MAX_CALLS {
            // The others may do otherwise.
            found.truncate(MAX_CALLS);
            found.push(Frame::of(code, Some(function)));
            break;
        }
    }
    if found.is_empty() { vec![Frame::of(code, Some(function))] } else { found }
}
