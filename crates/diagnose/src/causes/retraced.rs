//! A function that TensorFlow traces, or JAX compiles, again and again: each trace stays, with its graph, in the function's cache.
//!
//! Evidence for JAX: nobody in Python holds it, a compiler made it, and the count of compilations grows. For TensorFlow: the holder is such a cache, or TensorFlow's gradient registry where nothing else makes steps be traced, or nobody is known to
//! hold it; and a function was still being traced in the last third of the
//! cycles. What differed between two traces tells which cause it is: a Python number, a shape, a new function object.

use nilometer_model::HolderPath;

use super::added::MAX_TRACE_BYTES;
use super::{Case, Explanation, Run, gradient_registry, train_steps};
use crate::holders::COMPILERS;
use crate::report::{Retraced, Site};

const SCALARS: &str = "pass it as a tensor, `tf.constant(np.float32(...))` or a `tf.Variable` that is assigned: a Python number is \
                       part of what the function is compiled for";
const TEXTS: &str = "keep texts out of the function's arguments, or pass them as tensors (`tf.constant(name)`): a Python text is part \
                     of what the function is compiled for";
const SHAPES: &str = "give the function a shape that leaves that open: `input_signature=[tf.TensorSpec([None, ...])]` or \
                      `reduce_retracing=True`; or pad to a few sizes";
const METHODS: &str = "call the method of one object that lives as long as the loop, and pass what differs as tensors: each \
                       new object has a function of its own";
const FUNCTIONS: &str = "make the function once, outside of the loop, and call that one each time";
const JAX_SCALARS: &str =
    "let JAX trace it: take it out of `static_argnums` or `static_argnames`, or keep it to a few values";
const JAX_SHAPES: &str = "pad to a few shapes, and mask what was added";
const JAX_METHODS: &str =
    "call the method of one object that lives as long as the loop, and pass what differs as arrays";
const JAX_FUNCTIONS: &str = "make and jit the function once, outside of the loop, and pass what differs between the rounds as an argument";

pub(super) fn by_scalars(case: &Case) -> Option<Explanation> {
    told(case, "retraced-by-scalars")
}

pub(super) fn by_shapes(case: &Case) -> Option<Explanation> {
    told(case, "retraced-by-shapes")
}

pub(super) fn by_methods(case: &Case) -> Option<Explanation> {
    told(case, "retraced-by-methods")
}

pub(super) fn by_functions(case: &Case) -> Option<Explanation> {
    told(case, "retraced-by-functions")
}

fn told(case: &Case, asked: &str) -> Option<Explanation> {
    let function = function(case)?;
    let (name, change) = reason(function)?;
    let why = (name, change);
    // What the registry keeps of functions that are made anew is told there.
    if gradient_registry::is_registry(case) && !is_argument(function) {
        return None;
    }
    (name == asked).then(|| said(case.run, function, why))
}

/// For a run whose graphs pile up unexplained: the function that is traced most, and how often per cycle.
pub(super) fn of_run(run: Run) -> Option<(&'static str, Explanation, f64)> {
    let known = |f: &'_ Retraced| Some((reason(f)?.0, said(run, f, reason(f)?), f.per_cycle));
    run.retraced.iter().filter(|_| run.graphs_grow() || is_of_jax(run)).find_map(known)
}

/// The cause that the difference between two traces speaks for, and what helps.
fn reason(function: &Retraced) -> Option<(&'static str, &'static str)> {
    let why = function.why.as_str();
    match () {
        () if is_argument(function) && why.contains("(a Python str)") => Some(("retraced-by-scalars", TEXTS)),
        () if is_argument(function) && why.contains("(a Python ") => Some(("retraced-by-scalars", SCALARS)),
        () if is_argument(function) && why.contains("shape") => Some(("retraced-by-shapes", SHAPES)),
        () if is_argument(function) && is_another(why, &["method", "Function"]) => {
            Some(("retraced-by-methods", METHODS))
        }
        () if why.contains("argument 'self' was another ") => Some(("retraced-by-methods", METHODS)),
        () if is_argument(function) && is_another(why, &["function", "partial"]) => {
            Some(("retraced-by-functions", FUNCTIONS))
        }
        () if why.contains("method of a new object") => Some(("retraced-by-methods", METHODS)),
        () if ["new function object", "new lambda", "wrapped by tf.function", "wrapped anew"]
            .iter()
            .any(|w| why.contains(w)) =>
        {
            Some(("retraced-by-functions", FUNCTIONS))
        }
        () => None,
    }
}

/// Whether an argument was another object of one of these types.
fn is_another(why: &str, types: &[&str]) -> bool {
    why.split("; ")
        .any(|said| said.split_once(" was another ").is_some_and(|(_, kind)| types.contains(&kind)))
}

fn is_argument(function: &Retraced) -> bool {
    function.why.starts_with("argument ")
}

