//! Tensors of PyTorch that are kept with their autograd graphs, and with them what the graphs saved.
//!
//! Evidence: the elements of the holder have a function that made them, or the holder is a tensor itself, whose own memory does not
//! grow. Where no look met a holder: PyTorch's own allocator makes the memory, it stays, and nobody is known to hold it.

use nilometer_diagnose::pack::{Case, Explanation, WITH_GRAPH};
use nilometer_diagnose::{Finding, gather_into_one};

use super::memory::{is_by_optimizer, is_of_parameters, is_torch_library, is_unheld_by_torch};

/// The cause's name.
const NAME: &str = "graphs-kept";

/// The libraries with PyTorch's allocators.
const ALLOCATORS: [&str; 2] = ["libc10.", "libc10_cuda."];

/// A container of such tensors, or one tensor with the history of all cycles.
pub(super) fn of_holder(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let elements = case.elements();
    let code = case.short_code().map_or(String::new(), |line| format!(" instead of `{line}`"));
    let one = elements.is_empty() && ["Tensor", "Parameter"].contains(&holder.kind.as_str());
    if one && is_of_torch(case) {
        let adds = case.code().is_none_or(|line| line.contains('+'));
        let name = path.full.words();
        let change = if adds {
            format!("add numbers (`loss.item()`) or tensors without a graph (`.detach()`){code}")
        } else {
            format!(
                "cut the history where it is not needed: `{name} = {name}.detach()`; or compute it under `torch.no_grad()` where \
                 nothing is trained"
            )
        };
        return Some(Explanation {
            sentence: format!("{name} keeps the autograd graph of every {}", case.unit),
            change,
            ..Explanation::default()
        });
    }
    if !elements.contains(WITH_GRAPH) {
        return None;
    }
    let at = case.short_code().map_or(String::new(), |line| format!(" in `{line}`"));
    let change = if elements.contains("Tensor () ") {
        format!("keep the number (`.item()`){code}")
    } else {
        format!("keep tensors without their graphs{at}: add `.detach()`, or `.item()` where it is one number")
    };
    let sentence =
        format!("{} keeps tensors of every {}, with their autograd graphs", case.called(), case.unit);
    Some(Explanation { sentence, change, ..Explanation::default() })
}

/// Memory without a known holder.
pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let finding = case.finding;
    let by_torch = is_tensor_memory(case) || is_by_modules(case);
    let may_have_graph = !is_of_parameters(finding) && !is_by_optimizer(finding);
    let is_nobodys = finding.holder.is_none() && finding.part.is_none();
    (by_torch && may_have_graph && is_nobodys).then(|| Explanation {
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

/// Beside one graph that is known to stay, memory of PyTorch's that nobody is known to hold is the graph's: its nodes are made where its
/// operations are called, and a sum of losses has them in many lines. `rate`: the whole growth, bytes per cycle.
pub(super) fn gather(findings: &mut Vec<Finding>, rate: f64) {
    let graphs = |is_held: bool| {
        let is_one = |f: &&Finding| f.cause == NAME && f.holder.is_some() == is_held;
        findings.iter().filter(is_one).count()
    };
    let is_held = match (graphs(true), graphs(false)) {
        (1, _) => true,
        (0, 1) => false,
        _ => return,
    };
    let is_graph = |f: &Finding| f.cause == NAME && f.holder.is_some() == is_held;
    let is_its = |f: &Finding| {
        [NAME, "growth-at-site"].contains(&f.cause.as_str()) && is_unheld_by_torch(f) && !is_by_optimizer(f)
    };
    gather_into_one(findings, is_graph, is_its, rate);
}

/// Whether a function of PyTorch's had a part in it, by whatever operation.
fn is_of_torch(case: &Case) -> bool {
    case.finding.stack.iter().any(|frame| is_torch_library(&frame.file))
}

/// Whether many operations below modules of PyTorch made it, most of all tensors.
fn is_by_modules(case: &Case) -> bool {
    let by_allocator = |file: &str| ALLOCATORS.iter().any(|name| file.contains(name));
    case.carriers().any(|frame| frame.file.starts_with("torch/"))
        && case.finding.stack.iter().any(|frame| by_allocator(&frame.file))
}

/// Whether PyTorch's own allocator made it. Other memory of the library's may be of functions in a graph.
fn is_tensor_memory(case: &Case) -> bool {
    case.carriers().any(|frame| ALLOCATORS.iter().any(|name| frame.file.contains(name)))
}
