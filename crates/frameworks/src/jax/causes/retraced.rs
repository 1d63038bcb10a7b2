//! A function that JAX compiles again and again: each program stays, in the function's cache.
//!
//! Evidence: nobody in Python holds it, a compiler made it, and the count of compilations grows. What differed between two traces tells
//! which cause it is: a Python number, a shape, a new function object.

use nilometer_diagnose::Retraced;
use nilometer_diagnose::pack::{Case, Differs, Explanation, Run, called_at, most_traced, short};

use super::super::native_parts::COMPILERS;

const SCALARS: &str =
    "let JAX trace it: take it out of `static_argnums` or `static_argnames`, or keep it to a few values";
const SHAPES: &str = "pad to a few shapes, and mask what was added";
const METHODS: &str =
    "call the method of one object that lives as long as the loop, and pass what differs as arrays";
const FUNCTIONS: &str = "make and jit the function once, outside of the loop, and pass what differs between the rounds as an argument";

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
    let function = compiled(case).filter(|_| goes_on(case.run))?;
    let differs = Differs::of(function)?;
    (differs.cause() == asked).then(|| said(function, differs))
}

/// For a run whose programs pile up unexplained: the function that is compiled most, and how often per cycle.
pub(super) fn of_run(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    if goes_on(run) { most_traced(run, left, said) } else { None }
}

/// Whether it is JAX that goes on compiling, and nothing else that traces functions.
fn goes_on(run: Run) -> bool {
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

fn said(function: &Retraced, differs: Differs) -> Explanation {
    let name = match short(function) {
        "<lambda>" => format!("the lambda of line {}", function.line),
        name => name.to_owned(),
    };
    let change = match differs {
        Differs::Texts | Differs::Scalars => SCALARS,
        Differs::Shapes => SHAPES,
        Differs::Methods => METHODS,
        Differs::Functions => FUNCTIONS,
    };
    Explanation {
        sentence: format!("JAX compiles {name} again and again, and keeps every program: {}", function.why),
        change: change.to_owned(),
        made_at: called_at(function),
        ..Explanation::default()
    }
}
