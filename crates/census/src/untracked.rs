//! Untracked dicts and bulk values below the user's code.
//!
//! In: the objects of a scan, one by one. Out: dicts that the collector does not track, because their keys
//! and values cannot form cycles (numbers to arrays): the scan would never meet them. And bulk values with
//! their places: an array that is joined with the next and replaced is another object each time. Places are
//! attributes and items of the user's objects, modules and functions, and variables of the user's running
//! functions. What must not happen here: a visit to the children of every object, which costs ten times the
//! scan. Libraries are skipped; a full look finds what they keep in such dicts.

use std::collections::HashSet;

use crate::bulk_values::BulkTypes;
use crate::layout::{flags, types};
use crate::memory;
use crate::naming::HeapView;
use crate::object::{Object, Python, Type};
use crate::roots::{CodeFolders, folder};
use crate::sizes::{Addresses, ByAddress};

/// Parents that one scan searches.
const MAX_PARENTS: u64 = 50_000;
/// Entries of one dict, list or tuple that are read.
const MAX_ENTRIES: u64 = 4096;
/// Frames per thread, and threads, whose variables are read.
const MAX_SCANNED_FRAMES: usize = 500;
const MAX_SCANNED_THREADS: usize = 200;
/// The bits of an address; an index fits above.
const ADDRESS_MASK: u64 = (1 << 48) - 1;
/// `md_dict` of a module, `ob_ref` of a cell, `func_globals` of a function.
const FIRST_FIELD: u64 = 16;

/// How a type's objects may hold the user's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    No,
    /// A class of the user's made it, or it is an `lru_cache`.
    Always,
    Cell,
    Module,
    Function,
    /// A class; its attributes count if the user wrote it.
    Class,
}

/// A find below the user's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untracked {
    Dict(Object),
    /// A bulk value, its bytes, and the number of its place: the object that has it, and the index there.
    Bulk {
        place: u64,
        bulk: Object,
        bytes: u64,
    },
}

/// The number of a place: no object's address, and constant as long as the place exists.
fn place(parent: Object, index: u64) -> u64 {
    parent.0 | (index & 0x7fff) << 48 | 1
}

/// Finds them; knows which modules are the user's.
#[derive(Debug, Default)]
pub(crate) struct UntrackedFinder {
    /// By address of a module's dict. Kept from scan to scan: a wrong entry costs one visit.
    known: ByAddress<u64, bool>,
    namespaces: Addresses,
    /// By address of a class. Cleared every few scans, because another class may have come to an address.
    classes: ByAddress<u64, bool>,
    age: u32,
    names: HashSet<String>,
    searched: u64,
    /// Whose code lies where.
    folders: CodeFolders,
    bulk_types: BulkTypes,
}

