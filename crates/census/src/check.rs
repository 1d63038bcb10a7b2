//! Finds the interpreter, and trusts a layout only after live objects have confirmed it.
//!
//! In: the process. Out: [`Python`], or a sentence that says why not. What must not happen here: trust in the
//! version alone. A build without the GIL, a debug build or a changed structure differs in the heads and
//! counts compared here.

use std::ffi::CStr;

use crate::c_api::{self, CApi};
use crate::debug_offsets;
use crate::gc_lists::lists;
use crate::layout::{Layout, SIZE, TYPE, dict, list, set, types};
use crate::memory;
use crate::naming::HeapView;
use crate::object::{Object, Python, Type, WellKnown};
use crate::pack::Packs;
use crate::words;

impl Python {
    /// Finds CPython and checks its layout.
    ///
    /// # Errors
    /// A sentence for people: why the heap cannot be read.
    pub fn find(packs: Packs) -> Result<Python, String> {
        let (version, text) = c_api::version()?;
        let Some(layout) = Layout::of(version) else {
            return Err(words::unknown(version));
        };
        if text.contains("free-threading") || c_api::symbol(c"_Py_MergeZeroLocalRefcount").is_some() {
            return Err(words::WITHOUT_GIL.to_owned());
        }
        if c_api::symbol(c"_Py_NegativeRefcount").is_some()
            || c_api::symbol(c"PyModule_Create2TraceRefs").is_some()
        {
            return Err(words::DEBUG_BUILD.to_owned());
        }
        let api = CApi::find()?;
        if !api.held() {
            return Err(words::GIL_NOT_HELD.to_owned());
        }
        let known = WellKnown::find()?;
        let bulk = packs.iter().flat_map(|pack| pack.bulk).collect();
        let (own, script) = (Vec::new(), None);
        let mut python = Python { api, layout, known, lists: None, interpreter: 0, own, script, packs, bulk };
        python.check_types().map_err(|what| words::other_build(&what))?;
        python.check_objects().map_err(|what| words::other_build(&what))?;
        python.known.dummy = dummy();
        python.interpreter = python.api.interpreter();
        python.lists = lists(python.interpreter, layout.collector);
        if python.lists.is_none() && !python.api.can_visit() {
            return Err(words::NO_LISTS.to_owned());
        }
        if layout.version >= (3, 14) {
            let heap = HeapView::new(&python)?;
            debug_offsets::agrees(layout, &heap.offsets)
                .and_then(|()| heap.check())
                .map_err(words::other_build)?;
        }
        Ok(python)
    }

    /// Heads, names and sizes of types.
    fn check_types(&self) -> Result<(), String> {
        let known = &self.known;
        let facts: [(u64, &str, u64, u64); 8] = [
            (known.type_, "type", self.layout.type_size, 40),
            (known.list, "list", 40, 0),
            (known.tuple, "tuple", self.layout.tuple_items, 8),
            (known.dict, "dict", 48, 0),
            (known.set, "set", 200, 0),
            (known.frozenset, "frozenset", 200, 0),
            (known.text, "str", self.layout.text.other + 8, 0),
            (known.integer, "int", 24, 4),
        ];
        for (address, name, basic, item) in facts {
            let kind = Type(address);
            if memory::word(address, TYPE) != known.type_
                || kind.raw_name() != name.as_bytes()
                || memory::word(address, types::BASIC_SIZE) != basic
                || memory::word(address, types::ITEM_SIZE) != item
            {
                return Err(words::the_type(name));
            }
        }
        Ok(())
    }

