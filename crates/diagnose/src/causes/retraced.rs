//! A function that TensorFlow traces again and again: each trace stays, with its graph, in the function's cache.
//!
//! Evidence: the holder is such a cache, or nobody is known to hold it; and a function was still being traced in the last third of the
//! cycles. What differed between two traces tells which cause it is: a Python number, a shape, a new function object.

use super::{Case, Explanation};
use crate::report::{Retraced, Site};

pub(super) fn by_scalars(case: &Case) -> Option<Explanation> {
    let function = function(case).filter(|f| is_argument(f) && f.why.contains("(a Python "))?;
    Some(said(
        function,
        "pass it as a tensor, `tf.constant(...)` or a `tf.Variable` that is assigned: a Python number is part of what the \
         function is compiled for",
    ))
}

pub(super) fn by_shapes(case: &Case) -> Option<Explanation> {
    let function = function(case).filter(|f| is_argument(f) && f.why.contains("shape"))?;
    Some(said(
        function,
        "give the function a shape that leaves that open: `input_signature=[tf.TensorSpec([None, ...])]` or \
         `reduce_retracing=True`; or pad to a few sizes",
    ))
}

pub(super) fn by_functions(case: &Case) -> Option<Explanation> {
    let function = function(case).filter(|f| f.why.contains("new function object"))?;
    Some(said(function, "make the function once, outside of the loop, and call that one each time"))
}

fn is_argument(function: &Retraced) -> bool {
    function.why.starts_with("argument ")
}

/// The function whose graphs these are.
fn function<'a>(case: &'a Case) -> Option<&'a Retraced> {
    let path = case.path.as_ref().map_or("", |path| path.full);
    if !path.contains("_function_cache") && !case.elements().contains("ConcreteFunction") {
        return None;
    }
    let name = |f: &&Retraced| {
        let name = f.function.rsplit('.').next().unwrap_or(&f.function);
        path.split(['.', '[', ' ']).any(|step| step == name)
    };
    case.retraced.iter().find(name).or_else(|| case.retraced.first())
}

fn said(function: &Retraced, change: &str) -> Explanation {
    let name = function.function.rsplit("<locals>.").next().unwrap_or(&function.function);
    Explanation {
        sentence: format!("{name} is traced again and again, and every graph stays: {}", function.why),
        change: change.to_owned(),
        intervention: None,
        made_at: (function.caller_line > 0).then(|| Site {
            role: "made_at",
            file: function.caller_file.clone(),
            line: u32::try_from(function.caller_line).unwrap_or(0),
            function: String::new(),
            bytes_per_cycle: 0,
            text: None,
            inside: None,
        }),
    }
}
