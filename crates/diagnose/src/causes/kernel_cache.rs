//! TensorFlow's cache of eager kernels, which only grows: metrics, losses or optimizers that are made in every step.
//!
//! Evidence: the memory is of that cache. If Keras's metrics, losses or optimizers are on the stack, it is these that are made
//! anew; each has variables of its own name, and a kernel per name. Python's heap shows nothing of it.

use super::{Case, Explanation};

const MAKERS: [(&str, &str); 3] =
    [("/metrics/", "a metric"), ("/optimizers/", "an optimizer"), ("/losses/", "a loss")];

pub(super) fn by_metrics(case: &Case) -> Option<Explanation> {
    let is = |folder: &str| case.finding.stack.iter().any(|f| f.kind == "library" && f.file.contains(folder));
    let (_, what) = MAKERS.iter().find(|(folder, _)| case.is_part("kernel cache") && is(folder))?;
    Some(Explanation {
        sentence: format!(
            "{what} is made again in every {}, and TensorFlow keeps kernels for each",
            case.unit
        ),
        change: format!(
            "make {what} once, before the loop; call `reset_state()` where a new one was made, if it has that"
        ),
        ..Explanation::default()
    })
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.is_part("kernel cache").then(|| Explanation {
        sentence: case.finding.sentence.clone(),
        change: "make variables, metrics and layers once and use them again; `keras.backend.clear_session()` empties this \
                 cache with Keras 3.15, at the end of a round"
            .to_owned(),
        ..Explanation::default()
    })
}