    /// Lengths, items and tables of objects that always exist, against CPython's own answers.
    fn check_objects(&self) -> Result<(), String> {
        let modules = self.api.modules();
        let sys_path = self.api.sys(c"path");
        if self.type_of(Object(modules)).0 == self.known.dict {
            self.check_dict(modules).map_err(|()| words::TABLES_OF_DICTS)?;
        }
        self.check_dict(memory::word(self.known.text, types::DICT)).or_else(|()| {
            // From 3.12 on the dicts of static types are kept elsewhere.
            if self.layout.version >= (3, 12) { Ok(()) } else { Err(words::DICTS_OF_TYPES) }
        })?;
        if self.type_of(Object(sys_path)).0 == self.known.list {
            let length = self.api.list_size(sys_path);
            let first = memory::word(memory::word(sys_path, list::ITEMS), 0);
            let sound = memory::word(sys_path, SIZE) == length
                && memory::word(sys_path, list::ALLOCATED) >= length
                && (length == 0 || first == self.api.list_item(sys_path, 0));
            if !sound {
                return Err(words::LISTS.to_owned());
            }
        }
        let names = self.api.sys(c"builtin_module_names");
        if names != 0 && self.type_of(Object(names)).0 == self.known.tuple {
            let (length, items) = (self.api.tuple_size(names), self.layout.tuple_items);
            let mut places = 0..length.min(50) as usize;
            let sound = memory::word(names, SIZE) == length
                && places
                    .all(|at| memory::word(names, items + 8 * at as u64) == self.api.tuple_item(names, at));
            if !sound {
                return Err(words::TUPLES.to_owned());
            }
        }
        let names = self.api.sys(c"stdlib_module_names");
        if names != 0
            && self.type_of(Object(names)).0 == self.known.frozenset
            && memory::word(names, set::USED) != self.api.set_size(names)
        {
            return Err(words::SETS.to_owned());
        }
        for object in [modules, sys_path] {
            if object == 0 || self.is_tracked(Object(object)) != self.api.is_tracked(object) {
                return Err(words::HEADS.to_owned());
            }
            if self.api.references(object).is_some_and(|count| count != self.references(Object(object))) {
                return Err(words::REFERENCES.to_owned());
            }
        }
        Ok(())
    }

    /// Keys and values in the order of `PyDict_Next`, and the keys as text.
    fn check_dict(&self, address: u64) -> Result<(), ()> {
        let view = self.dict_view(Object(address)).ok_or(())?;
        if memory::word(address, dict::USED) != self.api.dict_size(address) {
            return Err(());
        }
        let mut expected = Vec::new();
        self.api.items(address, &mut |key, value| {
            expected.push((key, value));
            expected.len() < 50
        });
        let mut seen = Vec::new();
        view.each(&mut |key, value| {
            seen.push((key.0, value.0));
            seen.len() < 50
        });
        let texts = expected.iter().filter(|(key, _)| self.type_of(Object(*key)).0 == self.known.text).all(
            |(key, _)| {
                let length = self.api.text_length(*key);
                self.text(Object(*key), u64::MAX >> 8)
                    .is_some_and(|text| text.chars().count() as u64 == length)
            },
        );
        (seen == expected && texts).then_some(()).ok_or(())
    }
}

impl WellKnown {
    fn find() -> Result<WellKnown, String> {
        let address =
            |name: &CStr| c_api::symbol(name).map(|found| found as u64).ok_or_else(|| words::hidden(name));
        Ok(WellKnown {
            type_: address(c"PyType_Type")?,
            list: address(c"PyList_Type")?,
            tuple: address(c"PyTuple_Type")?,
            dict: address(c"PyDict_Type")?,
            set: address(c"PySet_Type")?,
            frozenset: address(c"PyFrozenSet_Type")?,
            text: address(c"PyUnicode_Type")?,
            bytes: address(c"PyBytes_Type")?,
            bytearray: address(c"PyByteArray_Type")?,
            memoryview: address(c"PyMemoryView_Type")?,
            integer: address(c"PyLong_Type")?,
            code: address(c"PyCode_Type")?,
            frame: address(c"PyFrame_Type")?,
            function: address(c"PyFunction_Type")?,
            module: address(c"PyModule_Type")?,
            generators: [address(c"PyGen_Type")?, address(c"PyCoro_Type")?, address(c"PyAsyncGen_Type")?],
            dummy: 0,
        })
    }
}

/// The object that marks deleted entries in sets, named by a pointer of CPython's; 0 where that is hidden.
fn dummy() -> u64 {
    c_api::symbol(c"_PySet_Dummy").map_or(0, |found| memory::word(found as u64, 0))
}
