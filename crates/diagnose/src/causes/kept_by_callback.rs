//! A callback that keeps something of every epoch or batch.
//!
//! Evidence: the holder's owner is a callback by its class, or its path leads through the callbacks of a running `fit`, or what it
//! keeps is made in a callback's method that Keras calls and is kept by an object. A variable of a function is no callback's,
//! whoever filled it.

use super::{Case, Explanation};
use crate::holders::are_numbers;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    let is_callback = holder.role.as_deref() == Some("callback")
        || path.full.leads_into(|name| name.ends_with("callbacks")) && path.name != "callbacks";
    let through = is_callback
        || case.calls("callback_list.py", "on_epoch_end")
        || case.calls("callback_list.py", "on_train_batch_end");
    if !through || path.full.is_local() || holder.owner.is_empty() {
        return None;
    }
    let owner = holder.owner.as_str();
    let name = path.name;
    // Another object may keep what a callback makes; to leave out is the callback.
    let left_out = if is_callback { Some(owner) } else { called(case) };
    Some(Explanation {
        sentence: format!("{owner}.{name} keeps {} of every {}", what(case), case.unit),
        change: change(case),
        intervention: Some(left_out.map_or("callbacks".to_owned(), |class| format!("callback:{class}"))),
        ..Explanation::default()
    })
}

/// The class of the callback that Keras called.
fn called<'a>(case: &'a Case) -> Option<&'a str> {
    let frames = &case.finding.stack;
    let by = frames.iter().position(|f| f.kind == "library" && f.file.contains("callback_list.py"))?;
    let function = &frames.get(by.checked_sub(1)?).filter(|f| f.kind == "user")?.function;
    if function.ends_with("<lambda>") {
        return Some("LambdaCallback");
    }
    let (class, method) = function.rsplit_once('.')?;
    let class = class.rsplit('.').next().unwrap_or(class);
    (method.starts_with("on_") && class != "<locals>").then_some(class)
}

/// What it keeps, as one would say it.
pub(super) fn what(case: &Case) -> String {
    let part = case.path.as_ref().map_or("", |path| path.part);
    let kind = kind(case);
    if part.contains(['\'', '"']) { format!("{kind} ({part} of each element)") } else { kind }
}

fn kind(case: &Case) -> String {
    // Most of a table of numbers is its keys.
    if is_table(case) && are_numbers(case.elements()) {
        return "entries".to_owned();
    }
    kind_of(case.elements(), case.is_part("NumPy"))
}

fn is_table(case: &Case) -> bool {
    case.finding.holder.as_ref().is_some_and(|holder| holder.kind.ends_with("ict"))
}

/// What elements are, of which the types are known, or at least whether `NumPy` made them.
fn kind_of(elements: &str, is_of_numpy: bool) -> String {
    let known = match () {
        // What is made in NumPy may be one number, which the program's line takes out of an array.
        () if are_numbers(elements) => "numbers",
        // `EagerTensor` of TensorFlow, `Tensor` of PyTorch.
        () if elements.contains("Tensor") => "tensors",
        () if elements.contains("ResourceVariable") => "variables",
        () if elements.contains("ndarray") || elements.contains("ArrayImpl") || is_of_numpy => "arrays",
        () if elements.contains("dict") => "dictionaries",
        () if elements.contains("bytes") => "bytes",
        () if is_of(elements, "list") => "lists",
        () if is_of(elements, "tuple") => "tuples",
        () if is_of(elements, "str") => "texts",
        () => return class(elements).map_or("something".to_owned(), |class| format!("{class} objects")),
    };
    known.to_owned()
}

/// Whether all elements are of this type.
fn is_of(elements: &str, kind: &str) -> bool {
    elements.split_once(" x ").is_some_and(|(_, rest)| rest.split(' ').next() == Some(kind))
        && !elements.contains(", ")
}

/// The class of the elements, if they are of one that the user may know: `Event` of `12 x Event`.
pub(super) fn class(elements: &str) -> Option<&str> {
    const PLAIN: [&str; 9] = ["tuple", "list", "set", "str", "int", "float", "NoneType", "bool", "object"];
    let (_, class) = elements.split_once(" x ")?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (class.chars().all(is_name) && !PLAIN.contains(&class)).then_some(class)
}

/// What to do about it.
pub(super) fn change(case: &Case) -> String {
    let line = case.short_code().unwrap_or_default();
    let shown = if line.is_empty() { String::new() } else { format!(" instead of `{line}`") };
    if let Some(bound) = case.finding.holder.as_ref().and_then(|holder| holder.bound) {
        return format!("its bound of {bound} is far away: give it a smaller one{shown}");
    }
    match kind(case).as_str() {
        "tensors" if case.elements().contains("Tensor () ") => {
            format!("keep numbers, as in `float(loss)`{shown}")
        }
        "tensors" => {
            format!("keep a summary of each tensor (its mean, its best rows), or write it to disk{shown}")
        }
        "arrays" => format!(
            "keep a summary of each array (its mean, its best rows), or write it to disk with np.save{shown}"
        ),
        _ => {
            let bound = if is_table(case) {
                "drop its oldest entries when there are many"
            } else {
                "give it a bound (`collections.deque(maxlen=...)`)"
            };
            format!("keep only what is read later, {bound}, or write it to disk{shown}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_called_what_they_are() {
        for (elements, is_of_numpy, kind) in [
            ("4,500 x float", true, "numbers"),
            ("9 x ndarray (2000, 500) float64", false, "arrays"),
            ("60 x ArrayImpl (256,) float32", false, "arrays"),
            ("", true, "arrays"),
            ("12 x EagerTensor () float32", false, "tensors"),
            ("347 x Tensor () float32", false, "tensors"),
            ("3 x str", false, "texts"),
            ("3 x Event", false, "Event objects"),
            ("", false, "something"),
        ] {
            assert_eq!(kind_of(elements, is_of_numpy), kind, "{elements}");
        }
    }
}
