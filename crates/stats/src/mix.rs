//! Growth of memory by what was done: bytes per request of each kind, from how many of each had ended when memory was read.
//!
//! In: readings of live bytes, each with its time and with how many requests of each kind had ended. Out: bytes per request of each kind
//! with their interval, and which kinds cannot be told apart. What must not happen here: a kind accused for what grows with time, or
//! with another kind.
//!
//! Requests overlap, so no reading shows what one of them kept. But where the mix of kinds changes, memory follows the kinds that keep
//! something. Readings are taken together in windows. The noise between them is of no kind that one could know
//! beforehand: all are fitted, as for [`crate::growth`], and what is told holds under each that explains the readings.

use crate::Interval;
use crate::fewest::by_fewest;
use crate::noise::{NoiseModel, noise_models};
use crate::nonnegative::Products;
use crate::student::student_quantile;

/// Readings taken together at most, as windows, and windows needed beside the kinds.
const MAX_WINDOWS: usize = 60;
const MIN_WINDOWS: usize = 12;
const WINDOWS_PER_KIND: usize = 3;
/// Parts of the run of which each is left out once, to see whether the others say the same.
const BLOCKS: usize = 8;
/// Kinds of noise that are this probable after the readings must agree.
pub(crate) const MIN_WEIGHT_RATIO: f64 = 0.05;
/// A kind is accused if the chance of an accusation by noise is below this, over all kinds.
const ACCUSED_BY_CHANCE: f64 = 0.01;
/// Two kinds whose numbers follow each other as closely as this cannot be told apart.
const MAX_ALIKE_RATIO: f64 = 0.95;
/// A kind that may make less of the growth than this is not what is looked for.
const MIN_MOST_RATIO: f64 = 0.5;
/// What a new kind does at first is start-up: the window in which it came tells nothing.
const FRESH_SPREAD: f64 = 1e9;

/// A reading: when, how many bytes live, how many requests of each kind had ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    /// Seconds.
    pub time: f64,
    /// Bytes.
    pub level: f64,
    /// By kind.
    pub counts: Vec<f64>,
    /// Whether a kind was new since the reading before.
    pub is_fresh: bool,
}

/// Kinds that are told together, and what memory grows by per request of them.
#[derive(Clone, Debug, PartialEq)]
pub struct KindGrowth {
    /// Which kinds; several where they cannot be told apart.
    pub kinds: Vec<usize>,
    /// Bytes per request, of one or the other.
    pub rate: Interval,
    /// Whether it grows for sure.
    pub is_sure: bool,
}

/// Growth by kind, in the order of their first kinds. Nothing where readings are too few.
pub fn growth_by_kind(readings: &[Mixed]) -> Option<Vec<KindGrowth>> {
    let kinds = readings.first()?.counts.len();
    let least = MIN_WINDOWS.max(WINDOWS_PER_KIND * (kinds + 2));
    if kinds == 0 || readings.len() < least || readings.iter().any(|reading| reading.counts.len() != kinds) {
        return None;
    }
    let windows = windows(readings, MAX_WINDOWS.max(least));
    let apart: Vec<Vec<usize>> = (0..kinds).map(|kind| vec![kind]).collect();
    let alone = fit(&windows, &apart);
    let (mut groups, mut told) = (apart.clone(), alone.clone());
    while let Some((a, b)) = alike(&windows, &groups, &told) {
        let other = groups.remove(b);
        groups.get_mut(a)?.extend(other);
        told = fit(&windows, &groups);
    }
    // Kinds are told together where that says more of them than each by itself, or that nothing can be said of any.
    let is_open = |(group, told): (&Vec<usize>, &(Interval, bool))| group.len() > 1 && !told.1;
    if groups.len() > 1 && groups.iter().zip(&told).any(is_open) {
        (groups, told) = (apart, alone);
    }
    let told = by_fewest(&windows, &groups, told);
    let named = groups.into_iter().zip(told);
    Some(named.map(|(kinds, (rate, is_sure))| KindGrowth { kinds, rate, is_sure }).collect())
}

