//! The line of a holder that scans named: told by the samples that a look met below it, where there are enough.

use crate::world::{KIB, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

const FIT: &str = "/job/train.py:60 <module>";
const MAKES: &str = "/job/train.py:30 Keep.on_epoch_end";
const OTHER: &str = "/job/train.py:31 Keep.on_epoch_end";
const KEPT: &str = "__main__.KEPT[*]";

/// Fifteen epochs that keep 300 KiB each, of which samples met but a few: so many of one line, and of another.
fn report(made: usize, of_other: usize) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(1 << 10, 1);
    let stacks = [w.stack(&[FIT, MAKES]), w.stack(&[FIT, OTHER])];
    let mut seen = Vec::new();
    for epoch in 1..=15 {
        w.takes(300 * KIB).objects(100).cycle(Epoch);
        if epoch == 5 {
            for (stack, count) in stacks.iter().zip([made, of_other]) {
                seen.extend((0..count).map(|_| w.makes(*stack, 1 << 20, 1)));
            }
        }
        if epoch == 6 {
            w.looks(&[("__main__.KEPT[*].image", "", &seen.iter().collect::<Vec<_>>())]);
        }
        if epoch >= 7 {
            w.scans(KEPT, epoch, epoch, 300 << 10, false);
        }
    }
    w.ends(0);
    w.report_with_names()
}

/// The lines that are told as making it.
fn lines(report: &Report) -> Vec<u32> {
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, KEPT);
    finding.sites.iter().filter(|s| s.role == "made_at").map(|s| s.line).collect()
}

#[test]
fn the_line_of_most_samples_below_the_holder_is_told() {
    assert_eq!(lines(&report(3, 0)), [30]);
    assert_eq!(lines(&report(4, 1)), [30]);
}

#[test]
fn few_samples_or_a_minority_tell_no_line() {
    assert!(lines(&report(2, 0)).is_empty());
    assert!(lines(&report(3, 3)).is_empty());
}
