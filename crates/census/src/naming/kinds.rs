//! The kind of a type's objects, as far as naming distinguishes kinds.
//!
//! In: types of live objects. Out: a [`Kind`] each, cached for the life of the lookup. A type can die when
//! Python runs again, so a lookup must not outlive one view of the heap.

use std::cell::RefCell;
use std::ffi::CStr;

use super::text::name_at;
use crate::c_api::symbol;
use crate::layout::{TYPE, flags, types};
use crate::memory::word;
use crate::sizes::ByAddress;

/// Kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Dict,
    List,
    Tuple,
    Set,
    Deque,
    Text,
    Bytes,
    Integer,
    Module,
    Type,
    Function,
    Method,
    Cell,
    Frame,
    Generator,
    Traceback,
    Exception,
    LruCache,
    Array,
    ThreadLocal,
    MemoryView,
    /// Iterators, views of containers, weak references, instances: naming treats them alike.
    Other,
}

impl Kind {
    /// Whether it holds elements, so that it can grow.
    pub(crate) fn is_container(self) -> bool {
        matches!(self, Kind::Dict | Kind::List | Kind::Tuple | Kind::Set | Kind::Deque)
    }
}

/// Types that CPython exports.
const EXPORTED: [(&CStr, Kind); 16] = [
    (c"PySet_Type", Kind::Set),
    (c"PyFrozenSet_Type", Kind::Set),
    (c"PyModule_Type", Kind::Module),
    (c"PyFunction_Type", Kind::Function),
    (c"PyMethod_Type", Kind::Method),
    (c"PyCell_Type", Kind::Cell),
    (c"PyFrame_Type", Kind::Frame),
    (c"PyGen_Type", Kind::Generator),
    (c"PyCoro_Type", Kind::Generator),
    (c"PyAsyncGen_Type", Kind::Generator),
    (c"PyTraceBack_Type", Kind::Traceback),
    (c"PyMemoryView_Type", Kind::MemoryView),
    (c"PyDict_Type", Kind::Dict),
    (c"PyList_Type", Kind::List),
    (c"PyTuple_Type", Kind::Tuple),
    (c"PyType_Type", Kind::Type),
];

/// Types that are recognised by name: extension types, with fields as in their source.
const NAMED: [(&str, Kind); 4] = [
    ("collections.deque", Kind::Deque),
    ("functools._lru_cache_wrapper", Kind::LruCache),
    ("numpy.ndarray", Kind::Array),
    ("_thread._local", Kind::ThreadLocal),
];

/// A cached lookup of kinds.
#[derive(Debug)]
pub(crate) struct Kinds {
    exported: Vec<(u64, Kind)>,
    known: RefCell<ByAddress<u64, Kind>>,
}

impl Kinds {
    /// A lookup for one view of the heap.
    pub(crate) fn new() -> Kinds {
        let exported =
            EXPORTED.iter().filter_map(|(name, kind)| symbol(name).map(|at| (at as u64, *kind))).collect();
        Kinds { exported, known: RefCell::default() }
    }

    /// The kind of a live object.
    pub(crate) fn of(&self, object: u64) -> Kind {
        self.of_type(word(object, TYPE))
    }

    /// The kind of a type's objects.
    pub(crate) fn of_type(&self, class: u64) -> Kind {
        if let Some(kind) = self.known.borrow().get(&class) {
            return *kind;
        }
        let kind = self.find(class);
        self.known.borrow_mut().insert(class, kind);
        kind
    }

    fn find(&self, class: u64) -> Kind {
        const BY_FLAG: [(u64, Kind); 8] = [
            (flags::LIST, Kind::List),
            (flags::TUPLE, Kind::Tuple),
            (flags::DICT, Kind::Dict),
            (flags::TYPE, Kind::Type),
            (flags::TEXT, Kind::Text),
            (flags::BYTES, Kind::Bytes),
            (flags::INTEGER, Kind::Integer),
            (flags::EXCEPTION, Kind::Exception),
        ];
        /// Deeper than any class hierarchy.
        const MAX_BASES: usize = 200;
        let flags = word(class, types::FLAGS);
        if let Some((_, kind)) = BY_FLAG.iter().find(|(flag, _)| flags & flag != 0) {
            return *kind;
        }
        let mut base = class;
        for _ in 0..MAX_BASES {
            if base == 0 {
                break;
            }
            if let Some((_, kind)) = self.exported.iter().find(|(address, _)| *address == base) {
                return *kind;
            }
            // A class of a script may have any name, but without a module before it.
            let name = name_at(word(base, types::NAME), 64);
            if let Some((_, kind)) = NAMED.iter().find(|(known, _)| *known == name) {
                return *kind;
            }
            base = word(base, types::BASE);
        }
        Kind::Other
    }
}
