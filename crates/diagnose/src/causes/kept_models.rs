//! Models that are kept: one per request, per fold, per round.
//!
//! Evidence: the holder holds models, or the History objects that `fit` returns and that refer to theirs, or a look found models below
//! what it holds. Beside its weights a model keeps optimizer slots and the graphs that were traced for
//! it, which are several times larger than what Python shows.

use nilometer_model::{CodeFolders, HolderPath, Step};

use super::alike::gather_into_one;
use super::torch_memory::{is_of_parameters, is_unheld_by_torch};
use super::{Case, Explanation};
use crate::report::{Finding, Frame, Holder, HolderBytes};

/// The cause's name.
const NAME: &str = "models-kept";

/// What of a model is met at the end of a path to its graphs and its slots.
const PARTS: [&str; 6] = [
    ".train_function.",
    ".test_function.",
    ".predict_function.",
    ".optimizer.",
    "._trainable_variables",
    // Of a callback, and of a History.
    "._model.",
];

/// The container of the program's that most memory of models hangs below, as its own code calls it.
pub(crate) fn who_keeps(holders: &[HolderBytes], folders: &CodeFolders) -> Option<Holder> {
    let of_models = |holder: &&HolderBytes| {
        let path = HolderPath::of(&holder.holder.path);
        let behind = path.outermost().map_or("", |(_, behind)| behind);
        let users = holder.holder.file.as_deref().is_some_and(|file| folders.is_users(file));
        users && PARTS.iter().any(|part| behind.contains(part))
    };
    let found = &holders.iter().find(of_models)?.holder;
    let (container, _) = HolderPath::of(&found.path).outermost()?;
    let path = format!("{container}{}", Step::Each);
    let known = holders.iter().find(|holder| holder.holder.path == path);
    Some(known.map_or_else(
        || Holder { path, kind: String::new(), elements: String::new(), bound: None, ..found.clone() },
        |known| known.holder.clone(),
    ))
}

/// Whether the holder is the container of the program's that keeps its models, and these go on piling up.
pub(super) fn is_keeper(case: &Case) -> bool {
    let path = case.path.as_ref().map(|path| path.full.words());
    let same = |keeps: &Holder| path == Some(HolderPath::of(&keeps.path).words());
    case.run.keeps_models.is_some_and(same) && case.run.grows("models")
}

/// Parameters and gradients that nobody is known to hold belong to the models that one finding says are kept. `rate`: the whole growth,
/// bytes per cycle.
pub(crate) fn gather_parameters(findings: &mut Vec<Finding>, rate: f64) {
    let is_theirs = |f: &Finding| is_unheld_by_torch(f) && is_of_parameters(f);
    gather_into_one(findings, |f| f.cause == NAME, is_theirs, rate);
}

/// The last is what `tf.saved_model.load` returns.
const MODELS: [&str; 4] = ["Sequential", "Functional", "Model", "_UserObject"];

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.path.as_ref()?;
    let is_model = |word: &str| MODELS.contains(&word) || word.ends_with("Model");
    let words = || case.elements().split([' ', '.', ',', '(', ')']);
    if words().any(|word| word == "History") {
        return Some(Explanation {
            sentence: format!("{} keeps what fit() returns, and each History keeps its model", case.called()),
            change: "keep the numbers: `model.fit(...).history` is a plain dictionary, and the model can go"
                .to_owned(),
            ..Explanation::default()
        });
    }
    if !words().any(is_model) && !is_keeper(case) {
        return None;
    }
    let of_torch = |frame: &Frame| frame.file.starts_with("torch/nn/") || frame.file.contains("libtorch");
    let frameworks = &case.run.program.frameworks;
    let is_torch_alone = frameworks.contains_key("torch") && !frameworks.contains_key("tensorflow");
    if is_torch_alone || case.carriers().any(of_torch) {
        return Some(Explanation {
            sentence: format!("{} keeps every module that was made, with its gradients", case.called()),
            change: "keep what you need of a module (its score, its `state_dict()` on disk by `torch.save`), and let the module go; \
                     or build it once and set its weights anew"
                .to_owned(),
            ..Explanation::default()
        });
    }
    Some(Explanation {
        sentence: format!("{} keeps every model that was made, with its graphs", case.called()),
        change: "keep what you need of a model (its score, its weights on disk with `model.save_weights(...)`), and let the \
                 model go; or build it once and set its weights anew"
            .to_owned(),
        ..Explanation::default()
    })
}
