//! Containers that one line fills are one finding: `acts['h1']` and `acts['h2']` are `acts[*]`; `self.acts` of a method is `model.acts`.
//!
//! In: findings with holders and the lines that fill them. Out: fewer findings. What must not happen here: two attributes, or two
//! entries that different lines fill, told as one.

use std::collections::BTreeSet;

use nilometer_capture::Holder as Seen;

use super::HolderEvidence;
use super::container_path::split;
use crate::report::{Bytes, Finding, Holder, Site};

impl HolderEvidence<'_> {
    /// Whether a look while a method ran saw this container, which a variable leads to, as an attribute of `self`. Not where the class
    /// has two such objects: it may be the other one's.
    pub(super) fn is_attribute_of_self(&self, seen: &Seen, container: &str, owner: &str) -> bool {
        let (path, _) = split(&seen.path);
        let of_variables = || {
            let alike = self.holders.values().filter(|known| known.owner == owner);
            alike.map(|known| split(&known.path).0).filter(|other| is_alias(path, other))
        };
        !owner.is_empty()
            && seen.owner == owner
            && path.contains("(): self.")
            && is_alias(path, container)
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

fn are_siblings(a: &Finding, b: &Finding) -> bool {
    let (Some(one), Some(other)) = (&a.holder, &b.holder) else { return false };
    let line = |f: &Finding| kept_at(f).map(|site| (site.file.clone(), site.line));
    one.owner == other.owner
        && one.path != other.path
        && (attribute(&one.path) == attribute(&other.path) || is_alias(&one.path, &other.path))
        && line(a).is_some()
        && line(a) == line(b)
}

/// Whether one path begins at the `self` of a method that runs, and the other leads to the same attribute of an object that a variable
/// names: two looks called one container differently.
pub(super) fn is_alias(a: &str, b: &str) -> bool {
    let of_self = |path: &str| path.split_once("(): self.").map(|(_, rest)| format!(".{rest}"));
    let ends = |own: &str, other: &str| of_self(own).is_some_and(|rest| other.ends_with(&rest));
    of_self(a).is_some() != of_self(b).is_some() && (ends(a, b) || ends(b, a))
}

fn kept_at(finding: &Finding) -> Option<&Site> {
    finding.sites.iter().find(|site| site.role == "kept_at")
}

/// A path without the indexes at its end.
fn attribute(path: &str) -> &str {
    let mut rest = path;
    while let Some(inner) = rest.strip_suffix(']') {
        // A key may have brackets of its own.
        let mut depth = 1;
        let open = inner.char_indices().rev().find(|(_, letter)| {
            depth += match letter {
                ']' => 1,
                '[' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some((at, _)) = open else { break };
        rest = &inner[..at];
    }
    rest
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
    if is_alias(&holder.path, &other.path) {
        if holder.elements.is_empty() {
            holder.elements.clone_from(&other.elements);
        }
        holder.share = None;
        return;
    }
    let common = attribute(&holder.path).to_owned();
    let indexes = holder.path[common.len()..].matches('[').count().max(1);
    holder.path = common + &"[*]".repeat(indexes);
    if !other.elements.is_empty() && !holder.elements.contains(&other.elements) {
        let both = format!("{}, {}", holder.elements, other.elements);
        both.trim_matches([',', ' ']).clone_into(&mut holder.elements);
    }
    holder.share = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attribute_of_a_path() {
        for (path, found) in [
            ("m.acts['h1'][*]", "m.acts"),
            ("m.acts['a[0]'][*]", "m.acts"),
            ("m.acts[*].logs[*]", "m.acts[*].logs"),
            ("LOGS[*]", "LOGS"),
            ("x", "x"),
        ] {
            assert_eq!(attribute(path), found);
        }
    }

    #[test]
    fn a_container_that_two_roots_lead_to() {
        const SELF: &str = "fit(): self.checkpoints[*]";
        assert!(is_alias(SELF, "__main__.trainer.checkpoints[*]"));
        assert!(is_alias("main(): run.trainer.checkpoints[*]", SELF));
        for (one, other) in [
            (SELF, "__main__.trainer.checkpoints_too[*]"),
            (SELF, "save(): self.checkpoints[*]"),
            ("main(): a.checkpoints[*]", "main(): b.checkpoints[*]"),
            (SELF, "__main__.checkpoints"),
        ] {
            assert!(!is_alias(one, other), "{one} {other}");
        }
    }
}
