//! Native memory of a holder's elements, which Python cannot see: the buffers below arrays of JAX, the pictures of a library.
//!
//! In: findings with their source, what the scans said of containers. Out: a line that no holder was met for, taken into the finding of
//! the one container that its function fills with such elements, of the one that keeps autograd graphs if `PyTorch` made the memory, or of
//! the one that keeps arrays of JAX if a thread of XLA made it.
//! What must not happen here: a guess between several; a line beside a container that Python sees whole.

use nilometer_model::HolderPath;

use super::function::function_adds_to;
use super::join::merge;
use super::scans::{Pace, Weighed};
use super::unattached_lines::hides;
use super::{HolderEvidence, NATIVE};
use crate::cycles::Point;
use crate::lookup::Lookup;
use crate::report::Finding;

/// How the census calls a tensor that keeps its graph.
pub(crate) const WITH_GRAPH: &str = "with grad_fn";
/// Parts of JAX that make a compiled program.
pub(crate) const COMPILERS: [&str; 2] = ["XLA compilation", "compiler (LLVM)"];
/// How the census calls an array of JAX.
const JAX_ARRAY: &str = "ArrayImpl";
/// The libraries with XLA in them, in today's and in older packages of JAX.
const JAX_LIBRARIES: [&str; 2] = ["libjax_common", "xla_extension"];
/// Elements per cycle that a line puts into a container at least.
const MIN_ELEMENTS_PER_CYCLE: f64 = 0.9;

/// Takes such lines in. `most`: bytes per cycle that all of it grows by.
pub(crate) fn take_in_native(
    held: &HolderEvidence,
    findings: Vec<Finding>,
    (series, most): (&[Point], i64),
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) -> Vec<Finding> {
    let (mut told, unheld): (Vec<_>, Vec<_>) = findings.into_iter().partition(|f| f.holder.is_some());
    for finding in unheld {
        let mut fills = |known: &Finding| {
            let holder =
                known.holder.as_ref().filter(|holder| holder.kind != NATIVE && hides(&holder.elements));
            let path = holder.map(|holder| holder.path.as_str()).filter(|path| held.is_filled(path, series));
            let mut made = finding.sites.iter().filter(|site| site.role == "made_at");
            let of_graph = || has_graphs(known) && is_of_torch(&finding);
            let of_array = || has_jax_arrays(known) && is_of_xla_thread(&finding);
            path.is_some_and(|path| {
                of_graph() || of_array() || made.any(|site| function_adds_to(site, path, folder, lookup))
            })
        };
        let fitting: Vec<usize> =
            told.iter().enumerate().filter(|(_, known)| fills(known)).map(|(at, _)| at).collect();
        match fitting.as_slice() {
            [at] => {
                if let Some(known) = told.get_mut(*at) {
                    let sure = known.confidence;
                    merge(known, finding, false);
                    known.bytes_per_cycle.cap(most);
                    known.confidence = if sure == "possible" { "likely" } else { sure };
                }
            }
            _ => told.push(finding),
        }
    }
    told.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    told
}

/// Whether a holder keeps tensors with their autograd graphs: these keep what other functions computed.
fn has_graphs(finding: &Finding) -> bool {
    finding.holder.as_ref().is_some_and(|holder| holder.elements.contains(WITH_GRAPH))
}

/// Whether `PyTorch` made this memory.
fn is_of_torch(finding: &Finding) -> bool {
    finding.stack.iter().any(|frame| frame.carries && frame.file.contains("libtorch"))
}

/// Whether a holder keeps arrays of JAX: XLA allocates their buffers when it has time, on threads of its own.
fn has_jax_arrays(finding: &Finding) -> bool {
    finding.holder.as_ref().is_some_and(|holder| holder.elements.contains(JAX_ARRAY))
}

/// Whether XLA made this memory where no line of Python runs, and not to compile.
fn is_of_xla_thread(finding: &Finding) -> bool {
    let is_jax = |file: &str| JAX_LIBRARIES.iter().any(|library| file.contains(library));
    finding.sites.iter().all(|site| site.line == 0)
        && finding.part.as_deref().is_none_or(|part| !COMPILERS.contains(&part))
        && finding.stack.iter().any(|frame| frame.carries && is_jax(&frame.file))
}

impl HolderEvidence<'_> {
    /// Whether scans saw a container get elements with native memory, about one per cycle or more, to the end.
    fn is_filled(&self, path: &str, series: &[Point]) -> bool {
        self.rises.iter().any(|(id, rises)| {
            let is_it = |one: &str| one == path || HolderPath::of(one).is_alias_of(HolderPath::of(path));
            let Some(holder) = self.holder(*id).filter(|holder| is_it(&holder.path)) else { return false };
            // Of such an array Python sees the numbers, and not what the framework keeps beside them.
            let is_native = |weighed| weighed == Weighed::AllButNative || holder.elements.contains(JAX_ARRAY);
            Pace::of(rises, &self.scans, series).is_some_and(|pace| {
                is_native(pace.weighed) && pace.elements >= MIN_ELEMENTS_PER_CYCLE && !pace.slows
            })
        })
    }
}
