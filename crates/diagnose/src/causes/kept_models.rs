//! Models that are kept: one per request, per fold, per round.
//!
//! Evidence: the holder holds models, or the History objects that `fit` returns and that refer to theirs, or a look found models below
//! what it holds. Beside its weights a model keeps optimizer slots and the graphs that were traced for
//! it, which are several times larger than what Python shows.

use nilometer_model::{CodeFolders, HolderPath, Step};

use super::{Case, Explanation};
use crate::report::{Holder, HolderBytes};

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

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.path.as_ref()?;
    if case.holds("History") {
        return Some(Explanation {
            sentence: format!("{} keeps what fit() returns, and each History keeps its model", case.called()),
            change: "keep the numbers: `model.fit(...).history` is a plain dictionary, and the model can go"
                .to_owned(),
            ..Explanation::default()
        });
    }
    if !case.holds_models() {
        return None;
    }
    Some(Explanation {
        sentence: format!("{} keeps every model that was made, with its graphs", case.called()),
        change: "keep what you need of a model (its score, its weights on disk with `model.save_weights(...)`), and let the \
                 model go; or build it once and set its weights anew"
            .to_owned(),
        ..Explanation::default()
    })
}
