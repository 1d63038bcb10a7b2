//! Containers with a bound: what they keep is no leak where they are soon full; on small worlds whose truth is known.

use crate::world::{KIB, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Holder;
use nilometer_diagnose::{Component, Kind, Lookup, Report, Verdict, diagnose_with};

const EACH: u64 = 300 << 10;

/// Fifteen epochs that keep so many bytes each; from the seventh on scans see a deque grow by one element, and a list beside it.
fn report(bound: u64, bytes: i64, beside: bool) -> Report {
    of_elements(EACH, bound, bytes, beside)
}

/// The same with elements of another size in the deque.
fn of_elements(each: u64, bound: u64, bytes: i64, beside: bool) -> Report {
    let mut w = started();
    for epoch in 1..=15 {
        w.takes(bytes).objects(100).cycle(Epoch);
        if epoch >= 7 {
            let path = "fit(): callbacks[0].recent[*]".to_owned();
            let (kind, owner, file) = ("deque".to_owned(), "Recent".to_owned(), "/job/train.py".to_owned());
            let deque = Holder { id: 1, path, kind, owner, file, bound: Some(bound), ..Holder::default() };
            w.scans_holder(deque, epoch, epoch, each, false);
            if beside {
                let (path, kind, file) =
                    ("__main__.KEPT[*]".to_owned(), "list".to_owned(), "/job/train.py".to_owned());
                w.scans_holder(
                    Holder { id: 2, path, kind, file, ..Holder::default() },
                    epoch,
                    epoch,
                    EACH,
                    false,
                );
            }
        }
    }
    w.ends(0);
    w.report()
}

fn filling(report: &Report) -> Vec<&Component> {
    report.components.iter().filter(|c| c.kind == Kind::Filling).collect()
}

#[test]
fn what_is_soon_full_is_no_leak() {
    let report = report(40, 300 * KIB, false);
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    let [fills] = filling(&report)[..] else { panic!("{:#?}", report.components) };
    assert!(
        fills.sentence.starts_with("Recent.recent is full with 40 elements, in 25 more epochs"),
        "{}",
        fills.sentence
    );
    assert!(fills.sentence.ends_with("7.3 MiB more"), "{}", fills.sentence);
    assert!(report.reason.contains("Recent.recent is full with 40 elements"), "{}", report.reason);
}

#[test]
fn a_bound_out_of_reach_is_none() {
    let report = report(1_000_000, 300 * KIB, false);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert_eq!(report.findings[0].holder.as_ref().unwrap().bound, Some(1_000_000));
    assert!(filling(&report).is_empty());
}

#[test]
fn a_leak_beside_it_is_told_without_it() {
    let report = report(40, 600 * KIB, true);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [leak] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(leak.holder.as_ref().unwrap().path, "__main__.KEPT[*]");
    let growth = report.growth.as_ref().unwrap();
    let rate = growth.bytes_per_cycle.estimate;
    assert!((rate - 300 * KIB).abs() < 30 * KIB, "{rate}");
    assert!((growth.explained.unwrap() - 1.0).abs() < 0.1, "{:?}", growth.explained);
    assert_eq!(filling(&report).len(), 1);
}

#[test]
fn a_small_leak_beside_it_is_at_least_what_is_known_of_it() {
    let report = of_elements(10 * EACH, 40, 3300 * KIB, true);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [leak] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(
        (leak.holder.as_ref().unwrap().path.as_str(), leak.confidence),
        ("__main__.KEPT[*]", "certain")
    );
    let rate = report.growth.as_ref().unwrap().bytes_per_cycle;
    assert!(rate.low > 200 * KIB && rate.low <= rate.estimate, "{rate:?}");
    assert!((rate.estimate - 300 * KIB).abs() < 30 * KIB, "{rate:?}");
}

#[test]
fn growth_that_it_does_not_account_for_stays_a_leak() {
    let report = report(40, 900 * KIB, false);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert!(report.findings.iter().all(|f| f.holder.is_none()), "{:#?}", report.findings);
    let rate = report.growth.unwrap().bytes_per_cycle.estimate;
    assert!((rate - 600 * KIB).abs() < 60 * KIB, "{rate}");
}

#[test]
fn what_fills_makes_no_leak_sure_of_what_is_beside_it() {
    // Garbage comes and goes beside it, by as much as the deque keeps.
    let mut w = started();
    for epoch in 1..=15 {
        let breath = if epoch % 3 == 0 { 900 * KIB } else { -450 * KIB };
        w.takes(420 * KIB + breath).objects(100).cycle(Epoch);
        if epoch >= 7 {
            let path = "fit(): callbacks[0].recent[*]".to_owned();
            let deque =
                Holder { id: 1, path, kind: "deque".to_owned(), bound: Some(20), ..Holder::default() };
            w.scans_holder(deque, epoch, epoch, EACH, false);
        }
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Undecided, "{} {:?}", report.reason, report.growth);
    assert!(
        report.reason.starts_with("containers that fill up to a bound keep most of the growth"),
        "{}",
        report.reason
    );
    assert_eq!(filling(&report).len(), 1);
    assert_eq!(report.cycles.needed, Some(15));
}

#[test]
fn what_is_flat_since_is_not_told_to_go_back_into_what_filled() {
    let mut w = started();
    for epoch in 1..=30 {
        w.takes(if epoch <= 12 { 500 * KIB } else { 0 }).objects(10).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    let since = report.growth.unwrap().since_cycle;
    assert!((12..=14).contains(&since), "{since}: {}", report.reason);
}

/// The program's source.
struct Source(&'static str);

impl Lookup for Source {
    fn packs(&self) -> nilometer_diagnose::pack::Packs {
        nilometer_frameworks::DIAGNOSE
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        if file == "/job/train.py" { self.0.lines().map(str::to_owned).collect() } else { Vec::new() }
    }
}

/// Fifteen epochs that keep so many bytes each in a list of a program with this source; from the seventh on scans see it grow.
fn by_source(bytes: i64, path: &str, source: &'static str) -> Report {
    of_owner(bytes, path, "", "", source)
}

/// The same with who owns the list, and what is in it.
fn of_owner(bytes: i64, path: &str, owner: &str, elements: &str, source: &'static str) -> Report {
    let mut w = started();
    for epoch in 1..=15 {
        w.takes(bytes).objects(100).cycle(Epoch);
        if epoch >= 7 {
            let (kind, file) = ("list".to_owned(), "/job/train.py".to_owned());
            let (path, owner, elements) = (path.to_owned(), owner.to_owned(), elements.to_owned());
            let list = Holder { id: 1, path, owner, kind, file, elements, ..Holder::default() };
            w.scans_holder(list, epoch, epoch, EACH, false);
        }
    }
    w.ends(0);
    diagnose_with(&w.capture(), &mut Source(source))
}

const ITEMS: &str = "main(): replay.items[*]";

#[test]
fn a_bound_that_the_program_keeps_itself_is_to_be_seen() {
    let source = "MOST = 40\ndef add(replay, item):\n    replay.items.append(item)\n    if len(replay.items) > MOST:\n        \
                  replay.items.pop(0)\n";
    let report = by_source(300 * KIB, ITEMS, source);
    assert_eq!(report.verdict, Verdict::Undecided, "{}", report.reason);
    assert_eq!(report.cycles.needed, Some(31));
    let [fills] = filling(&report)[..] else { panic!("{:#?}", report.components) };
    let expected = "replay.items is full with 40 elements by `if len(replay.items) > MOST` (train.py:4), in 25 more epochs";
    assert!(fills.sentence.replace("/job/", "").starts_with(expected), "{}", fills.sentence);
}

#[test]
fn a_bound_whose_number_nobody_knows_leaves_it_open() {
    let source =
        "def add(replay, item, most):\n    if len(replay.items) < most:\n        replay.items.append(item)\n";
    let report = by_source(300 * KIB, ITEMS, source);
    assert_eq!(report.verdict, Verdict::Undecided, "{}", report.reason);
    assert!(report.reason.contains("`if len(replay.items) < most`"), "{}", report.reason);
    assert_eq!((report.cycles.needed, filling(&report).len()), (Some(15), 1));
    let beside = by_source(900 * KIB, ITEMS, source);
    assert_eq!(beside.verdict, Verdict::Leak, "most of it is elsewhere: {}", beside.reason);
}

#[test]
fn a_bound_that_was_passed_or_is_out_of_reach_is_none() {
    let source = |most: &'static str| match most {
        "9" => "def add(r, item):\n    if len(r.items) < 9:\n        r.items.append(item)\n",
        _ => "def add(r, item):\n    if len(r.items) < 1_000_000:\n        r.items.append(item)\n",
    };
    let passed = by_source(300 * KIB, ITEMS, source("9"));
    assert_eq!(passed.verdict, Verdict::Leak, "it has 15: {}", passed.reason);
    let far = by_source(300 * KIB, ITEMS, source("1_000_000"));
    assert_eq!(far.verdict, Verdict::Leak, "{}", far.reason);
    assert_eq!(far.findings[0].holder.as_ref().unwrap().bound, Some(1_000_000));
}

#[test]
fn the_bound_of_what_is_around_it_says_nothing() {
    let source = "def add(cache, key, item):\n    if len(cache.items) < 40:\n        cache.items.append([])\n    \
                  cache.items[key].append(item)\n";
    let report = by_source(300 * KIB, "main(): cache.items[*][*]", source);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
}

const TWO: &str = "class Replay:\n    def add(self, item):\n        self.items.append(item)\n        if len(self.items) > 40:\n            \
                   self.items.pop(0)\n\n\nclass Log:\n    def add(self, item):\n        self.items.append(item)\n";

#[test]
fn the_bound_of_another_class_says_nothing() {
    let of = |owner| of_owner(300 * KIB, "main(): log.items[*]", owner, "", TWO).verdict;
    assert_eq!(of("Log"), Verdict::Leak);
    assert_eq!(of("Replay"), Verdict::Undecided);
}

#[test]
fn a_bound_of_models_is_none() {
    let of = |elements| of_owner(300 * KIB, "main(): replay.items[*]", "Replay", elements, TWO).verdict;
    assert_eq!(of("8 x ndarray (64,) float64"), Verdict::Undecided);
    assert_eq!(of("8 x Sequential"), Verdict::Leak);
}
