//! Step three: names, read under the GIL again.
//!
//! In: the paths to samples as they were, and the heap as it is now. Out: [`FullLook`]. From the roots on, an
//! object is read only if its parent's children just showed it and its type is unchanged. What must not
//! happen here: a read at an address that this step did not find alive.

use crate::clock::CpuInstant;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::edges::each_child;
use super::super::find::{MAX_NAMED_STEPS, MIN_FOLDED_CHILDREN};
use super::super::render::{Chain, render};
use super::super::{Path, PathLimits};
use super::analyse::Analysed;
use super::{FullLook, Holder, Reachability};
use crate::layout::TYPE;
use crate::memory::word;
use crate::naming::{HeapView, Kind, Label};
use crate::object::{Object, Python};
use crate::roots::{Root, RootKind, Roots};

/// Holders inside a container with less than this fraction (1/512) of all sampled bytes are merged into their
/// parents.
const MIN_HOLDER_FRACTION: u64 = 512;

/// Paths that read the same, merged.
struct Merged {
    before: Option<usize>,
    label: Label,
    root: Root,
    /// A container that is no namespace is above it.
    inside: bool,
    /// Steps from the root.
    steps: usize,
    /// One of the merged entries.
    entry: usize,
    samples: Vec<u64>,
    bytes: u64,
    retained: u64,
    alone: u64,
}

