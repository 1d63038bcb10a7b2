//! Shares of a budget: as much as each needs, and of what is scarce to all the same.
//!
//! In: what each could use at least and at most, by a quota. Out: the quota at which all together use the budget; the mean that
//! takes so many of some allocations. Pure.

/// Of this part of the allocations, nearly all: a mean of a fifth of their size. A finer one tells nothing more; a coarser one would not do
/// for big blocks in flight, which are as good as counted where all but one in a hundred are seen.
pub(crate) const SAMPLED_RATIO: f64 = 0.993;
const SIZE_RATIO: f64 = 1.0 / 5.0;

/// The quota at which `total` is the budget, or the budget itself if it never is. `total` must not fall as the quota rises.
pub(crate) fn quota(budget: f64, total: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, budget);
    for _halving in 0..24 {
        let middle = f64::midpoint(low, high);
        if total(middle) < budget { low = middle } else { high = middle }
    }
    low
}

/// The mean at which such a part of the allocations of this size holds a point: where `1 - exp(-size / mean)` is that.
pub(crate) fn mean_of_part(size: f64, part: f64) -> f64 {
    if part < SAMPLED_RATIO { -size / (-part.max(1e-9)).ln_1p() } else { size * SIZE_RATIO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_needs_little_gets_it_and_the_rest_is_shared() {
        let needs = [1.0, 2.0, 100.0, 200.0];
        let found = quota(43.0, |quota| needs.iter().map(|need: &f64| need.min(quota)).sum());
        assert!((found - 20.0).abs() < 0.01, "{found}");
        let found = quota(1000.0, |quota| needs.iter().map(|need: &f64| need.min(quota)).sum());
        assert!(found > 999.0, "there is enough for all: {found}");
    }

    #[test]
    fn a_mean_takes_the_part_it_is_made_for() {
        for part in [1e-6, 0.01, 0.3, 0.8, 0.949, 0.992] {
            let mean = mean_of_part(8000.0, part);
            assert!((-(-8000.0 / mean).exp_m1() / part - 1.0).abs() < 1e-6, "{part}: {mean}");
        }
        assert!((1500.0..1700.0).contains(&mean_of_part(8000.0, 7.0)));
        let seen = |mean: f64| -(-8000.0 / mean).exp_m1();
        assert!(seen(mean_of_part(8000.0, 1.0)) > 0.99, "what is nearly all is as good as counted");
        assert!(mean_of_part(8000.0, 0.0).is_finite());
    }
}
