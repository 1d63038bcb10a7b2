//! A curve in one line of block letters, for places where text is all there is.

/// So many letters as the curve's width, from its least to its most; empty without two values.
pub(crate) fn sparkline(values: &[u64], width: usize) -> String {
    match (values.iter().min(), values.iter().max()) {
        (Some(least), Some(most)) => between(values, width, *least, *most),
        _ => String::new(),
    }
}

/// The same between two levels that others share.
pub(crate) fn between(values: &[u64], width: usize, least: u64, most: u64) -> String {
    const BLOCKS: [char; 8] =
        ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
    if values.len() < 2 || width == 0 {
        return String::new();
    }
    let width = width.min(values.len());
    let letter = |i: usize| {
        let at = i * (values.len() - 1) / (width - 1).max(1);
        let value = values.get(at).copied().unwrap_or(0);
        let share = value.saturating_sub(least) as f64 / most.saturating_sub(least).max(1) as f64;
        BLOCKS.get((share * 7.0).round() as usize).copied().unwrap_or(' ')
    };
    (0..width).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn a_curve_keeps_its_ends_and_its_shape() {
        assert_eq!(sparkline(&[0, 1, 2, 3, 4, 5, 6, 7], 40), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[5, 5, 5], 3), "▁▁▁");
        assert_eq!(sparkline(&(0..1000).collect::<Vec<_>>(), 8), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[1], 8), "");
    }
}