impl Analysed {
    /// Names the holders. The caller holds the GIL.
    pub fn name(mut self, python: &Python, limits: &PathLimits) -> FullLook {
        let began = CpuInstant::now();
        let mut whole = FullLook {
            counts: self.counts,
            unowned: std::mem::take(&mut self.unowned),
            native: std::mem::take(&mut self.native),
            garbage: std::mem::take(&mut self.garbage),
            ..FullLook::default()
        };
        let mut found: BTreeMap<(String, String), (Holder, Vec<u64>, u64)> = BTreeMap::new();
        if let Ok(heap) = HeapView::new(python) {
            let roots = Roots::collect(&heap);
            let mut merged = Vec::new();
            self.merge(&heap, &roots, limits, began, &mut merged, &mut whole);
            lift(&mut merged);
            for at in 0..merged.len() {
                self.holder(&heap, &roots, &merged, at, &mut found);
            }
        }
        for unnamed in self.unnamed {
            let text = if unnamed.reachability == Reachability::Garbage { "garbage" } else { "native code" };
            let path = Path { text: text.to_owned(), kind: unnamed.kind.clone(), ..Path::default() };
            let (reachability, retained_bytes) = (unnamed.reachability, unnamed.retained);
            let holder = Holder { path, reachability, retained_bytes, alone_bytes: retained_bytes };
            found.insert((text.to_owned(), unnamed.kind), (holder, unnamed.samples, unnamed.bytes));
        }
        let mut holders: Vec<(Holder, Vec<u64>, u64)> = found.into_values().collect();
        holders
            .sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.path.text.cmp(&other.0.path.text)));
        for (at, (holder, samples, _)) in holders.into_iter().enumerate() {
            whole.holders.push(holder);
            whole.held.push((at, samples));
        }
        let pause = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        whole.counts.pause_ns = whole.counts.pause_ns.saturating_add(pause);
        whole.counts.cost_ns = whole.counts.cost_ns.saturating_add(pause);
        whole
    }

    /// The identity of a root across the two steps; its index may have changed.
    fn key(&self, root: &Root, now: Option<&Roots>) -> (u64, String, u32) {
        let code = |frame: u32| match now {
            Some(roots) => roots.frames.get(frame as usize).map(|frame| frame.running.code),
            None => self.frames.get(frame as usize).copied(),
        };
        let (what, index) = match root.kind {
            RootKind::Variable { frame, index } => (format!("v{:?}", code(frame)), index),
            RootKind::Names { frame } => (format!("n{:?}", code(frame)), 0),
            RootKind::Stack { frame } => (format!("s{:?}", code(frame)), 0),
            RootKind::Module(module) => {
                let name = match now {
                    Some(roots) => roots.modules.get(module as usize).map(|module| module.name.clone()),
                    None => self.modules.get(module as usize).cloned(),
                };
                (format!("m{name:?}"), 0)
            }
            RootKind::Context { variable } => (format!("c{variable}"), 0),
            RootKind::Type => ("t".to_owned(), 0),
        };
        (root.object, what, index)
    }

    /// Walks down from the roots as far as the objects still exist.
    fn merge(
        &self,
        heap: &HeapView<'_>,
        roots: &Roots,
        limits: &PathLimits,
        began: CpuInstant,
        merged: &mut Vec<Merged>,
        whole: &mut FullLook,
    ) {
        let now: HashMap<(u64, String, u32), Root> =
            roots.starts.iter().map(|root| (self.key(root, Some(roots)), *root)).collect();
        let mut known: HashMap<(Option<usize>, Label, Option<RootKind>), usize> = HashMap::new();
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for (entry, start) in &self.trie.tops {
            let root = self.roots.get(*start as usize).and_then(|root| {
                // A static type always exists.
                let is_type = root.kind == RootKind::Type;
                now.get(&self.key(root, None)).copied().or(is_type.then_some(*root))
            });
            match root {
                Some(root) if self.same_type(*entry) => {
                    let at = self.into(
                        merged,
                        &mut known,
                        (None, Label::Class, Some(root.kind)),
                        (root, false),
                        *entry,
                    );
                    waiting.push((*entry, at));
                }
                _ => self.drop_below(*entry, None, merged, whole),
            }
        }
        while let Some((entry, at)) = waiting.pop() {
            let Some((parent, below)) = self.trie.entries.get(entry).map(|entry| (entry, &entry.below))
            else {
                continue;
            };
            if below.is_empty() {
                continue;
            }
            // Samples below count for the object above: true, but less exact. Each element of a chain would have a path of its own, through all
            // before it: with 30,000 of them naming took 44 s.
            let is_late = began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
            let is_deep = merged.get(at).is_some_and(|way| way.steps >= MAX_NAMED_STEPS);
            if is_late || is_deep {
                whole.counts.cut |= is_late;
                for child in below {
                    self.drop_below(*child, Some(at), merged, whole);
                }
                continue;
            }
            let mut wanted: HashSet<u64> = below
                .iter()
                .filter_map(|child| self.trie.entries.get(*child))
                .map(|child| child.object)
                .collect();
            let mut alive = HashSet::new();
            each_child(heap, parent.object, &mut |child| {
                if wanted.remove(&child) {
                    alive.insert(child);
                }
            });
            if let Some(view) = heap.python.dict_view(Object(parent.object)).filter(|_| !wanted.is_empty()) {
                view.each(&mut |key, _| {
                    if wanted.remove(&key.address()) {
                        alive.insert(key.address());
                    }
                    !wanted.is_empty()
                });
            }
            let namespace = match parent.before.and_then(|before| self.trie.entries.get(before)) {
                Some(before) => {
                    before.kind == Kind::Function || heap.own_dict(before.object) == parent.object
                }
                None => merged.get(at).is_some_and(|way| way.root.kind.is_namespace()),
            };
            let container = parent.kind.is_container() && !namespace;
            let fold = container && below.len() >= MIN_FOLDED_CHILDREN;
            for child in below {
                let Some(object) = self.trie.entries.get(*child).map(|child| child.object) else { continue };
                // A variable's value was found at its place; objects below must be found again.
                if !alive.contains(&object) || !self.same_type(*child) {
                    self.drop_below(*child, None, merged, whole);
                    continue;
                }
                let label = if fold { Label::Each } else { heap.label(parent.object, object) };
                let from = merged.get(at).map(|merged| (merged.root, merged.inside || container));
                if let Some(from) = from {
                    let next = self.into(merged, &mut known, (Some(at), label, None), from, *child);
                    waiting.push((*child, next));
                }
            }
        }
    }

    /// The merged path of an entry, with its samples.
    fn into(
        &self,
        merged: &mut Vec<Merged>,
        known: &mut HashMap<(Option<usize>, Label, Option<RootKind>), usize>,
        key: (Option<usize>, Label, Option<RootKind>),
        (root, inside): (Root, bool),
        entry: usize,
    ) -> usize {
        let (before, label) = (key.0, key.1.clone());
        let at = *known.entry(key).or_insert_with(|| {
            let (samples, bytes, retained, alone) = (Vec::new(), 0, 0, 0);
            let steps = before.and_then(|before| merged.get(before)).map_or(0, |above| above.steps + 1);
            merged.push(Merged {
                before,
                label,
                root,
                inside,
                steps,
                entry,
                samples,
                bytes,
                retained,
                alone,
            });
            merged.len() - 1
        });
        if let (Some(merged), Some(entry)) = (merged.get_mut(at), self.trie.entries.get(entry)) {
            merged.samples.extend(&entry.samples);
            merged.bytes = merged.bytes.saturating_add(entry.bytes);
            merged.retained = merged.retained.saturating_add(entry.retained);
            merged.alone = merged.alone.saturating_add(entry.alone);
        }
        at
    }

    /// Gives the samples at and below an entry to a merged path, or to nobody.
    fn drop_below(&self, entry: usize, to: Option<usize>, merged: &mut [Merged], whole: &mut FullLook) {
        let mut waiting = vec![entry];
        while let Some(entry) = waiting.pop().and_then(|entry| self.trie.entries.get(entry)) {
            match to.and_then(|to| merged.get_mut(to)) {
                Some(merged) => {
                    merged.samples.extend(&entry.samples);
                    merged.bytes = merged.bytes.saturating_add(entry.bytes);
                    merged.retained = merged.retained.saturating_add(entry.retained);
                    merged.alone = merged.alone.saturating_add(entry.alone);
                }
                None => whole.unowned.extend(&entry.samples),
            }
            waiting.extend(&entry.below);
        }
    }

    /// Whether the object of an entry, just found alive, still has its type.
    fn same_type(&self, entry: usize) -> bool {
        self.trie.entries.get(entry).is_some_and(|entry| word(entry.object, TYPE) == entry.class)
    }

    fn holder(
        &self,
        heap: &HeapView<'_>,
        roots: &Roots,
        merged: &[Merged],
        at: usize,
        found: &mut BTreeMap<(String, String), (Holder, Vec<u64>, u64)>,
    ) {
        let Some(way) = merged.get(at).filter(|way| !way.samples.is_empty()) else { return };
        let nodes = self.trie.way(way.entry);
        let mut labels = Vec::new();
        let mut above = Some(way);
        while let Some(way) = above {
            if way.before.is_some() {
                labels.push(way.label.clone());
            }
            above = way.before.and_then(|before| merged.get(before));
        }
        labels.reverse();
        let elements = self.trie.entries.get(way.entry).is_some_and(|entry| entry.kind.is_container());
        let path = render(heap, roots, &Chain { root: way.root, nodes: &nodes, labels: &labels, elements });
        let key = (path.text.clone(), path.kind.clone());
        let (holder, samples, bytes) = found.entry(key).or_insert_with(|| {
            let reachability = Reachability::Reachable;
            (Holder { path, reachability, retained_bytes: 0, alone_bytes: 0 }, Vec::new(), 0)
        });
        holder.retained_bytes = holder.retained_bytes.saturating_add(way.retained);
        holder.alone_bytes = holder.alone_bytes.saturating_add(way.alone);
        samples.extend(&way.samples);
        *bytes = bytes.saturating_add(way.bytes);
    }
}

/// Merges small holders into their parents, up to the outermost container. Not into a module or an object:
/// their names hold memory, they do not. Children come after their parents.
fn lift(merged: &mut [Merged]) {
    let all: u64 = merged.iter().map(|way| way.bytes).sum();
    for at in (0..merged.len()).rev() {
        let Some(way) = merged.get_mut(at) else { continue };
        let is_small = way.inside && way.bytes.saturating_mul(MIN_HOLDER_FRACTION) < all;
        let Some(before) = way.before.filter(|_| is_small) else {
            continue;
        };
        let samples = std::mem::take(&mut way.samples);
        let (bytes, retained, alone) = (way.bytes, way.retained, way.alone);
        (way.bytes, way.retained, way.alone) = (0, 0, 0);
        if let Some(above) = merged.get_mut(before) {
            above.samples.extend(samples);
            above.bytes = above.bytes.saturating_add(bytes);
            above.retained = above.retained.saturating_add(retained);
            above.alone = above.alone.saturating_add(alone);
        }
    }
}
