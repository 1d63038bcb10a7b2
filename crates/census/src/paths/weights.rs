//! What it costs a search to enter an object.
//!
//! In: live objects. Out: a cost. Functions, classes and modules lead to everything, so a path through one is the last
//! that a person would follow, unless the person wrote that function or class.

use std::cell::RefCell;

use crate::layout::{TYPE, flags, types};
use crate::memory::word;
use crate::naming::{Kind, Look};
use crate::roots::{Roots, Whose};
use crate::sizes::ByAddress;

const PLAIN: u32 = 1;
const USERS: u32 = 3;
const FUNCTION: u32 = 20;
const CLASS: u32 = 10;
const MODULE: u32 = 10;
const FRAME: u32 = 10;
const TRACEBACK: u32 = 5;

/// Costs during one look.
pub(crate) struct Weights<'a> {
    look: &'a Look<'a>,
    roots: &'a Roots,
    /// By type: its objects' kind, and whether the type of an instance decides nothing.
    costs: RefCell<ByAddress<u64, u32>>,
    /// By the `str` of a file's name.
    files: RefCell<ByAddress<u64, bool>>,
}

impl<'a> Weights<'a> {
    /// For one look.
    pub(crate) fn new(look: &'a Look<'a>, roots: &'a Roots) -> Weights<'a> {
        Weights { look, roots, costs: RefCell::default(), files: RefCell::default() }
    }

    /// What it costs to enter a live object.
    pub(crate) fn enter(&self, object: u64) -> u32 {
        let class = word(object, TYPE);
        if let Some(cost) = self.costs.borrow().get(&class) {
            return *cost;
        }
        let cost = match self.look.kinds.of_type(class) {
            Kind::Function => return self.function(object),
            Kind::Type => return self.class(object),
            Kind::Module => MODULE,
            Kind::Frame => FRAME,
            Kind::Traceback => TRACEBACK,
            _ => PLAIN,
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
        let module = self.look.module_of_class(class);
        let users = self.roots.module(&module).is_some_and(|module| module.whose == Whose::User);
        if users { USERS } else { CLASS }
    }
}
