//! Containers that one line fills are one finding: `acts['h1']` and `acts['h2']` are `acts[*]`; `self.acts` of a method is `model.acts`.
//!
//! In: findings with holders and the lines that fill them. Out: fewer findings. What must not happen here: two attributes, two objects that
//! both keep something, or two entries that different lines fill, told as one.

use std::collections::BTreeSet;

use nilometer_capture::Holder as Seen;
use nilometer_model::HolderPath;

use super::HolderEvidence;
use crate::report::{Bytes, Finding, Holder, Site};

impl HolderEvidence<'_> {
    /// Whether a look while a method ran saw this container, which a variable leads to, as an attribute of `self`. Not where the class
    /// has two such objects: it may be the other one's.
    pub(super) fn is_attribute_of_self(&self, seen: &Seen, told: HolderPath, owner: &str) -> bool {
        let own = HolderPath::of(&seen.path).container();
        let of_variables = || {
            let alike = self.holders.values().filter(|known| known.owner == owner);
            let containers = alike.map(|known| HolderPath::of(&known.path).container());
            containers.filter(|other| own.is_alias_of(*other)).map(HolderPath::text)
        };
        !owner.is_empty()
            && seen.owner == owner
            && own.is_of_self()
            && own.is_alias_of(told.container())
            && of_variables().collect::<BTreeSet<_>>().len() == 1
    }
}

/// Folds findings of entries of one container that the same line fills.
pub(crate) fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::new();
    for finding in findings {
        match out.iter_mut().find(|known| are_siblings(known, &finding)) {
            Some(known) => add(known, finding),
            None => out.push(finding),
        }
    }
    out
}

/// Folds findings of one attribute that looks came to on two ways, from a variable and from a module: two such containers would keep more
/// than all that grows, which is `most` bytes per cycle.
pub(crate) fn fold_ways(findings: Vec<Finding>, most: f64) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::new();
    for finding in findings {
        match out.iter_mut().find(|known| are_ways_to_one(known, &finding, most)) {
            Some(known) => take_in_way(known, finding),
            None => out.push(finding),
        }
    }
    out
}

fn are_ways_to_one(a: &Finding, b: &Finding, most: f64) -> bool {
    let (Some(one), Some(other)) = (&a.holder, &b.holder) else { return false };
    let (path, another) = (HolderPath::of(&one.path), HolderPath::of(&other.path));
    let line = |f: &Finding| kept_at(f).map(|site| (site.file.clone(), site.line));
    let both = a.bytes_per_cycle.estimate.saturating_add(b.bytes_per_cycle.estimate);
    !one.owner.is_empty()
        && one.owner == other.owner
        && !path.has_container_of(another)
        && !path.name().is_empty()
        && path.name() == another.name()
        && line(a).is_some()
        && line(a) == line(b)
        && both as f64 > most
}

/// Keeps the way whose samples tell the place, and of the holder what a scan saw of its elements.
fn take_in_way(known: &mut Finding, mut more: Finding) {
    let is_made = |f: &Finding| f.sites.iter().any(|site| site.role == "made_at");
    if is_made(&more) && !is_made(known) {
        std::mem::swap(known, &mut more);
    }
    if known.bytes_per_cycle.estimate < more.bytes_per_cycle.estimate {
        known.bytes_per_cycle = more.bytes_per_cycle;
    }
    let is_weighed = |f: &Finding| f.holder.as_ref().is_some_and(|holder| !holder.elements.is_empty());
    if is_weighed(&more) && !is_weighed(known) {
        known.holder = more.holder;
    }
    known.cycles_seen = known.cycles_seen.max(more.cycles_seen);
}

fn are_siblings(a: &Finding, b: &Finding) -> bool {
    let (Some(one), Some(other)) = (&a.holder, &b.holder) else { return false };
    let (path, another) = (HolderPath::of(&one.path), HolderPath::of(&other.path));
    let line = |f: &Finding| kept_at(f).map(|site| (site.file.clone(), site.line));
    one.owner == other.owner
        && one.path != other.path
        && (path.without_keys() == another.without_keys() || path.is_alias_of(another))
        && line(a).is_some()
        && line(a) == line(b)
}

fn kept_at(finding: &Finding) -> Option<&Site> {
    finding.sites.iter().find(|site| site.role == "kept_at")
}

fn add(known: &mut Finding, more: Finding) {
    let (a, b) = (known.bytes_per_cycle, more.bytes_per_cycle);
    let sum = |a: i64, b: i64| a.saturating_add(b);
    known.bytes_per_cycle =
        Bytes { estimate: sum(a.estimate, b.estimate), low: sum(a.low, b.low), high: sum(a.high, b.high) };
    for site in &mut known.sites {
        site.bytes_per_cycle = known.bytes_per_cycle.estimate;
    }
    for site in more.sites {
        if !known.sites.iter().any(|s| (&s.file, s.line) == (&site.file, site.line)) {
            known.sites.push(site);
        }
    }
    known.cycles_seen = known.cycles_seen.max(more.cycles_seen);
    let order = ["possible", "likely", "certain"];
    let rank = |word: &str| order.iter().position(|known| *known == word);
    if rank(more.confidence) < rank(known.confidence) {
        known.confidence = more.confidence;
    }
    if let (Some(holder), Some(other)) = (&mut known.holder, more.holder) {
        take_in(holder, &other);
    }
}

fn take_in(holder: &mut Holder, other: &Holder) {
    if HolderPath::of(&holder.path).is_alias_of(HolderPath::of(&other.path)) {
        if holder.elements.is_empty() {
            holder.elements.clone_from(&other.elements);
        }
        holder.share = None;
        return;
    }
    holder.path = HolderPath::of(&holder.path).of_any_keys();
    if !other.elements.is_empty() && !holder.elements.contains(&other.elements) {
        let both = format!("{}, {}", holder.elements, other.elements);
        both.trim_matches([',', ' ']).clone_into(&mut holder.elements);
    }
    holder.share = None;
}
