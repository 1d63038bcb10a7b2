#![expect(unsafe_code, reason = "finds CPython's functions by name and calls them")]
//! CPython functions that the census calls. They are found by name, because one build of the module serves
//! all versions.
//!
//! In: live objects, under the GIL. Out: borrowed addresses and numbers. None of these functions runs Python
//! code, makes an object or keeps a reference. What must not happen here: a call that may reach `__hash__`,
//! `__eq__` or a finalizer.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};

use crate::words;

type Pointer = *mut c_void;
type Visit = unsafe extern "C" fn(Pointer, Pointer) -> c_int;
type Traverse = unsafe extern "C" fn(Pointer, Visit, Pointer) -> c_int;
type Count = unsafe extern "C" fn(Pointer) -> isize;
type Ask = unsafe extern "C" fn(Pointer) -> c_int;
type At = unsafe extern "C" fn(Pointer, isize) -> Pointer;
type Get = unsafe extern "C" fn() -> Pointer;
type DictNext = unsafe extern "C" fn(Pointer, *mut isize, *mut Pointer, *mut Pointer) -> c_int;
type VisitObjects = unsafe extern "C" fn(Visit, Pointer);

/// CPython's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CApi {
    is_gc: Ask,
    is_tracked: Ask,
    held: Ask0,
    interpreter: Get,
    modules: Get,
    sys_object: unsafe extern "C" fn(*const c_char) -> Pointer,
    list_size: Count,
    list_item: At,
    tuple_size: Count,
    tuple_item: At,
    set_size: Count,
    dict_size: Count,
    text_length: Count,
    dict_next: DictNext,
    /// 3.14 on.
    references: Option<Count>,
    /// 3.12 on.
    visit_objects: Option<VisitObjects>,
}

type Ask0 = unsafe extern "C" fn() -> c_int;

/// Finds one function and gives it its C type.
macro_rules! function {
    ($name:literal as $kind:ty) => {{
        let found = symbol($name).ok_or_else(|| words::hidden($name))?;
        // SAFETY: the type is the one that CPython's headers give the function in all versions from 3.10 to 3.14.
        unsafe { std::mem::transmute::<Pointer, $kind>(found) }
    }};
}

impl CApi {
    /// Finds all functions. The error names the first that is missing.
    pub(crate) fn find() -> Result<CApi, String> {
        Ok(CApi {
            is_gc: function!(c"PyObject_IS_GC" as Ask),
            is_tracked: function!(c"PyObject_GC_IsTracked" as Ask),
            held: function!(c"PyGILState_Check" as Ask0),
            interpreter: function!(c"PyInterpreterState_Get" as Get),
            modules: function!(c"PyImport_GetModuleDict" as Get),
            sys_object: function!(c"PySys_GetObject" as unsafe extern "C" fn(*const c_char) -> Pointer),
            list_size: function!(c"PyList_Size" as Count),
            list_item: function!(c"PyList_GetItem" as At),
            tuple_size: function!(c"PyTuple_Size" as Count),
            tuple_item: function!(c"PyTuple_GetItem" as At),
            set_size: function!(c"PySet_Size" as Count),
            dict_size: function!(c"PyDict_Size" as Count),
            text_length: function!(c"PyUnicode_GetLength" as Count),
            dict_next: function!(c"PyDict_Next" as DictNext),
            references: symbol(c"Py_REFCNT").map(|found| {
                // SAFETY: Py_ssize_t Py_REFCNT(PyObject *).
                unsafe { std::mem::transmute::<Pointer, Count>(found) }
            }),
            visit_objects: symbol(c"PyUnstable_GC_VisitObjects").map(|found| {
                // SAFETY: void PyUnstable_GC_VisitObjects(gcvisitobjects_t, void *).
                unsafe { std::mem::transmute::<Pointer, VisitObjects>(found) }
            }),
        })
    }

    /// Whether this thread holds the GIL.
    pub(crate) fn held(&self) -> bool {
        // SAFETY: callable at any time from any thread.
        unsafe { (self.held)() != 0 }
    }

