//! A slice that keeps the whole array it was cut from.
//!
//! Evidence: the memory hangs below the `base` of what is kept; or no look met it anywhere, and what a scan saw in the container are
//! slices. A tensor of `PyTorch` has no base: it has the memory itself, and its elements say that it is a slice.

use super::{Case, Explanation, kept_by_callback};
use crate::pack::Path;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let (holder, full) = (case.finding.holder.as_ref()?, case.path.as_ref()?.full);
    let of_tensors = case.elements().contains(OF_TENSORS);
    let of_slices = (of_tensors || holder.share.is_none()) && are_slices(case.elements());
    let slices = Path::of(full.slices().or(of_slices.then_some(full))?);
    let line = case.short_code().map_or(String::new(), |line| format!(" in `{line}`"));
    let (whole, copy) = if of_tensors { ("tensor", ".clone()") } else { ("array", ".copy()") };
    Some(Explanation {
        sentence: format!(
            "{} keeps slices, and each slice keeps the whole {whole} it was cut from",
            slices.called(&holder.owner)
        ),
        change: format!("add `{copy}` to the slice{line}; the {whole} it was cut from is free then"),
        intervention: kept_by_callback::explain(case).and_then(|kept| kept.intervention),
        ..Explanation::default()
    })
}

/// How the census calls slices of `PyTorch`'s.
const OF_TENSORS: &str = " of Tensor ";

/// Whether all of them are: `350 x slice (400,) of ndarray (2000, 400) float32`.
fn are_slices(elements: &str) -> bool {
    let mut kinds = elements.split(" x ").skip(1).peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind.starts_with("slice "))
}
