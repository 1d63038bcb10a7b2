//! How many elements holders have, and the names of the table of holders; on small worlds whose truth is known.

use crate::world::recorder::Made;
use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Holder;
use nilometer_diagnose::Report;

const FIT: &str = "/job/train.py:60 <module>";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
const INSIDE: &str = "fit(): callbacks[0].saved[*]";
const AFTER: &str = "__main__.kept.saved[*]";

/// Twelve epochs that keep a megabyte each.
fn kept(mut look: impl FnMut(&mut World, u64, &[Made])) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py", "--epochs=12"]"#).records(64 << 10, 1);
    let stack = w.stack(&[FIT, CALLBACK]);
    let mut made = Vec::new();
    for epoch in 1..=12 {
        made.push(w.makes(stack, 1 << 20, 1));
        w.objects(200).cycle(Epoch);
        look(&mut w, epoch, &made);
    }
    w.ends(0);
    w.report_with_names()
}

fn list(path: &str, elements: &str) -> Holder {
    let (path, kind) = (path.to_owned(), "list".to_owned());
    Holder {
        id: 9,
        path,
        kind,
        file: "/job/train.py".to_owned(),
        elements: elements.to_owned(),
        ..Holder::default()
    }
}

#[test]
fn a_holder_tells_how_many_it_has_and_gets() {
    let report = kept(|w, epoch, _| {
        if epoch >= 5 {
            w.scans_holder(list(INSIDE, "1 x ndarray (512, 512) float32"), epoch, 40 + epoch, 1 << 20, false);
        }
    });
    let holder = report.findings[0].holder.as_ref().unwrap();
    assert_eq!((holder.length, holder.path.as_str()), (Some(52), INSIDE));
    assert!((holder.per_cycle.unwrap() - 1.0).abs() < 0.01, "{holder:?}");
    let told = "52 elements, 1 more per epoch; newest: 1 x ndarray (512, 512) float32";
    assert_eq!(holder.content("epoch"), told);
}

#[test]
fn an_array_that_becomes_longer_has_no_number_of_elements() {
    let report = kept(|w, epoch, _| {
        if epoch >= 5 {
            let array = list("__main__.ROWS", "ndarray (7000, 8) float64");
            w.scans_holder(array, epoch, epoch << 20, 1 << 20, false);
        }
    });
    let holder = report.findings[0].holder.as_ref().unwrap();
    assert_eq!((holder.length, holder.content("epoch").as_str()), (None, "ndarray (7000, 8) float64"));
}

/// One look sees the memory from inside of `fit`, the last one after it.
#[test]
fn the_table_of_holders_has_the_path_of_the_finding() {
    let report = kept(|w, epoch, made| {
        let made: Vec<&Made> = made.iter().collect();
        match epoch {
            10 => drop(w.looks(&[(INSIDE, "Keep", &made)])),
            12 => drop(w.looks(&[(AFTER, "Keep", &made[6..])])),
            _ => {}
        }
    });
    let told = &report.findings[0].holder.as_ref().unwrap().path;
    let table: Vec<&str> = report.holders.iter().map(|row| row.holder.path.as_str()).collect();
    assert!(table.contains(&told.as_str()), "{told} in {table:?}");
}

/// What went from a queue into a store is in the store, though a finding names the queue.
#[test]
fn memory_that_went_elsewhere_is_told_where_it_is() {
    const QUEUE: &str = "__main__.queue[*]";
    let report = kept(|w, epoch, made| {
        let made: Vec<&Made> = made.iter().collect();
        match epoch {
            10 => drop(w.looks(&[(QUEUE, "Keep", &made)])),
            12 => drop(w.looks(&[(QUEUE, "Keep", &made[3..]), (AFTER, "Keep", &made[..3])])),
            _ => {}
        }
    });
    let table: Vec<(&str, i64)> =
        report.holders.iter().map(|row| (row.holder.path.as_str(), row.live_bytes >> 20)).collect();
    assert_eq!(table, [(QUEUE, 9), (AFTER, 3)]);
}
