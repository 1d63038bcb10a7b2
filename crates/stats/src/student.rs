//! Tails of the normal and of Student's distribution. Accuracy about 1e-9, far better than an interval needs.

/// P(Z <= z) for a standard normal Z.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    // The normal is the limit of the incomplete gamma with shape 1/2; the continued fraction takes over where
    // the series would cancel.
    let t = z * z / 2.0;
    let upper = if t < 1.5 { 1.0 - gamma_series(t) } else { gamma_fraction(t) };
    if z >= 0.0 { 1.0 - upper / 2.0 } else { upper / 2.0 }
}

/// The two-sided p value of a standard normal statistic; keeps its digits far out in the tail.
pub(crate) fn two_sided(z: f64) -> f64 {
    (2.0 * normal_cdf(-z.abs())).min(1.0)
}

/// P(T <= t) for Student's T with `df` > 0 degrees of freedom.
pub(crate) fn student_cdf(t: f64, df: f64) -> f64 {
    if !t.is_finite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    let tail = incomplete_beta(df / (df + t * t), df / 2.0, 0.5) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The `level` quantile of Student's distribution, by bisection; `level` strictly between 0 and 1.
pub(crate) fn student_quantile(level: f64, df: f64) -> f64 {
    let (mut low, mut high) = (-1e3, 1e3);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if student_cdf(middle, df) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn gamma_series(t: f64) -> f64 {
    let mut term = 2.0;
    let mut sum = term;
    for k in 1..60 {
        term *= t / (f64::from(k) + 0.5);
        sum += term;
    }
    sum * t.sqrt() * (-t).exp() / std::f64::consts::PI.sqrt()
}

fn gamma_fraction(t: f64) -> f64 {
    // Lentz's evaluation of the continued fraction for the upper incomplete gamma, shape 1/2.
    let mut partial = t + 0.5;
    let mut above = 1e300;
    let mut below = 1.0 / partial;
    let mut product = below;
    for k in 1..200 {
        let k = f64::from(k);
        let a = -k * (k - 0.5);
        partial += 2.0;
        below = 1.0 / (a * below + partial);
        above = partial + a / above;
        let step = above * below;
        product *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    product * (0.5 * t.ln() - t).exp() / std::f64::consts::PI.sqrt()
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let safe = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut above = 1.0;
    let mut below = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let mut product = below;
    for m in 1..300 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            below = 1.0 / safe(1.0 + term * below);
            above = safe(1.0 + term / above);
            step = above * below;
            product *= step;
        }
        if (step - 1.0).abs() < 1e-14 {
            break;
        }
    }
    product
}

/// ln Γ(v) for v > 0, by Stirling's series after moving the argument up.
fn ln_gamma(v: f64) -> f64 {
    let mut shift = 0.0;
    let mut z = v;
    while z < 10.0 {
        shift += z.ln();
        z += 1.0;
    }
    let i = 1.0 / (z * z);
    let tail = (1.0 / 12.0 - i * (1.0 / 360.0 - i * (1.0 / 1260.0 - i / 1680.0))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + tail - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (z, p) in [(0.0, 0.5), (1.0, 0.841_344_746), (1.959_963_985, 0.975), (-3.0, 0.001_349_898)] {
            assert!((normal_cdf(z) - p).abs() < 1e-8, "{z}: {}", normal_cdf(z));
        }
        for (t, df, p) in [
            (12.706_204_7, 1.0, 0.975),
            (4.302_652_73, 2.0, 0.975),
            (-2.776_445_1, 4.0, 0.025),
            (2.042_272_46, 30.0, 0.975),
            (1.960_201_2, 10_000.0, 0.975),
        ] {
            assert!((student_cdf(t, df) - p).abs() < 1e-7, "{t} {df}: {}", student_cdf(t, df));
        }
    }

    #[test]
    fn quantiles_are_the_inverse() {
        assert!((student_quantile(0.975, 2.0) - 4.302_652_73).abs() < 1e-6);
        assert!((student_quantile(0.025, 1e6) + 1.959_966).abs() < 1e-4);
    }

    #[test]
    fn far_tails_keep_their_digits() {
        let p = two_sided(10.0);
        assert!((p / 1.523_970_604_832_1e-23 - 1.0).abs() < 1e-8, "{p}");
    }
}
