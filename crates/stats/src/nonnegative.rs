//! Least squares whose coefficients are not negative, and how far each can go before the fit is clearly worse.
//!
//! In: sums of products of columns and values. Out: coefficients, what they leave, and the interval of one of them with the others
//! free to follow. What must not happen here: an interval that a bound has made narrower than the values do.

/// Sums of products of `K` columns with one another and with the values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    pub(crate) gram: Vec<Vec<f64>>,
    pub(crate) cross: Vec<f64>,
    pub(crate) total: f64,
}

/// Coefficients, and the sum of squares that they leave.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) beta: Vec<f64>,
    pub(crate) rss: f64,
}

/// Turns of the search for one end of an interval.
const TURNS: usize = 40;
/// Below this share of a column's own sum of squares, nothing of it is left beside the others.
const MIN_PIVOT_RATIO: f64 = 1e-10;

impl Products {
    pub(crate) fn of(columns: usize) -> Self {
        Self { gram: vec![vec![0.0; columns]; columns], cross: vec![0.0; columns], total: 0.0 }
    }

    /// Adds a row: its values in the columns, and what is to be explained. `sign` is -1 to take it away again.
    pub(crate) fn add(&mut self, row: &[f64], value: f64, sign: f64) {
        for (a, own) in row.iter().enumerate() {
            self.cross[a] += sign * own * value;
            for (b, other) in row.iter().enumerate() {
                self.gram[a][b] += sign * own * other;
            }
        }
        self.total += sign * value * value;
    }

    /// The same without the first column, whose coefficient is free: what it explains of the others and of the values is taken out.
    pub(crate) fn without_first(&self) -> Self {
        let own = self.gram[0][0];
        let share = |a: usize| if own > 0.0 { self.gram[0][a] / own } else { 0.0 };
        let rest = 1..self.cross.len();
        Self {
            gram: rest
                .clone()
                .map(|a| rest.clone().map(|b| self.gram[a][b] - share(a) * self.gram[0][b]).collect())
                .collect(),
            cross: rest.clone().map(|a| self.cross[a] - share(a) * self.cross[0]).collect(),
            total: self.total - if own > 0.0 { self.cross[0] * self.cross[0] / own } else { 0.0 },
        }
    }

    /// The same with these columns alone.
    pub(crate) fn only(&self, columns: &[usize]) -> Self {
        let of = |row: &Vec<f64>| columns.iter().map(|at| row[*at]).collect();
        Self {
            gram: columns.iter().map(|at| of(&self.gram[*at])).collect(),
            cross: of(&self.cross),
            total: self.total,
        }
    }

    /// The same with one coefficient fixed; its column then has nothing left.
    fn with_fixed(&self, at: usize, value: f64) -> Self {
        let mut out = self.clone();
        out.total += value * (value * self.gram[at][at] - 2.0 * self.cross[at]);
        for other in 0..out.cross.len() {
            out.cross[other] -= value * self.gram[at][other];
            out.gram[at][other] = 0.0;
            out.gram[other][at] = 0.0;
        }
        out.cross[at] = 0.0;
        out
    }

    /// The best coefficients that are not negative, by Lawson's and Hanson's active sets.
    pub(crate) fn solve(&self) -> Solution {
        let count = self.cross.len();
        let mut beta = vec![0.0; count];
        let mut free: Vec<usize> = Vec::new();
        let mut refused = vec![false; count];
        for _turn in 0..(4 * count + 4) {
            let pull = |at: usize| {
                self.cross[at] - (0..count).map(|other| self.gram[at][other] * beta[other]).sum::<f64>()
            };
            let eager = |at: &usize| {
                let scale = (self.gram[*at][*at] * self.total.max(f64::MIN_POSITIVE)).sqrt();
                !free.contains(at) && !refused[*at] && pull(*at) > 1e-11 * scale
            };
            let by_pull = |a: &usize, b: &usize| {
                let weight = |at: usize| pull(at) / self.gram[at][at].max(f64::MIN_POSITIVE).sqrt();
                weight(*a).total_cmp(&weight(*b))
            };
            let Some(next) = (0..count).filter(eager).max_by(by_pull) else { break };
            free.push(next);
            while let Some(wanted) = self.solve_free(&free) {
                let leaving = |at: usize, want: f64| (want <= 0.0).then(|| beta[at] / (beta[at] - want));
                let step = free.iter().zip(&wanted).filter_map(|(at, want)| leaving(*at, *want));
                let step = step.fold(1.0, f64::min);
                for (at, want) in free.iter().zip(&wanted) {
                    beta[*at] += step * (want - beta[*at]);
                }
                if step >= 1.0 {
                    break;
                }
                free.retain(|at| {
                    beta[*at] > 1e-14 * wanted.iter().fold(0.0, |most: f64, w| most.max(w.abs()))
                });
                (0..count).filter(|at| !free.contains(at)).for_each(|at| beta[at] = 0.0);
            }
            // A column that the others span adds nothing.
            if self.solve_free(&free).is_none() || !free.contains(&next) {
                free.retain(|at| *at != next);
                beta[next] = 0.0;
                refused[next] = true;
            }
        }
        let rss = self.total
            + (0..count).map(|a| beta[a] * (self.row_times(a, &beta) - 2.0 * self.cross[a])).sum::<f64>();
        Solution { rss: rss.max(0.0), beta }
    }

