//! The syntax tree of a source file.
//!
//! In: lines of Python, of any version, broken ones too. Out: nodes with their kind, place, parent and children, as the grammar of
//! tree-sitter names them. What must not happen here: a rule about what the code means.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use tree_sitter::{Language, Parser, TreeCursor};

use super::index::Index;
use super::names::Names;

/// So many looks at nodes are taken at most, some 100 ms. After that there are no nodes any more, so that each search ends, whatever it
/// follows, and nothing is said.
const MAX_NODE_VISITS: u32 = 8_000_000;

/// A node by its number: in the order in which the nodes begin, so that all that lies below one follows it.
pub(crate) type Node = usize;

struct Entry {
    kind: u16,
    field: u16,
    bytes: Range<usize>,
    line: usize,
    parent: Option<Node>,
    /// The function that it lies in.
    function: Option<Node>,
    /// The first node behind all that is below this one.
    end: Node,
}

/// A file as a tree.
pub(crate) struct Code {
    text: String,
    /// By the grammar's number.
    kinds: Vec<String>,
    fields: Vec<String>,
    entries: Vec<Entry>,
    /// Those in which something is not understood; `None` is the file outside of functions.
    broken: Vec<Option<Node>>,
    /// The class whose object it is about.
    owner: Cell<Option<Node>>,
    looks: Cell<u32>,
    /// Found when they are first asked for.
    pub(super) names: OnceCell<Names>,
    pub(super) index: OnceCell<Index>,
}

impl Code {
    /// Parses a file; `None` if the parser gives up.
    pub(crate) fn of(lines: &[String]) -> Option<Self> {
        let language = Language::new(tree_sitter_python::LANGUAGE);
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        let text = lines.join("\n");
        let tree = parser.parse(&text, None)?;
        let (mut entries, mut broken) = (Vec::new(), Vec::new());
        let function = language.id_for_node_kind("function_definition", true);
        collect(&mut tree.walk(), function, &mut entries, &mut broken);
        let name = |kind: usize| language.node_kind_for_id(u16::try_from(kind).ok()?).map(str::to_owned);
        let kinds: Vec<String> =
            (0..language.node_kind_count()).map(|kind| name(kind).unwrap_or_default()).collect();
        let field = |field: usize| language.field_name_for_id(u16::try_from(field).ok()?).map(str::to_owned);
        let fields = (0..=language.field_count()).map(|id| field(id).unwrap_or_default()).collect();
        let (owner, looks) = (Cell::new(None), Cell::new(MAX_NODE_VISITS));
        let (names, index) = (OnceCell::new(), OnceCell::new());
        Some(Self { text, kinds, fields, entries, broken, owner, looks, names, index })
    }

    /// Says of which class the object is whose methods call each other.
    pub(crate) fn is_about(&self, owner: Option<Node>) {
        self.owner.set(owner);
    }

    pub(crate) fn owner(&self) -> Option<Node> {
        self.owner.get()
    }

    /// Whether something in a function, or in the file outside of functions, is not understood: what Python itself has run is newer than the
    /// grammar, or was cut or changed since. What lies outside of it stands.
    pub(crate) fn is_broken(&self, function: Option<Node>) -> bool {
        self.broken.contains(&function)
    }

    /// Whether it took too long to find all of it.
    pub(super) fn is_spent(&self) -> bool {
        self.looks.get() == 0
    }

    /// A node, while there are looks left.
    fn look(&self, node: Node) -> Option<&Entry> {
        self.looks.set(self.looks.get().checked_sub(1)?);
        self.entries.get(node)
    }

    /// The function that a node lies in.
    pub(crate) fn function(&self, node: Node) -> Option<Node> {
        self.look(node)?.function
    }

