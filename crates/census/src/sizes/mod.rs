//! Memory that an object owns outside its own block, by families of types.
//!
//! In: live objects. Out: buffers, with the allocator's addresses where known; references that `tp_traverse`
//! does not show; whether there is native memory that cannot be sized. What must not happen here: Python
//! code, a call that may wait, a read at an address that only looks right.

mod arrow;
mod autograd;
mod builtin;
mod describe;
mod jax;
mod numpy;
mod opaque;
mod pandas;
mod tensorflow;
mod torch;

pub(crate) use autograd::{Graphs, MadeBy};
pub(crate) use builtin::{bytes_io_bytes, numbers_bytes, text_io_bytes};
pub(crate) use numpy::data_bytes as array_bytes;
pub(crate) use tensorflow::tensor;
pub(crate) use torch::hooks as torch_hooks;

use std::cell::{OnceCell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::layout::flags;
use crate::object::{Object, Python, Type};

/// Memory outside an object's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Where it begins; 0 if unknown.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The object, or a native owner below it, frees it. False: it only refers to memory of something else.
    pub owner: bool,
}

/// How a type's objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// All memory is in the block.
    BlockOnly,
    List,
    Dict,
    OrderedDict,
    Set,
    Deque,
    Text,
    ByteArray,
    Array,
    Mmap,
    Type,
    Numpy,
    EagerTensor,
    ResourceVariable,
    Torch,
    Jax,
    Arrow(arrow::Form),
    /// A pandas hash table.
    HashTable,
    /// Its bytes are an object that only it refers to.
    BytesIo,
    /// TensorFlow's eager context.
    Context,
    /// It owns native memory that cannot be seen.
    Opaque,
}

/// A map by address.
pub(crate) type ByAddress<K, V> = FxHashMap<K, V>;
/// A set of addresses.
pub(crate) type Addresses = FxHashSet<u64>;

/// Sizes during one look, with a cache of types. Must not be kept: types die, and others come to their
/// addresses.
#[derive(Debug)]
pub struct Sizes<'a> {
    python: &'a Python,
    families: RefCell<ByAddress<Type, Family>>,
    /// The metatype of numpy's descriptions.
    descriptions: OnceCell<u64>,
}

