//! A function that TensorFlow traces again and again: each trace stays, with its graph, in the function's cache.
//!
//! Evidence: the holder is such a cache, or TensorFlow's gradient registry where nothing else makes steps be traced, or nobody is known to
//! hold it; and a function was still being traced in the last third of the cycles. What differed between two traces tells which cause it
//! is: a Python number, a shape, a new function object.

use nilometer_diagnose::pack::{
    Case, Differs, Explanation, MAX_TRACE_BYTES, Run, called_at, is_argument, most_traced, short,
};
use nilometer_diagnose::{Retraced, Site};
use nilometer_model::HolderPath;

use super::{gradient_registry, train_steps};

const SCALARS: &str = "pass it as a tensor, `tf.constant(np.float32(...))` (`np.int32` if it is a whole number) or a `tf.Variable` that \
                       is assigned: a Python number is part of what the function is compiled for";
const TEXTS: &str = "keep texts out of the function's arguments, or pass them as tensors (`tf.constant(name)`): a Python text is part \
                     of what the function is compiled for";
const SHAPES: &str = "give the function a shape that leaves that open: `input_signature=[tf.TensorSpec([None, ...])]` or \
                      `reduce_retracing=True`; or pad to a few sizes";
const METHODS: &str = "call the method of one object that lives as long as the loop, and pass what differs as tensors: each \
                       new object has a function of its own";
const FUNCTIONS: &str = "make the function once, outside of the loop, and call that one each time";
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
    let differs = Differs::of(function)?;
    // What the registry keeps of functions that are made anew is told there.
    if gradient_registry::is_registry(case) && !is_argument(function) {
        return None;
    }
    (differs.cause() == asked).then(|| said(function, differs))
}

/// For a run whose graphs pile up unexplained: the function that is traced most, and how often per cycle.
pub(super) fn of_run(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    if run.graphs_grow() { most_traced(run, left, said) } else { None }
}

/// The function whose graphs these are.
fn function<'a>(case: &'a Case) -> Option<&'a Retraced> {
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

fn said(function: &Retraced, differs: Differs) -> Explanation {
    let name = short(function);
    let (change, intervention) = match differs {
        Differs::Texts => (TEXTS, None),
        Differs::Scalars => (SCALARS, Some("tensor-scalars")),
        Differs::Shapes => (SHAPES, Some("relaxed-shapes")),
        Differs::Methods => (METHODS, None),
        Differs::Functions => (FUNCTIONS, None),
    };
    Explanation {
        sentence: format!("{name} is traced again and again, and every graph stays: {}", function.why),
        change: change.to_owned(),
        intervention: intervention.map(str::to_owned),
        made_at: called_at(function),
    }
}
