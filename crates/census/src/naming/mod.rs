//! The name of the edge between a parent and its child: attribute, key, index or variable.
//!
//! In: two live objects, the second a child of the first. Out: a [`Label`]. CPython's traversal gives no
//! names, so the parent's fields are compared with the child's address, kind by kind. Only edges of reported
//! paths are named. What must not happen here: a new `__dict__`, code of the user's, a new object, a write.

#![allow(clippy::unused_self, reason = "one way to ask for every name, whatever it is read from")]

mod attributes;
mod c_api;
mod check;
mod classes;
mod containers;
mod contexts;
mod frames;
mod functions;
mod kinds;
mod offsets;
mod text;
mod variables;

pub(crate) use frames::RunningFrame;
pub(crate) use kinds::Kind;
pub(crate) use offsets::{DEQUE_MAX, LRU_CACHE, LRU_MAX, Offsets};
pub(crate) use text::is_identifier;

use crate::c_api::symbol;
use crate::layout::TYPE;
use crate::memory::word;
use crate::object::{Object, Python, Type};
use crate::sizes::Sizes;
use crate::words;
use kinds::Kinds;
use offsets::{
    ARRAY_BASE, CELL_CONTENTS, EXCEPTION_ARGS, LRU_FUNCTION, METHOD_FUNCTION, METHOD_SELF, TRACEBACK_FRAME,
    TRACEBACK_NEXT,
};

/// The name of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    /// The child is the dict that holds the parent's attributes.
    OwnDict,
    /// An attribute of the parent.
    Attribute(String),
    /// The value under a key: its short text, and the key itself where it can be an attribute.
    Item {
        text: String,
        name: Option<String>,
    },
    /// The child is a key.
    Key,
    /// An index in a list or tuple.
    Index(u64),
    /// An element without a name of its own.
    Element,
    /// All elements together.
    Each,
    /// The parent merely wraps the child: a cell's contents, the next traceback.
    Contents,
    /// A function's cells, default arguments, keyword defaults, and its module's variables.
    Closure,
    Defaults,
    KeywordDefaults,
    Globals,
    /// A variable of a frame, a generator or a coroutine.
    Local(String),
    /// A frame object.
    Frame,
    /// The cache of an `lru_cache`.
    Cache,
    /// The parent's class.
    Class,
    /// The fields do not tell.
    Unknown,
}

/// One view of the heap, with all that names are read with. Must not be kept: types may die when Python runs
/// again.
pub(crate) struct HeapView<'a> {
    pub(crate) python: &'a Python,
    pub(crate) api: c_api::CApi,
    pub(crate) kinds: Kinds,
    pub(crate) offsets: Offsets,
    pub(crate) sizes: Sizes<'a>,
    well_known: WellKnown,
}

/// Objects and types that are recognised by address.
#[derive(Clone, Copy, Debug)]
struct WellKnown {
    none: u64,
    float: u64,
    boolean: u64,
    context: u64,
    context_variable: u64,
}

