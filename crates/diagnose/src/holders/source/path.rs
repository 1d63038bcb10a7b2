//! What an expression refers to: `self.items`, an entry of `self.per_class`, the parameter that is given `self.cache`.
//!
//! In: an expression and the frame that it stands in. Out: a path from a class, a variable of a function, or one of the file. What must not
//! happen here: a name that is given two different things taken for one of them.

use super::code::{Code, Node};
use super::frame::Frame;
use super::names::Value;

/// Names that stand for names.
const MAX_NAME_DEPTH: usize = 8;
/// A name that is given more values stands for none of them.
const MAX_VALUES: usize = 3;

/// Where a path begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// An object of the class.
    Class(Node),
    /// A variable or parameter of the function.
    Local(Node, String),
    /// A variable of the file.
    Global(String),
}

/// How it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Attribute(String),
    /// An entry, with its key where that is a plain text.
    Item(Option<String>),
}

/// A container as the code reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) root: Root,
    pub(crate) steps: Vec<Step>,
}

impl Path {
    /// One step further.
    pub(crate) fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// What it was called last, and the entries behind that.
    pub(crate) fn named(&self) -> (&str, &[Step]) {
        for (at, step) in self.steps.iter().enumerate().rev() {
            if let Step::Attribute(name) = step {
                return (name, &self.steps[at + 1..]);
            }
        }
        let name = match &self.root {
            Root::Class(_) => "",
            Root::Local(_, name) | Root::Global(name) => name,
        };
        (name, &self.steps)
    }

    /// What it is an entry of.
    pub(crate) fn around(&self) -> Option<Self> {
        let (last, steps) = self.steps.split_last()?;
        matches!(last, Step::Item(_)).then(|| Self { root: self.root.clone(), steps: steps.to_vec() })
    }

    /// Whether both are one container, as far as the file says.
    pub(crate) fn is(&self, other: &Self, code: &Code) -> bool {
        are_alike(&self.steps, &other.steps) && are_one(&self.root, &other.root, self.steps.first(), code)
    }
}

/// Whether one way may be the other: the entry of any key is each, while that of one key is not all of them.
pub(crate) fn are_alike(one: &[Step], other: &[Step]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|pair| match pair {
            (Step::Item(Some(one)), Step::Item(Some(other))) => one == other,
            (Step::Item(key), Step::Item(_)) => key.is_none(),
            (one, other) => one == other,
        })
}

fn are_one(one: &Root, other: &Root, first: Option<&Step>, code: &Code) -> bool {
    let attribute = match first {
        Some(Step::Attribute(name)) => Some(name),
        _ => None,
    };
    match (one, other) {
        (Root::Class(one), Root::Class(other)) => code.is_akin(*one, *other),
        // `replay.items` of the one class that has such a thing.
        (Root::Class(class), _) | (_, Root::Class(class)) => {
            attribute.is_some_and(|name| owners(code, name).iter().all(|owner| owner == class))
        }
        (Root::Local(_, name) | Root::Global(name), Root::Local(_, another) | Root::Global(another)) => {
            one == other || name == another && attribute.is_some()
        }
    }
}

/// Classes that set an attribute of this name.
fn owners(code: &Code, name: &str) -> Vec<Node> {
    let target = |node: Node| code.field(node, "left").filter(|left| code.kind(*left) == "attribute");
    let is_own = |target: &Node| code.field(*target, "object").is_some_and(|of| code.text(of) == "self");
    code.settings(name).filter_map(target).filter(is_own).filter_map(|target| code.class(target)).collect()
}

impl Frame<'_> {
    /// What an expression refers to.
    pub(crate) fn path(&self, node: Node) -> Option<Path> {
        self.path_within(node, MAX_NAME_DEPTH)
    }

    fn path_within(&self, node: Node, depth: usize) -> Option<Path> {
        let (code, depth) = (self.code, depth.checked_sub(1)?);
        let node = code.bare(node);
        match code.kind(node) {
            "identifier" => self.variable(node, depth),
            "attribute" => {
                let name = code.text(code.field(node, "attribute")?).to_owned();
                Some(self.path_within(code.field(node, "object")?, depth)?.then(Step::Attribute(name)))
            }
            "subscript" => {
                let key = code.field(node, "subscript").filter(|key| code.kind(*key) != "slice")?;
                Some(
                    self.path_within(code.field(node, "value")?, depth)?.then(Step::Item(text_of(code, key))),
                )
            }
            // `self.rows.setdefault(key, [])`
            "call" => {
                let function = code.field(node, "function").filter(|one| code.kind(*one) == "attribute")?;
                let name = code.text(code.field(function, "attribute")?);
                let key = code.children(code.field(node, "arguments")?).next()?;
                let of = self.path_within(code.field(function, "object")?, depth)?;
                ["setdefault", "get", "__getitem__"]
                    .contains(&name)
                    .then(|| of.then(Step::Item(text_of(code, key))))
            }
            // `bucket = self.rows[key] = []`
            "assignment" => self.path_within(code.field(node, "left")?, depth),
            _ => None,
        }
    }

    fn variable(&self, node: Node, depth: usize) -> Option<Path> {
        let code = self.code;
        let name = code.text(node);
        if let Some((value, frame)) = self.given(name)
            && code.values(self.function, name).is_empty()
        {
            return frame.path_within(value, depth);
        }
        if matches!(name, "self" | "cls") {
            return Some(Path { root: Root::Class(code.class(node)?), steps: Vec::new() });
        }
        let values = code.values(self.function, name);
        let of = |(_, value): &(Node, Value)| match value {
            Value::Is(value) => self.path_within(*value, depth),
            Value::IsEntry(of) => Some(self.path_within(*of, depth)?.then(Step::Item(None))),
            Value::Unknown => None,
        };
        if values.len() <= MAX_VALUES
            && let Some(path) = values.first().and_then(of)
            && values.iter().skip(1).all(|value| of(value).as_ref() == Some(&path))
        {
            return Some(path);
        }
        let root = match (code.class_named(name), code.home(self.function, name)) {
            (Some(class), None) => Root::Class(class),
            (_, Some(function)) => Root::Local(function, name.to_owned()),
            _ => Root::Global(name.to_owned()),
        };
        Some(Path { root, steps: Vec::new() })
    }
}

/// A plain text.
fn text_of(code: &Code, node: Node) -> Option<String> {
    let text = (code.kind(node) == "string").then(|| code.text(node))?;
    Some(text.trim_start_matches(['r', 'u', 'b']).trim_matches(['"', '\'']).to_owned())
}
