//! Whether a site grows: memory made in several cycles that stays, evenly, and is not made good by deaths.
//!
//! In: the samples of a site that outlived two cycles, the bins, what the collector has looked at. Out: bytes per cycle
//! with an interval, or nothing. What must not happen here: a start-up, a buffer that turns over, a cache that fills or
//! garbage that waits taken for growth. `docs/design/sites.md` argues each rule.

use crate::numbers::{
    AGAIN, ALIKE, DEVIATIONS, EVEN_RATIO, EXCESS, HALF, MANY_DEVIATIONS, MIN_POINTS, PART, SEVERAL, THIRD,
    TWICE,
};
use nilometer_stats::{Interval, Sampled, weighted_rate};

use super::bins::Bins;
use crate::holders::Reachability;
use crate::sample::Sample;

/// Birth cycles with survivors that growth needs at least.
const MIN_BIRTH_CYCLES: usize = SEVERAL as usize;
/// Cycles that memory must have lived through: Keras keeps the previous epoch's iterator into the next one.
pub(crate) const SURVIVAL_CYCLES: usize = AGAIN;
/// Deaths of memory that the site had made before, as a share of what stays, from which on it only replaces.
const MAX_TURNOVER_RATIO: f64 = THIRD;
/// The same share for a site that is to speak for itself: a line that calls a framework has some of its garbage too.
const MAX_TURNOVER_ALONE_RATIO: f64 = ALIKE;
/// Share of the whole that is left without the two biggest cycles; what sampling may have missed of it counts with it.
const MIN_LEFT_RATIO: f64 = ALIKE;
/// The same for a site that is to speak for itself; five like cycles leave three.
const MIN_LEFT_ALONE_RATIO: f64 = HALF;
/// Early and late thirds may differ by this factor.
const MAX_UNEVEN_RATIO: f64 = TWICE;
/// The same for a site that is to speak for itself.
const MAX_UNEVEN_ALONE_RATIO: f64 = EVEN_RATIO;
/// The early third may be the heavier one by this factor where there are few cycles.
const MAX_SLOWED_RATIO: f64 = EXCESS;
/// Standard deviations by which sampling may have missed what is left without the two biggest cycles, and made thirds differ.
const MISSED_DEVIATIONS: f64 = DEVIATIONS;
const DIFFER_DEVIATIONS: f64 = DEVIATIONS;
/// Both, of few cycles that a container of the user's own keeps.
const MIN_KEPT_DEVIATIONS: f64 = MANY_DEVIATIONS;
/// Standard deviation of what stays, as a share of it, at most: four samples' worth.
const MAX_ERROR_RATIO: f64 = HALF;
/// The same for a site that is to speak for itself: sixteen samples' worth.
const MAX_ERROR_ALONE_RATIO: f64 = PART;
/// Memory that was sampled with this chance was sampled closely, and within this share of the judged cycles soon.
const MIN_CLOSE_CHANCE: f64 = HALF;
const SOON_RATIO: f64 = THIRD;
/// Birth cycles that a site needs to speak for itself.
const MIN_SPEAKING_CYCLES: usize = MIN_POINTS - 1;

/// Samples that there may have been where none was seen: one in 40 times more than -ln(1/40).
const UNSEEN_SAMPLES: f64 = 3.7;
/// The share of what stays that one cycle may have made.
const ONE_BLOCK_RATIO: f64 = HALF;

/// The stretch of cycles that is judged, and what is known about garbage.
#[derive(Clone, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) bins: &'a Bins,
    /// The first bin after start-up.
    pub(crate) first: usize,
    /// Bytes per cycle that may be garbage at most; infinite if nobody can say.
    pub(crate) garbage: f64,
    /// Full collections: each looked at what was born before the first moment, and what lives at the second is none.
    pub(crate) examined: Vec<(u64, u64)>,
}

/// A site that grows.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    /// Bytes per cycle.
    pub(crate) rate: Interval,
    /// Birth cycles with survivors.
    pub(crate) distinct: usize,
    /// The first of them.
    pub(crate) since: u64,
    /// Even enough, in cycles enough, and surely no garbage: a verdict may rest on it.
    pub(crate) speaks: bool,
    /// Moments that the survivors were born before, and were seen alive at.
    born_before: u64,
    alive_at: u64,
    first: usize,
}

