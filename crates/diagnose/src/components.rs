//! What the memory curve is made of: one component per kind and phase, biggest first, leaks before the rest.
//!
//! In: the judgement, the rises by phase, the readings. Out: components with bytes and a sentence. What must not
//! happen here: a verdict, or one rise told twice.

use std::collections::BTreeMap;

use crate::cycles::{Cycles, Point};
use crate::decide::Judgement;
use crate::mid_run_step::step;
use crate::pack::Packs;
use crate::phase_of_growth::{born_in, risen_in};
use crate::phases::{OWN_WORK, Stretch};
use crate::program::DataCopies;
use crate::report::{Component, Finding, Kind, Verdict};
use crate::sawtooth_cause;
use crate::sites::Sites;
use crate::timeline::{Basis, Reading, Timeline};
use crate::told::words::parts;

/// Less than this is not worth a line.
const MIN_COMPONENT_BYTES: f64 = 1024.0 * 1024.0;
/// Reserved memory worth a line: a pool doubles, so that some of it is always free.
const MIN_RESERVED_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// File-backed memory worth a line: any Python with an extension module maps a few MiB.
const MIN_FILE_BYTES: f64 = 32.0 * 1024.0 * 1024.0;

/// All that components are made from.
pub(crate) struct Picture<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) cycles: &'a Cycles,
    pub(crate) judgement: &'a Judgement,
    pub(crate) stretches: &'a [Stretch],
    pub(crate) basis: Basis,
    pub(crate) copies: Option<DataCopies>,
    pub(crate) sites: Option<&'a Sites<'a>>,
    /// What is to blame for a growth.
    pub(crate) findings: &'a [Finding],
    /// Containers that fill up to a bound.
    pub(crate) fills: &'a [Component],
    /// Free memory of the C allocator, where that is worth a change.
    pub(crate) kept: Option<&'a Component>,
    /// What is known of frameworks.
    pub(crate) packs: Packs,
}

