//! Objects and types as addresses, and the facts that any of them gives.
//!
//! In: addresses under the GIL. Out: types, names, lengths, references, blocks. What must not happen here:
//! Python code, a new reference, trust in an address after Python code could run.

use crate::c_api::{self, CApi};
use crate::layout::{GC_HEAD, Layout, PRE_HEADER, REFERENCES, SIZE, TYPE, Values};
use crate::layout::{deque, dict, flags, list, set, types};
use crate::memory;
use crate::pack::{Bulk, Packs};
use crate::shape::{Shape, shape_of};

/// The address of a live object. Valid only under the GIL and until Python code can run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object(pub(crate) u64);

impl Object {
    /// An object at an address that the caller knows to be an object's.
    pub fn at(address: u64) -> Object {
        Object(address)
    }

    /// Its address.
    pub fn address(self) -> u64 {
        self.0
    }

    /// Bytes that all objects of its type have at least.
    pub fn basic_size(self) -> u64 {
        memory::word(memory::word(self.0, TYPE), types::BASIC_SIZE)
    }
}

/// The address of a live type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(pub(crate) u64);

impl Type {
    /// Its address.
    pub fn address(self) -> u64 {
        self.0
    }

    pub(crate) fn flags(self) -> u64 {
        memory::word(self.0, types::FLAGS)
    }

    pub(crate) fn has(self, flag: u64) -> bool {
        self.flags() & flag != 0
    }

    pub(crate) fn base(self) -> Option<Type> {
        let base = memory::word(self.0, types::BASE);
        (base != 0).then_some(Type(base))
    }

    /// The type and its chain of bases, which decide the structure. The cut-off protects against a broken
    /// chain.
    pub(crate) fn chain(self) -> impl Iterator<Item = Type> {
        std::iter::successors(Some(self), |found| found.base()).take(64)
    }

    /// `tp_name`: with the module for C types, without for types of a `class` statement.
    pub fn raw_name(self) -> Vec<u8> {
        memory::c_string(memory::word(self.0, types::NAME), 200)
    }
}

/// Types whose objects are recognised by the type's address.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WellKnown {
    pub(crate) type_: u64,
    pub(crate) list: u64,
    pub(crate) tuple: u64,
    pub(crate) dict: u64,
    pub(crate) set: u64,
    pub(crate) frozenset: u64,
    pub(crate) text: u64,
    pub(crate) bytes: u64,
    pub(crate) bytearray: u64,
    pub(crate) memoryview: u64,
    pub(crate) integer: u64,
    pub(crate) code: u64,
    pub(crate) frame: u64,
    pub(crate) function: u64,
    pub(crate) module: u64,
    /// The types of generators, coroutines and asynchronous generators.
    pub(crate) generators: [u64; 3],
    /// The object that marks deleted entries in a set.
    pub(crate) dummy: u64,
}

/// The interpreter of this process: version, offsets, well-known types. Checked once against live objects.
#[derive(Clone, Debug)]
pub struct Python {
    pub(crate) api: CApi,
    pub(crate) layout: Layout,
    pub(crate) known: WellKnown,
    /// Heads of the collector's lists. Without them CPython's own walk serves (3.12 on), which passes over
    /// frozen objects.
    pub(crate) lists: Option<[u64; 4]>,
    /// The interpreter state that all of this was read from.
    pub(crate) interpreter: u64,
    /// Installed packages that are the user's own all the same.
    pub(crate) own: Vec<String>,
    /// The file that runs as `__main__`, once it was asked for; empty if there is none.
    pub(crate) script: Option<String>,
    /// What is known of frameworks.
    pub(crate) packs: Packs,
    /// Of that, the types of bulk values: each scan asks for them once per module.
    pub(crate) bulk: Vec<&'static Bulk>,
}

impl Python {
    /// Major and minor version.
    pub fn version(&self) -> (u8, u8) {
        self.layout.version
    }

    /// Whether this thread holds the GIL of that interpreter.
    pub(crate) fn can_read_heap(&self) -> bool {
        self.api.held() && self.api.interpreter() == self.interpreter
    }

    /// The object's type.
    #[inline]
    pub fn type_of(&self, o: Object) -> Type {
        Type(memory::word(o.0, TYPE))
    }