impl UntrackedFinder {
    /// Before each scan: reads the loaded modules.
    pub(crate) fn begin(&mut self, python: &Python) {
        self.searched = 0;
        self.age += 1;
        if self.age.is_multiple_of(8) {
            self.classes.clear();
        }
        self.namespaces.clear();
        self.names.clear();
        let Some(modules) = python.dict_view(Object(python.api.modules())) else { return };
        let folder_of = |module: &[u8]| file_of(python, module).as_deref().map_or_else(String::new, folder);
        self.folders.standard = folder_of(b"os");
        self.folders.ours = folder_of(b"nilometer");
        self.folders.own.clone_from(&python.own);
        let folders = &mut self.folders;
        self.bulk_types = BulkTypes::default();
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
                .or_insert_with(|| is_users(python, name, Object(namespace), folders));
            self.bulk_types.observe_module(python, name, Object(namespace));
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

    /// How a type's objects are to be searched.
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

    /// Whether a user's module defines the class.
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

    /// Visits the variables of the user's running functions.
    pub(crate) fn visit_frames(&self, python: &Python, visit: &mut dyn FnMut(Untracked)) {
        let Ok(heap) = HeapView::new(python) else { return };
        for state in heap.api.threads(python.api.interpreter()).into_iter().take(MAX_SCANNED_THREADS) {
            for running in heap.running(state, MAX_SCANNED_FRAMES) {
                if !running.readable || !self.folders.is_users(&heap.code_file(running.code)) {
                    continue;
                }
                // Another function's frame may come to the same stack address.
                let frame = Object((running.frame ^ running.code << 20) & ADDRESS_MASK);
                let mut inner = Vec::new();
                heap.variables(running.frame, running.code, &mut |index, value| {
                    if show(python, &self.bulk_types, (frame, index), Object(value), visit) {
                        inner.push(Object(value));
                    }
                });
                for child in inner {
                    self.entries_of(python, child, visit);
                }
            }
        }
    }

    /// Visits the entries of a dict, list or tuple.
    fn entries_of(&self, python: &Python, o: Object, visit: &mut dyn FnMut(Untracked)) {
        // Elements of a list come and go, so an index is no stable place.
        let (nothing, is_dict) = (BulkTypes::default(), python.type_of(o).0 == python.known.dict);
        let bulk_types = if is_dict { &self.bulk_types } else { &nothing };
        entries(python, o, &mut |place, entry| {
            show(python, bulk_types, place, entry, visit);
        });
    }

    /// Visits the untracked dicts and bulk values below an object.
    pub(crate) fn visit_below(
        &mut self,
        python: &Python,
        o: Object,
        parent: Parent,
        visit: &mut dyn FnMut(Untracked),
    ) {
        if self.searched >= MAX_PARENTS {
            return;
        }
        let first = memory::word(o.0, FIRST_FIELD);
        let wanted = match parent {
            Parent::No => false,
            Parent::Always => true,
            Parent::Cell => {
                show(python, &self.bulk_types, (o, 0), Object(first), visit);
                return;
            }
            Parent::Module | Parent::Function => self.namespaces.contains(&first),
            Parent::Class => Type(o.0).has(flags::HEAP) && self.is_users_class(python, Type(o.0)),
        };
        if !wanted {
            return;
        }
        self.searched += 1;
        let (mut inner, mut room, bulk_types) = (Vec::new(), MAX_ENTRIES, &self.bulk_types);
        let dictionary = python.instance_dict(o, python.type_of(o)).filter(|_| parent == Parent::Always);
        let mut follow = |place: (Object, u64), child: Object| {
            if show(python, bulk_types, place, child, visit) {
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

/// Visits an untracked dict or a bulk value. True: it is a container whose entries may be such.
fn show(
    python: &Python,
    bulk_types: &BulkTypes,
    (parent, index): (Object, u64),
    o: Object,
    visit: &mut dyn FnMut(Untracked),
) -> bool {
    if !memory::usable(o.0) {
        return false;
    }
    let (kind, known) = (python.type_of(o), &python.known);
    if kind.0 == known.dict {
        let tracked = python.is_tracked(o);
        if !tracked {
            visit(Untracked::Dict(o));
        }
        return tracked;
    }
    if let Some(bytes) = bulk_types.bytes(python, o, kind) {
        visit(Untracked::Bulk { place: place(parent, index), bulk: o, bytes });
    }
    kind.0 == known.list || kind.0 == known.tuple
}

fn entries(python: &Python, o: Object, visit: &mut dyn FnMut((Object, u64), Object)) {
    if let Some(view) = python.dict_view(o) {
        for index in 0..view.table.entries.min(MAX_ENTRIES) {
            if let Some((_, value)) = view.entry(index) {
                visit((o, index), value);
            }
        }
    } else if let Some((items, length)) = python.items_of(o) {
        for index in 0..length.min(MAX_ENTRIES) {
            visit((o, index), Object(memory::word(items + 8 * index, 0)));
        }
    }
}

/// The file of a module, by the module's name.
fn file_of(python: &Python, name: &[u8]) -> Option<String> {
    let module = python.dict_item(Object(python.api.modules()), name)?;
    let is_module = python.type_of(module).chain().any(|part| part.0 == python.known.module);
    let namespace = Object(if is_module { memory::word(module.0, FIRST_FIELD) } else { 0 });
    python.text(python.dict_item(namespace, b"__file__")?, 4096)
}

/// Whether a module is the user's, by its name or by its file. A package is in `sys.modules` before its parts, so its folder is known
/// by the time these come.
fn is_users(python: &Python, name: Object, namespace: Object, folders: &mut CodeFolders) -> bool {
    if python.is_text(name, b"__main__") {
        return true;
    }
    let Some(file) = python.dict_item(namespace, b"__file__").and_then(|file| python.text(file, 4096)) else {
        return false;
    };
    folders.learn(&python.text(name, 400).unwrap_or_default(), &file);
    folders.is_users(&file)
}
