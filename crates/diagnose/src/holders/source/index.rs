//! Where things stand in a file: definitions and identifiers by their name, statements by their function.
//!
//! In: a tree. Out: nodes, in the order of the file. What must not happen here: a walk through the whole file for each question.

use std::collections::HashMap;

use super::code::{Code, Node};

/// What `filling`, `taking` and `guard` look at.
const STATEMENTS: [&str; 8] = [
    "call",
    "assignment",
    "augmented_assignment",
    "delete_statement",
    "if_statement",
    "elif_clause",
    "while_statement",
    "return_statement",
];

#[derive(Default)]
pub(super) struct Index {
    functions: Vec<Node>,
    /// Functions and classes by their name.
    defined: HashMap<String, Vec<Node>>,
    identifiers: HashMap<String, Vec<Node>>,
    statements: HashMap<Option<Node>, Vec<Node>>,
}

impl Code {
    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for node in self.all() {
                let kind = self.kind(node);
                if kind == "identifier" {
                    index.identifiers.entry(self.text(node).to_owned()).or_default().push(node);
                } else if STATEMENTS.contains(&kind) {
                    index.statements.entry(self.function(node)).or_default().push(node);
                } else if ["function_definition", "class_definition"].contains(&kind) {
                    index.defined.entry(self.name(node).to_owned()).or_default().push(node);
                    index.functions.extend((kind == "function_definition").then_some(node));
                }
            }
            index
        })
    }

    /// The definitions of functions, methods too.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Node> {
        self.index().functions.iter().copied()
    }

    /// The definitions of functions of this name.
    pub(crate) fn functions_named(&self, name: &str) -> impl Iterator<Item = Node> {
        self.defined(name, "function_definition")
    }

    /// The definitions of classes of this name.
    pub(crate) fn classes_named(&self, name: &str) -> impl Iterator<Item = Node> {
        self.defined(name, "class_definition")
    }

    fn defined(&self, name: &str, kind: &'static str) -> impl Iterator<Item = Node> {
        let all = self.index().defined.get(name).into_iter().flatten().copied();
        all.filter(move |node| self.kind(*node) == kind)
    }

    /// Wherever this name stands, the part behind a dot too.
    pub(crate) fn identifiers(&self, name: &str) -> impl Iterator<Item = Node> {
        self.index().identifiers.get(name).into_iter().flatten().copied()
    }

    /// The statements and calls of a function, without those of functions in it.
    pub(crate) fn statements(&self, function: Option<Node>) -> impl Iterator<Item = Node> {
        self.index().statements.get(&function).into_iter().flatten().copied()
    }

    /// Assignments to what is called so, and statements that count it up or down.
    pub(crate) fn settings(&self, name: &str) -> impl Iterator<Item = Node> {
        self.identifiers(name).filter_map(|node| {
            let parent = self.parent(node)?;
            let is_last = self.field(parent, "attribute") == Some(node);
            let (target, statement) = if is_last { (parent, self.parent(parent)?) } else { (node, parent) };
            let is_set = self.is(statement, &["assignment", "augmented_assignment"]);
            (is_set && self.field(statement, "left") == Some(target)).then_some(statement)
        })
    }
}