/// The function whose graphs these are.
fn function<'a>(case: &'a Case) -> Option<&'a Retraced> {
    if is_of_jax(case.run) {
        return compiled(case);
    }
    let path = case.path.as_ref().map(|path| path.full);
    let names = || path.into_iter().flat_map(HolderPath::names);
    let cache =
        names().any(|name| name.contains("_function_cache")) || case.elements().contains("ConcreteFunction");
    let registry = gradient_registry::is_registry(case) && !train_steps::are_made(case.run);
    let unheld = (case.is_unheld_graph() || registry) && case.run.graphs_grow();
    if let Some(function) = case.run.retraced.iter().find(|function| is_made_by_call(case, function)) {
        return Some(function);
    }
    let short = |f: &&Retraced| f.function.rsplit('.').next().unwrap_or_default().to_owned();
    // The memory hangs below the traced function itself.
    let itself = |f: &&Retraced| case.path.as_ref().is_some_and(|path| path.name == short(f));
    if !(cache || unheld) {
        return case.run.retraced.iter().filter(|_| case.run.graphs_grow()).find(itself);
    }
    let name = |f: &&Retraced| names().any(|name| name == short(f));
    case.run.retraced.iter().find(name).or_else(|| case.run.retraced.first())
}

/// Whether nobody is known to hold it, and it is made where this function is called, inside the call: registering a trace's function
/// and making its kernels ready happen there, outside of the trace itself. No more than graphs weigh.
fn is_made_by_call(case: &Case, function: &Retraced) -> bool {
    let finding = case.finding;
    let is_caller = |site: &Site| {
        site.file == function.caller_file && u64::from(site.line) == function.caller_line && site.line > 0
    };
    finding.holder.is_none()
        && case.run.graphs_grow()
        && finding.sites.iter().any(|site| site.role == "made_at" && is_caller(site))
        && case.calls("polymorphic_function.py", "__call__")
        && finding.bytes_per_cycle.estimate as f64 <= function.per_cycle * MAX_TRACE_BYTES
}

fn said(run: Run, function: &Retraced, (cause, change): (&str, &str)) -> Explanation {
    if is_of_jax(run) {
        return compiled_again(function, cause);
    }
    let name = short(function);
    Explanation {
        sentence: format!("{name} is traced again and again, and every graph stays: {}", function.why),
        change: change.to_owned(),
        intervention: match change {
            SCALARS => Some("tensor-scalars".to_owned()),
            SHAPES => Some("relaxed-shapes".to_owned()),
            _ => None,
        },
        made_at: called_at(function),
    }
}

fn short(function: &Retraced) -> &str {
    function.function.rsplit("<locals>.").next().unwrap_or(&function.function)
}

/// Whether it is JAX that goes on compiling.
fn is_of_jax(run: Run) -> bool {
    run.grows("jax_compiles") && !run.graphs_grow()
}

/// The jitted function whose compiled programs these are. Compilers work on threads of their own, too, which no line of the program
/// is known of.
fn compiled<'a>(case: &'a Case) -> Option<&'a Retraced> {
    let finding = case.finding;
    let by_compiler = COMPILERS.iter().any(|part| case.is_part(part)) || case.calls("pjit.py", "cache_miss");
    let made_at = || finding.sites.iter().filter(|site| site.role == "made_at");
    let is_caller = |function: &&Retraced| {
        made_at().any(|s| s.file == function.caller_file && u64::from(s.line) == function.caller_line)
    };
    let retraced = case.run.retraced;
    let called = || retraced.iter().find(is_caller);
    let only = || retraced.first().filter(|_| made_at().next().is_none() || retraced.len() == 1);
    if finding.holder.is_none() && by_compiler { called().or_else(only) } else { None }
}

fn compiled_again(function: &Retraced, cause: &str) -> Explanation {
    let name = match short(function) {
        "<lambda>" => format!("the lambda of line {}", function.line),
        name => name.to_owned(),
    };
    let change = match cause {
        "retraced-by-scalars" => JAX_SCALARS,
        "retraced-by-shapes" => JAX_SHAPES,
        "retraced-by-methods" => JAX_METHODS,
        _ => JAX_FUNCTIONS,
    };
    Explanation {
        sentence: format!("JAX compiles {name} again and again, and keeps every program: {}", function.why),
        change: change.to_owned(),
        made_at: called_at(function),
        ..Explanation::default()
    }
}

/// The line of the program that called the function when it was traced.
pub(super) fn called_at(function: &Retraced) -> Option<Site> {
    (function.caller_line > 0).then(|| Site {
        role: "made_at",
        file: function.caller_file.clone(),
        line: u32::try_from(function.caller_line).unwrap_or(0),
        function: String::new(),
        bytes_per_cycle: 0,
        text: None,
        inside: None,
    })
}
