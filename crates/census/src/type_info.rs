//! Facts that all objects of a type share, read once per type.
//!
//! In: types of live objects. Out: [`TypeInfo`], and with it an object's block and children. What must not
//! happen here: use after the look ends; a type may die, and another may come to its address.

use crate::c_api;
use crate::layout::{GC_HEAD, PRE_HEADER, Values, dict, flags, list, set, types};
use crate::memory;
use crate::object::{Object, Python, Type};

/// Whether the collector manages a type's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GcSupport {
    No,
    Yes,
    /// Each object must be asked: among types, only those made at run time are managed.
    PerObject,
}

/// Facts that all objects of a type share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeInfo {
    kind: Type,
    gc_support: GcSupport,
    /// `tp_traverse`.
    traverse: u64,
    /// Its objects are complete, and may be traversed, even if the collector does not track them.
    always_complete: bool,
    /// Its traversal may show references that are not counted.
    deferred_refs: bool,
    /// Bytes for a dictionary and weak references before the collector's head.
    managed: u64,
    /// Bytes from an object's address on, if all objects have as many.
    size: Option<u64>,
    /// Offset of the pointer to an object's table or items; 0: it has none.
    inner: u64,
}

impl TypeInfo {
    /// The type.
    pub(crate) fn kind(&self) -> Type {
        self.kind
    }

    /// Prefetches the table that reading this live object will need besides its head.
    pub(crate) fn prefetch_inner(&self, o: Object) {
        if self.inner != 0 {
            memory::prefetch(memory::word(o.0, self.inner));
        }
    }
}

impl Python {
    /// Reads a type.
    pub(crate) fn type_info(&self, kind: Type) -> TypeInfo {
        let (known, bits) = (&self.known, kind.flags());
        let gc_support = match (bits & flags::GC != 0, memory::word(kind.0, types::IS_GC) != 0) {
            (false, _) => GcSupport::No,
            (true, false) => GcSupport::Yes,
            (true, true) => GcSupport::PerObject,
        };
        let always_complete = [known.tuple, known.dict, known.list, known.set, known.frozenset, known.frame];
        let managed = match self.layout.values {
            Values::None => 0,
            Values::Before => flags::MANAGED_DICT,
            Values::Tagged | Values::Behind => flags::MANAGED_DICT | flags::MANAGED_WEAK,
        };
        let variable = flags::TEXT | flags::INTEGER | flags::TUPLE | flags::BYTES | flags::TYPE;
        let is_variable = bits & variable != 0 || kind.0 == known.memoryview || kind.0 == known.code;
        let inner = match () {
            () if bits & flags::DICT != 0 => dict::KEYS,
            () if bits & flags::LIST != 0 => list::ITEMS,
            () if kind.0 == known.set || kind.0 == known.frozenset => set::TABLE,
            () => 0,
        };
        TypeInfo {
            kind,
            gc_support,
            traverse: memory::word(kind.0, types::TRAVERSE),
            always_complete: always_complete.contains(&kind.0),
            deferred_refs: self.may_hold_deferred(kind),
            managed: if kind.has(managed) { PRE_HEADER } else { 0 },
            size: (!is_variable).then(|| self.size(Object(0), kind)),
            inner,
        }
    }

    /// Like [`Python::block`].
    pub(crate) fn block_of(&self, info: &TypeInfo, o: Object) -> (u64, u64) {
        let head = if self.is_gc_object(info, o) { GC_HEAD } else { 0 };
        let before = head + info.managed;
        let size = info.size.unwrap_or_else(|| self.size(o, info.kind));
        (o.0.wrapping_sub(before), before + size)
    }

    /// Like [`Python::traverse`], for all but static types; appends to `children` until there are more than
    /// `limit`.
    pub(crate) fn children_of(&self, info: &TypeInfo, o: Object, children: &mut Vec<u64>, limit: usize) {
        if !self.is_gc_object(info, o) {
            return;
        }
        if info.always_complete || memory::word(o.0.wrapping_sub(GC_HEAD), 0) != 0 {
            let from = children.len();
            c_api::children(info.traverse, o.0, children, limit);
            for one in if info.deferred_refs { self.deferred_refs(o) } else { Vec::new() } {
                let shown = children.get(from..).unwrap_or_default().iter().position(|child| *child == one);
                shown.map(|at| children.remove(from + at));
            }
        }
    }

    fn is_gc_object(&self, info: &TypeInfo, o: Object) -> bool {
        match info.gc_support {
            GcSupport::No => false,
            GcSupport::Yes => true,
            GcSupport::PerObject => self.api.is_gc(o.0),
        }
    }
}

/// The types of one look, numbered, each with extra facts.
#[derive(Debug)]
pub(crate) struct TypeTable<T> {
    all: Vec<(TypeInfo, T)>,
    index: crate::sizes::ByAddress<u64, u32>,
    /// A cache: the last type at each index.
    recent: Vec<(u64, u32)>,
}

const RECENT_TYPES: usize = 1 << 10;

/// Types are at least 16 bytes apart, most of them much more.
fn place(kind: Type) -> usize {
    ((kind.0 >> 4) ^ (kind.0 >> 12)) as usize % RECENT_TYPES
}

impl<T> TypeTable<T> {
    pub(crate) fn new() -> TypeTable<T> {
        TypeTable {
            all: Vec::new(),
            index: crate::sizes::ByAddress::default(),
            recent: vec![(0, 0); RECENT_TYPES],
        }
    }

    /// The number of a type.
    #[inline]
    pub(crate) fn number(&mut self, python: &Python, kind: Type, meet: impl FnOnce(&TypeInfo) -> T) -> u32 {
        let at = place(kind);
        if let Some((class, number)) = self.recent.get(at)
            && *class == kind.0
        {
            return *number;
        }
        let next = self.all.len() as u32;
        let number = *self.index.entry(kind.0).or_insert(next);
        if number == next {
            let info = python.type_info(kind);
            let extra = meet(&info);
            self.all.push((info, extra));
        }
        if let Some(place) = self.recent.get_mut(at) {
            *place = (kind.0, number);
        }
        number
    }

    /// The facts of a type, if it is in the cache.
    #[inline]
    pub(crate) fn find(&self, kind: Type) -> Option<&(TypeInfo, T)> {
        let (class, number) = self.recent.get(place(kind))?;
        self.get(*number).filter(|_| *class == kind.0)
    }

    /// The extra facts of a number, mutable.
    #[inline]
    pub(crate) fn kept(&mut self, number: u32) -> Option<&mut T> {
        self.all.get_mut(number as usize).map(|(_, kept)| kept)
    }

    /// The extra facts of all types.
    pub(crate) fn into_kept(self) -> Vec<T> {
        self.all.into_iter().map(|(_, kept)| kept).collect()
    }

    /// The facts of a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&(TypeInfo, T)> {
        self.all.get(number as usize)
    }
}
