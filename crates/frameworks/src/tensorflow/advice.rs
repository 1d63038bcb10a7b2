//! When interventions in TensorFlow are worth a try.

use nilometer_prove::pack::{Advice, Case, Worth};

const PACKAGE: &str = "tensorflow";

pub(super) const ADVICE: [Advice; 8] = [
    Advice { rank: 30, name: "plain-pipeline", worth: plain_pipeline },
    Advice { rank: 50, name: "purge-graphs", worth: purge_graphs },
    Advice { rank: 60, name: "fixed-shape", worth: fixed_shape },
    Advice { rank: 70, name: "tensor-scalars", worth: tensor_scalars },
    Advice { rank: 80, name: "relaxed-shapes", worth: relaxed_shapes },
    Advice { rank: 110, name: "no-onednn", worth: no_onednn },
    Advice { rank: 120, name: "graph", worth: |case| case.survey.eager.then_some(Worth::plain(16.0)) },
    Advice { rank: 130, name: "eager", worth: eager },
];

fn plain_pipeline(case: &Case<'_>) -> Option<Worth> {
    let worth = || Worth { base: 34.0, pointed: case.of_part(&["cache", "shuffle", "prefetch"]) };
    case.survey.buffers.then(worth)
}

fn purge_graphs(case: &Case<'_>) -> Option<Worth> {
    let graphs = case.of_part(&["graph", "kernel", "function", "gradient"]);
    let base = if case.makes_models() { 90.0 } else { 28.0 };
    case.uses(PACKAGE).then_some(Worth { base, pointed: graphs.max(0.5 * traced(case)) })
}

fn fixed_shape(case: &Case<'_>) -> Option<Worth> {
    let shapes = shapes(case);
    let applies = case.uses(PACKAGE) && ((!case.trains() && !case.is_explained()) || shapes > 0.0);
    applies.then_some(Worth { base: 29.0, pointed: traced(case).max(shapes) })
}

fn tensor_scalars(case: &Case<'_>) -> Option<Worth> {
    let numbers = numbers(case);
    let applies = is_unexplained(case) || numbers > 0.0;
    applies.then_some(Worth { base: 27.0, pointed: traced(case).max(numbers) })
}

fn relaxed_shapes(case: &Case<'_>) -> Option<Worth> {
    let shapes = shapes(case);
    let applies = is_unexplained(case) || shapes > 0.0;
    applies.then_some(Worth { base: 26.0, pointed: traced(case).max(0.5 * shapes) })
}

fn no_onednn(case: &Case<'_>) -> Option<Worth> {
    let worth = || Worth { base: 15.0, pointed: case.of_part(&["onednn", "primitive"]) };
    case.uses(PACKAGE).then(worth)
}

fn eager(case: &Case<'_>) -> Option<Worth> {
    let otherwise = is(case.is_explained() && numbers(case).max(shapes(case)) == 0.0);
    let applies = case.uses(PACKAGE) && !case.survey.eager;
    applies.then_some(Worth { base: 14.0, pointed: otherwise.max(0.5 * traced(case)) })
}

fn traced(case: &Case<'_>) -> f64 {
    case.in_phase("trace")
}

/// Whether functions are called, and the report does not say why they are traced again.
fn is_unexplained(case: &Case<'_>) -> bool {
    case.survey.seen.calls > 0 && !case.is_explained()
}

/// Whether functions are traced again for numbers, or for shapes. What stands in for arguments is TensorFlow's.
fn numbers(case: &Case<'_>) -> f64 {
    is(case.uses(PACKAGE) && case.is_retraced(&["(a Python float)", "(a Python int)"]))
}

fn shapes(case: &Case<'_>) -> f64 {
    is(case.uses(PACKAGE) && case.is_retraced(&["had shape"]))
}

fn is(said: bool) -> f64 {
    f64::from(u8::from(said))
}