    /// The type's name with its module, except for builtins.
    pub fn type_name(&self, t: Type) -> String {
        let raw = t.raw_name();
        if !t.has(flags::HEAP) {
            return String::from_utf8_lossy(&raw).into_owned();
        }
        let qualified = Object(memory::word(t.0, self.layout.cached_keys - 8));
        let name = match self.text(qualified, 400) {
            Some(name) => name,
            None => String::from_utf8_lossy(&raw).into_owned(),
        };
        let module = self.dict_item(Object(memory::word(t.0, types::DICT)), b"__module__");
        match module.and_then(|module| self.text(module, 400)) {
            Some(module) if module != "builtins" => format!("{module}.{name}"),
            _ => name,
        }
    }

    /// The reference count; `u64::MAX` for immortal objects. On 3.12 and later it is one too high for the
    /// object that [`Python::visit_tracked`] visits.
    pub fn references(&self, o: Object) -> u64 {
        let count = memory::word(o.0, REFERENCES);
        let half = count as u32;
        if self.layout.immortals && half.cast_signed() < 0 {
            return u64::MAX;
        }
        if self.layout.flags_beside_count { u64::from(half) } else { count }
    }

    /// Whether the collector manages this object.
    pub fn is_gc(&self, o: Object) -> bool {
        let kind = self.type_of(o);
        let asks = memory::word(kind.0, types::IS_GC) != 0;
        kind.has(flags::GC) && (!asks || self.api.is_gc(o.0))
    }

    /// Whether the collector tracks the object now.
    pub fn is_tracked(&self, o: Object) -> bool {
        self.is_gc(o) && memory::word(o.0.wrapping_sub(GC_HEAD), 0) != 0
    }

    /// Every object that the collector tracks.
    pub fn visit_tracked(&self, visit: &mut dyn FnMut(Object)) {
        self.visit_tracked_while(&mut |object| {
            visit(object);
            true
        });
    }

    /// Every object that the collector tracks, until `visit` says false.
    pub fn visit_tracked_while(&self, visit: &mut dyn FnMut(Object) -> bool) {
        let Some(lists) = self.lists else {
            return self.api.visit_objects(&mut |address| visit(Object(address)));
        };
        crate::gc_lists::walk(lists, &self.split_points(), visit);
    }

    /// Objects spread over the collector's lists: some modules, which were loaded one after the other with
    /// their contents. Each object in `sys.modules` is on one of the lists at any time, also during a
    /// collection.
    fn split_points(&self) -> Vec<Object> {
        const MAX_SPLIT_POINTS: u64 = 64;
        let Some(modules) = self.dict_view(Object(self.api.modules())) else { return Vec::new() };
        let step = (modules.table.entries / MAX_SPLIT_POINTS).max(1) as usize;
        let places = (0..modules.table.entries).step_by(step);
        let found = places.filter_map(|place| modules.entry(place)).map(|(_, module)| module);
        found.filter(|module| self.is_tracked(*module)).collect()
    }

    /// The children that the object's own `tp_traverse` shows, and the parts of static types. Untracked
    /// objects may be incomplete and show nothing, except for a few types whose objects are complete by then.
    pub fn traverse(&self, o: Object, visit: &mut dyn FnMut(Object)) {
        self.traverse_while(o, &mut |child| {
            visit(child);
            true
        });
    }

    /// The same until `visit` says false: a list may have a hundred million elements.
    pub(crate) fn traverse_while(&self, o: Object, visit: &mut dyn FnMut(Object) -> bool) {
        let kind = self.type_of(o);
        if kind.has(flags::TYPE) && !self.is_gc(o) {
            return traverse_static_type(o, visit);
        }
        let whole = || {
            let known = &self.known;
            [known.tuple, known.dict, known.list, known.set, known.frozenset, known.frame].contains(&kind.0)
        };
        if self.is_tracked(o) || self.is_gc(o) && whole() {
            let function = memory::word(kind.0, types::TRAVERSE);
            let mut deferred_refs =
                if self.may_hold_deferred(kind) { self.deferred_refs(o) } else { Vec::new() };
            c_api::traverse(function, o.0, &mut |address| {
                if let Some(at) = deferred_refs.iter().position(|one| *one == address) {
                    deferred_refs.swap_remove(at);
                    return true;
                }
                visit(Object(address))
            });
        }
    }

