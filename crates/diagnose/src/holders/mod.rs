//! Who holds the memory: what the census saw, and how it meets what the recorder sampled.
//!
//! In: the census' part of a capture. Out: for a site's survivors, the paths that they hang below. What must not happen
//! here: a holder for memory that it was not seen to hold; a path is named only where samples and census met at an address.

mod adds;
mod between_looks;
mod capacity;
mod container_size;
mod counts;
mod function;
mod grown;
mod hooks;
mod inside;
mod join;
mod kept_at;
mod lines_of_weighed;
mod native;
mod native_parts;
mod numbers;
mod own_bound;
mod reachability;
mod scans;
mod siblings;
mod source;
mod unattached_lines;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nilometer_capture::{Capture, Holder, Moment, Observation, Record};
use nilometer_model::{CodeFolders, HolderPath};

use crate::numbers::{NEARLY_ALL, TENTH};
use crate::sample::Sample;
use crate::source_files;

pub(crate) use adds::{adds_elsewhere, adds_to};
pub(crate) use between_looks::by_looks;
pub(crate) use capacity::Capacity;
pub(crate) use container_size::SCAN_ERROR_RATIO;
pub(crate) use grown::grown;
pub use hooks::registering;
pub(crate) use join::{BySite, by_holder, of as shown};
pub(crate) use kept_at::add_kept_at;
pub(crate) use native::KIND as NATIVE;
pub(crate) use native_parts::take_in_native;
pub(crate) use numbers::{MAX_NUMBER_BYTES, are_numbers, is_number};
pub(crate) use own_bound::{OwnBound, own_bound};
pub(crate) use reachability::Reachability;
pub(crate) use scans::{Pace, Rise, Weighed};
pub(crate) use siblings::{fold, fold_ways};
pub(crate) use unattached_lines::hold;

/// A census of containers alone.
const SCAN: u64 = 1;
/// A census that goes over every edge.
const WHOLE: u64 = 2;
/// The kind of a tensor that is no container's element: it keeps the memory of many cycles through its history alone.
const TENSOR: &str = "Tensor";
/// The kind of what nobody holds, not even native code.
const GARBAGE: &str = "garbage";

/// All that the census said.
#[derive(Debug, Default)]
pub(crate) struct HolderEvidence<'a> {
    holders: BTreeMap<u64, &'a Holder>,
    /// Whose code lies where in that process.
    pub(crate) folders: CodeFolders,
    /// Ids that stand for native code and for garbage, and those for garbage alone.
    nobodys: BTreeSet<u64>,
    garbage: BTreeSet<u64>,
    /// The holders that each sample was seen below; several where a path changed its name between two looks.
    of_sample: HashMap<u64, Vec<u64>>,
    /// The whole look, by number, that saw each holder hold a sample last.
    last_seen: HashMap<u64, usize>,
    /// Samples that were seen in garbage.
    in_garbage: HashSet<u64>,
    /// When each whole look ended, those of them that saw everything, and those that are known to have been cut short.
    looks: Vec<u64>,
    whole: Vec<u64>,
    cut: Vec<u64>,
    /// When each scan ended.
    pub(crate) scans: Vec<u64>,
    /// When the scan ended that came after the program's own code: what its functions held is gone there.
    closing_scan: Option<u64>,
    /// Containers that grew, by holder, in the order of the scans.
    pub(crate) rises: BTreeMap<u64, Vec<Rise>>,
    /// The bytes below each holder, as looks told them: moment and bytes.
    retained: BTreeMap<u64, Vec<(u64, u64)>>,
}

/// A holder and its share of something.
#[derive(Clone, Debug)]
pub(crate) struct Keeps<'a> {
    pub(crate) holder: &'a Holder,
    /// Its path, or that of all elements of its container where several of them keep it.
    pub(crate) path: String,
    /// What the elements of its container are, if that was seen.
    pub(crate) elements: String,
    /// Of the bytes that could have been seen, from 0 to 1; of those that were seen where looks ended in a graph.
    pub(crate) share: f64,
    /// Looks ended in a graph, before they came to all of it.
    pub(crate) in_cut_graph: bool,
}

