//! Findings of one holder become one finding: several lines may make what one list keeps.
//!
//! In: findings by site, each with the holders of its samples. Out: findings by holder, and those without one as they were,
//! the biggest first. What must not happen here: bytes that count twice, or a claim that is surer than its parts.

use crate::numbers::{ALIKE, HALF, NEARLY_ALL};
use nilometer_capture::Holder;

use super::container_path::{self, split, words};
use super::{Keeps, NATIVE};
use crate::report::{Bytes, Finding, Holder as Shown};

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
        // What native code holds at two places may be two libraries' business.
        let is_same = |f: &Finding| {
            let same = |h: &Shown| is_same(&h.path, &first.path) && h.kind != NATIVE;
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
        if first.share < NEARLY_ALL && finding.confidence == "certain" {
            finding.confidence = "likely";
        }
        finding.holder = Some(shown(first));
        let others = keeps.iter().filter(|k| k.path != first.path && !is_element(&k.path, &first.path));
        finding.also_held_by = others.filter(|k| k.share >= MIN_BESIDE_RATIO).map(shown).collect();
        out.push((finding, direct));
    }
    let mut out: Vec<Finding> = out.into_iter().map(|(finding, _)| finding).collect();
    out.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    out
}

/// Of several ways to what is called the same, the one that a person would go: the shortest.
fn plainest<'k, 'a>(first: &'k Keeps<'a>, keeps: &'k [Keeps<'a>]) -> &'k Keeps<'a> {
    let is_alike = |other: &&Keeps| {
        !first.holder.owner.is_empty()
            && other.holder.owner == first.holder.owner
            && !container_path::name(&first.path).is_empty()
            && container_path::name(&other.path) == container_path::name(&first.path)
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

fn is_same(a: &str, b: &str) -> bool {
    split(a).0 == split(b).0
}

fn outer(a: Shown, b: Shown) -> Shown {
    if b.path.len() < a.path.len() { b } else { a }
}

/// Whether what `inner` keeps hangs below `path`, or is it.
pub(super) fn is_within(inner: &str, path: &str) -> bool {
    let rest = inner.strip_prefix(split(path).0);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

/// Whether `inner` is an element of what `path` means, or a container in it: `cache['x'][*]` of `cache[*]`. An attribute of an
/// element is a holder of its own.
pub(super) fn is_element(inner: &str, path: &str) -> bool {
    let Some(rest) = inner.strip_prefix(split(path).0).filter(|_| path.ends_with("[*]")) else {
        return false;
    };
    let mut depth = 0_i32;
    let mut quote = None;
    for letter in rest.chars() {
        match (quote, letter) {
            (Some(end), _) if end == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            (None, _) if depth == 0 => return false,
            _ => {}
        }
    }
    depth == 0
}

fn shown(keeps: &Keeps) -> Shown {
    let (path, elements) = (container_path::plain(&keeps.path).to_owned(), keeps.elements.clone());
    Shown { share: Some(keeps.share), path, elements, ..of(keeps.holder) }
}

/// A holder as the report tells it.
pub(crate) fn of(holder: &Holder) -> Shown {
    let Holder { path, owner, role, kind, bound, elements, file, .. } = holder;
    Shown {
        owner: owner.clone(),
        role: (!role.is_empty()).then(|| role.clone()),
        path: container_path::plain(path).to_owned(),
        file: (!file.is_empty()).then(|| file.clone()),
        kind: if container_path::is_in_table(path) { "DataFrame".to_owned() } else { kind.clone() },
        elements: elements.clone(),
        length: None,
        counted_at: None,
        per_cycle: None,
        bound: *bound,
        share: None,
    }
}

pub(super) fn sentence(holder: &Holder) -> String {
    let name = name(holder);
    match holder.bound {
        Some(bound) => format!("{name} fills, up to {bound} elements"),
        None => format!("{name} keeps more with every cycle"),
    }
}

/// How a person would call it: `PredictionLogger.saved`, `SAVED`.
pub(crate) fn name(holder: &Holder) -> String {
    let path = holder.path.as_str();
    if container_path::is_of_element(split(path).1) {
        // The owner is that of an element.
        return words(path).to_owned();
    }
    let attribute = container_path::name(path);
    match (holder.owner.as_str(), attribute) {
        ("", "") => words(path).to_owned(),
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
    fn what_hangs_below_a_path() {
        for inner in ["a.saved[*]", "a.saved[*][*]", "a.saved[*].logs[*]", "a.saved['x'][*]"] {
            assert!(is_within(inner, "a.saved[*]"), "{inner}");
        }
        for other in ["a.saved_too[*]", "a[*]", "b.saved[*]", "a.logs[*]"] {
            assert!(!is_within(other, "a.saved[*]"), "{other}");
        }
    }

    #[test]
    fn elements_of_a_path() {
        for inner in ["f.<lru cache>[(<tuple>,)]", "f.<lru cache>[('a]', 1)][*]", "f.<lru cache>[*]"] {
            assert!(is_element(inner, "f.<lru cache>[*]"), "{inner}");
        }
        for other in ["f.<lru cache>[0].saved[*]", "f.<lru cache>.last", "f.saved[*]"] {
            assert!(!is_element(other, "f.<lru cache>[*]"), "{other}");
        }
        assert!(!is_element("a.saved[0]", "a.saved"));
    }

    #[test]
    fn holders_are_called_as_people_call_them() {
        let cases = [
            ("fit(): callbacks[0].saved[*]", "PredictionLogger", "PredictionLogger.saved"),
            ("__main__.SAVED[*]", "", "SAVED"),
            ("cb_closure(): hist[*]", "cb_closure()", "hist"),
            ("fit(): callbacks[0].by_epoch[*].weights[*]", "Keep", "Keep.weights"),
            ("run(): keeper._heap[*][2][2]", "KeepBest", "KeepBest._heap"),
            ("[*]", "", ""),
        ];
        for (path, owner, said) in cases {
            let holder = Holder { path: path.into(), owner: owner.into(), ..Holder::default() };
            assert_eq!(name(&holder), said, "{path}");
        }
    }
}
