//! What libraries with an allocator of their own have in use: neither the C allocator's figures nor the recorder see it.
//!
//! In: the GIL, at readings. Out: bytes. What must not happen here: an import, a look into a module that only seems to be the
//! library, bytes that count twice where a pool is told to use the C allocator.

use std::sync::OnceLock;

use nilometer_capture::Counters;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::frameworks::{POOLS, Pool, own};
use crate::interp;

/// The pools of all libraries.
#[derive(Debug)]
pub(crate) struct LibraryPools {
    found: Vec<Found>,
}

/// A pool, and the function that tells of it, once the library is there.
#[derive(Debug)]
struct Found {
    pool: &'static Pool,
    module: Py<PyString>,
    /// `None`: the pool's memory is the C allocator's, or nobody knows whose.
    used: OnceLock<Option<Py<PyAny>>>,
}

impl LibraryPools {
    pub(crate) fn new(py: Python<'_>) -> Self {
        let found = |pool: &'static Pool| Found {
            pool,
            module: PyString::intern(py, pool.module).unbind(),
            used: OnceLock::new(),
        };
        Self { found: POOLS.iter().map(found).collect() }
    }

    /// Adds their part to a reading, of those that the program has loaded.
    pub(crate) fn read(&self, py: Python<'_>, counters: &mut Counters) {
        for one in &self.found {
            if let Some(used) = one.read(py) {
                counters.library_used = Some(counters.library_used.unwrap_or(0) + used);
            }
        }
    }
}

impl Found {
    fn read(&self, py: Python<'_>) -> Option<u64> {
        if self.used.get().is_none() {
            // Not found only because nobody has imported it yet, or not wholly: asked again at the next reading.
            let module = interp::loaded(py, self.module.bind(py))?;
            let told = own(&module, &PyString::intern(py, self.pool.used))?.unbind();
            let is_own = (self.pool.is_own)(&module).unwrap_or(false);
            drop(self.used.set(is_own.then_some(told)));
        }
        self.used.get()?.as_ref()?.call0(py).ok()?.extract(py).ok()
    }
}
