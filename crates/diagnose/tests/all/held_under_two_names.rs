//! One container that two looks call differently: `self.trail` while a method runs, `chain.trail` at the end.

use crate::world::recorder::Made;
use crate::world::started;
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Holder;
use nilometer_diagnose::Report;

const FIT: &str = "/job/train.py:60 <module>";

/// Scans while a method runs count `self.trail`; the look at the end calls the same list by the variables that have these paths.
fn counted_in_a_method(variables: &[&str]) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let stack = w.stack(&[FIT, "/job/train.py:72 Chain.next_key"]);
    let mut all = Vec::new();
    for epoch in 1..=15 {
        all.push(w.makes(stack, 4 << 10, 25));
        w.objects(100).cycle(Epoch);
        if epoch >= 7 {
            let holder = Holder {
                id: 90,
                path: "next_key(): self.trail[*]".to_owned(),
                owner: "Chain".to_owned(),
                kind: "list".to_owned(),
                elements: "3 x Key".to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            };
            w.scans_holder(holder, epoch, epoch, 100 << 10, false);
            w.scan_ends();
        }
    }
    let made: Vec<&Made> = all.iter().collect();
    let looked: Vec<(&str, &str, &[&Made])> =
        variables.iter().map(|path| (*path, "Chain", made.as_slice())).collect();
    w.looks(&looked);
    w.ends(0);
    w.report_with_names()
}

#[test]
fn elements_counted_as_an_attribute_of_self_are_the_variable_s() {
    let length = |variables: &[&str]| {
        let report = counted_in_a_method(variables);
        let holder = report.findings[0].holder.clone().unwrap();
        (holder.path, holder.length)
    };
    let of = |path: &str, length| (path.to_owned(), length);
    assert_eq!(length(&["__main__.chain.trail[*]"]), of("__main__.chain.trail[*]", Some(15)));
    // Another attribute; and a second object of this class, whose list it may be just as well.
    assert_eq!(length(&["__main__.chain.log[*]"]), of("__main__.chain.log[*]", None));
    assert_eq!(length(&["__main__.a.trail[*]", "__main__.b.trail[*]"]).1, None);
}
