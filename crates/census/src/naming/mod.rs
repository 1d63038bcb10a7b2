//! What stands between a parent and its child: the name of the attribute, the key, the index, the variable.
//!
//! In: two live objects, the second among the first one's children. Out: a [`Label`]. CPython's traversal gives no names, so
//! the parent's fields are compared with the child's address, one kind of object after the other. Only edges of paths that
//! are reported are named. What must not happen here: a `__dict__` that comes into being because of us, code
//! of the user's, a new object, a write.

#![allow(clippy::unused_self, reason = "one way to ask for every name, whatever it is read from")]

mod api;
mod attributes;
mod check;
mod classes;
mod containers;
mod frames;
mod functions;
mod kinds;
mod offsets;
mod text;
mod variables;

pub(crate) use frames::Running;
pub(crate) use kinds::Kind;
pub(crate) use offsets::{DEQUE_MAX, LRU_CACHE, LRU_MAX, Offsets};
pub(crate) use text::is_identifier;

use crate::api::symbol;
use crate::layout::TYPE;
use crate::memory::word;
use crate::object::{Object, Python};
use crate::sizes::Sizes;
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
    /// The value under a key: its short text, and the key itself where it could be an attribute.
    Item {
        text: String,
        name: Option<String>,
    },
    /// The child is a key.
    Key,
    /// A place in a list or tuple.
    Index(u64),
    /// One of many without a name of its own.
    Element,
    /// One of many that are meant together.
    Each,
    /// What the parent merely wraps: a cell's contents, the next traceback.
    Contents,
    /// A function's cells, its default arguments, those by keyword, the variables of its module.
    Closure,
    Defaults,
    KeywordDefaults,
    Globals,
    /// A variable of a frame, a generator or a coroutine.
    Local(String),
    /// A frame object.
    Frame,
    /// Results that a function remembers.
    Cache,
    /// The parent's class.
    Class,
    /// What the fields do not tell.
    Unknown,
}

/// One look at the heap: everything that names are read with. Not to be kept: types may die when Python runs again.
pub(crate) struct Look<'a> {
    pub(crate) python: &'a Python,
    pub(crate) api: api::Api,
    pub(crate) kinds: Kinds,
    pub(crate) offsets: Offsets,
    pub(crate) sizes: Sizes<'a>,
    well_known: WellKnown,
}

/// Objects and types that are told by their address.
#[derive(Clone, Copy, Debug)]
struct WellKnown {
    none: u64,
    float: u64,
    boolean: u64,
}

impl<'a> Look<'a> {
    /// A look; the error says why this Python cannot be looked at.
    pub(crate) fn new(python: &'a Python) -> Result<Look<'a>, String> {
        let version = python.version();
        let offsets = Offsets::of(version)
            .ok_or_else(|| format!("names of Python {}.{} are not known", version.0, version.1))?;
        let address = |name| symbol(name).map_or(0, |found| found as u64);
        let well_known = WellKnown {
            none: address(c"_Py_NoneStruct"),
            float: address(c"PyFloat_Type"),
            boolean: address(c"PyBool_Type"),
        };
        Ok(Look {
            python,
            api: api::Api::find()?,
            kinds: Kinds::new(),
            offsets,
            sizes: Sizes::new(python),
            well_known,
        })
    }

    /// The name of the edge from a live parent to a child that was among its children a moment ago.
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
            // 3.10: a generator's frame is an object.
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
            // An OrderedDict shows its keys once more, a defaultdict its factory.
            Kind::Dict => Label::Key,
            Kind::Other if self.type_name(word(parent, TYPE)) == "managedbuffer" => Label::Contents,
            _ => Label::Unknown,
        }
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

    /// The first characters of a `str`.
    pub(crate) fn text(&self, object: u64, most: usize) -> Option<String> {
        self.python.text(Object(object), most as u64)
    }

    /// Each key and value of a dict, until `visit` says false.
    pub(crate) fn items(&self, dict: u64, visit: &mut dyn FnMut(u64, u64) -> bool) {
        if let Some(view) = self.python.dict_view(Object(dict)) {
            view.each(&mut |key, value| visit(key.0, value.0));
        }
    }

    /// The value under a key that is a `str`; 0 without.
    pub(crate) fn value(&self, dict: u64, name: &str) -> u64 {
        self.python.dict_item(Object(dict), name.as_bytes()).map_or(0, Object::address)
    }

    /// An attribute of an instance, not of its class; 0 without.
    pub(crate) fn attribute(&self, object: u64, name: &str) -> u64 {
        self.python.attribute(Object(object), name.as_bytes()).map_or(0, Object::address)
    }
}
