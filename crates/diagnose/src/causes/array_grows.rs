//! One array, table or text that is replaced by a longer one each time, or one buffer or file in memory that is written to.
//!
//! Evidence: the holder is a single one of them in a slot, not a container of them; an array or a table also has a line that joins it
//! with something, or was seen to become longer again and again.

use nilometer_model::HolderPath;

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let holder = case.finding.holder.as_ref()?;
    let is_table = ["DataFrame", "Series"].contains(&holder.kind.as_str());
    let is_array = is_table || ["ndarray", "EagerTensor", "Tensor"].contains(&holder.kind.as_str());
    let joins = ["concat", "torch.cat(", "np.append(", "numpy.append(", "stack("];
    let is_text = ["str", "bytes"].contains(&holder.kind.as_str());
    let slot = Some(HolderPath::of(&holder.path)).filter(|path| path.is_slot())?.words();
    // A line that makes a whole one each time makes many of them: one for each of the threads that run this function.
    let kind = holder.kind.rsplit('.').next().unwrap_or(&holder.kind);
    let is_made_anew = case.code().is_some_and(|code| code.contains(&format!("{kind}(")));
    if let Some(explanation) = buffer(kind, slot, case.unit).filter(|_| !is_made_anew) {
        return Some(explanation);
    }
    if !(is_array || is_text) {
        return None;
    }
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
    let (what, file) = if is_table {
        ("a table", "to a file (`to_csv(path, mode=\"a\")`)")
    } else {
        ("an array", "to a file of its own (`np.save`)")
    };
    let keep = format!(
        "keep what is read later only, e.g. the last rows (`{slot} = {slot}[-1000:]`) or a sum, or write each part {file}"
    );
    let Some(code) = joined else {
        return made_anew(case, slot).or_else(|| is_table.then(|| longer_table(case, slot, keep)));
    };
    Some(Explanation {
        sentence: format!(
            "{slot} becomes longer with every {}: {what} that is joined with the next",
            case.unit
        ),
        change: format!("{keep}; each `{code}` copies all of it as well"),
        ..Explanation::default()
    })
}

/// The objects in a table's cells became more; the line that made them joins nothing.
fn longer_table(case: &Case, slot: &str, change: String) -> Explanation {
    let sentence = format!("{slot} is one table that is longer with every {}", case.unit);
    Explanation { sentence, change, ..Explanation::default() }
}

/// A scan saw that more is in it again and again, at the same place.
fn buffer(kind: &str, slot: &str, unit: &str) -> Option<Explanation> {
    let (what, change) = match kind {
        "bytearray" | "array" => (
            format!("one {kind}"),
            format!(
                "write each part to a file as it comes, or keep what is read later only, e.g. the end (`del {slot}[:-10_000]`)"
            ),
        ),
        "BytesIO" | "StringIO" => (
            format!("one file in memory ({kind})"),
            format!(
                "use a file on disk, or empty it once it was read: `{slot}.seek(0)`, then `{slot}.truncate()`"
            ),
        ),
        _ => return None,
    };
    Some(Explanation {
        sentence: format!("{slot} is {what} that is longer with every {unit}"),
        change,
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
