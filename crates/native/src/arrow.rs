//! What Arrow has in use. Its pool is an allocator of its own, built into its library: neither the C allocator's figures nor the
//! recorder see what it hands out.
//!
//! In: the GIL, at readings. Out: bytes. What must not happen here: an import of `pyarrow`, a look into a module that only seems to
//! be it, bytes that count twice where the pool is told to use the C allocator.

use std::sync::OnceLock;

use nilometer_capture::Counters;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyModule;

use crate::interp;

/// The function that tells, once `pyarrow` is there.
#[derive(Debug, Default)]
pub(crate) struct Arrow {
    /// `None`: the pool's memory is the C allocator's, or nobody knows whose.
    allocated: OnceLock<Option<Py<PyAny>>>,
}

impl Arrow {
    /// Adds Arrow's part to a reading, if the program has loaded it.
    pub(crate) fn read(&self, py: Python<'_>, counters: &mut Counters) {
        if self.allocated.get().is_none() {
            // Not found only because nobody has imported it yet, or not wholly: asked again at the next reading.
            let Some(module) = interp::loaded(py, intern!(py, "pyarrow.lib")) else { return };
            let Some(told) = function(&module, "total_allocated_bytes") else { return };
            let own = has_memory_of_its_own(&module);
            drop(self.allocated.set(own.unwrap_or(false).then_some(told)));
        }
        let Some(Some(allocated)) = self.allocated.get() else { return };
        counters.library_used = allocated.call0(py).ok().and_then(|bytes| bytes.extract(py).ok());
    }
}

/// What the module itself defines; no `__getattr__` of it runs.
fn function(module: &Bound<'_, PyModule>, name: &str) -> Option<Py<PyAny>> {
    module.dict().get_item(name).ok().flatten().map(Bound::unbind)
}

/// Whether the pool takes its memory from the system. Set to `system` it is the C allocator, which is counted.
fn has_memory_of_its_own(module: &Bound<'_, PyModule>) -> Option<bool> {
    let pool = function(module, "default_memory_pool")?.bind(module.py()).call0().ok()?;
    let name: String = pool.getattr("backend_name").ok()?.extract().ok()?;
    Some(matches!(name.as_str(), "mimalloc" | "jemalloc"))
}
