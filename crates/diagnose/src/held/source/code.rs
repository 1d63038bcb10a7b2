//! The syntax tree of a source file.
//!
//! In: lines of Python, of any version, broken ones too. Out: nodes with their kind, place, parent and children, as the grammar of
//! tree-sitter names them. What must not happen here: a rule about what the code means.

use std::cell::OnceCell;
use std::ops::Range;

use tree_sitter::{Language, Parser, TreeCursor};

use super::names::Names;

/// A node by its number: in the order in which the nodes begin, so that all that lies below one follows it.
pub(crate) type Node = usize;

struct Entry {
    kind: u16,
    field: u16,
    bytes: Range<usize>,
    line: usize,
    parent: Option<Node>,
    /// The first node behind all that is below this one.
    end: Node,
}

/// A file as a tree.
pub(crate) struct Code {
    text: String,
    language: Language,
    /// By the grammar's number.
    kinds: Vec<String>,
    entries: Vec<Entry>,
    functions: Vec<Node>,
    classes: Vec<Node>,
    /// Found when they are first asked for.
    pub(super) names: OnceCell<Names>,
}

impl Code {
    /// Parses a file; `None` if the parser gives up.
    pub(crate) fn of(lines: &[String]) -> Option<Self> {
        let language = Language::new(tree_sitter_python::LANGUAGE);
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        let text = lines.join("\n");
        let tree = parser.parse(&text, None)?;
        let mut entries = Vec::new();
        collect(&mut tree.walk(), &mut entries);
        let name = |kind: usize| language.node_kind_for_id(u16::try_from(kind).ok()?).map(str::to_owned);
        let kinds: Vec<String> = (0..language.node_kind_count()).map(|kind| name(kind).unwrap_or_default()).collect();
        let mut code =
            Self { text, language, kinds, entries, functions: Vec::new(), classes: Vec::new(), names: OnceCell::new() };
        code.functions = code.all().filter(|node| code.kind(*node) == "function_definition").collect();
        code.classes = code.all().filter(|node| code.kind(*node) == "class_definition").collect();
        Some(code)
    }

    /// The definitions of functions, methods too.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Node> {
        self.functions.iter().copied()
    }

    /// The definitions of classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Node> {
        self.classes.iter().copied()
    }

    /// The whole file.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        0..self.entries.len()
    }

    pub(crate) fn kind(&self, node: Node) -> &str {
        let kind = self.entries.get(node).and_then(|entry| self.kinds.get(usize::from(entry.kind)));
        kind.map_or("", String::as_str)
    }

    pub(crate) fn is(&self, node: Node, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind(node))
    }

    pub(crate) fn text(&self, node: Node) -> &str {
        self.entries.get(node).and_then(|entry| self.text.get(entry.bytes.clone())).unwrap_or_default()
    }

    /// Its first line, from 0.
    pub(crate) fn line(&self, node: Node) -> usize {
        self.entries.get(node).map_or(0, |entry| entry.line)
    }

    pub(crate) fn parent(&self, node: Node) -> Option<Node> {
        self.entries.get(node)?.parent
    }

    /// What it lies in, from the nearest on.
    pub(crate) fn above(&self, node: Node) -> impl Iterator<Item = Node> {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
    }

    /// All that lies in it, at any depth.
    pub(crate) fn below(&self, node: Node) -> Range<Node> {
        node + 1..self.entries.get(node).map_or(node + 1, |entry| entry.end)
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(crate) fn contains(&self, outer: Node, inner: Node) -> bool {
        inner == outer || self.below(outer).contains(&inner)
    }

    pub(crate) fn children(&self, node: Node) -> impl Iterator<Item = Node> {
        let last = self.below(node).end;
        let next = move |child: Node| self.entries.get(child).map(|entry| entry.end);
        let first = (node + 1 < last).then_some(node + 1);
        std::iter::successors(first, move |child| next(*child).filter(|next| *next < last))
    }

    /// The child that the grammar calls so.
    pub(crate) fn field(&self, node: Node, name: &str) -> Option<Node> {
        let field = self.language.field_id_for_name(name)?.get();
        self.children(node).find(|child| self.entries.get(*child).is_some_and(|entry| entry.field == field))
    }

    /// An expression without the brackets around it, and what `(n := expression)` gives a name to.
    pub(crate) fn bare(&self, node: Node) -> Node {
        match self.kind(node) {
            "parenthesized_expression" => self.children(node).next().map_or(node, |inner| self.bare(inner)),
            "named_expression" => self.field(node, "value").map_or(node, |value| self.bare(value)),
            _ => node,
        }
    }
}

/// Named nodes without comments, and operators.
fn collect(cursor: &mut TreeCursor, entries: &mut Vec<Entry>) {
    let mut open: Vec<Option<Node>> = Vec::new();
    loop {
        let node = cursor.node();
        let field = cursor.field_id().map_or(0, std::num::NonZero::get);
        let is_kept = (node.is_named() || field != 0) && !node.is_extra();
        let parent = open.iter().rev().find_map(|node| *node);
        if is_kept {
            entries.push(Entry {
                kind: node.kind_id(),
                field,
                bytes: node.byte_range(),
                line: node.start_position().row,
                parent,
                end: 0,
            });
        }
        open.push(is_kept.then(|| entries.len() - 1));
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            let end = entries.len();
            if let Some(entry) = open.pop().flatten().and_then(|node| entries.get_mut(node)) {
                entry.end = end;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Code {
        Code::of(&text.lines().map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn nodes_know_what_is_above_and_below() {
        let code = code("class A:\n    # note\n    def f(self):\n        return (n := len(self.x)) > 3\n\ny = 2");
        let found = |kind: &str| code.all().find(|node| code.kind(*node) == kind).unwrap();
        let (class, function, comparison) =
            (found("class_definition"), found("function_definition"), found("comparison_operator"));
        assert!(code.contains(class, function) && code.contains(function, comparison));
        assert!(!code.contains(function, found("expression_statement")));
        assert_eq!(code.field(function, "name").map(|name| code.text(name)), Some("f"));
        assert_eq!((code.line(function), code.line(comparison)), (2, 3));
        let operands: Vec<&str> = code.children(comparison).map(|node| code.text(node)).collect();
        assert_eq!(operands, ["(n := len(self.x))", ">", "3"]);
        let measure = code.children(comparison).next().unwrap();
        assert_eq!(code.text(code.bare(measure)), "len(self.x)");
    }

    #[test]
    fn broken_code_is_read_as_far_as_it_goes() {
        let code = code("def f():\n    x = = 3\n    y = (3\n\nclass B:\n    def g(self):\n        pass\n");
        assert!(code.all().any(|node| code.kind(node) == "class_definition"));
    }
}