impl<'a> HolderEvidence<'a> {
    /// What process `pid` said, or whoever spoke where it is not known.
    pub(crate) fn of(capture: &'a Capture, pid: Option<u64>) -> Self {
        let mut out = Self { folders: source_files::folders(capture), ..Self::default() };
        let mut last_cycle = 0;
        for stamped in &capture.records {
            if pid.is_some_and(|pid| pid != u64::from(stamped.pid)) {
                continue;
            }
            match &stamped.record {
                Record::Reading { moment: Moment::Cycle { .. }, .. } => last_cycle = stamped.at_ns,
                // The scan when the program ends comes before: what its functions held is gone, and that it did not grow says nothing.
                Record::Reading { moment: Moment::BeforeExit, .. } => {
                    out.closing_scan = out.scans.pop_if(|at_ns| *at_ns > last_cycle).or(out.closing_scan);
                    last_cycle = stamped.at_ns;
                }
                _ => {}
            }
            let Record::Observation(seen) = &stamped.record else { continue };
            match seen {
                // Without a path it is native code's, or garbage.
                Observation::Holder(holder) if holder.path.is_empty() => {
                    out.nobodys.insert(holder.id);
                    if holder.kind == GARBAGE {
                        out.garbage.insert(holder.id);
                    }
                }
                Observation::Holder(holder) => {
                    out.holders.insert(holder.id, holder);
                    if let Some(bytes) = holder.retained {
                        out.retained.entry(holder.id).or_default().push((stamped.at_ns, bytes));
                    }
                }
                Observation::Held { holder, samples } if out.garbage.contains(holder) => {
                    out.in_garbage.extend(samples);
                }
                Observation::Held { holder, .. } if out.nobodys.contains(holder) => {}
                Observation::Held { holder, samples } => {
                    // A look ends with a record of its own.
                    out.last_seen.insert(*holder, out.looks.len());
                    for sample in samples {
                        out.of_sample.entry(*sample).or_default().push(*holder);
                    }
                }
                Observation::Grown(grown) => {
                    let rise = Rise { at_ns: stamped.at_ns, grown: *grown };
                    let bounded = out.holder(grown.holder).is_none_or(|holder| holder.bound.is_some());
                    // A scan tells what grew, and then that it has ended.
                    let since = (!bounded).then(|| out.scans.last().copied().unwrap_or(0));
                    scans::add(out.rises.entry(grown.holder).or_default(), rise, since);
                }
                Observation::Census(counts) if counts.depth == Some(WHOLE) => {
                    out.looks.push(stamped.at_ns);
                    match counts.cut {
                        Some(0) => out.whole.push(stamped.at_ns),
                        Some(_) => out.cut.push(stamped.at_ns),
                        None => {}
                    }
                }
                Observation::Census(counts) if counts.depth == Some(SCAN) => out.scans.push(stamped.at_ns),
                Observation::Census(_)
                | Observation::Objects { .. }
                | Observation::Device { .. }
                | Observation::Gpu(_)
                | Observation::Endpoint { .. }
                | Observation::Ended { .. }
                | Observation::Probe { .. }
                | Observation::Trace(_) => {}
            }
        }
        out
    }