    /// The state of this thread's interpreter.
    pub(crate) fn interpreter(&self) -> u64 {
        // SAFETY: the caller holds the GIL, as `held` said.
        unsafe { (self.interpreter)() as u64 }
    }

    /// Whether the collector manages the object.
    pub(crate) fn is_gc(&self, object: u64) -> bool {
        // SAFETY: a live object; reads its type, and for types whether they were made at run time.
        unsafe { (self.is_gc)(object as Pointer) != 0 }
    }

    /// Whether the collector tracks the object now.
    pub(crate) fn is_tracked(&self, object: u64) -> bool {
        // SAFETY: a live object.
        unsafe { (self.is_tracked)(object as Pointer) != 0 }
    }

    /// `sys.modules`.
    pub(crate) fn modules(&self) -> u64 {
        // SAFETY: needs the GIL only; borrowed.
        unsafe { (self.modules)() as u64 }
    }

    /// An attribute of `sys`; 0 if there is none.
    pub(crate) fn sys(&self, name: &CStr) -> u64 {
        // SAFETY: a C string; borrowed. The lookup of a `str` in the module's dict compares identities first
        // and runs no Python code.
        unsafe { (self.sys_object)(name.as_ptr()) as u64 }
    }

    pub(crate) fn list_size(&self, list: u64) -> u64 {
        // SAFETY: a live object. Any other type than list gives -1; the only caller, the check at the start,
        // does not ask those.
        unsafe { (self.list_size)(list as Pointer) as u64 }
    }

    pub(crate) fn list_item(&self, list: u64, index: usize) -> u64 {
        // SAFETY: as above, and the index is below the size; borrowed.
        unsafe { (self.list_item)(list as Pointer, index.cast_signed()) as u64 }
    }

    pub(crate) fn tuple_size(&self, tuple: u64) -> u64 {
        // SAFETY: as for lists.
        unsafe { (self.tuple_size)(tuple as Pointer) as u64 }
    }

    pub(crate) fn tuple_item(&self, tuple: u64, index: usize) -> u64 {
        // SAFETY: as for lists.
        unsafe { (self.tuple_item)(tuple as Pointer, index.cast_signed()) as u64 }
    }

    pub(crate) fn set_size(&self, set: u64) -> u64 {
        // SAFETY: as for lists.
        unsafe { (self.set_size)(set as Pointer) as u64 }
    }

    pub(crate) fn dict_size(&self, dict: u64) -> u64 {
        // SAFETY: as for lists.
        unsafe { (self.dict_size)(dict as Pointer) as u64 }
    }

    pub(crate) fn text_length(&self, text: u64) -> u64 {
        // SAFETY: as for lists.
        unsafe { (self.text_length)(text as Pointer) as u64 }
    }

    /// The object's reference count as CPython's own function gives it, where there is such a function.
    pub(crate) fn references(&self, object: u64) -> Option<u64> {
        // SAFETY: a live object; reads its head.
        self.references.map(|function| unsafe { function(object as Pointer) as u64 })
    }

    /// Each key and value of a dict until `visit` says false. Only the check at the start calls this; the
    /// scan reads tables itself.
    pub(crate) fn items(&self, dict: u64, visit: &mut dyn FnMut(u64, u64) -> bool) {
        let mut position = 0_isize;
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a live dict, which nothing changes under the GIL; the addresses are borrowed.
        while unsafe { (self.dict_next)(dict as Pointer, &raw mut position, &raw mut key, &raw mut value) }
            != 0
        {
            if !visit(key as u64, value as u64) {
                return;
            }
        }
    }

    /// Whether [`Api::visit_objects`] can be called.
    pub(crate) fn can_visit(&self) -> bool {
        self.visit_objects.is_some()
    }