    fn row_times(&self, at: usize, beta: &[f64]) -> f64 {
        self.gram[at].iter().zip(beta).map(|(product, beta)| product * beta).sum()
    }

    /// Least squares of these columns alone; nothing where they do not differ.
    fn solve_free(&self, free: &[usize]) -> Option<Vec<f64>> {
        let size = free.len();
        let mut root = vec![vec![0.0; size]; size];
        for a in 0..size {
            for b in 0..=a {
                let known: f64 = (0..b).map(|c| root[a][c] * root[b][c]).sum();
                let left = self.gram[free[a]][free[b]] - known;
                if a == b {
                    if left <= MIN_PIVOT_RATIO * self.gram[free[a]][free[a]] || left <= 0.0 {
                        return None;
                    }
                    root[a][a] = left.sqrt();
                } else {
                    root[a][b] = left / root[b][b];
                }
            }
        }
        let mut out: Vec<f64> = free.iter().map(|at| self.cross[*at]).collect();
        for a in 0..size {
            let known: f64 = (0..a).map(|b| root[a][b] * out[b]).sum();
            out[a] = (out[a] - known) / root[a][a];
        }
        for a in (0..size).rev() {
            let known: f64 = (a + 1..size).map(|b| root[b][a] * out[b]).sum();
            out[a] = (out[a] - known) / root[a][a];
        }
        Some(out)
    }

    /// The values of one coefficient for which the best fit of the others leaves at most `most`: a profile.
    pub(crate) fn reach(&self, at: usize, best: f64, most: f64) -> (f64, f64) {
        let is_within = |value: f64| self.with_fixed(at, value).solve().rss <= most;
        let between = |mut inside: f64, mut outside: f64| {
            for _turn in 0..TURNS {
                let middle = f64::midpoint(inside, outside);
                *(if is_within(middle) { &mut inside } else { &mut outside }) = middle;
            }
            inside
        };
        let low = if is_within(0.0) { 0.0 } else { between(best, 0.0) };
        let own = self.gram[at][at];
        if own <= 0.0 {
            return (low, f64::INFINITY);
        }
        let mut outside = best + (most.max(0.0) / own).sqrt() + f64::MIN_POSITIVE;
        let mut doublings = 0;
        while is_within(outside) && doublings < TURNS {
            outside = best + 2.0 * (outside - best);
            doublings += 1;
        }
        let high = if doublings == TURNS { f64::INFINITY } else { between(best, outside) };
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products(rows: &[([f64; 3], f64)]) -> Products {
        let mut out = Products::of(3);
        for (row, value) in rows {
            out.add(row, *value, 1.0);
        }
        out
    }

    #[test]
    fn what_is_exact_is_found() {
        let rows: Vec<([f64; 3], f64)> = (0..20)
            .map(|k| {
                let (a, b) = (f64::from(k), f64::from(k * k % 7));
                ([1.0, a, b], 5.0 + 2.0 * a + 3.0 * b)
            })
            .collect();
        let solved = products(&rows).without_first().solve();
        assert!((solved.beta[0] - 2.0).abs() < 1e-9 && (solved.beta[1] - 3.0).abs() < 1e-9, "{solved:?}");
        assert!(solved.rss < 1e-6);
    }

    #[test]
    fn nothing_is_negative() {
        let rows: Vec<([f64; 3], f64)> = (0..20)
            .map(|k| {
                let (a, b) = (f64::from(k), f64::from(k * k % 7));
                ([1.0, a, b], 2.0 * a - 3.0 * b)
            })
            .collect();
        let products = products(&rows).without_first();
        let solved = products.solve();
        assert!(solved.beta[1] == 0.0 && solved.beta[0] > 1.0, "{solved:?}");
        let (low, high) = products.reach(0, solved.beta[0], solved.rss * 1.2);
        assert!(low < solved.beta[0] && solved.beta[0] < high, "{low} {high}");
    }

    #[test]
    fn equal_columns_share_and_reach_from_nothing_to_all() {
        let rows: Vec<([f64; 3], f64)> =
            (0..20).map(|k| ([1.0, f64::from(k), f64::from(k)], f64::from(2 * k + k % 3))).collect();
        let products = products(&rows).without_first();
        let solved = products.solve();
        assert!((solved.beta[0] + solved.beta[1] - 2.0).abs() < 0.1, "{solved:?}");
        for at in 0..2 {
            let (low, high) = products.reach(at, solved.beta[at], solved.rss * 1.2);
            assert!(low == 0.0 && high > 1.9, "{low} {high}");
        }
    }
}
