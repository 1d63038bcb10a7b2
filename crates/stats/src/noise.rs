//! Noise models of live bytes, and the fit of a straight (or bent) line under each.
//!
//! In: columns over the same cycles, and the values to explain. Out: for every noise model, the fit and its
//! likelihood. Memory may wobble around a level (a batch in flight or not) or wander (every cycle adds a bit
//! that stays). Nobody knows which beforehand, and the precision of a slope differs by orders of magnitude
//! between them. So no model is chosen: all are fitted, and weighted by likelihood.

/// One model: a level that decays at rate `memory` per gap, plus independent noise. `jitter` is the latter's
/// variance, in units of the level's innovation variance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoiseModel {
    /// 0 forgets at once (white noise), 1 never (random walk).
    memory: f64,
    /// Variance of the independent noise over the innovation variance of the level.
    jitter: f64,
    /// Weight before any data.
    prior: f64,
}

const MEMORIES: [f64; 8] = [0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98];
const JITTER_RATIOS: [f64; 6] = [0.0, 0.5, 2.0, 8.0, 32.0, 128.0];
/// Prior weight of a random walk. High on purpose: this reading can cost a false alarm. Even so, a level that
/// forgets is recognised within some 50 points.
const RANDOM_WALK_PRIOR: f64 = 0.85;

/// All noise models for a series that spans `span` gaps.
pub(crate) fn noise_models(span: f64) -> Vec<NoiseModel> {
    let forgetting = (1.0 - RANDOM_WALK_PRIOR) / MEMORIES.len() as f64;
    let mut out = Vec::new();
    for memory in MEMORIES {
        let jitters = if memory < 0.75 { &JITTER_RATIOS[..1] } else { &JITTER_RATIOS[..4] };
        let prior = forgetting / jitters.len() as f64;
        out.extend(jitters.iter().map(|&jitter| NoiseModel { memory, jitter, prior }));
    }
    // A proper start for the walk, too: so close to 1 that nothing is forgotten within the series.
    let memory = 1.0 - 1e-3 / span.max(1.0);
    out.extend(JITTER_RATIOS.iter().enumerate().map(|(i, &jitter)| {
        let share = if i == 0 { 0.5 } else { 0.5 / (JITTER_RATIOS.len() - 1) as f64 };
        NoiseModel { memory, jitter, prior: RANDOM_WALK_PRIOR * share }
    }));
    out
}

/// The least-squares fit of `K` columns under one noise model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fit<const K: usize> {
    /// Coefficients of the columns.
    pub beta: [f64; K],
    /// Variance of the last coefficient over the innovation variance.
    pub last_variance: f64,
    /// Weighted residual sum of squares.
    pub rss: f64,
    /// Log likelihood, up to a constant that is the same for all models of the same values.
    pub likelihood: f64,
    /// Restricted log likelihood, averaged over the coefficients.
    pub restricted: f64,
}

impl NoiseModel {
    /// Weight before any data.
    pub(crate) fn prior(&self) -> f64 {
        self.prior
    }

    /// Whether it is one of the models that suffice for a quick search.
    pub(crate) fn is_plain(&self) -> bool {
        self.jitter == 0.0 && (self.memory < 0.6 || self.memory > 0.85)
    }

    /// A filter for values of this noise that are one gap apart.
    pub(crate) fn filter(&self) -> Filter {
        let stationary = 1.0 / (1.0 - self.memory * self.memory);
        Filter { noise: *self, stationary, spread: stationary }
    }

    /// The fit of `columns` to `y`; `None` if the columns do not differ over these cycles.
    ///
    /// A scalar Kalman filter turns correlated values into independent ones of equal variance (for gaps of
    /// any length); ordinary least squares does the rest. `rounding` is the error per point that rounding
    /// alone may leave.
    pub(crate) fn fit<const K: usize>(
        &self,
        x: &[f64],
        columns: &[&[f64]; K],
        y: &[f64],
        rounding: f64,
    ) -> Option<Fit<K>> {
        let n = x.len();
        let rate = if self.memory > 0.0 { -self.memory.ln() } else { f64::INFINITY };
        let stationary = 1.0 / (1.0 - self.memory * self.memory);
        let mut level = [0.0; K];
        let mut level_y = 0.0;
        let mut spread = stationary;
        let mut log_f = 0.0;
        // Gaps are mostly equal and the filter settles soon: the costly functions are computed only on
        // change.
        let (mut gap, mut kept) = (f64::NAN, 0.0);
        let (mut f, mut ln_f, mut scale) = (f64::NAN, 0.0, 0.0);
        let mut gram = [[0.0; K]; K];
        let mut cross = [0.0; K];
        let mut total = 0.0;
        for i in 0..n {
            if i > 0 {
                let now = x[i] - x[i - 1];
                if (now - gap).abs() > 1e-12 || gap.is_nan() {
                    gap = now;
                    kept = (-rate * gap).exp();
                }
                for value in &mut level {
                    *value *= kept;
                }
                level_y *= kept;
                spread = kept * kept * spread + (1.0 - kept * kept) * stationary;
            }
            let f_now = (spread + self.jitter).max(1e-12);
            if f_now.to_bits() != f.to_bits() {
                f = f_now;
                ln_f = f.ln();
                scale = f.sqrt().recip();
            }
            let share = spread / f;
            let mut row = [0.0; K];
            for ((r, l), c) in row.iter_mut().zip(&mut level).zip(columns) {
                let surprise = c[i] - *l;
                *l += share * surprise;
                *r = surprise * scale;
            }
            let surprise = y[i] - level_y;
            level_y += share * surprise;
            let value = surprise * scale;
            spread *= 1.0 - share;
            log_f += ln_f;
            total += value * value;
            for a in 0..K {
                cross[a] += row[a] * value;
                for b in 0..=a {
                    gram[a][b] += row[a] * row[b];
                }
            }
        }
        let (root, log_det) = cholesky(gram)?;
        let half = forward(&root, cross);
        let explained: f64 = half.iter().map(|v| v * v).sum();
        let rss = (total - explained).max(n as f64 * rounding * rounding);
        let beta = backward(&root, half);
        let last = root[K - 1][K - 1];
        let restricted = -0.5 * (log_f + log_det + (n - K) as f64 * rss.ln());
        let likelihood = -0.5 * (log_f + n as f64 * rss.ln());
        Some(Fit { beta, last_variance: (last * last).recip(), rss, likelihood, restricted })
    }
}

