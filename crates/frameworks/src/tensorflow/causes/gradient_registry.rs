//! TensorFlow's registry of gradients, which nothing takes entries out of: each train step that is traced anew leaves its graphs.
//!
//! Evidence: the holder is that registry, or what the program keeps its models in while the registry grows as well, or graphs that nobody in Python is known to hold grow while the registry does. If a
//! model is built in every cycle it is models in a loop; else a compile or a new function makes the step be traced.

use nilometer_diagnose::pack::{Case, Explanation, Run};
use nilometer_diagnose::{Finding, Holder};
use nilometer_model::{HolderPath, Step};

use super::train_steps;

pub(crate) const MODELS: &str = "models-in-a-loop";
pub(super) const REGISTRY: &str = "tf-gradient-registry";
/// Where it is, as the census calls it.
const PATH: &str = "tensorflow.python.framework.ops.gradient_registry._registry[*]";
/// What leads from a model to its graphs.
const TO_GRAPHS: [&str; 3] = ["train_function", "test_function", "predict_function"];

pub(super) fn by_models(case: &Case) -> Option<Explanation> {
    let is_kept_twice = || case.keeps_models() && case.run.grows("gradient_registry");
    ((is_registry(case) || is_weights(case) || is_kept_twice()) && case.run.builds).then(|| said(case.run).1)
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    is_registry(case).then(|| said(case.run).1)
}

/// For a run with a growth that nothing explains.
pub(super) fn of_run(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    (run.grows("gradient_registry") && run.graphs_grow()).then(|| {
        let (cause, said) = match train_steps::of_run(run) {
            Some(told) if !run.builds => told,
            _ => said(run),
        };
        (cause, said, left)
    })
}

pub(super) fn is_registry(case: &Case) -> bool {
    // Graphs of the newest model hang below the model as well, for as long as it is the newest.
    let leads_through = |word: &&str| case.path.as_ref().is_some_and(|path| path.full.leads_through(word));
    let of_model = TO_GRAPHS.iter().any(leads_through);
    leads_through(&"gradient_registry")
        || (of_model || case.is_unheld_graph()) && case.run.grows("gradient_registry")
}

/// Names the registry as the holder of what it is said to keep, where no container of the program's is known to keep it: nobody may have
/// looked in time, or have come by the newest model, below which its graphs hang as well.
pub(crate) fn hold(finding: &mut Finding, cause: &str, run: Run) {
    let known = |path: &str| {
        let path = HolderPath::of(path);
        let of_model = |word: &&str| {
            path.leads_through(word)
                && path.before(Step::Attribute(word)).is_some_and(|(model, _)| model.is_slot())
        };
        !TO_GRAPHS.iter().any(of_model)
    };
    let entries = run.probes.iter().find(|probe| probe.name == "gradient_registry");
    let (MODELS | REGISTRY, Some(entries)) = (cause, entries.filter(|_| run.grows("gradient_registry")))
    else {
        return;
    };
    if finding.holder.as_ref().is_some_and(|holder| known(&holder.path)) {
        return;
    }
    finding.holder = Some(Holder {
        path: PATH.to_owned(),
        kind: "dict".to_owned(),
        length: Some(entries.last),
        per_cycle: entries.per_cycle,
        ..Holder::default()
    });
}

/// Memory of variables that nobody was seen to hold, while models and variables go on piling up.
fn is_weights(case: &Case) -> bool {
    let pile_up = case.run.grows("models") && case.run.grows("variables");
    case.finding.holder.is_none() && case.is_part("to a variable") && pile_up
}

fn said(run: Run) -> (&'static str, Explanation) {
    let unit = run.unit;
    let kept =
        run.keeps_models.filter(|_| run.grows("models")).map(|holder| HolderPath::of(&holder.path).words());
    let (cause, sentence, change) = if run.builds {
        let keeps = kept.map_or_else(String::new, |kept| format!("{kept} keeps it, "));
        let first = kept.map_or_else(String::new, |kept| {
            format!("put the model's score or its saved weights into `{kept}` in place of the model; ")
        });
        (
            MODELS,
            format!(
                "a model is built in every {unit}, {keeps}and TensorFlow's gradient registry keeps its graphs for good"
            ),
            first
                + "build the model once and set its weights anew (`model.set_weights(...)`), or run each round in a process of its \
                   own; `clear_session()` gives back only a part",
        )
    } else {
        (
            REGISTRY,
            format!(
                "TensorFlow's gradient registry keeps the graphs of train steps that each {unit} traces anew"
            ),
            "compile once, and change what differs in place (`model.optimizer.learning_rate.assign(...)`); make each \
             `tf.function` once, outside of the loop; `clear_session()` gives back only a part"
                .to_owned(),
        )
    };
    let intervention = Some("purge-graphs".to_owned());
    let made_at = run.traces_from();
    (cause, Explanation { sentence, change, intervention, made_at })
}
