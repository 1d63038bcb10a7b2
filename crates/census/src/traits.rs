//! What is the same for all objects of a type, read once per look instead of once per object.
//!
//! In: types of live objects. Out: [`Traits`], and with them an object's block and children. What must not happen here: traits
//! that outlive the look; a type may die, and another may come to its address.

use crate::api;
use crate::layout::{GC_HEAD, PRE_HEADER, Values, dict, flags, list, set, types};
use crate::memory;
use crate::object::{Object, Python, Type};

/// Whether the collector manages a type's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Collected {
    No,
    Yes,
    /// Each object must be asked: types are, where they were made at run time.
    Asks,
}

/// What all objects of a type have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    kind: Type,
    collected: Collected,
    /// `tp_traverse`.
    traverse: u64,
    /// Whole, and so fit for traversal, even where the collector does not track them.
    whole: bool,
    /// Its traversal may show more than there is.
    uncounted: bool,
    /// Bytes of a dictionary and weak references before the head of the collector.
    managed: u64,
    /// Bytes from an object's address on, where all have as many.
    size: Option<u64>,
    /// Where in an object the address of its table or items stands; 0: they have none.
    inner: u64,
}

impl Traits {
    /// The type.
    pub(crate) fn kind(&self) -> Type {
        self.kind
    }

    /// Asks for the memory that reading this live object will need beside its head.
    pub(crate) fn expect(&self, o: Object) {
        if self.inner != 0 {
            memory::prefetch(memory::word(o.0, self.inner));
        }
    }
}

impl Python {
    /// Reads a type.
    pub(crate) fn traits(&self, kind: Type) -> Traits {
        let (known, bits) = (&self.known, kind.flags());
        let collected = match (bits & flags::GC != 0, memory::word(kind.0, types::IS_GC) != 0) {
            (false, _) => Collected::No,
            (true, false) => Collected::Yes,
            (true, true) => Collected::Asks,
        };
        let whole = [known.tuple, known.dict, known.list, known.set, known.frozenset, known.frame];
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
        Traits {
            kind,
            collected,
            traverse: memory::word(kind.0, types::TRAVERSE),
            whole: whole.contains(&kind.0),
            uncounted: self.may_hold_uncounted(kind),
            managed: if kind.has(managed) { PRE_HEADER } else { 0 },
            size: (!is_variable).then(|| self.size(Object(0), kind)),
            inner,
        }
    }

    /// As [`Python::block`].
    pub(crate) fn block_of(&self, traits: &Traits, o: Object) -> (u64, u64) {
        let head = if self.is_collected(traits, o) { GC_HEAD } else { 0 };
        let before = head + traits.managed;
        let size = traits.size.unwrap_or_else(|| self.size(o, traits.kind));
        (o.0.wrapping_sub(before), before + size)
    }

    /// As [`Python::traverse`], for all but types that are not of the heap; adds to `into` until there are more than `most`.
    pub(crate) fn children_of(&self, traits: &Traits, o: Object, into: &mut Vec<u64>, most: usize) {
        if !self.is_collected(traits, o) {
            return;
        }
        if traits.whole || memory::word(o.0.wrapping_sub(GC_HEAD), 0) != 0 {
            let from = into.len();
            api::children(traits.traverse, o.0, into, most);
            for one in if traits.uncounted { self.uncounted(o) } else { Vec::new() } {
                let shown = into.get(from..).unwrap_or_default().iter().position(|child| *child == one);
                shown.map(|at| into.remove(from + at));
            }
        }
    }

    fn is_collected(&self, traits: &Traits, o: Object) -> bool {
        match traits.collected {
            Collected::No => false,
            Collected::Yes => true,
            Collected::Asks => self.api.is_gc(o.0),
        }
    }
}

/// Traits of the types that one look meets, with a number for each.
#[derive(Debug)]
pub(crate) struct Types<T> {
    all: Vec<(Traits, T)>,
    index: crate::sizes::ByAddress<u64, u32>,
    /// The type met last at each of these places.
    recent: Vec<(u64, u32)>,
}

const RECENT: usize = 1 << 10;

/// Types lie 16 bytes apart or more, and most of them much more.
fn place(kind: Type) -> usize {
    ((kind.0 >> 4) ^ (kind.0 >> 12)) as usize % RECENT
}

impl<T> Types<T> {
    pub(crate) fn new() -> Types<T> {
        Types { all: Vec::new(), index: crate::sizes::ByAddress::default(), recent: vec![(0, 0); RECENT] }
    }

    /// The number of a type.
    #[inline]
    pub(crate) fn number(&mut self, python: &Python, kind: Type, meet: impl FnOnce(&Traits) -> T) -> u32 {
        let at = place(kind);
        if let Some((class, number)) = self.recent.get(at)
            && *class == kind.0
        {
            return *number;
        }
        let next = self.all.len() as u32;
        let number = *self.index.entry(kind.0).or_insert(next);
        if number == next {
            let traits = python.traits(kind);
            let extra = meet(&traits);
            self.all.push((traits, extra));
        }
        if let Some(place) = self.recent.get_mut(at) {
            *place = (kind.0, number);
        }
        number
    }

    /// What is known of a type that was met lately.
    #[inline]
    pub(crate) fn find(&self, kind: Type) -> Option<&(Traits, T)> {
        let (class, number) = self.recent.get(place(kind))?;
        self.get(*number).filter(|_| *class == kind.0)
    }

    /// What is kept with a number, to be changed.
    #[inline]
    pub(crate) fn kept(&mut self, number: u32) -> Option<&mut T> {
        self.all.get_mut(number as usize).map(|(_, kept)| kept)
    }

    /// What is kept with each type.
    pub(crate) fn into_kept(self) -> Vec<T> {
        self.all.into_iter().map(|(_, kept)| kept).collect()
    }

    /// What is known of a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&(Traits, T)> {
        self.all.get(number as usize)
    }
}
