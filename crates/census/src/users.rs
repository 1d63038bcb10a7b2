//! What the collector does not track, found below what the user's code made: dicts, and arrays in their places.
//!
//! In: the objects of a scan, one by one. Out: exact dicts whose keys and values cannot be parts of cycles, such as one of
//! numbers to arrays: CPython keeps these off its lists, so the scan would never meet them; and arrays, tensors and tables,
//! each with the place where it stands, as one that is joined with the next and replaced is another object each time. The places
//! are what the user's objects, modules and functions have, and the variables of the user's running functions. What must not happen here: a
//! look at the children of everything, which costs ten times the scan. Libraries are passed over; what they keep in such
//! dicts is found when the whole heap is walked.

use std::collections::HashSet;

use crate::layout::{flags, types};
use crate::memory;
use crate::naming::Look;
use crate::object::{Object, Python, Type};
use crate::replaced::Replaced;
use crate::roots::{Places, Whose, folder};
use crate::sizes::{Addresses, ByAddress};

/// Parents that are looked into in one scan.
const MOST_PARENTS: u64 = 50_000;
/// Entries of one dict, list or tuple that are looked at.
const MOST_ENTRIES: u64 = 4096;
/// Frames of one thread, and threads, whose variables are looked at.
const MOST_FRAMES: usize = 500;
const MOST_THREADS: usize = 200;
/// What an address has; above it there is room for an index.
const ADDRESS: u64 = (1 << 48) - 1;
/// `md_dict` of a module, `ob_ref` of a cell, `func_globals` of a function.
const FIRST_FIELD: u64 = 16;

/// How a type's objects may hold a dict of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    No,
    /// A class of the user's made it, or it keeps results for any function.
    Always,
    Cell,
    Module,
    Function,
    /// A class, whose attributes count if the user wrote it.
    Class,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    Dict(Object),
    /// What becomes longer only by being replaced, its bytes, and a number for the place where it stands: the object that has it,
    /// and the how manieth there.
    Piece {
        place: u64,
        piece: Object,
        bytes: u64,
    },
}

/// The number of a place: no object's address, and the same as long as the place stays.
fn place(parent: Object, index: u64) -> u64 {
    parent.0 | (index & 0x7fff) << 48 | 1
}

/// Which modules are the user's.
#[derive(Debug, Default)]
pub(crate) struct Users {
    /// By address of the module's dict; kept from scan to scan, and a mistake costs a look.
    known: ByAddress<u64, bool>,
    namespaces: Addresses,
    /// By address of a class; forgotten now and then, for another class may have come to it.
    classes: ByAddress<u64, bool>,
    age: u32,
    names: HashSet<String>,
    looked: u64,
    /// Where the standard library and this tool are.
    places: Places,
    replaced: Replaced,
}

impl Users {
    /// Before each scan: which modules are there now.
    pub(crate) fn begin(&mut self, python: &Python) {
        self.looked = 0;
        self.age += 1;
        if self.age.is_multiple_of(8) {
            self.classes.clear();
        }
        self.namespaces.clear();
        self.names.clear();
        let Some(modules) = python.dict_view(Object(python.api.modules())) else { return };
        let library = file_of(python, b"os");
        self.places = Places {
            standard: library.as_deref().map_or_else(String::new, folder),
            ours: file_of(python, b"nilometer").as_deref().map_or_else(String::new, folder),
        };
        let library = library.map(|file| format!("{}/", folder(&file)));
        self.replaced = Replaced::default();
        let mut seen = 0_usize;
        modules.each(&mut |name, module| {
            if !python.type_of(module).chain().any(|part| part.0 == python.known.module) {
                return true;
            }
            seen += 1;
            let namespace = memory::word(module.0, FIRST_FIELD);
            let users = *self
                .known
                .entry(namespace)
                .or_insert_with(|| is_users(python, name, Object(namespace), library.as_deref()));
            self.replaced.see_module(python, name, Object(namespace));
            if users {
                self.namespaces.insert(namespace);
                self.names.extend(python.text(name, 400));
            }
            true
        });
        if self.known.len() > 2 * seen + 1000 {
            self.known.clear();
        }
    }

    /// How a type's objects are to be looked into.
    pub(crate) fn parent(&mut self, python: &Python, kind: Type) -> Parent {
        let known = &python.known;
        if kind.0 == known.module {
            return Parent::Module;
        }
        if kind.0 == known.function {
            return Parent::Function;
        }
        if kind.has(flags::TYPE) {
            return Parent::Class;
        }
        if !kind.has(flags::HEAP) && kind.raw_name() == b"cell" {
            return Parent::Cell;
        }
        if kind.raw_name() == b"functools._lru_cache_wrapper" {
            return Parent::Always;
        }
        if kind.has(flags::HEAP) && self.is_users_class(python, kind) { Parent::Always } else { Parent::No }
    }

    /// The class or one that it builds on, other than a library's, was written in a module of the user's.
    fn is_users_class(&mut self, python: &Python, kind: Type) -> bool {
        if let Some(known) = self.classes.get(&kind.0) {
            return *known;
        }
        let module = python.dict_item(Object(memory::word(kind.0, types::DICT)), b"__module__");
        let users =
            module.and_then(|module| python.text(module, 400)).is_some_and(|name| self.names.contains(&name));
        self.classes.insert(kind.0, users);
        users
    }

