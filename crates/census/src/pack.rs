//! What a framework tells the census of its types: a [`Pack`] of tables, which the framework's own folder fills.
//!
//! In: nothing. Out: the forms of the tables. What must not happen here: the name of a framework. The census gets its packs when it
//! finds Python, and asks them once for each type of a look.

use std::fmt::Debug;

use rustc_hash::FxHashSet;

use crate::object::Object;
use crate::peeked_pages::PeekedPages;
use crate::sizes::{Buffer, Sizes};

/// All that the census may know of one framework. What a framework lacks it takes from [`Pack::EMPTY`].
#[derive(Debug)]
pub struct Pack {
    /// Types whose objects can be sized.
    pub families: &'static [Family],
    /// Types whose objects are single values with many bytes.
    pub bulk: &'static [Bulk],
    /// Types whose objects the collector knows, though they are values without children: the last part of a name.
    pub values: &'static [&'static str],
    /// Types with native memory that nobody can size: the last part of a name along the bases, and how its qualified name begins.
    pub opaque: &'static [(&'static str, &'static str)],
    /// How the names of such types begin, where all of a module are.
    pub opaque_modules: &'static [&'static str],
    /// Packages whose callbacks, datasets, metrics, models and layers have a role.
    pub packages: &'static [&'static str],
    /// Attributes for which users write something else.
    pub put_elsewhere: &'static [PutElsewhere],
}

impl Pack {
    /// A framework that tells nothing.
    pub const EMPTY: Pack = Pack {
        families: &[],
        bulk: &[],
        values: &[],
        opaque: &[],
        opaque_modules: &[],
        packages: &[],
        put_elsewhere: &[],
    };
}

/// The packs that a census works with.
pub type Packs = &'static [&'static Pack];

/// Types that are read in the same way.
#[derive(Debug)]
pub struct Family {
    /// `tp_name` of the type, or of a base.
    pub names: &'static [&'static str],
    /// How the qualified name of that type begins; empty if the names leave no doubt.
    pub module: &'static str,
    /// How its objects are read.
    pub reader: &'static dyn Reader,
}

/// How the objects of a family are read. Each is a live object of the family, under the GIL.
pub trait Reader: Debug + Sync {
    /// Memory that the object owns outside its block.
    fn buffers(&self, _sizes: &Sizes<'_>, _o: Object, _visit: &mut dyn FnMut(Buffer)) {}

    /// Whether [`Reader::buffers`] may visit anything.
    fn has_buffers(&self) -> bool {
        true
    }

    /// Whether the object owns native memory that could not be sized.
    fn is_opaque(&self, _sizes: &Sizes<'_>, _o: Object) -> bool {
        false
    }

    /// Shape and element type; the type may be empty.
    fn shape(&self, _sizes: &Sizes<'_>, _o: Object) -> Option<(Vec<u64>, &'static str)> {
        None
    }

    /// Elements of the storage that a much smaller object keeps alive, if it is such a slice.
    fn cut_from(&self, _sizes: &Sizes<'_>, _o: Object) -> Option<u64> {
        None
    }

    /// The attribute in whose C field a child stands. `word` reads the object's word at an offset.
    fn field(&self, _word: &dyn Fn(u64) -> u64, _child: u64) -> Option<&'static str> {
        None
    }

    /// Whether everything is reachable from its objects, so that walks end there.
    fn leads_everywhere(&self) -> bool {
        false
    }

    /// Whether its objects may keep a graph of the operations that made them.
    fn may_keep_graph(&self) -> bool {
        false
    }

    /// Where the graph begins that the object keeps.
    fn made_by(&self, _o: Object) -> Option<MadeBy> {
        None
    }

    /// Visits the memory of a graph, each block with its bytes. False: the walk was cut.
    fn walk_graph(
        &self,
        _from: MadeBy,
        _walked: &mut Walked,
        _late: &dyn Fn() -> bool,
        _visit: &mut dyn FnMut(u64, u64),
    ) -> bool {
        true
    }
}

/// Where a graph begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeBy {
    /// The function that made the object's value.
    pub function: u64,
    /// What tells that an address is of a value which a function keeps.
    pub class: u64,
}

/// Walks over graphs during one look. What two values share belongs to the first.
#[derive(Debug, Default)]
pub struct Walked {
    met: FxHashSet<u64>,
    functions: usize,
    pages: PeekedPages,
}

impl Walked {
    /// Notes an address. False: it was met before.
    pub fn meet(&mut self, address: u64) -> bool {
        self.met.insert(address)
    }

    /// Whether an address was met.
    pub fn has_met(&self, address: u64) -> bool {
        self.met.contains(&address)
    }

    /// Words from memory that may be unmapped, as they were when this look first came near.
    pub fn peek<const WORDS: usize>(&mut self, address: u64) -> Option<[u64; WORDS]> {
        self.pages.peek(address)
    }

    /// Counts a function; gives the number of all so far.
    pub fn count_function(&mut self) -> usize {
        self.functions += 1;
        self.functions
    }
}

/// Types of a module whose objects are single values with many bytes.
#[derive(Debug)]
pub struct Bulk {
    /// The module, as in `sys.modules`.
    pub module: &'static str,
    /// Names of the types in it.
    pub classes: &'static [&'static str],
    /// How many bytes such a value has.
    pub bytes: BulkBytes,
}

/// How many bytes a single value has.
#[derive(Clone, Copy, Debug)]
pub enum BulkBytes {
    /// By itself.
    Own(fn(Object) -> u64),
    /// Of all arrays below it, through objects whose qualified type names begin so, and through builtin containers.
    ArraysBelow(&'static str),
}

/// An attribute for which users write something else: what is put into `app.state.paths` lies in a dict `_state` of the state.
#[derive(Debug)]
pub struct PutElsewhere {
    /// The module of the class, or of a base. The name of a class alone may be a program's own.
    pub module: &'static str,
    /// The class.
    pub class: &'static str,
    /// The attribute.
    pub attribute: &'static str,
    /// What users write.
    pub how: Written,
}

/// What a user writes for such an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The keys of the dict are attributes of the object.
    Attributes,
    /// The dict is what `object[key]` looks into.
    Items,
    /// The dict has an object for each set of labels, which is made by `object.labels()`.
    ChildrenPerLabel,
    /// The value has a name by which programs ask for it wherever they are: the path begins there, unless it begins at the user's own.
    KnownAs(&'static str),
}
