//! Modules that are kept: one per fold, per round.
//!
//! Evidence: the holder holds models, and PyTorch made them: no other framework is in the program, or most of the memory is of its modules.

use nilometer_diagnose::pack::{Case, Explanation};
use nilometer_diagnose::{Finding, Frame, gather_into_one};

use super::memory::{is_of_parameters, is_unheld_by_torch};

/// The cause's name.
const NAME: &str = "models-kept";

/// Parameters and gradients that nobody is known to hold belong to the models that one finding says are kept. `rate`: the whole growth,
/// bytes per cycle.
pub(super) fn gather_parameters(findings: &mut Vec<Finding>, rate: f64) {
    let is_theirs = |f: &Finding| is_unheld_by_torch(f) && is_of_parameters(f);
    gather_into_one(findings, |f| f.cause == NAME, is_theirs, rate);
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.path.as_ref().filter(|_| case.holds_models() && !case.holds("History"))?;
    let of_torch = |frame: &Frame| frame.file.starts_with("torch/nn/") || frame.file.contains("libtorch");
    let frameworks = &case.run.program.frameworks;
    let is_torch_alone = frameworks.contains_key("torch") && !frameworks.contains_key("tensorflow");
    (is_torch_alone || case.carriers().any(of_torch)).then(|| Explanation {
        sentence: format!("{} keeps every module that was made, with its gradients", case.called()),
            change: "keep what you need of a module (its score, its `state_dict()` on disk by `torch.save`), and let the module go; \
                     or build it once and set its weights anew"
                .to_owned(),
        ..Explanation::default()
    })
}
