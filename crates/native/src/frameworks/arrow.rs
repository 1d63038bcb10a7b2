//! Arrow's pool of memory, which is built into its library.
//!
//! In: `pyarrow.lib`. Out: whether the pool has memory of its own. What must not happen here: an import of `pyarrow`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyModule;

use super::{Pool, own};

pub(super) const POOL: Pool =
    Pool { module: "pyarrow.lib", used: "total_allocated_bytes", is_own: has_memory_of_its_own };

/// Whether the pool takes its memory from the system. Set to `system` it is the C allocator, which is counted.
fn has_memory_of_its_own(module: &Bound<'_, PyModule>) -> Option<bool> {
    let pool = own(module, intern!(module.py(), "default_memory_pool"))?.call0().ok()?;
    let name: String = pool.getattr("backend_name").ok()?.extract().ok()?;
    Some(matches!(name.as_str(), "mimalloc" | "jemalloc"))
}