    /// The number of elements of a list, tuple, dict, set, frozenset, deque or a subclass; read from its
    /// field.
    pub fn length(&self, o: Object) -> Option<u64> {
        match shape_of(self, self.type_of(o)) {
            Shape::List | Shape::Tuple | Shape::Deque => Some(memory::word(o.0, SIZE)),
            Shape::Dict => Some(memory::word(o.0, dict::USED)),
            Shape::Set => Some(memory::word(o.0, set::USED)),
            Shape::Other => None,
        }
    }

    /// Address and bytes of the object's own allocation, with the part before the object.
    pub fn block(&self, o: Object) -> (u64, u64) {
        let kind = self.type_of(o);
        let before = self.before(o, kind);
        (o.0.wrapping_sub(before), before + self.size(o, kind))
    }

    /// Bytes of the allocation before the object.
    fn before(&self, o: Object, kind: Type) -> u64 {
        let gc = if self.is_gc(o) { GC_HEAD } else { 0 };
        let managed = match self.layout.values {
            Values::None => 0,
            Values::Before => flags::MANAGED_DICT,
            Values::Tagged | Values::Behind => flags::MANAGED_DICT | flags::MANAGED_WEAK,
        };
        if kind.has(managed) { gc + PRE_HEADER } else { gc }
    }

    /// Bytes of the object from its address on.
    pub(crate) fn size(&self, o: Object, kind: Type) -> u64 {
        let basic = memory::word(kind.0, types::BASIC_SIZE);
        let known = &self.known;
        let bits = kind.flags();
        if bits & flags::TEXT != 0 {
            return self.text_size(o, basic);
        }
        let items = if bits & flags::INTEGER != 0 {
            self.digits(o)
        } else if bits & (flags::TUPLE | flags::BYTES | flags::TYPE) != 0
            || kind.0 == known.memoryview
            || kind.0 == known.code && self.layout.version >= (3, 11)
        {
            memory::word(o.0, SIZE)
        } else {
            0
        };
        let size = basic.saturating_add(items.saturating_mul(memory::word(kind.0, types::ITEM_SIZE)));
        size.saturating_add(self.inline_values(kind)).saturating_add(7) & !7
    }

    /// Digits of an `int`. From 3.12 on the count stands above three bits; before, it is negative for
    /// negative numbers.
    fn digits(&self, o: Object) -> u64 {
        let size = memory::word(o.0, SIZE);
        if self.layout.version >= (3, 12) { size >> 3 } else { size.cast_signed().unsigned_abs() }
    }

    /// 3.13 on: bytes of the attributes behind the object, with their order.
    fn inline_values(&self, kind: Type) -> u64 {
        if self.layout.values != Values::Behind || !kind.has(flags::INLINE_VALUES) {
            return 0;
        }
        let keys = memory::word(kind.0, self.layout.cached_keys);
        if keys == 0 {
            return 0;
        }
        let usable =
            memory::word(keys, self.layout.keys.usable) + memory::word(keys, self.layout.keys.entries);
        ((usable + 7) & !7) + 8 * (usable + 1)
    }

    /// Address and number of the items of a list or tuple.
    pub(crate) fn items_of(&self, o: Object) -> Option<(u64, u64)> {
        match shape_of(self, self.type_of(o)) {
            Shape::List => {
                let length = memory::word(o.0, SIZE).min(memory::word(o.0, list::ALLOCATED));
                Some((memory::word(o.0, list::ITEMS), length))
            }
            Shape::Tuple => Some((o.0 + self.layout.tuple_items, memory::word(o.0, SIZE))),
            _ => None,
        }
    }
}

/// Parts of a static type. `tp_traverse` of `type` aborts the process for a static type.
fn traverse_static_type(o: Object, visit: &mut dyn FnMut(Object) -> bool) {
    let mut fields = vec![types::DICT, types::MRO, types::BASES, types::BASE];
    if !Type(o.0).has(flags::STATIC_BUILTIN) {
        fields.push(types::SUBCLASSES);
    }
    for field in fields {
        let part = memory::word(o.0, field);
        if memory::usable(part) && !visit(Object(part)) {
            return;
        }
    }
}

/// Whether the type is the deque, by name and by a known object size.
pub(crate) fn is_deque(kind: Type) -> bool {
    deque::BASIC_SIZES.contains(&memory::word(kind.0, types::BASIC_SIZE))
        && kind.raw_name() == b"collections.deque"
}