/// Means of neighbours.
fn windows(readings: &[Mixed], most: usize) -> Vec<Mixed> {
    let width = readings.len().div_ceil(most).max(1);
    let mean = |of: &[Mixed], value: &dyn Fn(&Mixed) -> f64| {
        let first = of.first().map_or(0.0, value);
        first + of.iter().map(|one| value(one) - first).sum::<f64>() / of.len().max(1) as f64
    };
    // The last one, if it is shorter, would be of other noise than the rest.
    let whole = readings.len() - readings.len() % width;
    let chunks = readings.get(readings.len() - whole..).unwrap_or_default().chunks(width);
    let origin = readings.first();
    let base = |kind: usize| origin.and_then(|first| first.counts.get(kind)).copied().unwrap_or(0.0);
    chunks
        .map(|of| Mixed {
            time: mean(of, &|one| one.time - origin.map_or(0.0, |first| first.time)),
            level: mean(of, &|one| one.level - origin.map_or(0.0, |first| first.level)),
            counts: (0..of.first().map_or(0, |one| one.counts.len()))
                .map(|kind| mean(of, &|one| one.counts.get(kind).map_or(0.0, |count| count - base(kind))))
                .collect(),
            is_fresh: of.iter().any(|one| one.is_fresh),
        })
        .collect()
}

/// Rows that are independent of one another and of equal variance, each with its value.
pub(crate) type Whitened = Vec<(Vec<f64>, f64)>;

/// A row of the fit: what is constant, time, and each group's number.
pub(crate) fn row(window: &Mixed, groups: &[Vec<usize>]) -> Vec<f64> {
    let count = |group: &Vec<usize>| group.iter().filter_map(|kind| window.counts.get(*kind)).sum();
    [1.0, window.time].into_iter().chain(groups.iter().map(count)).collect()
}

/// The growth of each group, and whether it is sure.
fn fit(windows: &[Mixed], groups: &[Vec<usize>]) -> Vec<(Interval, bool)> {
    let rows: Vec<Vec<f64>> = windows.iter().map(|window| row(window, groups)).collect();
    let all = noise_models(windows.len() as f64);
    let mut fits: Vec<(f64, Whitened, f64)> = Vec::new();
    for noise in &all {
        let (whitened, log_spread) = whiten(*noise, windows, &rows);
        let left = products(&whitened).without_first().solve().rss.max(f64::MIN_POSITIVE);
        let weight = noise.prior().ln() - 0.5 * (log_spread + windows.len() as f64 * left.ln());
        fits.push((weight, whitened, left));
    }
    let best = fits.iter().map(|fit| fit.0).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = fits.iter().map(|fit| (fit.0 - best).exp()).sum();
    let freedom = (windows.len() - groups.len() - 2).max(1) as f64;
    let mut out = vec![Told::default(); groups.len()];
    for (weight, whitened, left) in fits {
        let weight = (weight - best).exp() / total;
        if weight < MIN_WEIGHT_RATIO {
            continue;
        }
        let all = products(&whitened);
        let own = all.without_first();
        let solved = own.solve();
        let without: Vec<Vec<f64>> = blocks(&whitened).map(|block| without(&all, block)).collect();
        for (group, told) in out.iter_mut().enumerate() {
            let at = group + 1; // behind time
            let beta = solved.beta.get(at).copied().unwrap_or(0.0);
            let parts: Vec<f64> = without.iter().filter_map(|beta| beta.get(at).copied()).collect();
            let jackknife = spread(&parts);
            let ends = |level: f64| {
                let reach = student_quantile(level, freedom);
                let (low, high) = own.reach(at, beta, left * (1.0 + reach * reach / freedom));
                let beside = student_quantile(level, (BLOCKS - 1) as f64) * jackknife;
                (low.min(beta - beside).max(0.0), high.max(beta + beside))
            };
            let (low, high) = ends(0.975);
            let (sure, _) = ends(1.0 - ACCUSED_BY_CHANCE / groups.len() as f64);
            told.add(weight, beta, (low, high), sure);
        }
    }
    out.into_iter().map(Told::whole).collect()
}

/// What all probable kinds of noise say of one group.
#[derive(Clone, Debug)]
struct Told {
    weight: f64,
    sum: f64,
    low: f64,
    high: f64,
    sure: f64,
}

impl Default for Told {
    fn default() -> Self {
        Self { weight: 0.0, sum: 0.0, low: f64::INFINITY, high: 0.0, sure: f64::INFINITY }
    }
}

impl Told {
    fn add(&mut self, weight: f64, beta: f64, (low, high): (f64, f64), sure: f64) {
        self.weight += weight;
        self.sum += weight * beta;
        self.low = self.low.min(low);
        self.high = self.high.max(high);
        self.sure = self.sure.min(sure);
    }

