//! Tensors of `PyTorch` that are kept with their autograd graphs, and with them what the graphs saved.
//!
//! Evidence: the elements of the holder have a function that made them, or the holder is a tensor itself, whose own memory does not
//! grow. Where no look met a holder: `PyTorch`'s own allocator makes the memory, it stays, and nobody is known to hold it.

use super::{Case, Explanation};
use crate::holders::WITH_GRAPH;

/// The libraries with `PyTorch`'s allocators.
const ALLOCATORS: [&str; 2] = ["libc10.", "libc10_cuda."];

/// A container of such tensors, or one tensor with the history of all cycles.
pub(super) fn of_holder(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let elements = case.elements();
    let code = case.short_code().map_or(String::new(), |line| format!(" instead of `{line}`"));
    let one = elements.is_empty() && ["Tensor", "Parameter"].contains(&holder.kind.as_str());
    if one && is_tensor_memory(case) {
        return Some(Explanation {
            sentence: format!("{} keeps the autograd graph of every {}", path.full.words(), case.unit),
            change: format!("add numbers (`loss.item()`) or tensors without a graph (`.detach()`){code}"),
            ..Explanation::default()
        });
    }
    if !elements.contains(WITH_GRAPH) {
        return None;
    }
    let change = if elements.contains("Tensor () ") {
        format!("keep the number (`.item()`){code}")
    } else {
        format!(
            "keep tensors without their graphs (`.detach()`, `.item()` of a number), and only those that are read later{code}"
        )
    };
    let sentence =
        format!("{} keeps tensors of every {}, with their autograd graphs", case.called(), case.unit);
    Some(Explanation { sentence, change, ..Explanation::default() })
}

/// Memory without a known holder.
pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let finding = case.finding;
    (is_tensor_memory(case) && finding.holder.is_none() && finding.part.is_none()).then(|| Explanation {
        sentence: format!(
            "PyTorch tensors of every {} stay, and no look met their holder: an autograd graph may keep them",
            case.unit
        ),
        change: "look for a tensor that is kept with its history, as a sum of losses is: keep the number (`loss.item()`), or a tensor \
                 without history (`.detach()`)"
            .to_owned(),
        ..Explanation::default()
    })
}

/// Whether `PyTorch`'s own allocator made it. Other memory of the library's may be of functions in a graph.
fn is_tensor_memory(case: &Case) -> bool {
    case.carriers().any(|frame| ALLOCATORS.iter().any(|name| frame.file.contains(name)))
}
