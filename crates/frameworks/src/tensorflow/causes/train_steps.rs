//! Why train steps are traced anew where no model is: each leaves its graphs in TensorFlow's gradient registry.
//!
//! Evidence: that registry is the holder, or grows with graphs that nobody holds, and beside it the number of what makes a step be
//! traced goes on growing: calls of `clear_session`, switches to eager functions and back, compiles, functions that are wrapped anew.
//! Asked in this order: a session that is cleared forces the compile after it, and a switch is one too many even with a compile.

use nilometer_diagnose::Retraced;
use nilometer_diagnose::pack::{Case, Explanation, Run, called_at, short};

use super::gradient_registry::{self, is_registry};

/// What is told of a run with a growth that nothing explains, if its registry grows.
pub(super) fn of_run(run: Run) -> Option<(&'static str, Explanation)> {
    None.or_else(|| Some(("clear-session-in-the-loop", cleared(run)?)))
        .or_else(|| Some(("eager-toggled", toggled(run)?)))
        .or_else(|| Some(("recompiled-per-round", compiled(run)?)))
        .or_else(|| Some((gradient_registry::REGISTRY, made_anew(run)?)))
}

pub(super) fn by_clearing(case: &Case) -> Option<Explanation> {
    cleared(case.run).filter(|_| is_registry(case))
}

pub(super) fn by_switching(case: &Case) -> Option<Explanation> {
    toggled(case.run).filter(|_| is_registry(case))
}

pub(super) fn by_compiling(case: &Case) -> Option<Explanation> {
    compiled(case.run).filter(|_| is_registry(case))
}

pub(super) fn by_functions(case: &Case) -> Option<Explanation> {
    made_anew(case.run).filter(|_| is_registry(case))
}

/// Whether models or their train steps are made again and again, which says more than that they are traced.
pub(super) fn are_made(run: Run) -> bool {
    run.builds || ["clear_sessions", "eager_switches", "compiles"].iter().any(|probe| run.grows(probe))
}

fn said(run: Run, sentence: String, change: &str) -> Explanation {
    let intervention = Some("purge-graphs".to_owned());
    Explanation { sentence, change: change.to_owned(), intervention, made_at: run.traces_from() }
}

fn cleared(run: Run) -> Option<Explanation> {
    (run.grows("clear_sessions") && run.grows("compiles")).then(|| {
        said(
            run,
            format!(
                "every {} clears the session of a model that lives on and compiles it again, and TensorFlow's gradient registry \
                 keeps each train step",
                run.unit
            ),
            "take `clear_session()` and the compile after it out of the loop: it frees nothing of a model that is still used",
        )
    })
}

fn toggled(run: Run) -> Option<Explanation> {
    run.grows("eager_switches").then(|| {
        said(
            run,
            format!(
                "every {} switches `run_functions_eagerly` on and off, the train step is made anew, and TensorFlow's gradient \
                 registry keeps each",
                run.unit
            ),
            "leave the switch alone and call the model for a look (`model(x)`), or compile a second model with \
             `run_eagerly=True` for it",
        )
    })
}

fn compiled(run: Run) -> Option<Explanation> {
    run.grows("compiles").then(|| {
        said(
            run,
            format!(
                "every {} compiles the model again, and TensorFlow's gradient registry keeps the train step of each compile",
                run.unit
            ),
            "compile once, and change what differs in place: `model.optimizer.learning_rate.assign(...)`, variables in place of \
             constants in a loss of your own",
        )
    })
}

fn made_anew(run: Run) -> Option<Explanation> {
    let is_new = |f: &&Retraced| {
        ["new function object", "new lambda", "wrapped by tf.function"]
            .iter()
            .any(|word| f.why.contains(word))
    };
    let function = run.retraced.iter().find(is_new)?;
    let (name, made_at) = (short(function), called_at(function));
    Some(Explanation {
        made_at,
        ..said(
            run,
            format!(
                "{name} is made and traced again and again, and TensorFlow's gradient registry keeps the graphs of each"
            ),
            "make each `tf.function` and its optimizer once, outside of the loop, and set the optimizer's variables back where a round \
         must begin afresh",
        )
    })
}
