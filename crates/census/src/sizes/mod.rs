//! Memory that belongs to an object and stands outside of its own block, by families of types.
//!
//! In: live objects. Out: buffers, with addresses as the allocator knows them where they can be known; references that
//! `tp_traverse` does not show; whether memory is held that nobody here can see. What must not happen here: Python code, a
//! call that may wait, a read at an address that only looks right.

mod arrow;
mod builtin;
mod jax;
mod numpy;
mod opaque;
mod pandas;
mod tensorflow;
mod torch;
mod words;

pub(crate) use builtin::{bytes_io_bytes, numbers_bytes, text_io_bytes};
pub(crate) use numpy::kept as array_bytes;
pub(crate) use tensorflow::tensor;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::layout::flags;
use crate::object::{Object, Python, Type};

/// Memory outside of an object's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Where it begins; 0 where that cannot be known.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The object frees it, or the native owner below it does; false: it only looks at memory of something else.
    pub owner: bool,
}

/// How a type's objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// All there is stands in the block.
    Plain,
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
    /// A table of places of pandas'.
    Places,
    /// Its bytes are an object that only it knows.
    BytesIo,
    /// TensorFlow's eager context.
    Context,
    /// Memory below it is native and not visible.
    Opaque,
}

/// Spreads addresses of types; they are multiples of 8 and few.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

/// A map by address.
pub(crate) type ByAddress<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;
/// A set of addresses.
pub(crate) type Addresses = HashSet<u64, BuildHasherDefault<AddressHasher>>;

/// Sizes during one look; types are recognised once each. Not to be kept: types die, and others come to their addresses.
#[derive(Debug)]
pub struct Sizes<'a> {
    python: &'a Python,
    families: RefCell<ByAddress<Type, Family>>,
    /// The type of the types of numpy's descriptions.
    descriptions: OnceCell<u64>,
}

impl<'a> Sizes<'a> {
    /// For one look.
    pub fn new(python: &'a Python) -> Sizes<'a> {
        Sizes { python, families: RefCell::default(), descriptions: OnceCell::new() }
    }

    /// Memory that belongs to the object outside of its block.
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
            Family::Plain | Family::BytesIo | Family::Opaque | Family::Context => {}
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
            Family::Places => pandas::buffers(o, kind, visit),
        }
    }

    /// References that the object holds and `tp_traverse` does not show.
    pub fn hidden(&self, o: Object, visit: &mut dyn FnMut(Object)) {
        match self.family(self.python.type_of(o)) {
            Family::Numpy => numpy::references(o, visit),
            Family::BytesIo => builtin::bytes_io(o, visit),
            _ => {}
        }
    }

    /// Whether such objects hold references that `tp_traverse` does not show.
    pub(crate) fn hides(&self, kind: Type) -> bool {
        matches!(self.family(kind), Family::Numpy | Family::BytesIo)
    }

    /// Whether memory outside of their blocks may belong to such objects.
    pub(crate) fn has_buffers(&self, kind: Type) -> bool {
        kind.has(flags::MANAGED_DICT)
            || !matches!(
                self.family(kind),
                Family::Plain | Family::BytesIo | Family::Opaque | Family::Context
            )
    }

    /// Whether an array is another form of its base, `x.reshape(...)`, or one of slices that have most of it between them, as a loop over
    /// its rows makes them; and no slice that keeps much more than itself. As many like it are taken for there as refer to the base.
    pub(crate) fn is_all_of(&self, view: Object, base: Object) -> bool {
        let bytes = |o: Object| match self.family(self.python.type_of(o)) {
            Family::Numpy => numpy::shape(o).map(|(_, bytes)| bytes),
            _ => None,
        };
        let slices = self.python.references(base).max(1);
        bytes(view).zip(bytes(base)).is_some_and(|(view, base)| view.saturating_mul(slices) > base / 2)
    }

    /// How often a dict refers to each of its keys.
    pub(crate) fn key_references(&self, o: Object) -> u32 {
        if self.family(self.python.type_of(o)) == Family::OrderedDict { 2 } else { 1 }
    }

    /// Whether native memory hangs below the object that nothing here can see or size.
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

    /// Whether everything can be reached from the type's objects, so that walks end there: TensorFlow's context.
    pub(crate) fn leads_everywhere(&self, kind: Type) -> bool {
        self.family(kind) == Family::Context
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

/// Decides by flags first, then by the names along the bases.
fn recognise(python: &Python, kind: Type) -> Family {
    use crate::types::{Shape, shape_of};
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
        Shape::Tuple => return Family::Plain,
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
                if from(python, part, "tensorflow.") =>
            {
                Family::EagerTensor
            }
            b"Context" if from(python, part, "tensorflow.python.eager") => Family::Context,
            b"BaseResourceVariable" if from(python, part, "tensorflow.") => Family::ResourceVariable,
            b"torch._C.TensorBase" | b"torch._C._TensorBase" => Family::Torch,
            b"ArrayImpl" | b"jaxlib._jax.ArrayImpl" | b"jaxlib.xla_extension.ArrayImpl"
                if from(python, part, "jax") =>
            {
                Family::Jax
            }
            pandas::TABLE => Family::Places,
            name => match arrow::form(name) {
                Some(form) => Family::Arrow(form),
                None => continue,
            },
        };
        return found;
    }
    if opaque::is_opaque(python, kind) { Family::Opaque } else { Family::Plain }
}

/// Whether a type's qualified name begins so.
fn from(python: &Python, kind: Type, prefix: &str) -> bool {
    python.type_name(kind).starts_with(prefix)
}