    fn whole(self) -> (Interval, bool) {
        let estimate = if self.weight > 0.0 { self.sum / self.weight } else { 0.0 };
        let interval = Interval { estimate, low: self.low.min(estimate), high: self.high.max(estimate) };
        (interval, self.sure > 0.0 && self.sure.is_finite())
    }
}

/// The rows as independent ones of equal variance, by a scalar Kalman filter; and the logarithm of what they were divided by.
pub(crate) fn whiten(noise: NoiseModel, windows: &[Mixed], rows: &[Vec<f64>]) -> (Whitened, f64) {
    let mut filter = noise.filter();
    let mut level = vec![0.0; rows.first().map_or(0, Vec::len)];
    let mut level_value = 0.0;
    let mut log_spread = 0.0;
    let mut out = Vec::with_capacity(rows.len());
    for (index, (window, row)) in windows.iter().zip(rows).enumerate() {
        let kept = if index > 0 { filter.pass() } else { 1.0 };
        let is_fresh =
            index > 0 && (window.is_fresh || windows.get(index - 1).is_some_and(|one| one.is_fresh));
        if is_fresh {
            filter.forget(FRESH_SPREAD);
        }
        let (share, scale) = filter.see();
        log_spread -= 2.0 * scale.ln();
        let surprise = |level: &mut f64, value: f64| {
            *level *= kept;
            let surprise = value - *level;
            *level += share * surprise;
            surprise * scale
        };
        let whitened: Vec<f64> =
            level.iter_mut().zip(row).map(|(level, value)| surprise(level, *value)).collect();
        out.push((whitened, surprise(&mut level_value, window.level)));
    }
    (out, log_spread)
}

pub(crate) fn products(whitened: &[(Vec<f64>, f64)]) -> Products {
    let mut out = Products::of(whitened.first().map_or(0, |(row, _)| row.len()));
    for (row, value) in whitened {
        out.add(row, *value, 1.0);
    }
    out
}

fn blocks(whitened: &[(Vec<f64>, f64)]) -> impl Iterator<Item = &[(Vec<f64>, f64)]> {
    whitened.chunks(whitened.len().div_ceil(BLOCKS).max(1))
}

/// The coefficients without these rows.
fn without(all: &Products, block: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let mut rest = all.clone();
    for (row, value) in block {
        rest.add(row, *value, -1.0);
    }
    rest.without_first().solve().beta
}

/// The standard error of an estimate by those that each leave a block out.
fn spread(parts: &[f64]) -> f64 {
    let count = parts.len() as f64;
    let mean = parts.iter().sum::<f64>() / count;
    (parts.iter().map(|part| (part - mean).powi(2)).sum::<f64>() * (count - 1.0) / count).sqrt()
}

/// Two groups of which none is sure although each may make most of the growth, since their numbers follow each other.
fn alike(windows: &[Mixed], groups: &[Vec<usize>], told: &[(Interval, bool)]) -> Option<(usize, usize)> {
    let steps: Vec<Vec<f64>> = windows
        .windows(2)
        .map(|pair| {
            row(&pair[1], groups).iter().zip(row(&pair[0], groups)).map(|(now, then)| now - then).collect()
        })
        .collect();
    let mut all = Products::of(groups.len() + 2);
    for step in &steps {
        all.add(step, 0.0, 1.0);
    }
    let time = all.gram.get(1)?.get(1).copied().filter(|own| *own > 0.0)?;
    let beside_time =
        |a: usize, b: usize| all.gram[a + 2][b + 2] - all.gram[a + 2][1] * all.gram[b + 2][1] / time;
    let correlation = |a: usize, b: usize| {
        beside_time(a, b) / (beside_time(a, a) * beside_time(b, b)).sqrt().max(f64::MIN_POSITIVE)
    };
    let (first, last) = (windows.first()?, windows.last()?);
    let (start, end) = (row(first, groups), row(last, groups));
    let may_make_most = |group: usize, rate: &Interval| {
        rate.high * (end[group + 2] - start[group + 2]) >= MIN_MOST_RATIO * (last.level - first.level)
    };
    let is_open =
        |group: &usize| told.get(*group).is_some_and(|told| !told.1 && may_make_most(*group, &told.0));
    let open: Vec<usize> = (0..groups.len()).filter(is_open).collect();
    let pairs = open.iter().flat_map(|a| open.iter().filter(move |b| a < b).map(move |b| (*a, *b)));
    pairs
        .map(|(a, b)| (correlation(a, b), (a, b)))
        .filter(|(correlation, _)| *correlation >= MAX_ALIKE_RATIO)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, pair)| pair)
}