impl Picture<'_> {
    /// The components, in the order in which they are told.
    pub(crate) fn components(&self) -> Vec<Component> {
        let mut out = Vec::new();
        out.extend(self.growing());
        out.extend(self.fills.iter().cloned());
        out.extend(self.filling());
        out.extend(self.one_time());
        out.extend(self.mid_run());
        out.extend(self.sawtooth());
        out.extend(self.retained());
        out.extend(self.reserved());
        out.extend(self.file_backed());
        out
    }

    fn unit(&self) -> &'static str {
        self.cycles.unit.word()
    }

    fn growing(&self) -> Option<Component> {
        let rate = self.judgement.rate.filter(|_| self.judgement.verdict == Verdict::Leak)?;
        let risen = || risen_in(self.by_phase(), rate.estimate, self.judgement.sawtooth);
        let phase = born_in(self.findings, rate.estimate).or_else(risen).filter(|p| p != OWN_WORK);
        Some(Component {
            kind: Kind::Growing,
            sentence: parts::growing(self.unit(), phase.as_deref()),
            phase,
            bytes: (rate.estimate * self.judged_cycles()).round() as i64,
            bytes_per_cycle: Some(rate.estimate.round() as i64),
            made_at: None,
            change: None,
            prove: None,
        })
    }

    fn filling(&self) -> Option<Component> {
        let filling = self.judgement.filling?;
        Some(Component {
            kind: Kind::Filling,
            phase: None,
            bytes: filling.bytes.round() as i64,
            bytes_per_cycle: None,
            sentence: parts::filling(filling.bound),
            made_at: None,
            change: None,
            prove: None,
        })
    }

    /// Rises before the judged part, by phase; what the same phase goes on adding per cycle is growth, not this.
    fn one_time(&self) -> Vec<Component> {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        let start_up = self.reading_of(self.judgement.started);
        let start_up_ns = self.timeline.readings.get(start_up).map_or(u64::MAX, |r| r.at_ns);
        for s in self.stretches.iter().filter(|s| s.reading <= start_up) {
            *sums.entry(s.phase.as_deref().unwrap_or(OWN_WORK)).or_default() += s.bytes;
        }
        let going_on = self.per_cycle();
        let warm_cycles = self.cycles.points.get(self.judgement.started).map_or(0.0, |p| p.ordinal as f64);
        let mut out: Vec<_> = sums
            .into_iter()
            .map(|(phase, bytes)| {
                (phase, bytes - going_on.get(phase).copied().unwrap_or(0.0).max(0.0) * warm_cycles)
            })
            .filter(|(_, bytes)| *bytes >= MIN_COMPONENT_BYTES)
            .map(|(phase, bytes)| Component {
                kind: Kind::OneTime,
                phase: Some(phase.to_owned()),
                bytes: bytes.round() as i64,
                bytes_per_cycle: None,
                sentence: self.one_time_sentence(phase, bytes, start_up_ns),
                made_at: self.sites.as_ref().and_then(|sites| sites.made_in(phase, start_up_ns)),
                change: None,
                prove: None,
            })
            .collect();
        out.sort_by_key(|c| std::cmp::Reverse(c.bytes));
        out
    }

    /// A rise that came once, after start-up. Where memory leaks, its growth is told.
    fn mid_run(&self) -> Option<Component> {
        let points = self.cycles.points.get(self.judgement.started..)?;
        let levels: Vec<f64> = points.iter().map(|point| point.level).collect();
        let step = step(&levels).filter(|step| step.bytes >= MIN_COMPONENT_BYTES)?;
        let (before, after) = (points.get(step.at.checked_sub(1)?)?, points.get(step.at)?);
        (self.judgement.verdict != Verdict::Leak).then(|| Component {
            kind: Kind::OneTime,
            phase: None,
            bytes: step.bytes.round() as i64,
            bytes_per_cycle: None,
            sentence: parts::mid_run(self.unit(), after.ordinal),
            made_at: self.sites.and_then(|sites| sites.made_between(before.at_ns, after.at_ns)),
            change: None,
            prove: None,
        })
    }

    fn one_time_sentence(&self, phase: &str, bytes: f64, before_ns: u64) -> String {
        let explained = self.copies.filter(|copies| copies.explain(bytes));
        let copies = explained.map(|of| parts::Copies { elements: of.elements as f64, bytes: of.bytes() });
        let is_imported = self.sites.is_some_and(|sites| sites.imports_in(phase, before_ns));
        parts::one_time(phase, copies, is_imported, self.packs)
    }

    fn sawtooth(&self) -> Option<Component> {
        let per_cycle = self.judgement.sawtooth;
        let total = per_cycle * self.judged_cycles();
        (self.judgement.rate.is_some() && per_cycle > 0.0 && total >= MIN_COMPONENT_BYTES).then(|| {
            Component {
                kind: Kind::Sawtooth,
                phase: None,
                bytes: total.round() as i64,
                bytes_per_cycle: Some(per_cycle.round() as i64),
                sentence: parts::sawtooth(sawtooth_cause::by(self.timeline, self.judged())).to_owned(),
                made_at: None,
                change: None,
                prove: None,
            }
        })
    }

    /// Anonymous memory that rose more than live memory did: free blocks and pages the allocators keep, or, where less was resident
    /// than the program had asked for, pages of that which are touched at last.
    fn retained(&self) -> Option<Component> {
        if let Some(kept) = self.kept {
            return Some(kept.clone());
        }
        let (first, last) = self.ends()?;
        let rise = |of: fn(&Reading) -> Option<f64>| Some(of(last)? - of(first)?);
        let kept = rise(Reading::resident)? - rise(|r| r.live)?;
        if self.basis != Basis::Live || kept < MIN_COMPONENT_BYTES {
            return None;
        }
        let cycles = self.judged_cycles().max(1.0);
        let untouched = first.live.unwrap_or(0.0) - first.resident().unwrap_or(0.0);
        Some(Component {
            kind: Kind::Retained,
            phase: None,
            bytes: kept.round() as i64,
            bytes_per_cycle: Some((kept / cycles).round() as i64),
            sentence: parts::retained(kept <= untouched).to_owned(),
            made_at: None,
            change: None,
            prove: None,
        })
    }

    /// As it was while the last cycle ended: at its very end a program gives its tensors back.
    fn reserved(&self) -> Option<Component> {
        let reading = match self.cycles.points.last() {
            Some(point) => self.timeline.readings.get(point.reading)?,
            None => self.timeline.last()?,
        };
        let (used, reserved) = (reading.counters.pool_used?, reading.counters.pool_reserved?);
        let bytes = reserved.saturating_sub(used) as f64;
        (bytes >= MIN_RESERVED_BYTES).then(|| Component {
            kind: Kind::Reserved,
            phase: None,
            bytes: bytes.round() as i64,
            bytes_per_cycle: None,
            sentence: parts::reserved(reserved as f64, used as f64, self.packs),
            made_at: None,
            change: None,
            prove: None,
        })
    }

    fn file_backed(&self) -> Option<Component> {
        let bytes = self.timeline.last()?.counters.rss_file? as f64;
        (bytes >= MIN_FILE_BYTES).then(|| Component {
            kind: Kind::FileBacked,
            phase: None,
            bytes: bytes.round() as i64,
            bytes_per_cycle: None,
            sentence: parts::file_backed().to_owned(),
            made_at: None,
            change: None,
            prove: None,
        })
    }

    /// Rise per cycle by phase. Phases are read in the first cycles and only now and then later: what was read tells
    /// the shares, the rate tells the sum.
    fn per_cycle(&self) -> BTreeMap<String, f64> {
        let gross = self.judgement.rate.map_or(0.0, |r| r.estimate + self.judgement.sawtooth).max(0.0);
        let mut out = self.by_phase();
        let total: f64 = out.values().sum();
        out.retain(|_, _| total > 0.0);
        for bytes in out.values_mut() {
            *bytes *= gross / total;
        }
        out
    }

    /// Rises in the judged part that are known to belong to a phase, summed by phase.
    fn by_phase(&self) -> BTreeMap<String, f64> {
        let first = self.reading_of(self.judgement.since);
        let last = self.cycles.points.last().map_or(0, |p| p.reading);
        let mut out = BTreeMap::new();
        for s in self.stretches.iter().filter(|s| s.reading > first && s.reading <= last) {
            if let Some(phase) = &s.phase {
                *out.entry(phase.clone()).or_default() += s.bytes;
            }
        }
        out
    }

    fn judged(&self) -> &[Point] {
        self.cycles.points.get(self.judgement.since..).unwrap_or_default()
    }

    fn judged_cycles(&self) -> f64 {
        let points = self.judged();
        points.first().zip(points.last()).map_or(0.0, |(a, b)| (b.ordinal - a.ordinal) as f64)
    }

    /// The reading of a point; with no such point, the last reading.
    fn reading_of(&self, point: usize) -> usize {
        let last = self.timeline.readings.len().saturating_sub(1);
        self.cycles.points.get(point).map_or(last, |p| p.reading)
    }

    fn ends(&self) -> Option<(&Reading, &Reading)> {
        let of = |p: &Point| &self.timeline.readings[p.reading];
        let first = self.cycles.points.get(self.judgement.since).map(of)?;
        self.cycles.points.last().map(of).map(|last| (first, last))
    }
}