    /// The whole file.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        0..self.entries.len()
    }

    pub(crate) fn kind(&self, node: Node) -> &str {
        let kind = self.look(node).and_then(|entry| self.kinds.get(usize::from(entry.kind)));
        kind.map_or("", String::as_str)
    }

    pub(crate) fn is(&self, node: Node, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind(node))
    }

    pub(crate) fn text(&self, node: Node) -> &str {
        self.look(node).and_then(|entry| self.text.get(entry.bytes.clone())).unwrap_or_default()
    }

    /// Its first line, from 0.
    pub(crate) fn line(&self, node: Node) -> usize {
        self.look(node).map_or(0, |entry| entry.line)
    }

    pub(crate) fn parent(&self, node: Node) -> Option<Node> {
        self.look(node)?.parent
    }

    /// What it lies in, from the nearest on.
    pub(crate) fn above(&self, node: Node) -> impl Iterator<Item = Node> {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
    }

    /// All that lies in it, at any depth.
    pub(crate) fn below(&self, node: Node) -> Range<Node> {
        node + 1..self.look(node).map_or(node + 1, |entry| entry.end)
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(crate) fn contains(&self, outer: Node, inner: Node) -> bool {
        inner == outer || self.below(outer).contains(&inner)
    }

    pub(crate) fn children(&self, node: Node) -> impl Iterator<Item = Node> {
        let last = self.below(node).end;
        let next = move |child: Node| self.look(child).map(|entry| entry.end);
        let first = (node + 1 < last).then_some(node + 1);
        std::iter::successors(first, move |child| next(*child).filter(|next| *next < last))
    }

    /// The child that the grammar calls so.
    pub(crate) fn field(&self, node: Node, name: &str) -> Option<Node> {
        let field = self.fields.iter().position(|own| own == name)?;
        self.children(node)
            .find(|child| self.look(*child).is_some_and(|entry| usize::from(entry.field) == field))
    }

    /// An expression without the brackets around it, and what `(n := expression)` gives a name to.
    pub(crate) fn bare(&self, node: Node) -> Node {
        let inner = |node: &Node| match self.kind(*node) {
            "parenthesized_expression" => self.children(*node).next(),
            "named_expression" => self.field(*node, "value"),
            _ => None,
        };
        std::iter::successors(Some(node), inner).last().unwrap_or(node)
    }
}

/// Named nodes without comments, and operators.
fn collect(cursor: &mut TreeCursor, function: u16, entries: &mut Vec<Entry>, broken: &mut Vec<Option<Node>>) {
    let mut open: Vec<Option<Node>> = Vec::new();
    loop {
        let node = cursor.node();
        let field = cursor.field_id().map_or(0, std::num::NonZero::get);
        let is_kept = (node.is_named() || field != 0) && !node.is_extra();
        let parent = open.iter().rev().find_map(|node| *node);
        let around = parent.and_then(|above| {
            let entry = entries.get(above)?;
            if entry.kind == function { Some(above) } else { entry.function }
        });
        if (node.is_error() || node.is_missing()) && !broken.contains(&around) {
            broken.push(around);
        }
        if is_kept {
            let (kind, bytes, line) = (node.kind_id(), node.byte_range(), node.start_position().row);
            entries.push(Entry { kind, field, bytes, line, parent, function: around, end: 0 });
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
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn code(text: &str) -> Code {
        Code::of(&text.lines().map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn nodes_know_what_is_above_and_below() {
        let code =
            code("class A:\n    # note\n    def f(self):\n        return (n := len(self.x)) > 3\n\ny = 2");
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
    fn a_function_that_is_not_understood_is_known() {
        let code = code(
            "def f():\n    x = = 3\n    def inner():\n        pass\n\nclass B:\n    def g(self):\n        pass\n",
        );
        let broken = |name: &str| {
            code.functions_named(name).map(|function| code.is_broken(Some(function))).collect::<Vec<_>>()
        };
        assert_eq!((broken("f"), broken("inner"), broken("g")), (vec![true], vec![false], vec![false]));
        assert!(!code.is_broken(None));
        let class = code.class(code.functions_named("g").next().unwrap());
        assert_eq!(class.map(|class| code.name(class)), Some("B"), "what is behind it is as if nothing were");
    }

    #[test]
    fn what_python_learned_late_breaks_no_function() {
        let source = "class A:\n    def f(self):\n        match, type = 1, 2\n        try:\n            pass\n        except B, C:\n            \
                      return t\"{x}\"\n        match x:\n            case [y, *_] if (n := y): pass\n";
        let broken = |code: &Code| (code.is_broken(None), code.is_broken(code.functions_named("f").next()));
        assert_eq!(broken(&code(source)), (false, false));
        // A grammar that does not know this yet.
        assert_eq!(broken(&code(&source.replace("class A:", "class A[T = int]:"))), (true, false));
    }
}
