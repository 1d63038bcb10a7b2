//! What it costs a search to enter an object.
//!
//! In: live objects. Out: a cost. Functions, classes and modules lead to everything, so a path through one is the last
//! that a person would follow, unless the person wrote that function or class.

use std::cell::RefCell;

use crate::layout::{TYPE, flags, types};
use crate::memory::word;
use crate::naming::{Kind, Look};
use crate::roots::{Place, Roots, Whose};
use crate::sizes::{Addresses, ByAddress};

const PLAIN: u32 = 1;
const USERS: u32 = 3;
const FUNCTION: u32 = 20;
const CLASS: u32 = 10;
const MODULE: u32 = 10;
const FRAME: u32 = 10;
const TRACEBACK: u32 = 5;

/// `func_globals`.
const GLOBALS: u64 = 16;

/// Costs during one look.
pub(crate) struct Weights<'a> {
    look: &'a Look<'a>,
    roots: &'a Roots,
    /// By type: its objects' kind, and whether the type of an instance decides nothing.
    costs: RefCell<ByAddress<u64, u32>>,
    /// By the `str` of a file's name, and by that of a module's.
    files: RefCell<ByAddress<u64, bool>>,
    modules: RefCell<ByAddress<u64, bool>>,
    /// Dicts of modules that are not the user's: what is defined there is not the user's either.
    libraries: Addresses,
}

impl<'a> Weights<'a> {
    /// For one look.
    pub(crate) fn new(look: &'a Look<'a>, roots: &'a Roots) -> Weights<'a> {
        let mut libraries = Addresses::default();
        for root in &roots.starts {
            if let Place::Module(index) = root.place
                && roots.modules.get(index as usize).is_some_and(|module| module.whose == Whose::Library)
            {
                libraries.insert(root.object);
            }
        }
        let (costs, files, modules) = (RefCell::default(), RefCell::default(), RefCell::default());
        Weights { look, roots, costs, files, modules, libraries }
    }

    /// What it costs to enter the objects of a type; `None` where that depends on the object.
    pub(crate) fn of_type(&self, class: u64) -> Option<u32> {
        match self.look.kinds.of_type(class) {
            Kind::Function | Kind::Type => None,
            Kind::Module => Some(MODULE),
            Kind::Frame => Some(FRAME),
            Kind::Traceback => Some(TRACEBACK),
            _ => Some(PLAIN),
        }
    }

    /// What it costs to enter a live object.
    pub(crate) fn enter(&self, object: u64) -> u32 {
        let class = word(object, TYPE);
        if let Some(cost) = self.costs.borrow().get(&class) {
            return *cost;
        }
        let Some(cost) = self.of_type(class) else {
            let is_class = self.look.kinds.of_type(class) == Kind::Type;
            return if is_class { self.class(object) } else { self.function(object) };
        };
        self.costs.borrow_mut().insert(class, cost);
        cost
    }

    /// Whether an object may have children: those of the collector, arrays, and classes that are not on the heap.
    pub(crate) fn leads_on(&self, object: u64) -> bool {
        let class = word(object, TYPE);
        word(class, types::FLAGS) & flags::GC != 0 || self.look.kinds.of_type(class) == Kind::Array
    }

    fn function(&self, object: u64) -> u32 {
        if self.libraries.contains(&word(object, GLOBALS)) {
            return FUNCTION;
        }
        let name = self.look.code_file_object(self.look.code_of(object));
        if let Some(users) = self.files.borrow().get(&name) {
            return if *users { USERS } else { FUNCTION };
        }
        let file = self.look.code_file(self.look.code_of(object));
        let users = self.roots.places.whose(&file) == Whose::User;
        self.files.borrow_mut().insert(name, users);
        if users { USERS } else { FUNCTION }
    }

    fn class(&self, class: u64) -> u32 {
        if !self.look.is_heap_type(class) {
            return CLASS;
        }
        let name = self.look.value(self.look.class_dict(class), "__module__");
        if let Some(users) = self.modules.borrow().get(&name) {
            return if *users { USERS } else { CLASS };
        }
        let module = self.look.module_of_class(class);
        let users = self.roots.module(&module).is_some_and(|module| module.whose == Whose::User);
        self.modules.borrow_mut().insert(name, users);
        if users { USERS } else { CLASS }
    }
}
