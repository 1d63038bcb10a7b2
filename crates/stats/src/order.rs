//! Order statistics. In: any finite numbers. Out: medians and ranks. The input is never reordered.

/// The median; for an even count the mean of the two middle values; `None` for no values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    median_in_place(&mut values.to_vec())
}

/// As [`median`], but reorders the buffer.
pub(crate) fn median_in_place(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if !even {
        return Some(upper);
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(f64::midpoint(lower, upper))
}

/// Ranks from 1; ties share the mean of their ranks.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let values = unsigned_zeros(values);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut out = vec![0.0; values.len()];
    let mut start = 0;
    for members in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let shared = start as f64 + f64::midpoint(1.0, members.len() as f64);
        for &i in members {
            out[i] = shared;
        }
        start += members.len();
    }
    out
}

/// Sizes of the groups of equal values.
pub(crate) fn tie_sizes(values: &[f64]) -> Vec<usize> {
    let mut sorted = unsigned_zeros(values);
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(<[f64]>::len).collect()
}

/// The total order distinguishes -0 from 0; ties do not.
fn unsigned_zeros(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| v + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[9.0, -1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn tied_ranks_share_their_places() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 7.0]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(tie_sizes(&[5.0, 1.0, 5.0, 7.0]), [1, 2, 1]);
        assert_eq!(tie_sizes(&[0.0, -0.0]), [2]);
    }
}
