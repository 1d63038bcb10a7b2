//! Memory that an object owns outside its own block, by families of types.
//!
//! In: live objects. Out: buffers, with the allocator's addresses where known; references that `tp_traverse`
//! does not show; whether there is native memory that cannot be sized. What must not happen here: Python
//! code, a call that may wait, a read at an address that only looks right.

mod builtin;
mod describe;
mod numpy;
mod opaque;

pub(crate) use builtin::{bytes_io_bytes, numbers_bytes, text_io_bytes};
pub(crate) use numpy::data_bytes as array_bytes;
pub use numpy::{element_name_of, element_size};

use std::cell::{OnceCell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::layout::flags;
use crate::object::{Object, Python, Type};
use crate::pack::{self, MadeBy, Reader, Walked};

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
#[derive(Clone, Copy, Debug)]
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
    /// Its bytes are an object that only it refers to.
    BytesIo,
    /// A framework's.
    Of(&'static dyn Reader),
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
            Family::BlockOnly | Family::BytesIo | Family::Opaque => {}
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
            Family::Of(reader) => reader.buffers(self, o, visit),
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

    /// The graph that an object keeps of the operations that made it.
    pub(crate) fn graph_of(&self, o: Object) -> Option<KeptGraph> {
        let reader = self.reader(self.python.type_of(o)).filter(|reader| reader.may_keep_graph())?;
        Some(KeptGraph { reader, from: reader.made_by(o)? })
    }

    /// Whether objects of this type may keep such a graph.
    pub(crate) fn may_keep_graph(&self, kind: Type) -> bool {
        self.reader(kind).is_some_and(Reader::may_keep_graph)
    }

    /// Visits the memory of the graph that an object keeps, as if it were the only one.
    pub fn graph(&self, o: Object, visit: &mut dyn FnMut(u64, u64)) {
        if let Some(graph) = self.graph_of(o) {
            graph.walk(&mut Walked::default(), &|| false, visit);
        }
    }

    /// The interpreter.
    pub fn python(&self) -> &'a Python {
        self.python
    }

    /// Whether objects of this type may own memory outside their blocks.
    pub(crate) fn has_buffers(&self, kind: Type) -> bool {
        kind.has(flags::MANAGED_DICT)
            || match self.family(kind) {
                Family::BlockOnly | Family::BytesIo | Family::Opaque => false,
                Family::Of(reader) => reader.has_buffers(),
                _ => true,
            }
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
        if matches!(self.family(self.python.type_of(o)), Family::OrderedDict) { 2 } else { 1 }
    }

    /// Whether the object owns native memory that cannot be seen or sized.
    pub fn is_opaque(&self, o: Object) -> bool {
        match self.family(self.python.type_of(o)) {
            Family::Opaque => true,
            Family::Of(reader) => reader.is_opaque(self, o),
            _ => false,
        }
    }

    /// The metatype of numpy's descriptions of elements; 0 if numpy is not loaded.
    pub fn descriptions(&self) -> u64 {
        *self.descriptions.get_or_init(|| numpy::type_of_descriptions(self.python))
    }

    /// Whether everything is reachable from the type's objects, so that walks end there.
    pub(crate) fn leads_everywhere(&self, kind: Type) -> bool {
        self.reader(kind).is_some_and(Reader::leads_everywhere)
    }

    /// How a framework reads the type's objects, if one does.
    pub(crate) fn reader(&self, kind: Type) -> Option<&'static dyn Reader> {
        match self.family(kind) {
            Family::Of(reader) => Some(reader),
            _ => None,
        }
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
            name => match of_pack(python, part, name) {
                Some(reader) => Family::Of(reader),
                None => continue,
            },
        };
        return found;
    }
    if opaque::is_opaque(python, kind) { Family::Opaque } else { Family::BlockOnly }
}

/// How a framework reads the objects of a type with this name.
fn of_pack(python: &Python, kind: Type, name: &[u8]) -> Option<&'static dyn Reader> {
    let families = python.packs.iter().flat_map(|pack| pack.families);
    let is_it = |family: &&pack::Family| {
        family.names.iter().any(|known| known.as_bytes() == name)
            && (family.module.is_empty() || python.type_name(kind).starts_with(family.module))
    };
    families.into_iter().find(is_it).map(|family| family.reader)
}

/// A graph of operations that an object keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptGraph {
    reader: &'static dyn Reader,
    from: MadeBy,
}

impl KeptGraph {
    /// Visits its memory, each block with its bytes. False: the walk was cut.
    pub(crate) fn walk(
        &self,
        walked: &mut Walked,
        late: &dyn Fn() -> bool,
        visit: &mut dyn FnMut(u64, u64),
    ) -> bool {
        self.reader.walk_graph(self.from, walked, late, visit)
    }
}
