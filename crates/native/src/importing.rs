//! A module's import, with something before and after it: the callable that the finder puts on a loader.
//!
//! In: the loader's own `exec_module` and two callables of the hooks. Out: what the import gave. What must not happen
//! here: a Python frame around the import. Python keeps frames in chunks of 16 KiB, and maps and unmaps one in each call
//! that crosses the end of a chunk. A wrapper in Python around the framework's import moved the frames of all imports
//! below it so that 15,000 more chunks were mapped while Keras was imported: 6 % of its time.

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// Stands in `loader.exec_module` until it is called.
#[pyclass(frozen, module = "nilometer._native")]
pub(crate) struct Import {
    original: Py<PyAny>,
    before: Py<PyAny>,
    after: Py<PyAny>,
}

#[pymethods]
impl Import {
    /// `before()` is called first, `after(module, imported)` last, also where `original(module)` raises.
    #[new]
    fn new(original: Py<PyAny>, before: Py<PyAny>, after: Py<PyAny>) -> Self {
        Self { original, before, after }
    }

    /// Imports; its value and its exception are those of `original`. Exceptions of the other two are dropped.
    fn __call__(&self, py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        drop(self.before.call0(py));
        let result = self.original.call1(py, (module,));
        drop(self.after.call1(py, (module, result.is_ok())));
        result
    }

    /// A loader that is never used leaves a cycle behind: it, its dictionary, this and the hooks' closures.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        [&self.original, &self.before, &self.after].into_iter().try_for_each(|object| visit.call(object))
    }
}
