//! The phases of a run, for pictures and tables.
//!
//! In: records in the order of time, and the rises of memory by phase. Out: which phase the program was in when, and what
//! each took in all. What must not happen here: a rise laid to a phase that it cannot be told of.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, Edge, Record};

use crate::phases::{Course, Stretch};
use crate::report::{PhaseSpan, PhaseTotal};

/// Spans told one by one. Where there are more, the run is cut into as many slots, and each is told as the phase that
/// took most of it: a picture has no room for more.
const MAX_SPANS: usize = 1000;

/// The phases in the order of time, without gaps.
pub(crate) fn spans(course: &Course, end_ns: u64) -> Vec<PhaseSpan> {
    let exact: Vec<_> = course.spans(end_ns).collect();
    let told = if exact.len() > MAX_SPANS { slots(&exact, end_ns) } else { exact };
    let span = |(begin, end, name): (u64, u64, &str)| PhaseSpan {
        name: name.to_owned(),
        begin_seconds: begin as f64 / 1e9,
        end_seconds: end as f64 / 1e9,
    };
    told.into_iter().map(span).collect()
}

fn slots<'a>(exact: &[(u64, u64, &'a str)], end_ns: u64) -> Vec<(u64, u64, &'a str)> {
    let width = end_ns.div_ceil(MAX_SPANS as u64).max(1);
    let mut out: Vec<(u64, u64, &str)> = Vec::new();
    let mut from = 0;
    for slot in (0..end_ns).step_by(usize::try_from(width).unwrap_or(usize::MAX)) {
        let until = (slot + width).min(end_ns);
        let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
        while let Some((begin, end, name)) = exact.get(from) {
            *shares.entry(name).or_default() += (*end).min(until).saturating_sub((*begin).max(slot));
            if *end > until {
                break;
            }
            from += 1;
        }
        let Some((name, _)) = shares.into_iter().max_by_key(|(_, share)| *share) else { continue };
        match out.last_mut() {
            Some(last) if last.2 == name => last.1 = until,
            _ => out.push((slot, until, name)),
        }
    }
    out
}

/// What each phase took in all, those with the most time first.
pub(crate) fn totals(
    capture: &Capture,
    course: &Course,
    stretches: &[Stretch],
    end_ns: u64,
) -> Vec<PhaseTotal> {
    let mut by_name: BTreeMap<&str, PhaseTotal> = BTreeMap::new();
    for (begin, end, name) in course.spans(end_ns) {
        by_name.entry(name).or_default().seconds += (end - begin) as f64 / 1e9;
    }
    for stretch in stretches {
        if let Some(total) = stretch.phase.as_deref().and_then(|phase| by_name.get_mut(phase)) {
            total.bytes += stretch.bytes.round() as i64;
        }
    }
    for stamped in &capture.records {
        match &stamped.record {
            Record::Phase { name, edge: Edge::Begin, .. } => {
                if let Some(total) = by_name.get_mut(name.as_str()) {
                    total.times += 1;
                }
            }
            // A phase that comes very often is told now and then only; the true count is said at the end.
            Record::Fact { key, value } => {
                let name = key.strip_prefix("phase.").and_then(|key| key.strip_suffix(".count"));
                let counted = value.parse::<u64>().ok();
                if let (Some(total), Some(counted)) = (name.and_then(|name| by_name.get_mut(name)), counted) {
                    total.times = total.times.max(counted);
                }
            }
            _ => {}
        }
    }
    let named = by_name.into_iter().map(|(name, total)| PhaseTotal { name: name.to_owned(), ..total });
    let mut out: Vec<PhaseTotal> = named.collect();
    out.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.name.cmp(&b.name)));
    out
}

#[cfg(test)]
mod tests {
    use super::{MAX_SPANS, slots};

    #[test]
    fn many_spans_are_told_by_slots_without_gaps() {
        // Nine parts of ten in one phase, and a long stretch of another one in the middle.
        let step = |i: u64| if i.is_multiple_of(10) { "validation" } else { "epoch" };
        let mut exact: Vec<_> = (0..20_000).map(|i| (i * 10, i * 10 + 10, step(i))).collect();
        exact[10_000..12_000].iter_mut().for_each(|span| span.2 = "predict");
        let told = slots(&exact, 200_000);
        let words: Vec<_> = told.iter().map(|span| span.2).collect();
        assert_eq!(words, ["epoch", "predict", "epoch"]);
        assert_eq!((told[0].0, told[1].0, told[1].1, told[2].1), (0, 100_000, 120_000, 200_000));
        assert!(told.len() <= MAX_SPANS);
    }
}
