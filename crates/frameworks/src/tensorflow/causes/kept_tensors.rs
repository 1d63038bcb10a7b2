//! Tensors kept by a loop: losses, metrics, outputs that were never turned into numbers.
//!
//! Evidence: the holder holds eager tensors. A scalar tensor costs some 600 bytes of which Python shows 240, and it may keep
//! the handle of what it was computed from. Rows of a tensor, as in `x[:2]`, share its memory, and so does `.numpy()` of them.

use nilometer_diagnose::pack::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    if case.path.is_none() || !case.elements().contains("EagerTensor") {
        return None;
    }
    let line = case.short_code();
    let shown = line.map_or(String::new(), |line| format!(" instead of `{line}`"));
    let change = if case.elements().contains("EagerTensor () ") {
        format!(
            "keep numbers: `float(...)` or `.numpy()`{shown}; for a mean, `keras.metrics.Mean` keeps two numbers"
        )
    } else {
        format!(
            "keep only what is read later, as numbers or as an array of its own{shown}: `np.array(...)` copies, while rows of a \
             tensor and `.numpy()` of them keep the whole tensor"
        )
    };
    let sentence = format!("{} keeps tensors", case.called());
    Some(Explanation { sentence, change, ..Explanation::default() })
}
