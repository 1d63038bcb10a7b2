//! What part of PyTorch made the memory of a finding.
//!
//! In: a finding with its stack. Out: whether it is of parameters, of an optimizer, of nobody who is known. What must not happen here: a
//! cause.

use nilometer_diagnose::Finding;

/// The file and function that every backward pass goes through.
const BACKWARD: (&str, &str) = ("torch/autograd/graph.py", "_engine_run_backward");

/// Whether a native library is one of PyTorch's.
pub(super) fn is_torch_library(file: &str) -> bool {
    file.contains("libtorch") || file.contains("libc10")
}

/// Whether PyTorch's main library made most of it.
pub(crate) fn is_made(finding: &Finding) -> bool {
    finding.stack.iter().any(|frame| frame.carries && frame.file.contains("libtorch"))
}

/// Whether PyTorch made most of it, in this process, and nobody is known to hold it.
pub(super) fn is_unheld_by_torch(finding: &Finding) -> bool {
    let is_unheld = finding.holder.is_none() && finding.part.is_none() && finding.process.is_none();
    is_unheld && finding.stack.iter().any(|frame| frame.carries && is_torch_library(&frame.file))
}

/// Whether a module made it as it was built, or a backward pass: parameters and their gradients keep no graph.
pub(super) fn is_of_parameters(finding: &Finding) -> bool {
    finding.stack.iter().filter(|frame| frame.carries).any(|frame| {
        let is_built = frame.file.starts_with("torch/nn/") && frame.function.ends_with(".__init__");
        is_built || frame.file.ends_with(BACKWARD.0) && frame.function.ends_with(BACKWARD.1)
    })
}

/// Whether an optimizer's own code made it: its state, which it makes without gradients.
pub(super) fn is_by_optimizer(finding: &Finding) -> bool {
    let innermost = finding.stack.iter().find(|frame| frame.kind != "native");
    innermost.is_some_and(|frame| frame.file.starts_with("torch/optim/"))
}
