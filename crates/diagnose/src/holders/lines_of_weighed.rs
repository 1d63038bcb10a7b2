//! Lines that nobody is known to hold, beside a container that was weighed to keep what they make.
//!
//! In: findings, what scans weighed of their containers, the growth. Out: the same, each line told with its container. What must not happen
//! here: a line given to a container where the growth has room for both, or where several lines fit.

use nilometer_stats::Interval;

use super::container_size::{MIN_WATCHED_CYCLES, SCAN_ERROR_RATIO};
use super::scans::{Pace, Weighed};
use crate::report::{Bytes, Finding};

/// Gives a line to the container that keeps as much as both are told to, if the growth has no room for the two. No look meets the buffer behind
/// an array of JAX of which `NumPy` has a view.
pub(super) fn take_in_lines(
    findings: &mut Vec<Finding>,
    rate: &Interval,
    pace: impl Fn(&Finding) -> Option<Pace>,
) {
    let is_sure = |pace: &Pace| pace.weighed == Weighed::All && pace.cycles >= MIN_WATCHED_CYCLES;
    for at in 0..findings.len() {
        let Some(held) = findings.get(at) else { return };
        let Some(pace) = pace(held).filter(is_sure) else { continue };
        let fits = |other: &usize| findings.get(*other).is_some_and(|line| is_its(line, held, &pace, rate));
        let mut fitting = (0..findings.len()).filter(fits);
        let (Some(found), None) = (fitting.next(), fitting.next()) else { continue };
        let line = findings.remove(found);
        let at = if found < at { at - 1 } else { at };
        if let Some(held) = findings.get_mut(at) {
            tell_with(held, line);
        }
    }
}

/// Whether the line makes what the container keeps beyond what it is told to.
fn is_its(line: &Finding, held: &Finding, pace: &Pace, rate: &Interval) -> bool {
    let Bytes { low, high, .. } = line.bytes_per_cycle;
    let (low, high) = (low as f64, high as f64);
    let rest = pace.bytes - held.bytes_per_cycle.estimate as f64;
    let error = SCAN_ERROR_RATIO * pace.bytes;
    let is_all = (low - error..=high + error).contains(&rest);
    line.holder.is_none() && line.process.is_none() && is_all && pace.bytes + low > rate.high
}

fn tell_with(held: &mut Finding, line: Finding) {
    let (a, b) = (held.bytes_per_cycle, line.bytes_per_cycle);
    held.bytes_per_cycle =
        Bytes { estimate: a.estimate + b.estimate, low: a.low + b.low, high: a.high + b.high };
    held.stack = line.stack;
    held.part = line.part;
    held.phase = line.phase;
    held.cycles_seen = held.cycles_seen.max(line.cycles_seen);
    held.sites.splice(..0, line.sites);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Holder, Site};

    fn finding(path: Option<&str>, line: u32, estimate: i64) -> Finding {
        let site = Site {
            role: "made_at",
            file: "train.py".to_owned(),
            line,
            function: "run".to_owned(),
            bytes_per_cycle: estimate,
            text: None,
            inside: None,
        };
        let bytes_per_cycle = Bytes { estimate, low: estimate / 2, high: 2 * estimate };
        let holder = path.map(|path| Holder { path: path.to_owned(), ..Holder::default() });
        Finding { holder, sites: vec![site], bytes_per_cycle, ..Finding::default() }
    }

    /// The lines of each finding, where the growth is 720 and the list was weighed to keep 638.
    fn told(mut findings: Vec<Finding>, high: f64, weighed: Weighed) -> Vec<Vec<u32>> {
        let rate = Interval { estimate: 720.0, low: 700.0, high };
        let pace = Pace {
            bytes: 638.0,
            elements: 20.0,
            lengthened: 20.0,
            cycles: 8,
            weighed,
            shared: false,
            slows: false,
            even: false,
        };
        take_in_lines(&mut findings, &rate, |f| f.holder.is_some().then_some(pace));
        findings.iter().map(|f| f.sites.iter().map(|site| site.line).collect()).collect()
    }

    #[test]
    fn a_line_is_told_with_the_list_that_was_weighed_to_keep_what_it_makes() {
        let all = || vec![finding(None, 74, 619), finding(Some("gradients[*]"), 17, 6)];
        assert_eq!(told(all(), 740.0, Weighed::All), [vec![74, 17]]);
        let few_samples = vec![finding(None, 74, 401), finding(Some("gradients[*]"), 17, 6)];
        assert_eq!(told(few_samples, 740.0, Weighed::All), [vec![74, 17]], "few samples, a wide interval");
        let apart = [vec![74], vec![17]];
        assert_eq!(told(all(), 1300.0, Weighed::All), apart, "there is room for both");
        assert_eq!(told(all(), 740.0, Weighed::AllButNative), apart, "nobody weighed all of it");
        let small = vec![finding(None, 74, 200), finding(Some("gradients[*]"), 17, 6)];
        assert_eq!(told(small, 740.0, Weighed::All), apart, "it makes less");
        let two = vec![finding(None, 74, 619), finding(None, 75, 600), finding(Some("gradients[*]"), 17, 6)];
        assert_eq!(told(two, 740.0, Weighed::All), [vec![74], vec![75], vec![17]], "either may be it");
    }
}
