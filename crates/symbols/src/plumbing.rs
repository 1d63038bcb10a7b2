//! Functions that only pass on a call or a block of memory: a reader who looks for a cause can skip them.
//!
//! In: a name's path. Out: yes or no, by lists of prefixes and functions; any other function is worth
//! reading.

/// Prefixes of paths, each with its `::` or `_` so that longer names do not match.
const PREFIXES: &[&str] = &[
    // The C++ library: containers, smart pointers, function objects, threads.
    "std::",
    "__gnu_cxx::",
    "__cxxabiv1::",
    "operator new",
    "operator delete",
    // Abseil's containers and function objects.
    "absl::container_internal::",
    "absl::raw_hash_set::",
    "absl::inlined_vector_internal::",
    "absl::internal_any_invocable::",
    "absl::functional_internal::",
    "absl::base_internal::",
    "absl::AnyInvocable::",
    "absl::FunctionRef::",
    "absl::InlinedVector::",
    "absl::cord_internal::",
    // Thread starters and pools.
    "Eigen::ThreadPoolTempl::",
    "tsl::thread::EigenEnvironment::",
    "tsl::PThread::",
    "tsl::thread::ThreadPool::Schedule",
    // Bindings between Python and C++.
    "pybind11::",
    "nanobind::",
    "_pybind11_",
    // Rust's own.
    "core::ops::function::",
    "alloc::raw_vec::",
    "alloc::alloc::",
    "std::rt::",
    "__rust_",
    "__rdl_",
];

/// C functions, by their whole name.
const FUNCTIONS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "strdup",
    "__strdup",
    "strndup",
    "mmap",
    "mmap64",
    "__mmap",
    "mremap",
    "start_thread",
    "clone",
    "clone3",
    "__clone3",
    "_start",
    "__libc_start_main",
    "__libc_start_call_main",
    "__libc_start_main_impl",
    // Python calling C and C calling Python.
    "cfunction_call",
    "cfunction_vectorcall_FASTCALL",
    "cfunction_vectorcall_FASTCALL_KEYWORDS",
    "cfunction_vectorcall_NOARGS",
    "cfunction_vectorcall_O",
    "method_vectorcall",
    "method_vectorcall_FASTCALL_KEYWORDS",
    "method_vectorcall_NOARGS",
    "method_vectorcall_O",
    "method_vectorcall_VARARGS",
    "method_vectorcall_VARARGS_KEYWORDS",
    "object_vacall",
    "slot_tp_call",
    "slot_tp_init",
    "slot_tp_new",
    "type_call",
    "vectorcall_method",
    "do_call_core",
    "_PyEval_EvalFrameDefault",
    "_PyEval_Vector",
    "_PyFunction_Vectorcall",
    "_PyObject_Call",
    "_PyObject_Call_Prepend",
    "_PyObject_FastCallDictTstate",
    "_PyObject_MakeTpCall",
    "_PyVectorcall_Call",
    "PyEval_EvalCode",
    "PyObject_Call",
    "PyObject_CallFunctionObjArgs",
    "PyObject_CallMethodObjArgs",
    "PyObject_CallNoArgs",
    "PyObject_CallObject",
    "PyObject_CallOneArg",
    "PyObject_Malloc",
    "PyObject_Realloc",
    "PyObject_Calloc",
    "PyObject_Vectorcall",
    "PyObject_VectorcallMethod",
    "PyMem_Malloc",
    "PyMem_Realloc",
    "PyMem_Calloc",
    "PyMem_RawMalloc",
    "PyMem_RawRealloc",
    "PyMem_RawCalloc",
    "PyVectorcall_Call",
    "_PyObject_Malloc",
    "_PyMem_RawMalloc",
    "_PyMem_RawRealloc",
    "_PyMem_RawCalloc",
    "_PyObject_GC_New",
    "_PyObject_GC_NewVar",
    "_PyType_AllocNoTrack",
    "PyType_GenericAlloc",
    "gc_alloc",
    "_PyObject_GC_Malloc",
];

/// A library of containers, in a namespace of its own or in that of the library that brings it.
const CONTAINERS: &str = "gtl";

/// Whether a name is plumbing.
pub(crate) fn is(path: &[String]) -> bool {
    if let [function] = path {
        return FUNCTIONS.contains(&function.as_str())
            || PREFIXES.iter().any(|prefix| function.starts_with(prefix));
    }
    let is_of_containers = |around: &[String]| around.iter().take(2).any(|part| part == CONTAINERS);
    if path.split_last().is_some_and(|(_, around)| is_of_containers(around)) {
        return true;
    }
    let whole = path.join("::");
    PREFIXES.iter().any(|prefix| whole.starts_with(prefix))
}
