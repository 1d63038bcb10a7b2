//! Is there a monotone trend at all? The Mann-Kendall rank test, with Hamed and Rao's correction of its
//! variance for autocorrelated noise. In: bytes in cycle order. Out: the statistic and its two-sided p value.

use crate::order::{ranks, tie_sizes};
use crate::student::two_sided;
use crate::theil_sen::theil_sen;

/// Normal quantile above which Hamed and Rao count an autocorrelation (two-sided 5 %).
const SIGNIFICANT_Z: f64 = 1.959_963_984_540_054;
/// Every pair is counted; longer series are thinned evenly to this.
const MAX_RANKED_POINTS: usize = 4000;

/// The result of a Mann-Kendall test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannKendall {
    /// Rising pairs minus falling pairs.
    pub s: f64,
    /// `s` in standard deviations, with continuity correction.
    pub z: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Kendall's tau (a): `s` divided by the number of pairs.
    pub tau: f64,
    /// The number of independent points with the same information.
    pub effective: f64,
}

/// Mann-Kendall with ties and with Hamed and Rao's correction for autocorrelation. `None` below 3 points.
///
/// If the corrected variance is not positive (strong alternation in a short series), the plain one is used.
pub fn mann_kendall(y: &[f64]) -> Option<MannKendall> {
    let y = bounded(y);
    test(&y, inflation(&y))
}

/// Mann-Kendall with ties, for independent points. `None` below 3 points.
pub fn mann_kendall_plain(y: &[f64]) -> Option<MannKendall> {
    test(&bounded(y), 1.0)
}

fn bounded(y: &[f64]) -> Vec<f64> {
    y.iter().copied().step_by(y.len().div_ceil(MAX_RANKED_POINTS).max(1)).collect()
}

fn test(y: &[f64], inflation: f64) -> Option<MannKendall> {
    let n = y.len() as f64;
    if y.len() < 3 {
        return None;
    }
    let mut s = 0_i64;
    for (i, a) in y.iter().enumerate() {
        for b in &y[i + 1..] {
            s += i64::from(b > a) - i64::from(b < a);
        }
    }
    let spread = |m: f64| m * (m - 1.0) * (2.0 * m + 5.0);
    let ties: f64 = tie_sizes(y).into_iter().map(|size| spread(size as f64)).sum();
    let deviation = ((spread(n) - ties) / 18.0 * inflation).sqrt();
    let s = s as f64;
    let z = if s == 0.0 || deviation == 0.0 { 0.0 } else { (s - s.signum()) / deviation };
    let tau = s / (n * (n - 1.0) / 2.0);
    Some(MannKendall { s, z, p: two_sided(z), tau, effective: n / inflation })
}

/// n / n*: the factor by which autocorrelated ranks inflate the variance of `s`.
fn inflation(y: &[f64]) -> f64 {
    let n = y.len();
    let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let Some(slope) = theil_sen(&x, y) else { return 1.0 };
    let first = y[0];
    // The slope is that of one pair, whose two points tie after detrending: rounding must not part them.
    let largest = y.iter().fold(0.0_f64, |m, v| m.max((v - first).abs()));
    let rounding = 2.0_f64.powi(-40) * largest.max(f64::MIN_POSITIVE);
    let detrended: Vec<f64> =
        y.iter().zip(&x).map(|(v, x)| (((v - first) - slope * x) / rounding).round()).collect();
    let mut r = ranks(&detrended);
    let mean = f64::midpoint(n as f64, 1.0);
    for rank in &mut r {
        *rank -= mean;
    }
    let variance: f64 = r.iter().map(|v| v * v).sum();
    if variance == 0.0 {
        return 1.0;
    }
    let bound = SIGNIFICANT_Z / (n as f64).sqrt();
    let mut sum = 0.0;
    for lag in 1..n {
        let rho = r[lag..].iter().zip(&r).map(|(a, b)| a * b).sum::<f64>() / variance;
        if rho.abs() > bound {
            let left = (n - lag) as f64;
            sum += left * (left - 1.0) * (left - 2.0) * rho;
        }
    }
    let n = n as f64;
    let inflation = 1.0 + 2.0 / (n * (n - 1.0) * (n - 2.0)) * sum;
    if inflation > 0.0 { inflation } else { 1.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics fails")]
mod tests {
    use super::*;

    #[test]
    fn a_rising_series() {
        let mk = mann_kendall_plain(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((mk.s - 10.0).abs() < 1e-12 && (mk.tau - 1.0).abs() < 1e-12);
        assert!((mk.z - 9.0 / (50.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(mk.p < 0.05);
    }

    #[test]
    fn all_equal_is_no_trend() {
        let mk = mann_kendall(&[7.0; 12]).unwrap();
        assert!(mk.s == 0.0 && mk.z == 0.0 && (mk.p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn memory_in_the_noise_costs_points() {
        let y: Vec<f64> = (0..60).map(|i| (f64::from(i) / 9.0).sin()).collect();
        let mk = mann_kendall(&y).unwrap();
        assert!(mk.effective < 60.0 && mk.p > mann_kendall_plain(&y).unwrap().p);
    }

    #[test]
    fn too_short() {
        assert_eq!(mann_kendall(&[1.0, 2.0]), None);
        assert_eq!(mann_kendall_plain(&[]), None);
    }
}
