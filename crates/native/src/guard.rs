//! The guard's look at this process, for `python/nilometer/guard`.
//!
//! In: a limit, ends of epochs. Out: whether to act, and the numbers in words. What must not happen here: an exception or a
//! panic into the program; nothing seen is `None`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nilometer_cli::guard::{Judged, Watch};
use pyo3::prelude::*;

/// Looks at this process from inside.
#[pyclass(module = "nilometer._native")]
pub(crate) struct Guard(Watch);

type Said = Option<(bool, String)>;

fn said(work: impl FnOnce() -> Option<Judged>) -> Said {
    let judged = catch_unwind(AssertUnwindSafe(work)).ok().flatten()?;
    Some((judged.judgement.acts, judged.words()))
}

#[pymethods]
impl Guard {
    /// A limit of its own, or none.
    #[new]
    #[pyo3(signature = (limit))]
    fn new(limit: Option<u64>) -> Self {
        Self(Watch::new(limit))
    }

    fn epoch_ended(&mut self, reserve: u64) -> Said {
        said(|| self.0.epoch_ended(reserve))
    }

    fn again(&mut self, reserve: u64) -> Said {
        said(|| self.0.again(reserve))
    }

    fn resident(&mut self) -> Option<(u64, u64)> {
        catch_unwind(AssertUnwindSafe(|| self.0.resident())).ok().flatten()
    }
}