impl<'a> Sizes<'a> {
    /// Sizes for one look.
    pub fn new(python: &'a Python) -> Sizes<'a> {
        Sizes { python, families: RefCell::default(), descriptions: OnceCell::new() }
    }

    /// Memory that the object owns outside its block.
    pub fn buffers(&self, o: Object, visit: &mut dyn FnMut(Buffer)) {
        let python = self.python;
        let kind = python.type_of(o);
        let mut owned = |address, bytes| {
            if bytes > 0 {
                visit(Buffer { address, bytes, owner: true });
            }
        };
        builtin::instance_values(python, o, kind, &mut owned);
        match self.family(kind) {
            Family::BlockOnly | Family::BytesIo | Family::Opaque | Family::Context => {}
            Family::List => builtin::list(o, &mut owned),
            Family::Dict => builtin::dict(python, o, &mut owned),
            Family::OrderedDict => builtin::ordered_dict(python, o, &mut owned),
            Family::Set => builtin::set(o, &mut owned),
            Family::Deque => builtin::deque(o, &mut owned),
            Family::Text => python.text_buffers(o, &mut owned),
            Family::ByteArray => builtin::bytearray(o, &mut owned),
            Family::Array => builtin::array(o, &mut owned),
            Family::Mmap => builtin::mmap(o, &mut owned),
            Family::Type => builtin::type_(python, o, &mut owned),
            Family::Numpy => numpy::buffers(o, visit),
            Family::EagerTensor => tensor(o, visit),
            Family::ResourceVariable => tensorflow::variable(python, o, visit),
            Family::Torch => torch::buffers(o, visit),
            Family::Jax => jax::buffers(self.descriptions(), o, visit),
            Family::Arrow(form) => arrow::buffers(o, form, visit),
            Family::HashTable => pandas::buffers(o, kind, visit),
        }
    }

    /// References of the object that `tp_traverse` does not show.
    pub fn hidden(&self, o: Object, visit: &mut dyn FnMut(Object)) {
        match self.family(self.python.type_of(o)) {
            Family::Numpy => numpy::references(o, visit),
            Family::BytesIo => builtin::bytes_io(o, visit),
            _ => {}
        }
    }

    /// Whether objects of this type have references that `tp_traverse` does not show.
    pub(crate) fn hides(&self, kind: Type) -> bool {
        matches!(self.family(kind), Family::Numpy | Family::BytesIo)
    }

    /// Where the autograd graph begins that a tensor keeps.
    pub(crate) fn made_by(&self, o: Object) -> Option<MadeBy> {
        if self.may_keep_graph(self.python.type_of(o)) { torch::made_by(o) } else { None }
    }

    /// Whether objects of this type may keep an autograd graph.
    pub(crate) fn may_keep_graph(&self, kind: Type) -> bool {
        self.family(kind) == Family::Torch
    }

    /// Visits the memory of the graph that a tensor keeps, as if it were the only one.
    pub fn graph(&self, o: Object, visit: &mut dyn FnMut(u64, u64)) {
        if let Some(from) = self.made_by(o) {
            Graphs::default().walk(from, &|| false, visit);
        }
    }

    /// Whether objects of this type may own memory outside their blocks.
    pub(crate) fn has_buffers(&self, kind: Type) -> bool {
        kind.has(flags::MANAGED_DICT)
            || !matches!(
                self.family(kind),
                Family::BlockOnly | Family::BytesIo | Family::Opaque | Family::Context
            )
    }

    /// Whether a view covers its base: a reshaped form of it, or one of slices that together cover most of
    /// it, as in a loop over rows. False for a slice that keeps much more than itself. The base's references
    /// count as slices of the same size.
    pub(crate) fn is_all_of(&self, view: Object, base: Object) -> bool {
        let bytes = |o: Object| match self.family(self.python.type_of(o)) {
            Family::Numpy => numpy::shape(o).map(|(_, bytes)| bytes),
            _ => None,
        };
        let slices = self.python.references(base).max(1);
        bytes(view).zip(bytes(base)).is_some_and(|(view, base)| view.saturating_mul(slices) > base / 2)
    }

    /// How many references a dict has to each of its keys.
    pub(crate) fn key_references(&self, o: Object) -> u32 {
        if self.family(self.python.type_of(o)) == Family::OrderedDict { 2 } else { 1 }
    }

    /// Whether the object owns native memory that cannot be seen or sized.
    pub fn is_opaque(&self, o: Object) -> bool {
        match self.family(self.python.type_of(o)) {
            Family::Opaque => true,
            Family::Torch => !torch::is_read(o),
            Family::Jax => !jax::is_read(self.descriptions(), o),
            Family::Arrow(form) => !arrow::is_read(o, form),
            _ => false,
        }
    }

    fn descriptions(&self) -> u64 {
        *self.descriptions.get_or_init(|| numpy::type_of_descriptions(self.python))
    }

    /// Whether everything is reachable from the type's objects, so that walks end there: TensorFlow's
    /// context.
    pub(crate) fn leads_everywhere(&self, kind: Type) -> bool {
        self.family(kind) == Family::Context
    }

    /// Whether its objects are tensors of `PyTorch`.
    pub(crate) fn is_torch(&self, kind: Type) -> bool {
        self.family(kind) == Family::Torch
    }

    fn family(&self, kind: Type) -> Family {
        if let Some(family) = self.families.borrow().get(&kind) {
            return *family;
        }
        let family = recognise(self.python, kind);
        self.families.borrow_mut().insert(kind, family);
        family
    }
}

/// Decides by flags first, then by names along the bases.
fn recognise(python: &Python, kind: Type) -> Family {
    use crate::shape::{Shape, shape_of};
    let bits = kind.flags();
    if bits & flags::TEXT != 0 {
        return Family::Text;
    }
    if bits & flags::TYPE != 0 {
        return Family::Type;
    }
    match shape_of(python, kind) {
        Shape::List => return Family::List,
        Shape::Set => return Family::Set,
        Shape::Deque => return Family::Deque,
        Shape::Dict => {
            let ordered = kind.chain().any(|part| part.raw_name() == b"collections.OrderedDict");
            return if ordered { Family::OrderedDict } else { Family::Dict };
        }
        Shape::Tuple => return Family::BlockOnly,
        Shape::Other => {}
    }
    for part in kind.chain() {
        if part.0 == python.known.bytearray {
            return Family::ByteArray;
        }
        let name = part.raw_name();
        let found = match name.as_slice() {
            b"numpy.ndarray" if !part.has(flags::HEAP) => Family::Numpy,
            b"array.array" => Family::Array,
            b"mmap.mmap" => Family::Mmap,
            b"_io.BytesIO" => Family::BytesIo,
            b"EagerTensor" | b"tensorflow.python.framework.ops.EagerTensor"
                if is_from(python, part, "tensorflow.") =>
            {
                Family::EagerTensor
            }
            b"Context" if is_from(python, part, "tensorflow.python.eager") => Family::Context,
            b"BaseResourceVariable" if is_from(python, part, "tensorflow.") => Family::ResourceVariable,
            b"torch._C.TensorBase" | b"torch._C._TensorBase" => Family::Torch,
            b"ArrayImpl" | b"jaxlib._jax.ArrayImpl" | b"jaxlib.xla_extension.ArrayImpl"
                if is_from(python, part, "jax") =>
            {
                Family::Jax
            }
            pandas::HASH_TABLE => Family::HashTable,
            name => match arrow::form(name) {
                Some(form) => Family::Arrow(form),
                None => continue,
            },
        };
        return found;
    }
    if opaque::is_opaque(python, kind) { Family::Opaque } else { Family::BlockOnly }
}

/// Whether a type's qualified name begins with `prefix`.
fn is_from(python: &Python, kind: Type, prefix: &str) -> bool {
    python.type_name(kind).starts_with(prefix)
}
