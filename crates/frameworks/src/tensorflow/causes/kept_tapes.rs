//! Gradient tapes that outlive their step.
//!
//! Evidence: the holder holds tapes. A tape keeps every tensor of the forward pass that it recorded; Python sees almost
//! nothing of it, so that a list of tapes looks empty while it keeps megabytes.

use nilometer_diagnose::pack::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    if case.path.is_none() || !case.elements().contains("Tape") {
        return None;
    }
    Some(Explanation {
        sentence: format!("{} keeps gradient tapes, and each keeps the tensors of its step", case.called()),
        change: "take the gradients inside of the step and let the tape go: `grads = tape.gradient(loss, weights)`, \
                 and keep numbers only (`float(loss)`)"
            .to_owned(),
        ..Explanation::default()
    })
}