impl Growing {
    /// Whether a sample of the site is one of those that the growth is made of.
    pub(crate) fn holds(&self, sample: &Sample, bins: &Bins) -> bool {
        sample.born_ns <= self.born_before
            && sample.lives_at(self.alive_at)
            && bins.at(sample.born_ns) >= self.first
    }
}

/// Survivors of births up to one moment, seen alive at another.
#[derive(Clone, Copy)]
struct View {
    born_before: u64,
    alive_at: u64,
    /// It may become more towards the end.
    swells: bool,
    /// Containers of the user's own keep it: few cycles may differ by as much as sampling makes them.
    kept: bool,
}

impl Look<'_> {
    /// When the last bin ends, and the last that survivors may be born in.
    pub(super) fn ends(&self) -> Option<(u64, u64)> {
        let last = self.bins.len().checked_sub(1)?;
        Some((self.bins.end(last)?, self.bins.end(last.checked_sub(SURVIVAL_CYCLES)?)?))
    }

    /// Whether a sample outlived [`SURVIVAL_CYCLES`] cycles.
    pub(crate) fn is_old(&self, sample: &Sample) -> bool {
        self.bins.end(self.bins.at(sample.born_ns) + SURVIVAL_CYCLES).is_some_and(|end| sample.died_ns > end)
    }

    /// Of all old memory made in the judged stretch what stayed, by the cycle that made it.
    pub(crate) fn stays(&self, old: &[&Sample]) -> Option<Vec<Sampled>> {
        let (end, born_before) = self.ends()?;
        let last = self.bins.len().checked_sub(SURVIVAL_CYCLES)?;
        let mut stays: Vec<Sampled> = (self.first..last)
            .map(|bin| Sampled { cycles: self.bins.width(bin), ..Sampled::default() })
            .collect();
        for sample in old.iter().filter(|s| s.born_ns <= born_before && s.lives_at(end)) {
            let bin = self.bins.at(sample.born_ns).checked_sub(self.first);
            if let Some(stay) = bin.and_then(|b| stays.get_mut(b)) {
                stay.add(sample.weight, sample.chance);
            }
        }
        Some(stays)
    }

    /// Of all old memory made in the judged stretch what stayed, per cycle: in all of it, and an upper limit for its last
    /// third. Nothing where the stretch is too short to have thirds. `mean_since` is the coarsest mean of samples since a moment.
    pub(crate) fn course(&self, old: &[&Sample], mean_since: impl FnOnce(u64) -> f64) -> Option<(f64, f64)> {
        let stays = self.stays(old)?;
        let (_, late) = thirds(&stays).filter(|(_, late)| late.len() >= 2)?;
        // One big block is no course of a growth that many cycles added to, whenever it came.
        let most = stays.iter().map(|s| s.bytes).fold(0.0, f64::max);
        let sum: f64 = stays.iter().map(|s| s.bytes).sum();
        if most > ONE_BLOCK_RATIO * sum {
            return None;
        }
        let (all, _) = per_cycle(&stays);
        let cycles: f64 = late.iter().map(|s| s.cycles).sum();
        // What was never sampled may still be there: up to a few samples of the heaviest kind that was seen at all. A mean that became
        // coarser meanwhile has shown no sample yet: 3,000 steps of a microsecond on a busy machine seemed to end after 900.
        let began = self.bins.end(self.first + stays.len() - late.len() - 1).unwrap_or(0);
        let missed = stays.iter().map(|s| s.missed).fold(mean_since(began), f64::max);
        let seen = weighted_rate(late).map_or(0.0, |rate| rate.high);
        Some((all, seen.max(UNSEEN_SAMPLES * missed / cycles)))
    }

    /// The later half of the cycles that survivors may be born in: after the first moment, up to the second.
    pub(crate) fn later_half(&self) -> Option<(u64, u64)> {
        let middle = usize::midpoint(self.first, self.bins.len().checked_sub(SURVIVAL_CYCLES)?);
        let (_, born_before) = self.ends()?;
        Some((self.bins.end(middle.checked_sub(1)?)?, born_before))
    }

    /// When the judged stretch begins.
    pub(super) fn begins(&self) -> u64 {
        self.first.checked_sub(1).and_then(|b| self.bins.end(b)).unwrap_or(0)
    }

    /// Judges the old samples of a site. What only began to be sampled closely when some of it had stayed is judged by the cycles since, if
    /// the whole of it is not sure enough: one sample by a mean of half a megabyte hides what fifteen close ones see.
    pub(crate) fn growing(&self, old: &[&Sample], standing: Reachability) -> Option<Growing> {
        let whole = self.judged(old, standing);
        if whole.as_ref().is_some_and(|growing| growing.speaks) {
            return whole;
        }
        let since = self.closely_since(old).map(|first| Self { first, ..self.clone() });
        let close = since.and_then(|look| look.judged(old, standing)).filter(|growing| growing.speaks);
        let close = close.map(|growing| Growing { since: self.bins.ordinal(self.first), ..growing });
        close.or(whole)
    }

    /// The first bin from which on all that is old was sampled closely, if that is soon enough and not from the start.
    fn closely_since(&self, old: &[&Sample]) -> Option<usize> {
        let bin = |sample: &&&Sample| self.bins.at(sample.born_ns);
        let judged = || old.iter().filter(|s| bin(s) >= self.first);
        let coarse = judged().filter(|s| s.chance < MIN_CLOSE_CHANCE).map(|s| bin(&s)).max();
        let from = coarse.map_or(self.first, |coarse| coarse + 1);
        let first = judged().map(|s| bin(&s)).filter(|bin| *bin >= from).min()?;
        let last = self.bins.len().checked_sub(SURVIVAL_CYCLES)?;
        let soon = SOON_RATIO * last.saturating_sub(self.first) as f64;
        (first > self.first && (first - self.first) as f64 <= soon).then_some(first)
    }

    /// Judges the old samples of a site: those that are surely no garbage must look like growth, be it since a collection
    /// has looked at them or since garbage cannot weigh so much. What came after that collection must not have slowed. What
    /// a census saw `held` below a path is no garbage at all.
    fn judged(&self, old: &[&Sample], standing: Reachability) -> Option<Growing> {
        let (end, born_before) = self.ends()?;
        let kept = standing == Reachability::FromUserContainer;
        let all = View { born_before, alive_at: end, swells: false, kept };
        if standing != Reachability::Unknown {
            return self.view(old, all);
        }
        let looked = |&(born, alive): &(u64, u64)| View {
            born_before: born.min(born_before),
            alive_at: alive.max(end),
            ..all
        };
        if let Some(clean) = self.examined.iter().rev().map(looked).find_map(|view| self.view(old, view)) {
            // Garbage of the last cycles makes the late third the heavier one.
            let since = self.view(old, View { swells: true, ..all })?;
            return Some(Growing { speaks: clean.speaks && since.speaks, ..clean });
        }
        self.view(old, all).filter(|plain| plain.rate.low > self.garbage)
    }

    fn view(&self, old: &[&Sample], view: View) -> Option<Growing> {
        let last = self.bins.at(view.born_before);
        let last = if self.bins.end(last) == Some(view.born_before) { last } else { last.checked_sub(1)? };
        if last + 1 < self.first + MIN_BIRTH_CYCLES {
            return None;
        }
        let mut stays = vec![Sampled::default(); last + 1 - self.first];
        let mut was_old = vec![0.0; stays.len()];
        for (bin, s) in stays.iter_mut().enumerate() {
            s.cycles = self.bins.width(self.first + bin);
        }
        let begins = self.begins();
        let mut turned = 0.0;
        for sample in old {
            let Some(bin) = self.bins.at(sample.born_ns).checked_sub(self.first) else {
                if sample.died_ns > begins && sample.died_ns <= view.alive_at {
                    turned += sample.weight;
                }
                continue;
            };
            let (Some(stay), Some(was)) = (stays.get_mut(bin), was_old.get_mut(bin)) else { continue };
            *was += sample.weight;
            if sample.lives_at(view.alive_at) {
                stay.add(sample.weight, sample.chance);
            }
        }
        let total: f64 = stays.iter().map(|s| s.bytes).sum();
        let filled: Vec<usize> = (0..stays.len()).filter(|b| stays[*b].bytes > 0.0).collect();
        // Few cycles are no place for the benefit of the doubt: what fills quickly is nearly done within them. What the user's own
        // containers keep has it, as far as chance goes: eight lines of fifty-eight were lost to it.
        let few = filled.len() < MIN_SPEAKING_CYCLES;
        let (missed, differ) = if few && view.kept {
            (MIN_KEPT_DEVIATIONS, MIN_KEPT_DEVIATIONS)
        } else {
            (MISSED_DEVIATIONS, DIFFER_DEVIATIONS)
        };
        if filled.len() < MIN_BIRTH_CYCLES
            || turned > MAX_TURNOVER_RATIO * total
            || left_by_two(&stays, missed) < MIN_LEFT_RATIO * total
        {
            return None;
        }
        let from = onset(&was_old, &filled);
        let part = &stays[from..];
        let slowed = slowed(part)?;
        let uneven = if view.swells { slowed } else { slowed.max(1.0 / slowed) };
        if (uneven > MAX_UNEVEN_RATIO || few && slowed > MAX_SLOWED_RATIO)
            && (few && !view.kept || !alike(part, differ))
        {
            return None;
        }
        let unsure = part.iter().map(|s| s.variance).sum::<f64>().sqrt() / total;
        if unsure > MAX_ERROR_RATIO {
            return None;
        }
        let mut rate = weighted_rate(part)?;
        let cycles: f64 = part.iter().map(|s| s.cycles).sum();
        rate.low -= turned / cycles;
        Some(Growing {
            rate,
            distinct: filled.len(),
            since: self.bins.ordinal(self.first + from),
            speaks: filled.len() >= MIN_SPEAKING_CYCLES
                && uneven <= MAX_UNEVEN_ALONE_RATIO
                && unsure <= MAX_ERROR_ALONE_RATIO
                && turned <= MAX_TURNOVER_ALONE_RATIO * total
                && left_by_two(&stays, 0.0) >= MIN_LEFT_ALONE_RATIO * total,
            born_before: view.born_before,
            alive_at: view.alive_at,
            first: self.first + from,
        })
    }
}

