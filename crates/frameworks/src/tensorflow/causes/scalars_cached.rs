//! TensorFlow's cache of Python numbers: each number that becomes a tensor outside of a graph stays, so that the next of the same
//! value is at hand. Of numbers that are never twice the same it keeps them all.
//!
//! Evidence: nobody is known to hold it, and it was made where TensorFlow turns a number into a tensor of that cache, or in the cache
//! itself. Arrays are turned into tensors by another way.

use nilometer_diagnose::pack::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let native = || case.carriers().filter(|f| f.kind == "native").map(|f| f.function.as_str());
    let has = |function: &str| native().any(|name| name.rsplit("::").next() == Some(function));
    let in_cache = native().any(|name| name.contains("TFE_TensorHandleCache"));
    // For arrays the first of the two leaves the stack before it calls the second.
    let of_number = has("ConvertToEagerTensor") && has("ConvertToEagerTensorUncached");
    if case.finding.holder.is_some() || !(in_cache || of_number) {
        return None;
    }
    let line = case.short_code().map_or(String::new(), |line| format!(" in `{line}`"));
    Some(Explanation {
        sentence: format!(
            "a Python number that is new in every {} becomes a tensor, and TensorFlow caches each",
            case.unit
        ),
        change: format!(
            "hand it over as an array of NumPy's{line}: `np.float32(x)` in place of a float; arrays are not cached"
        ),
        intervention: Some("tensor-scalars".to_owned()),
        ..Explanation::default()
    })
}
