//! Which values a function gives its variables.
//!
//! In: a tree. Out: for each name of each function the places and values. What must not happen here: a value that is unpacked or counted up
//! taken for the whole.

use std::collections::{HashMap, HashSet};

use super::code::{Code, Node};

/// What a name is given in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Is(Node),
    /// Each entry of it, in turn.
    IsEntry(Node),
    Unknown,
}

/// What a name is given, in the order of the file.
type Given = Vec<(Node, Value)>;

/// Of all functions of a file.
#[derive(Default)]
pub(super) struct Names {
    given: HashMap<(Option<Node>, String), Given>,
    /// What a function says to be a variable of the file.
    global: HashSet<(Node, String)>,
}

impl Code {
    /// Every value that a function, or the file outside of functions, gives a name, other than as a parameter.
    pub(crate) fn values(&self, function: Option<Node>, name: &str) -> &[(Node, Value)] {
        let names = self.names.get_or_init(|| self.find_names());
        names.given.get(&(function, name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The function whose variable a name is: this one, or one around it.
    pub(crate) fn home(&self, mut function: Option<Node>, name: &str) -> Option<Node> {
        let names = self.names.get_or_init(|| self.find_names());
        while let Some(one) = function {
            if names.global.contains(&(one, name.to_owned())) {
                return None;
            }
            let is_parameter = self.parameters(one).iter().any(|(own, _)| *own == name);
            if is_parameter || !self.values(function, name).is_empty() {
                return Some(one);
            }
            function = self.function(one);
        }
        None
    }

    /// Whether a function gives a variable of the file another value.
    pub(crate) fn is_set_by_functions(&self, name: &str) -> bool {
        let names = self.names.get_or_init(|| self.find_names());
        self.functions().any(|function| {
            names.global.contains(&(function, name.to_owned()))
                && !self.values(Some(function), name).is_empty()
        })
    }

    fn find_names(&self) -> Names {
        let mut names = Names::default();
        for node in self.all().filter(|node| self.kind(*node) == "identifier") {
            let (Some(parent), function) = (self.parent(node), self.function(node)) else { continue };
            let name = self.text(node).to_owned();
            if let (true, Some(function)) = (self.kind(parent) == "global_statement", function) {
                names.global.insert((function, name));
            } else if let Some(value) = self.value(node, parent) {
                names.given.entry((function, name)).or_default().push((node, value));
            }
        }
        names
    }

    /// What is given to a name where it stands; `None` where it is read.
    fn value(&self, node: Node, parent: Node) -> Option<Value> {
        let is_left = self.field(parent, "left") == Some(node);
        let right = self.field(parent, "right");
        match self.kind(parent) {
            "assignment" if is_left => Some(right.map_or(Value::Unknown, Value::Is)),
            "augmented_assignment" if is_left => Some(Value::Unknown),
            "named_expression" if self.field(parent, "name") == Some(node) => {
                self.field(parent, "value").map(Value::Is)
            }
            "for_statement" if is_left => right.map(|of| self.entry(of, "values")),
            "pattern_list" | "tuple_pattern" | "list_pattern" => Some(self.unpacked(parent, node)),
            "as_pattern_target" => Some(Value::Unknown),
            _ => None,
        }
    }

    /// An entry of what is gone through: `for row in rows`, `for row in rows.values()`.
    fn entry(&self, of: Node, method: &str) -> Value {
        let called = (self.kind(of) == "call").then(|| self.field(of, "function")).flatten();
        let Some(function) = called else { return Value::IsEntry(of) };
        let is_it = self.field(function, "attribute").is_some_and(|name| self.text(name) == method);
        self.field(function, "object").filter(|_| is_it).map_or(Value::Unknown, Value::IsEntry)
    }

    /// `key, row` of `for key, row in rows.items()`.
    fn unpacked(&self, pattern: Node, name: Node) -> Value {
        let around = self.parent(pattern).filter(|around| self.kind(*around) == "for_statement");
        let is_second = self.children(pattern).nth(1) == Some(name) && self.children(pattern).count() == 2;
        let of = around.and_then(|around| self.field(around, "right")).filter(|of| self.kind(*of) == "call");
        of.filter(|_| is_second).map_or(Value::Unknown, |of| self.entry(of, "items"))
    }
}