impl<'a> HeapView<'a> {
    /// A view of the heap; the error says why this Python cannot be read.
    pub(crate) fn new(python: &'a Python) -> Result<HeapView<'a>, String> {
        let version = python.version();
        let offsets = Offsets::of(version).ok_or_else(|| words::nameless(version))?;
        let address = |name| symbol(name).map_or(0, |found| found as u64);
        let well_known = WellKnown {
            none: address(c"_Py_NoneStruct"),
            float: address(c"PyFloat_Type"),
            boolean: address(c"PyBool_Type"),
            context: address(c"PyContext_Type"),
            context_variable: address(c"PyContextVar_Type"),
        };
        Ok(HeapView {
            python,
            api: c_api::CApi::find()?,
            kinds: Kinds::new(),
            offsets,
            sizes: Sizes::new(python),
            well_known,
        })
    }

    /// The name of the edge from a live parent to a child that its traversal has just shown.
    pub(crate) fn label(&self, parent: u64, child: u64) -> Label {
        let kind = self.kinds.of(parent);
        let by_kind = match kind {
            Kind::Dict => self.item(parent, child),
            Kind::List | Kind::Tuple => self.index(parent, child, kind),
            Kind::Function => self.of_function(parent, child),
            Kind::Type => self.of_class(parent, child),
            Kind::Method if word(parent, METHOD_FUNCTION) == child => {
                Some(Label::Attribute("__func__".into()))
            }
            Kind::Method if word(parent, METHOD_SELF) == child => Some(Label::Attribute("__self__".into())),
            Kind::Cell if word(parent, CELL_CONTENTS) == child => Some(Label::Contents),
            // 3.10: a generator's frame is an object of its own.
            Kind::Generator if self.kinds.of(child) == Kind::Frame => Some(Label::Contents),
            Kind::Frame | Kind::Generator => self.variable_of(parent, child, kind),
            Kind::Traceback if word(parent, TRACEBACK_NEXT) == child => Some(Label::Contents),
            Kind::Traceback if word(parent, TRACEBACK_FRAME) == child => Some(Label::Frame),
            Kind::Exception => self.of_exception(parent, child),
            Kind::LruCache if word(parent, LRU_CACHE) == child => Some(Label::Cache),
            Kind::LruCache if word(parent, LRU_FUNCTION) == child => {
                Some(Label::Attribute("__wrapped__".into()))
            }
            Kind::Array if word(parent, ARRAY_BASE) == child => {
                let whole = self.sizes.is_all_of(Object(parent), Object(child));
                Some(if whole { Label::Contents } else { Label::Attribute("base".into()) })
            }
            Kind::MemoryView => Some(Label::Attribute("obj".into())),
            _ => None,
        };
        if let Some(label) = by_kind {
            return label;
        }
        if self.own_dict(parent) == child && child != 0 {
            return Label::OwnDict;
        }
        if let Some(name) = self.inline_value(parent, child).or_else(|| self.member(parent, child)) {
            return Label::Attribute(name);
        }
        match kind {
            _ if word(parent, TYPE) == child => Label::Class,
            Kind::Set | Kind::Deque | Kind::Array | Kind::ThreadLocal => Label::Element,
            Kind::LruCache => Label::Cache,
            // An OrderedDict shows its keys a second time, a defaultdict its factory.
            Kind::Dict => Label::Key,
            Kind::Other if self.type_name(word(parent, TYPE)) == "managedbuffer" => Label::Contents,
            Kind::Other => self.field(parent, child).unwrap_or(Label::Unknown),
            _ => Label::Unknown,
        }
    }

    /// A C field of the parent that no name in Python leads to.
    fn field(&self, parent: u64, child: u64) -> Option<Label> {
        let reader = self.sizes.reader(Type(word(parent, TYPE)))?;
        let name = reader.field(&|offset| word(parent, offset), child)?;
        Some(Label::Attribute(name.to_owned()))
    }

    fn of_exception(&self, parent: u64, child: u64) -> Option<Label> {
        let fields = [
            (self.offsets.exception_traceback, "__traceback__"),
            (self.offsets.exception_context, "__context__"),
            (self.offsets.exception_cause, "__cause__"),
            (EXCEPTION_ARGS, "args"),
        ];
        let (_, name) = fields.iter().find(|(offset, _)| word(parent, *offset) == child)?;
        Some(Label::Attribute((*name).to_owned()))
    }

    /// The first `limit` characters of a `str`.
    pub(crate) fn text(&self, object: u64, limit: usize) -> Option<String> {
        self.python.text(Object(object), limit as u64)
    }

    /// Each key and value of a dict, until `visit` says false.
    pub(crate) fn items(&self, dict: u64, visit: &mut dyn FnMut(u64, u64) -> bool) {
        if let Some(view) = self.python.dict_view(Object(dict)) {
            view.each(&mut |key, value| visit(key.0, value.0));
        }
    }

    /// The value under a `str` key; 0 if there is none.
    pub(crate) fn value(&self, dict: u64, name: &str) -> u64 {
        self.python.dict_item(Object(dict), name.as_bytes()).map_or(0, Object::address)
    }

    /// An attribute of an instance, not of its class; 0 if there is none.
    pub(crate) fn attribute(&self, object: u64, name: &str) -> u64 {
        self.python.attribute(Object(object), name.as_bytes()).map_or(0, Object::address)
    }
}