    pub(crate) fn holder(&self, id: u64) -> Option<&'a Holder> {
        self.holders.get(&id).copied()
    }

    /// What each path held at the last look that found anything, the most first. Of what hangs below several paths, each has all.
    ///
    /// What two looks call differently, as a frame of `fit` was there at one of them, goes by the name that the findings use: `told`.
    pub(crate) fn live(&self, samples: &[Sample], told: &[HolderPath]) -> Vec<(&'a Holder, f64)> {
        let Some(at_ns) = self.looks.last() else { return Vec::new() };
        let mut by_holder: BTreeMap<u64, f64> = BTreeMap::new();
        let is_told = |holder: &Holder| {
            let path = HolderPath::of(&holder.path);
            told.iter().any(|told| path.has_container_of(*told))
        };
        let told: HashSet<u64> =
            self.holders.iter().filter(|(_, holder)| is_told(holder)).map(|(id, _)| *id).collect();
        let is_told = |id: &u64| told.contains(id);
        let seen = |id: &u64| self.last_seen.get(id).copied().unwrap_or(0);
        let called = |ids: &Vec<u64>| {
            let last = ids.last().copied()?;
            // A name that went on being used is another place, which the sample has left.
            let known = ids.iter().copied().find(|id| is_told(id) && seen(id) < seen(&last));
            Some(if is_told(&last) { last } else { known.unwrap_or(last) })
        };
        for sample in samples.iter().filter(|s| s.lives_at(*at_ns)) {
            // The path of the last look: later ones were added behind earlier ones.
            if let Some(holder) = self.of_sample.get(&sample.id).and_then(called) {
                *by_holder.entry(holder).or_default() += sample.weight;
            }
        }
        let mut out: Vec<_> =
            by_holder.into_iter().filter_map(|(id, bytes)| Some((self.holder(id)?, bytes))).collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    /// What a holder's elements are. Looks at the whole heap do not tell; scans do, of the container that a path leads through.
    fn elements(&self, holder: &Holder, path: &str) -> String {
        let path = HolderPath::of(path);
        let told = || self.holders.values().filter(|known| !known.elements.is_empty());
        let container = path.container();
        let by_path = told().find(|known| HolderPath::of(&known.path).is_all_of(container));
        let by_self = || {
            told().find(|known| {
                HolderPath::of(&known.path).below().is_empty()
                    && self.is_attribute_of_self(known, path, &holder.owner)
            })
        };
        match by_path.or_else(by_self) {
            Some(known) if holder.elements.is_empty() => known.elements.clone(),
            _ => holder.elements.clone(),
        }
    }

    /// Whether a look met this sample below anything.
    pub(crate) fn met(&self, sample: &Sample) -> bool {
        self.of_sample.contains_key(&sample.id)
    }

    /// Whether a look met a sample below the path, for any sample.
    pub(crate) fn below(&self, path: HolderPath) -> impl Fn(u64) -> bool {
        let is_within = |holder: &Holder| HolderPath::of(&holder.path).is_within(path);
        let within: HashSet<u64> =
            self.holders.iter().filter(|(_, holder)| is_within(holder)).map(|(id, _)| *id).collect();
        move |sample| self.of_sample.get(&sample).into_iter().flatten().any(|id| within.contains(id))
    }

    /// Whether this sample lived at a look over the whole heap.
    fn could_be_seen(&self, sample: &Sample) -> bool {
        self.looks.iter().any(|at_ns| sample.lives_at(*at_ns))
    }

    /// The same, but what a look that was cut short did not find says nothing beside one that went to the end: it may have a holder all
    /// the same. Not for the question whether something is garbage, of which such a look finds none.
    fn is_known(&self, sample: &Sample) -> bool {
        let tells = |at_ns: &&u64| self.cut.len() == self.looks.len() || !self.cut.contains(at_ns);
        self.looks.iter().filter(tells).any(|at_ns| sample.lives_at(*at_ns))
            || self.of_sample.contains_key(&sample.id)
            || self.in_garbage.contains(&sample.id)
    }

    /// Whether this sample was seen in a container of the user's own that has no bound.
    pub(crate) fn is_users(&self, sample: &Sample) -> bool {
        let mut holders =
            self.of_sample.get(&sample.id).into_iter().flatten().filter_map(|id| self.holder(*id));
        holders.any(|one| {
            one.bound.is_none()
                && self.folders.is_users(&one.file)
                && !HolderPath::of(&one.path).is_namespace(&one.file)
        })
    }

    /// The holders of these samples, the one with the most bytes first. Empty where no look could have seen any.
    pub(crate) fn keeps(&self, samples: &[Sample]) -> Vec<Keeps<'a>> {
        let seen = || samples.iter().filter(|s| self.is_known(s));
        let of = |sample: &Sample| self.of_sample.get(&sample.id).into_iter().flatten().copied();
        let named = |id: u64| {
            let holder = self.holder(id)?;
            let path = HolderPath::of(&holder.path);
            (!path.is_namespace(&holder.file)).then_some((id, path))
        };
        let ids: BTreeSet<u64> = seen().flat_map(of).collect();
        let paths: BTreeMap<u64, HolderPath> = ids.into_iter().filter_map(named).collect();
        // A look that finds few elements tells each by its key, another all of them as one.
        let around = |inner: HolderPath<'a>| {
            let outer = paths.values().copied().filter(move |one| inner.is_element_of(*one));
            outer.chain([inner]).map(HolderPath::container_text).collect::<BTreeSet<&str>>()
        };
        let around: HashMap<u64, BTreeSet<&str>> =
            paths.iter().map(|(id, path)| (*id, around(*path))).collect();
        let (mut by_container, mut by_holder) = (BTreeMap::<&str, f64>::new(), BTreeMap::<u64, f64>::new());
        let (mut all, mut met, mut in_graphs) = (0.0, 0.0, 0.0);
        for sample in seen() {
            all += sample.weight;
            let containers: BTreeSet<&str> =
                of(sample).filter_map(|id| around.get(&id)).flatten().copied().collect();
            for container in containers {
                *by_container.entry(container).or_default() += sample.weight;
            }
            let holders: BTreeSet<u64> = of(sample).filter(|id| paths.contains_key(id)).collect();
            met += if holders.is_empty() { 0.0 } else { sample.weight };
            let are_tensors = holders.iter().all(|id| self.holder(*id).is_some_and(|h| h.kind == TENSOR));
            in_graphs += if holders.is_empty() || !are_tensors { 0.0 } else { sample.weight };
            for holder in holders {
                *by_holder.entry(holder).or_default() += sample.weight;
            }
        }
        // A look that was cut on its way through a graph: what it did not come to is in the graph, as far as anything is known of it.
        let were_cut = !self.looks.is_empty() && self.cut.len() == self.looks.len();
        let in_cut_graph = were_cut && met >= TENTH * all && in_graphs >= NEARLY_ALL * met;
        all = if in_cut_graph { met } else { all };
        // Whole looks that met hardly any of them say nothing of the others, which cut looks may have passed by.
        let lived: f64 = samples.iter().filter(|s| self.could_be_seen(s)).map(|s| s.weight).sum();
        all = if !in_cut_graph && all < native::MIN_SEEN_RATIO * lived { lived } else { all };
        let keeps = |(container, bytes): (&str, f64)| {
            let inside = by_holder.iter().filter_map(|(id, bytes)| Some((*id, *paths.get(id)?, *bytes)));
            let inside: Vec<_> = inside.filter(|(_, path, _)| path.container_text() == container).collect();
            let (id, most, _) = *inside.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
            let shortest = inside.iter().map(|(_, path, _)| path.text()).min_by_key(|text| text.len())?;
            let several = shortest != most.text();
            let are_slices = inside.iter().all(|(_, path, _)| path.slices().is_some());
            let of_all = if are_slices { HolderPath::all_slices } else { HolderPath::elements };
            let path = if several { of_all(most) } else { None };
            let path = path.unwrap_or_else(|| shortest.to_owned());
            let holder = self.holder(id)?;
            let elements = self.elements(holder, &path);
            Some(Keeps { holder, path, elements, share: bytes / all, in_cut_graph })
        };
        let mut out: Vec<Keeps> = by_container.into_iter().filter_map(keeps).collect();
        out.sort_by(|a, b| b.share.total_cmp(&a.share));
        out
    }
}
