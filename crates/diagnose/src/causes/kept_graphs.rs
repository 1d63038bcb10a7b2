//! Tensors of `PyTorch` that no object of Python's leads to: an autograd graph keeps them.
//!
//! Evidence: `PyTorch`'s own allocator makes them, they stay, and nobody is known to hold them. A graph lives in C++: from the tensor
//! that has it no path of Python's leads to what its steps saved.

use super::{Case, Explanation};

/// The libraries with `PyTorch`'s allocators.
const ALLOCATORS: [&str; 2] = ["libc10.", "libc10_cuda."];

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let finding = case.finding;
    let is_tensor = case.carriers().any(|frame| ALLOCATORS.iter().any(|name| frame.file.contains(name)));
    (is_tensor && finding.holder.is_none() && finding.part.is_none()).then(|| Explanation {
        sentence: format!(
            "PyTorch tensors of every {} stay and no variable leads to them, as when an autograd graph keeps them",
            case.unit
        ),
        change: "look for a tensor that is kept with its history, as a sum of losses is: keep the number (`loss.item()`), or a tensor \
                 without history (`.detach()`)"
            .to_owned(),
        ..Explanation::default()
    })
}