/// A scalar Kalman filter, step by step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filter {
    noise: NoiseModel,
    stationary: f64,
    spread: f64,
}

impl Filter {
    /// One gap goes by; gives what is left of the level.
    pub(crate) fn pass(&mut self) -> f64 {
        let kept = self.noise.memory;
        self.spread = kept * kept * self.spread + (1.0 - kept * kept) * self.stationary;
        kept
    }

    /// What the level was says nothing any more.
    pub(crate) fn forget(&mut self, spread: f64) {
        self.spread += spread * self.stationary;
    }

    /// A value is seen: the share of its surprise that goes into the level, and what makes surprises alike.
    pub(crate) fn see(&mut self) -> (f64, f64) {
        let variance = (self.spread + self.noise.jitter).max(1e-12);
        let share = self.spread / variance;
        self.spread *= 1.0 - share;
        (share, variance.sqrt().recip())
    }
}

fn cholesky<const K: usize>(gram: [[f64; K]; K]) -> Option<([[f64; K]; K], f64)> {
    let mut root = [[0.0; K]; K];
    let mut log_det = 0.0;
    for a in 0..K {
        for b in 0..=a {
            let known: f64 = (0..b).map(|c| root[a][c] * root[b][c]).sum();
            let left = gram[a][b] - known;
            if a == b {
                if left <= gram[a][a] * 1e-13 {
                    return None;
                }
                root[a][a] = left.sqrt();
                log_det += left.ln();
            } else {
                root[a][b] = left / root[b][b];
            }
        }
    }
    Some((root, log_det))
}

fn forward<const K: usize>(root: &[[f64; K]; K], mut v: [f64; K]) -> [f64; K] {
    for a in 0..K {
        let known: f64 = (0..a).map(|b| root[a][b] * v[b]).sum();
        v[a] = (v[a] - known) / root[a][a];
    }
    v
}

fn backward<const K: usize>(root: &[[f64; K]; K], mut v: [f64; K]) -> [f64; K] {
    for a in (0..K).rev() {
        let known: f64 = (a + 1..K).map(|b| root[b][a] * v[b]).sum();
        v[a] = (v[a] - known) / root[a][a];
    }
    v
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics fails")]
mod tests {
    use super::*;

    const WHITE: NoiseModel = NoiseModel { memory: 0.0, jitter: 0.0, prior: 1.0 };

    #[test]
    fn white_noise_is_ordinary_least_squares() {
        let x = [0.0, 1.0, 2.0, 5.0];
        let y = [1.0, 0.0, 4.0, 3.0];
        let fit = WHITE.fit(&x, &[&[1.0; 4], &x], &y, 0.0).unwrap();
        // Centred: Sxx = 14, Sxy = 7.
        assert!((fit.beta[1] - 0.5).abs() < 1e-12 && (fit.beta[0] - 1.0).abs() < 1e-12);
        assert!((fit.last_variance - 1.0 / 14.0).abs() < 1e-12);
        assert!((fit.rss - 6.5).abs() < 1e-12);
    }

    #[test]
    fn a_walk_is_judged_by_its_ends() {
        let x = [0.0, 1.0, 2.0, 4.0];
        let y = [0.0, 3.0, 1.0, 8.0];
        let walk = NoiseModel { memory: 1.0 - 1e-9, jitter: 0.0, prior: 1.0 };
        let fit = walk.fit(&x, &[&[1.0; 4], &x], &y, 0.0).unwrap();
        assert!((fit.beta[1] - 2.0).abs() < 1e-6 && (fit.last_variance - 0.25).abs() < 1e-6);
    }

    #[test]
    fn equal_columns_are_refused() {
        assert!(WHITE.fit(&[0.0, 1.0], &[&[1.0; 2], &[1.0; 2]], &[0.0, 1.0], 0.0).is_none());
    }
}
