//! One array that is replaced by a longer one each time.
//!
//! Evidence: the holder is a single array in a slot, not a container of them, and the line that keeps it joins it with something.

use super::{Case, Explanation};
use crate::held::level::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let holder = case.finding.holder.as_ref()?;
    let is_array = ["ndarray", "EagerTensor", "Tensor"].contains(&holder.kind.as_str());
    let is_slot = !holder.path.contains("[*]");
    let joins = ["concat", "np.append(", "numpy.append(", "stack("];
    let code = case.code().filter(|code| joins.iter().any(|join| code.contains(join)))?;
    if !is_array || !is_slot {
        return None;
    }
    let slot = words(&holder.path);
    Some(Explanation {
        sentence: format!(
            "{slot} becomes longer with every {}: an array that is joined with the next",
            case.unit
        ),
        change: format!(
            "keep what is read later only, e.g. the last rows (`{slot} = {slot}[-1000:]`) or a sum; each `{code}` copies all of \
             it as well"
        ),
        ..Explanation::default()
    })
}
