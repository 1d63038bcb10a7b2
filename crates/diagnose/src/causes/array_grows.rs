//! One array, table or text that is replaced by a longer one each time.
//!
//! Evidence: the holder is a single array, table or text in a slot, not a container of them, and the line that keeps it joins it with
//! something.

use super::{Case, Explanation};
use crate::held::level::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let holder = case.finding.holder.as_ref()?;
    let is_table = ["DataFrame", "Series"].contains(&holder.kind.as_str());
    let is_array = is_table || ["ndarray", "EagerTensor", "Tensor"].contains(&holder.kind.as_str());
    let is_slot = !holder.path.contains("[*]");
    let joins = ["concat", "np.append(", "numpy.append(", "stack("];
    let is_text = ["str", "bytes"].contains(&holder.kind.as_str());
    if !(is_array || is_text) || !is_slot {
        return None;
    }
    let slot = words(&holder.path);
    if is_text {
        return Some(Explanation {
            sentence: format!("{slot} is one text that is longer with every {}", case.unit),
            change: format!(
                "write each part to a file as it comes (`file.write(part)`), or keep what is read later only, e.g. its end \
                 (`{slot} = {slot}[-10_000:]`); each addition copies all of it as well"
            ),
            ..Explanation::default()
        });
    }
    let joined = case.code().filter(|code| joins.iter().any(|join| code.contains(join)));
    let Some(code) = joined else { return made_anew(case, slot) };
    let (what, file) = if is_table {
        ("a table", "to a file (`to_csv(path, mode=\"a\")`)")
    } else {
        ("an array", "to a file of its own (`np.save`)")
    };
    Some(Explanation {
        sentence: format!(
            "{slot} becomes longer with every {}: {what} that is joined with the next",
            case.unit
        ),
        change: format!(
            "keep what is read later only, e.g. the last rows (`{slot} = {slot}[-1000:]`) or a sum, or write each part {file}; \
             each `{code}` copies all of it as well"
        ),
        ..Explanation::default()
    })
}

/// A scan saw that what stands there became longer again and again; how, no line says.
fn made_anew(case: &Case, slot: &str) -> Option<Explanation> {
    let holder = case.finding.holder.as_ref().filter(|holder| case.elements().starts_with(&holder.kind))?;
    let kind = &holder.kind;
    Some(Explanation {
        sentence: format!("{slot} is one {kind} that is longer with every {}", case.unit),
        change: format!(
            "give `{slot}` a length that it does not exceed; if it is to become that long and then no longer, it is no leak"
        ),
        ..Explanation::default()
    })
}