/// Where growth begins: at once, or later where the first old memory came much later than its usual distance.
fn onset(was_old: &[f64], filled: &[usize]) -> usize {
    let first = was_old.iter().position(|w| *w > 0.0).unwrap_or(0);
    let usual = (was_old.len() - first) as f64 / filled.len().max(1) as f64;
    if first as f64 > 3.0 * usual { first } else { 0 }
}

/// What is left without the two biggest cycles, so many standard deviations of sampling up.
fn left_by_two(stays: &[Sampled], deviations: f64) -> f64 {
    let mut by_size: Vec<&Sampled> = stays.iter().collect();
    by_size.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
    let rest = by_size.get(2..).unwrap_or_default();
    let bytes: f64 = rest.iter().map(|s| s.bytes).sum();
    let variance: f64 = rest.iter().map(|s| s.variance).sum();
    bytes + deviations * variance.sqrt()
}

fn thirds(stays: &[Sampled]) -> Option<(&[Sampled], &[Sampled])> {
    let third = stays.len() / 3;
    if third == 0 {
        return None;
    }
    Some((&stays[..third], &stays[stays.len() - third..]))
}

fn per_cycle(stays: &[Sampled]) -> (f64, f64) {
    let cycles: f64 = stays.iter().map(|s| s.cycles).sum::<f64>().max(1.0);
    let bytes: f64 = stays.iter().map(|s| s.bytes).sum();
    // A third without a sample is as uncertain as one with one more.
    let unseen = stays.iter().map(|s| s.missed).fold(0.0, f64::max);
    let variance: f64 = stays.iter().map(|s| s.variance).sum::<f64>() + unseen * unseen;
    (bytes / cycles, variance / (cycles * cycles))
}

/// By which factor the early third is the heavier one; nothing if one of the thirds has no survivor, as in a buffer whose
/// old entries have gone, or a cache that is full.
fn slowed(stays: &[Sampled]) -> Option<f64> {
    let (early, late) = thirds(stays)?;
    let ((early, _), (late, _)) = (per_cycle(early), per_cycle(late));
    (early > 0.0 && late > 0.0).then(|| early / late)
}

/// Whether sampling alone may have made the thirds differ, by so many deviations.
fn alike(stays: &[Sampled], deviations: f64) -> bool {
    thirds(stays).is_some_and(|(early, late)| {
        let ((early, a), (late, b)) = (per_cycle(early), per_cycle(late));
        (early - late).abs() <= deviations * (a + b).sqrt()
    })
}
