//! Findings of one holder become one finding: several lines may make what one list keeps.
//!
//! In: findings by site, each with the holders of its samples. Out: findings by holder, and those without one as they were,
//! the biggest first. What must not happen here: bytes that count twice, or a claim that is surer than its parts.

use crate::numbers::{ALIKE, HALF, NEARLY_ALL};
use nilometer_capture::Holder;
use nilometer_model::HolderPath;

use super::{Keeps, NATIVE};
use crate::report::{Bytes, Finding, Holder as Shown};
use crate::told::words::finding as told;

/// A holder that keeps at least this share of a site's memory is named for it.
const MIN_NAMED_RATIO: f64 = HALF;
/// Others that keep this share of it are named beside the first.
const MIN_BESIDE_RATIO: f64 = ALIKE;

/// A finding by site, and who keeps its memory.
pub(crate) struct BySite<'a> {
    pub(crate) finding: Finding,
    pub(crate) keeps: Vec<Keeps<'a>>,
    /// Its line does the work, and not only calls a training loop.
    pub(crate) direct: bool,
}

/// One finding per holder.
pub(crate) fn by_holder(sites: Vec<BySite>) -> Vec<Finding> {
    // Beside each finding, whether its first line does the work.
    let mut out: Vec<(Finding, bool)> = Vec::new();
    for BySite { mut finding, keeps, direct } in sites {
        let Some(first) =
            keeps.first().filter(|k| k.share >= MIN_NAMED_RATIO).map(|first| plainest(first, &keeps))
        else {
            out.push((finding, direct));
            continue;
        };
        let path = HolderPath::of(&first.path);
        // What native code holds at two places may be two libraries' business.
        let is_same = |f: &Finding| {
            let same = |h: &Shown| HolderPath::of(&h.path).has_container_of(path) && h.kind != NATIVE;
            f.holder.as_ref().is_some_and(same)
        };
        if let Some((before, leads)) = out.iter_mut().find(|(f, _)| is_same(f)) {
            merge(before, finding, direct && !*leads);
            *leads |= direct;
            // The outermost is the one that grows from cycle to cycle.
            before.holder = before.holder.take().map(|known| outer(known, shown(first)));
            continue;
        }
        "container-grows".clone_into(&mut finding.cause);
        finding.sentence = sentence(first.holder);
        if (first.share < NEARLY_ALL || first.in_cut_graph) && finding.confidence == "certain" {
            finding.confidence = "likely";
        }
        finding.holder = Some(shown(first));
        let others =
            keeps.iter().filter(|k| k.path != first.path && !HolderPath::of(&k.path).is_element_of(path));
        finding.also_held_by = others.filter(|k| k.share >= MIN_BESIDE_RATIO).map(shown).collect();
        out.push((finding, direct));
    }
    let mut out: Vec<Finding> = out.into_iter().map(|(finding, _)| finding).collect();
    out.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    out
}

/// Of several ways to what is called the same, the one that a person would go: the shortest.
fn plainest<'k, 'a>(first: &'k Keeps<'a>, keeps: &'k [Keeps<'a>]) -> &'k Keeps<'a> {
    let name = HolderPath::of(&first.path).name();
    let is_alike = |other: &&Keeps| {
        !first.holder.owner.is_empty()
            && other.holder.owner == first.holder.owner
            && !name.is_empty()
            && HolderPath::of(&other.path).name() == name
            && other.share >= MIN_BESIDE_RATIO
    };
    keeps.iter().filter(is_alike).min_by_key(|keeps| keeps.path.len()).unwrap_or(first)
}

/// Adds a smaller finding of the same holder. One that `leads` is told first: the line that calls a training loop stands on every stack
/// of it, also on that of memory which Python keeps for reuse.
pub(super) fn merge(into: &mut Finding, mut from: Finding, leads: bool) {
    if leads {
        std::mem::swap(&mut into.sites, &mut from.sites);
        std::mem::swap(&mut into.stack, &mut from.stack);
        std::mem::swap(&mut into.phase, &mut from.phase);
        std::mem::swap(&mut into.part, &mut from.part);
    }
    let (a, b) = (into.bytes_per_cycle, from.bytes_per_cycle);
    let sum = |a: i64, b: i64| a.saturating_add(b);
    into.bytes_per_cycle =
        Bytes { estimate: sum(a.estimate, b.estimate), low: sum(a.low, b.low), high: sum(a.high, b.high) };
    for site in from.sites {
        let same =
            into.sites.iter_mut().find(|s| (&s.file, s.line, s.role) == (&site.file, site.line, site.role));
        match same {
            Some(same) => same.bytes_per_cycle += site.bytes_per_cycle,
            None => into.sites.push(site),
        }
    }
    into.cycles_seen = into.cycles_seen.max(from.cycles_seen);
}

fn outer(a: Shown, b: Shown) -> Shown {
    if b.path.len() < a.path.len() { b } else { a }
}

fn shown(keeps: &Keeps) -> Shown {
    let (path, elements) = (HolderPath::of(&keeps.path).plain().to_string(), keeps.elements.clone());
    Shown { share: Some(keeps.share), path, elements, ..of(keeps.holder) }
}

/// A holder as the report tells it.
pub(crate) fn of(holder: &Holder) -> Shown {
    let Holder { path, owner, role, kind, bound, elements, file, .. } = holder;
    Shown {
        owner: owner.clone(),
        role: (!role.is_empty()).then(|| role.clone()),
        path: HolderPath::of(path).plain().to_string(),
        file: (!file.is_empty()).then(|| file.clone()),
        kind: if HolderPath::of(path).is_in_table() { "DataFrame".to_owned() } else { kind.clone() },
        elements: elements.clone(),
        length: None,
        counted_at: None,
        per_cycle: None,
        bound: *bound,
        share: None,
    }
}

pub(super) fn sentence(holder: &Holder) -> String {
    told::keeps(&name(holder), holder.bound)
}

/// How a person would call it: `PredictionLogger.saved`, `SAVED`.
pub(crate) fn name(holder: &Holder) -> String {
    let path = HolderPath::of(&holder.path);
    if path.is_of_element() {
        // The owner is that of an element.
        return path.words().to_owned();
    }
    match (holder.owner.as_str(), path.name()) {
        ("", "") => path.words().to_owned(),
        ("", attribute) => attribute.to_owned(),
        (owner, "") => owner.to_owned(),
        (owner, attribute) if owner == attribute || owner.ends_with("()") => attribute.to_owned(),
        (owner, attribute) => format!("{owner}.{attribute}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_are_called_as_people_call_them() {
        let cases = [
            ("fit(): callbacks[0].saved[*]", "PredictionLogger", "PredictionLogger.saved"),
            ("__main__.SAVED[*]", "", "SAVED"),
            ("cb_closure(): hist[*]", "cb_closure()", "hist"),
            ("fit(): callbacks[0].by_epoch[*].weights[*]", "Keep", "Keep.weights"),
            ("run(): keeper._heap[*][2][2]", "KeepBest", "KeepBest._heap"),
            ("get_rules.<lru cache>[()][*]", "get_rules", "get_rules"),
            ("__main__.seen['a.b'][*]", "", "seen"),
            ("jobs.state.seen[('a', 1)][*]", "", "seen"),
            ("[*]", "", ""),
        ];
        for (path, owner, said) in cases {
            let holder = Holder { path: path.into(), owner: owner.into(), ..Holder::default() };
            assert_eq!(name(&holder), said, "{path}");
        }
    }
}