    /// Every tracked object until `visit` says false. CPython holds one reference of its own on the visited
    /// object, and collects nothing meanwhile.
    pub(crate) fn visit_objects(&self, mut visit: &mut dyn FnMut(u64) -> bool) {
        unsafe extern "C" fn each(object: Pointer, data: Pointer) -> c_int {
            // SAFETY: `data` is the pointer that is passed below, and alive for the duration of the call.
            let visit = unsafe { &mut *data.cast::<&mut dyn FnMut(u64) -> bool>() };
            c_int::from(visit(object as u64))
        }
        if let Some(function) = self.visit_objects {
            // SAFETY: the GIL is held; `each` does not run Python code, as the function asks for.
            unsafe { function(each, (&raw mut visit).cast()) }
        }
    }
}

/// Calls a type's `tp_traverse` until `visit` says false; most traversals then end early.
pub(crate) fn traverse(function: u64, object: u64, mut visit: &mut dyn FnMut(u64) -> bool) {
    unsafe extern "C" fn each(object: Pointer, data: Pointer) -> c_int {
        if !object.is_null() {
            // SAFETY: `data` is the pointer that is passed below, and alive for the duration of the call.
            let visit = unsafe { &mut *data.cast::<&mut dyn FnMut(u64) -> bool>() };
            return c_int::from(!visit(object as u64));
        }
        0
    }
    if function == 0 {
        return;
    }
    // SAFETY: the caller read the function from the `tp_traverse` of the object's own type.
    let function = unsafe { std::mem::transmute::<usize, Traverse>(function as usize) };
    // SAFETY: the collector makes the same call for each object that it tracks; `each` changes nothing.
    unsafe { function(object as Pointer, each, (&raw mut visit).cast()) };
}

/// Calls a type's `tp_traverse` and appends its children to `into`, until there are more than `limit`.
pub(crate) fn children(function: u64, object: u64, into: &mut Vec<u64>, limit: usize) {
    struct Sink<'a> {
        into: &'a mut Vec<u64>,
        limit: usize,
    }
    unsafe extern "C" fn each(object: Pointer, data: Pointer) -> c_int {
        // SAFETY: `data` is the pointer that is passed below, and alive for the duration of the call.
        let sink = unsafe { &mut *data.cast::<Sink>() };
        if !object.is_null() {
            sink.into.push(object as u64);
        }
        c_int::from(sink.into.len() > sink.limit)
    }
    if function == 0 {
        return;
    }
    let mut sink = Sink { into, limit };
    // SAFETY: the caller read the function from the `tp_traverse` of the object's own type.
    let function = unsafe { std::mem::transmute::<usize, Traverse>(function as usize) };
    // SAFETY: the collector makes the same call for each object that it tracks; `each` changes nothing.
    unsafe { function(object as Pointer, each, (&raw mut sink).cast()) };
}

/// Version, level and serial as in `PY_VERSION_HEX`, and the text of `sys.version`.
pub(crate) fn version() -> Result<((u8, u8), String), String> {
    let initialized = function!(c"Py_IsInitialized" as Ask0);
    // SAFETY: reads one variable.
    if unsafe { initialized() } == 0 {
        return Err(words::NOT_STARTED.to_owned());
    }
    let text = function!(c"Py_GetVersion" as unsafe extern "C" fn() -> *const c_char);
    // SAFETY: gives a C string in a static buffer, the same each time.
    let text = unsafe { CStr::from_ptr(text()) }.to_string_lossy().into_owned();
    let mut numbers = text.split(['.', ' ']).map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u8>().ok()
    });
    let version = match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor),
        _ => return Err(words::NO_VERSION.to_owned()),
    };
    if let Some(hex) = symbol(c"Py_Version") {
        // SAFETY: CPython declares `const unsigned long Py_Version`.
        let hex = unsafe { *hex.cast::<c_ulong>() };
        if hex & 0xf0 < 0xc0 {
            return Err(words::unfinished(version));
        }
    }
    Ok((version, text))
}

/// The address of a symbol of the process.
pub(crate) fn symbol(name: &CStr) -> Option<Pointer> {
    // SAFETY: the name is a C string; RTLD_DEFAULT searches the loaded libraries in the order in which calls
    // resolve.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
