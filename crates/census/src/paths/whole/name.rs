//! The third step: names, read under the GIL again.
//!
//! In: the ways to samples as they were, and the heap as it is now. Out: [`Whole`]. From the roots on, each object is
//! looked at only when it was just found among its parent's children and still has the type that it had. What must not happen
//! here: a read at an address that was not found alive in this step.

use crate::clock::Moment;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::edges::each_child;
use super::super::find::MANY;
use super::super::render::{Chain, render};
use super::super::{Path, PathLimits};
use super::analyse::Analysed;
use super::{Class, Holder, Whole};
use crate::layout::TYPE;
use crate::memory::word;
use crate::naming::{Kind, Label, Look};
use crate::object::{Object, Python};
use crate::roots::{Place, Root, Roots};

/// What is in a container and has less than this part of all sampled bytes is told with what is above it.
const SMALLEST_PART: u64 = 512;

/// Ways that read the same, as one.
struct Merged {
    before: Option<usize>,
    label: Label,
    root: Root,
    /// A container that is no namespace is above it.
    inside: bool,
    /// One of the twigs.
    twig: usize,
    samples: Vec<u64>,
    bytes: u64,
    retained: u64,
    alone: u64,
}

impl Analysed {
    /// Names the holders. The caller holds the GIL.
    pub fn name(mut self, python: &Python, limits: &PathLimits) -> Whole {
        let began = Moment::now();
        let mut whole = Whole {
            counts: self.counts,
            loose: std::mem::take(&mut self.loose),
            native: std::mem::take(&mut self.native),
            garbage: std::mem::take(&mut self.garbage),
            ..Whole::default()
        };
        let mut found: BTreeMap<(String, String), (Holder, Vec<u64>, u64)> = BTreeMap::new();
        if let Ok(look) = Look::new(python) {
            let roots = Roots::collect(&look);
            let mut merged = Vec::new();
            self.merge(&look, &roots, limits, began, &mut merged, &mut whole);
            lift(&mut merged);
            for at in 0..merged.len() {
                self.holder(&look, &roots, &merged, at, &mut found);
            }
        }
        for unnamed in self.unnamed {
            let text = if unnamed.class == Class::Garbage { "garbage" } else { "native code" };
            let path = Path { text: text.to_owned(), kind: unnamed.kind.clone(), ..Path::default() };
            let (class, retained_bytes) = (unnamed.class, unnamed.retained);
            let holder = Holder { path, class, retained_bytes, alone_bytes: retained_bytes };
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

    /// What a root is called wherever its index has gone.
    fn key(&self, root: &Root, now: Option<&Roots>) -> (u64, String, u32) {
        let code = |frame: u32| match now {
            Some(roots) => roots.frames.get(frame as usize).map(|frame| frame.running.code),
            None => self.frames.get(frame as usize).copied(),
        };
        let (what, index) = match root.place {
            Place::Variable { frame, index } => (format!("v{:?}", code(frame)), index),
            Place::Names { frame } => (format!("n{:?}", code(frame)), 0),
            Place::Stack { frame } => (format!("s{:?}", code(frame)), 0),
            Place::Module(module) => {
                let name = match now {
                    Some(roots) => roots.modules.get(module as usize).map(|module| module.name.clone()),
                    None => self.modules.get(module as usize).cloned(),
                };
                (format!("m{name:?}"), 0)
            }
            Place::Type => ("t".to_owned(), 0),
        };
        (root.object, what, index)
    }

    /// Walks down from the roots, as far as the objects are still there.
    fn merge(
        &self,
        look: &Look<'_>,
        roots: &Roots,
        limits: &PathLimits,
        began: Moment,
        merged: &mut Vec<Merged>,
        whole: &mut Whole,
    ) {
        let now: HashMap<(u64, String, u32), Root> =
            roots.starts.iter().map(|root| (self.key(root, Some(roots)), *root)).collect();
        let mut known: HashMap<(Option<usize>, Label, Option<Place>), usize> = HashMap::new();
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for (twig, start) in &self.trie.tops {
            let root = self.roots.get(*start as usize).and_then(|root| {
                // A static type is always there.
                let is_type = root.place == Place::Type;
                now.get(&self.key(root, None)).copied().or(is_type.then_some(*root))
            });
            match root {
                Some(root) if self.same_type(*twig) => {
                    let at = self.into(
                        merged,
                        &mut known,
                        (None, Label::Class, Some(root.place)),
                        (root, false),
                        *twig,
                    );
                    waiting.push((*twig, at));
                }
                _ => self.drop_below(*twig, None, merged, whole),
            }
        }
        while let Some((twig, at)) = waiting.pop() {
            let Some((parent, below)) = self.trie.twigs.get(twig).map(|twig| (twig, &twig.below)) else {
                continue;
            };
            if below.is_empty() {
                continue;
            }
            if began.elapsed().as_nanos() > u128::from(limits.max_pause_ns) {
                // What is below counts as what is above: true, only less exact.
                whole.counts.cut = true;
                for child in below {
                    self.drop_below(*child, Some(at), merged, whole);
                }
                continue;
            }
            let mut wanted: HashSet<u64> = below
                .iter()
                .filter_map(|child| self.trie.twigs.get(*child))
                .map(|child| child.object)
                .collect();
            let mut alive = HashSet::new();
            each_child(look, parent.object, &mut |child| {
                if wanted.remove(&child) {
                    alive.insert(child);
                }
            });
            if let Some(view) = look.python.dict_view(Object(parent.object)).filter(|_| !wanted.is_empty()) {
                view.each(&mut |key, _| {
                    if wanted.remove(&key.address()) {
                        alive.insert(key.address());
                    }
                    !wanted.is_empty()
                });
            }
            let namespace = match parent.before.and_then(|before| self.trie.twigs.get(before)) {
                Some(before) => {
                    before.kind == Kind::Function || look.own_dict(before.object) == parent.object
                }
                None => merged.get(at).is_some_and(|way| way.root.place.is_namespace()),
            };
            let container = parent.kind.is_container() && !namespace;
            let fold = container && below.len() >= MANY;
            for child in below {
                let Some(object) = self.trie.twigs.get(*child).map(|child| child.object) else { continue };
                // A variable's value was found where it stands; what hangs below must be found again.
                if !alive.contains(&object) || !self.same_type(*child) {
                    self.drop_below(*child, None, merged, whole);
                    continue;
                }
                let label = if fold { Label::Each } else { look.label(parent.object, object) };
                let from = merged.get(at).map(|merged| (merged.root, merged.inside || container));
                if let Some(from) = from {
                    let next = self.into(merged, &mut known, (Some(at), label, None), from, *child);
                    waiting.push((*child, next));
                }
            }
        }
    }

    /// The merged way for a twig, with its samples.
    fn into(
        &self,
        merged: &mut Vec<Merged>,
        known: &mut HashMap<(Option<usize>, Label, Option<Place>), usize>,
        key: (Option<usize>, Label, Option<Place>),
        (root, inside): (Root, bool),
        twig: usize,
    ) -> usize {
        let (before, label) = (key.0, key.1.clone());
        let at = *known.entry(key).or_insert_with(|| {
            let (samples, bytes, retained, alone) = (Vec::new(), 0, 0, 0);
            merged.push(Merged { before, label, root, inside, twig, samples, bytes, retained, alone });
            merged.len() - 1
        });
        if let (Some(merged), Some(twig)) = (merged.get_mut(at), self.trie.twigs.get(twig)) {
            merged.samples.extend(&twig.samples);
            merged.bytes = merged.bytes.saturating_add(twig.bytes);
            merged.retained = merged.retained.saturating_add(twig.retained);
            merged.alone = merged.alone.saturating_add(twig.alone);
        }
        at
    }

    /// Gives the samples at and below a twig to a merged way, or to nobody.
    fn drop_below(&self, twig: usize, to: Option<usize>, merged: &mut [Merged], whole: &mut Whole) {
        let mut waiting = vec![twig];
        while let Some(twig) = waiting.pop().and_then(|twig| self.trie.twigs.get(twig)) {
            match to.and_then(|to| merged.get_mut(to)) {
                Some(merged) => {
                    merged.samples.extend(&twig.samples);
                    merged.bytes = merged.bytes.saturating_add(twig.bytes);
                    merged.retained = merged.retained.saturating_add(twig.retained);
                    merged.alone = merged.alone.saturating_add(twig.alone);
                }
                None => whole.loose.extend(&twig.samples),
            }
            waiting.extend(&twig.below);
        }
    }

    /// Whether a twig's object, which was just found alive, still has its type.
    fn same_type(&self, twig: usize) -> bool {
        self.trie.twigs.get(twig).is_some_and(|twig| word(twig.object, TYPE) == twig.class)
    }

    fn holder(
        &self,
        look: &Look<'_>,
        roots: &Roots,
        merged: &[Merged],
        at: usize,
        found: &mut BTreeMap<(String, String), (Holder, Vec<u64>, u64)>,
    ) {
        let Some(way) = merged.get(at).filter(|way| !way.samples.is_empty()) else { return };
        let nodes = self.trie.way(way.twig);
        let mut labels = Vec::new();
        let mut above = Some(way);
        while let Some(way) = above {
            if way.before.is_some() {
                labels.push(way.label.clone());
            }
            above = way.before.and_then(|before| merged.get(before));
        }
        labels.reverse();
        let elements = self.trie.twigs.get(way.twig).is_some_and(|twig| twig.kind.is_container());
        let path = render(look, roots, &Chain { root: way.root, nodes: &nodes, labels: &labels, elements });
        let key = (path.text.clone(), path.kind.clone());
        let (holder, samples, bytes) = found.entry(key).or_insert_with(|| {
            let class = Class::Reachable;
            (Holder { path, class, retained_bytes: 0, alone_bytes: 0 }, Vec::new(), 0)
        });
        holder.retained_bytes = holder.retained_bytes.saturating_add(way.retained);
        holder.alone_bytes = holder.alone_bytes.saturating_add(way.alone);
        samples.extend(&way.samples);
        *bytes = bytes.saturating_add(way.bytes);
    }
}

/// Gives what is small to what is above it, up to the outermost container: a module or an object keeps nothing, what its names stand
/// for does. Ways come after those above them.
fn lift(merged: &mut [Merged]) {
    let all: u64 = merged.iter().map(|way| way.bytes).sum();
    for at in (0..merged.len()).rev() {
        let Some(way) = merged.get_mut(at) else { continue };
        let is_small = way.inside && way.bytes.saturating_mul(SMALLEST_PART) < all;
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
