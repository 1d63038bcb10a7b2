//! The cost for a path search to enter an object.
//!
//! In: live objects. Out: a cost. Functions, classes and modules lead to everything, so a person follows a
//! path through them last, unless the person wrote that function or class.

use std::cell::RefCell;

use crate::layout::{TYPE, flags, types};
use crate::memory::word;
use crate::naming::{HeapView, Kind};
use crate::roots::{FileOwner, RootKind, Roots};
use crate::sizes::{Addresses, ByAddress};

const DEFAULT_COST: u32 = 1;
const USER_CODE_COST: u32 = 3;
const FUNCTION_COST: u32 = 20;
const CLASS_COST: u32 = 10;
const MODULE_COST: u32 = 10;
const FRAME_COST: u32 = 10;
const TRACEBACK_COST: u32 = 5;

/// `func_globals`.
const GLOBALS: u64 = 16;

/// Costs during one look.
pub(crate) struct EntryCosts<'a> {
    heap: &'a HeapView<'a>,
    roots: &'a Roots,
    /// By type: the cost to enter its objects, where it is the same for all.
    costs: RefCell<ByAddress<u64, u32>>,
    /// Whether the user wrote it: by the `str` of a file's name, and of a module's name.
    files: RefCell<ByAddress<u64, bool>>,
    modules: RefCell<ByAddress<u64, bool>>,
    /// Dicts of library modules; their functions are not the user's.
    libraries: Addresses,
}

impl<'a> EntryCosts<'a> {
    /// Costs for one look.
    pub(crate) fn new(heap: &'a HeapView<'a>, roots: &'a Roots) -> EntryCosts<'a> {
        let mut libraries = Addresses::default();
        for root in &roots.starts {
            if let RootKind::Module(index) = root.kind
                && roots
                    .modules
                    .get(index as usize)
                    .is_some_and(|module| !matches!(module.file_owner, FileOwner::User | FileOwner::Ours))
            {
                libraries.insert(root.object);
            }
        }
        let (costs, files, modules) = (RefCell::default(), RefCell::default(), RefCell::default());
        EntryCosts { heap, roots, costs, files, modules, libraries }
    }

    /// The cost to enter a type's objects; `None` where it depends on the object.
    pub(crate) fn of_type(&self, class: u64) -> Option<u32> {
        match self.heap.kinds.of_type(class) {
            Kind::Function | Kind::Type => None,
            Kind::Module => Some(MODULE_COST),
            Kind::Frame => Some(FRAME_COST),
            Kind::Traceback => Some(TRACEBACK_COST),
            _ => Some(DEFAULT_COST),
        }
    }

    /// The cost to enter a live object.
    pub(crate) fn enter(&self, object: u64) -> u32 {
        let class = word(object, TYPE);
        if let Some(cost) = self.costs.borrow().get(&class) {
            return *cost;
        }
        let Some(cost) = self.of_type(class) else {
            let is_class = self.heap.kinds.of_type(class) == Kind::Type;
            return if is_class { self.class(object) } else { self.function(object) };
        };
        self.costs.borrow_mut().insert(class, cost);
        cost
    }

    /// Whether an object may have children: garbage-collected objects, numpy arrays, static types.
    pub(crate) fn may_have_children(&self, object: u64) -> bool {
        let class = word(object, TYPE);
        word(class, types::FLAGS) & flags::GC != 0 || self.heap.kinds.of_type(class) == Kind::Array
    }

    fn function(&self, object: u64) -> u32 {
        if self.libraries.contains(&word(object, GLOBALS)) {
            return FUNCTION_COST;
        }
        let name = self.heap.code_file_object(self.heap.code_of(object));
        if let Some(users) = self.files.borrow().get(&name) {
            return if *users { USER_CODE_COST } else { FUNCTION_COST };
        }
        let file = self.heap.code_file(self.heap.code_of(object));
        let users = self.roots.folders.is_users(&file);
        self.files.borrow_mut().insert(name, users);
        if users { USER_CODE_COST } else { FUNCTION_COST }
    }

    fn class(&self, class: u64) -> u32 {
        if !self.heap.is_heap_type(class) {
            return CLASS_COST;
        }
        let name = self.heap.value(self.heap.class_dict(class), "__module__");
        if let Some(users) = self.modules.borrow().get(&name) {
            return if *users { USER_CODE_COST } else { CLASS_COST };
        }
        let module = self.heap.module_of_class(class);
        let users = self.roots.module(&module).is_some_and(|module| module.file_owner == FileOwner::User);
        self.modules.borrow_mut().insert(name, users);
        if users { USER_CODE_COST } else { CLASS_COST }
    }
}
