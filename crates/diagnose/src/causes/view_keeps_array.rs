//! A slice that keeps the whole array it was cut from.
//!
//! Evidence: the memory hangs below the `base` of what is kept.

use super::{Case, Explanation};
use crate::held::level::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let whole = path.full.strip_suffix(".base")?;
    let line = case.short_code().map_or(String::new(), |line| format!(" in `{line}`"));
    Some(Explanation {
        sentence: format!(
            "{} keeps slices, and each slice keeps the whole array it was cut from",
            words(whole)
        ),
        change: format!(
            "copy the slice{line}: `part = array[:8].copy()`; the array it was cut from is free then"
        ),
        ..Explanation::default()
    })
}
