//! Native memory of a holder's elements, which Python cannot see: the buffers below a framework's arrays, the pictures of a library.
//!
//! In: findings with their source, what the scans said of containers. Out: a line that no holder was met for, taken into the finding of
//! the one container that its function fills with such elements, or of the one with elements that a framework says the memory is of.
//! What must not happen here: a guess between several; a line beside a container that Python sees whole.

use nilometer_model::HolderPath;

use super::function::function_adds_to;
use super::join::merge;
use super::scans::{Pace, Weighed};
use super::unattached_lines::hides;
use super::{HolderEvidence, NATIVE};
use crate::cycles::Point;
use crate::lookup::Lookup;
use crate::pack::{NativePart, Packs};
use crate::report::Finding;

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
        let packs = lookup.packs();
        let mut fills = |known: &Finding| {
            let holder =
                known.holder.as_ref().filter(|holder| holder.kind != NATIVE && hides(&holder.elements));
            let path =
                holder.map(|holder| holder.path.as_str()).filter(|path| held.is_filled(path, series, packs));
            let mut made = finding.sites.iter().filter(|site| site.role == "made_at");
            let is_theirs = || parts(packs).any(|part| has(known, part) && (part.is_made)(&finding));
            path.is_some_and(|path| {
                is_theirs() || made.any(|site| function_adds_to(site, path, folder, lookup))
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

/// What frameworks tell of such memory.
fn parts(packs: Packs) -> impl Iterator<Item = &'static NativePart> {
    packs.iter().flat_map(|pack| pack.native_parts)
}

/// Whether a holder keeps elements with such memory.
fn has(finding: &Finding, part: &NativePart) -> bool {
    finding.holder.as_ref().is_some_and(|holder| holder.elements.contains(part.elements))
}

impl HolderEvidence<'_> {
    /// Whether scans saw a container get elements with native memory, about one per cycle or more, to the end.
    fn is_filled(&self, path: &str, series: &[Point], packs: Packs) -> bool {
        self.rises.iter().any(|(id, rises)| {
            let is_it = |one: &str| one == path || HolderPath::of(one).is_alias_of(HolderPath::of(path));
            let Some(holder) = self.holder(*id).filter(|holder| is_it(&holder.path)) else { return false };
            // Of such an array Python sees the numbers, and not what the framework keeps beside them.
            let is_beside = |part: &NativePart| part.is_beside && holder.elements.contains(part.elements);
            let is_native = |weighed| weighed == Weighed::AllButNative || parts(packs).any(is_beside);
            Pace::of(rises, &self.scans, series).is_some_and(|pace| {
                is_native(pace.weighed) && pace.elements >= MIN_ELEMENTS_PER_CYCLE && !pace.slows
            })
        })
    }
}