    /// Shows what stands in variables of the user's functions that run.
    pub(crate) fn look_at_frames(&self, python: &Python, visit: &mut dyn FnMut(Below)) {
        let Ok(look) = Look::new(python) else { return };
        for state in look.api.threads(python.api.interpreter()).into_iter().take(MOST_THREADS) {
            for running in look.running(state, MOST_FRAMES) {
                if !running.readable || self.places.whose(&look.code_file(running.code)) != Whose::User {
                    continue;
                }
                // Another function's frame may come to the same place of the stack.
                let frame = Object((running.frame ^ running.code << 20) & ADDRESS);
                let mut inner = Vec::new();
                look.variables(running.frame, running.code, &mut |index, value| {
                    if show(python, &self.replaced, (frame, index), Object(value), visit) {
                        inner.push(Object(value));
                    }
                });
                for child in inner {
                    self.entries_of(python, child, visit);
                }
            }
        }
    }

    /// Shows what is in a dict, list or tuple.
    fn entries_of(&self, python: &Python, o: Object, visit: &mut dyn FnMut(Below)) {
        // Elements of a list come and go, so that their places say nothing.
        let (nothing, is_dict) = (Replaced::default(), python.type_of(o).0 == python.known.dict);
        let replaced = if is_dict { &self.replaced } else { &nothing };
        entries(python, o, &mut |place, entry| {
            show(python, replaced, place, entry, visit);
        });
    }

    /// Shows what the collector does not track below an object.
    pub(crate) fn look(&mut self, python: &Python, o: Object, parent: Parent, visit: &mut dyn FnMut(Below)) {
        if self.looked >= MOST_PARENTS {
            return;
        }
        let first = memory::word(o.0, FIRST_FIELD);
        let wanted = match parent {
            Parent::No => false,
            Parent::Always => true,
            Parent::Cell => {
                show(python, &self.replaced, (o, 0), Object(first), visit);
                return;
            }
            Parent::Module | Parent::Function => self.namespaces.contains(&first),
            Parent::Class => Type(o.0).has(flags::HEAP) && self.is_users_class(python, Type(o.0)),
        };
        if !wanted {
            return;
        }
        self.looked += 1;
        let (mut inner, mut room, replaced) = (Vec::new(), MOST_ENTRIES, &self.replaced);
        let dictionary = python.instance_dict(o, python.type_of(o)).filter(|_| parent == Parent::Always);
        let mut follow = |place: (Object, u64), child: Object| {
            if show(python, replaced, place, child, visit) {
                inner.push(child);
            }
        };
        match parent {
            Parent::Module => follow((o, 0), Object(first)),
            Parent::Class => follow((o, 0), Object(memory::word(o.0, types::DICT))),
            _ => python.traverse_while(o, &mut |child| {
                room -= 1;
                follow((o, room), child);
                if Some(child) == dictionary {
                    entries(python, child, &mut follow);
                }
                room > 0
            }),
        }
        // One level more: a namespace's values, a dict of dicts, default arguments.
        for child in inner {
            if parent == Parent::Function && child.0 == first {
                continue;
            }
            self.entries_of(python, child, visit);
        }
    }
}

/// Shows an untracked dict, or a piece in its place. True: it is one whose entries may be such.
fn show(
    python: &Python,
    replaced: &Replaced,
    (parent, index): (Object, u64),
    o: Object,
    visit: &mut dyn FnMut(Below),
) -> bool {
    if !memory::usable(o.0) {
        return false;
    }
    let (kind, known) = (python.type_of(o), &python.known);
    if kind.0 == known.dict {
        let tracked = python.is_tracked(o);
        if !tracked {
            visit(Below::Dict(o));
        }
        return tracked;
    }
    if let Some(bytes) = replaced.bytes(python, o, kind) {
        visit(Below::Piece { place: place(parent, index), piece: o, bytes });
    }
    kind.0 == known.list || kind.0 == known.tuple
}

fn entries(python: &Python, o: Object, visit: &mut dyn FnMut((Object, u64), Object)) {
    if let Some(view) = python.dict_view(o) {
        for index in 0..view.table.entries.min(MOST_ENTRIES) {
            if let Some((_, value)) = view.entry(index) {
                visit((o, index), value);
            }
        }
    } else if let Some((items, length)) = python.items_of(o) {
        for index in 0..length.min(MOST_ENTRIES) {
            visit((o, index), Object(memory::word(items + 8 * index, 0)));
        }
    }
}

/// The file of a module, by its name.
fn file_of(python: &Python, name: &[u8]) -> Option<String> {
    let module = python.dict_item(Object(python.api.modules()), name)?;
    let is_module = python.type_of(module).chain().any(|part| part.0 == python.known.module);
    let namespace = Object(if is_module { memory::word(module.0, FIRST_FIELD) } else { 0 });
    python.text(python.dict_item(namespace, b"__file__")?, 4096)
}

/// A module is the user's if it has a file that is neither the standard library's nor installed.
fn is_users(python: &Python, name: Object, namespace: Object, library: Option<&str>) -> bool {
    if python.is_text(name, b"__main__") {
        return true;
    }
    let Some(file) = python.dict_item(namespace, b"__file__").and_then(|file| python.text(file, 4096)) else {
        return false;
    };
    let installed = file.contains("/site-packages/") || file.contains("/dist-packages/");
    !installed && !library.is_some_and(|library| file.starts_with(library))
}
