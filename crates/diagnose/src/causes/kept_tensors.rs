//! Tensors kept by a loop: losses, metrics, outputs that were never turned into numbers.
//!
//! Evidence: the holder holds eager tensors. A scalar tensor costs some 600 bytes of which Python shows 240, and it may keep
//! the handle of what it was computed from.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    if !case.elements().contains("EagerTensor") {
        return None;
    }
    let line = case.code();
    let shown = line.map_or(String::new(), |line| format!(" instead of `{line}`"));
    Some(Explanation {
        sentence: format!("{} keeps tensors", path.name),
        change: format!(
            "keep numbers: `float(...)` or `.numpy()`{shown}; for a mean, `keras.metrics.Mean` keeps two numbers"
        ),
        ..Explanation::default()
    })
}
