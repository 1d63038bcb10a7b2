//! Objects by type, from look to look.

use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{CensusCounts, Observation, Record};
use nilometer_diagnose::{Objects, Report};

/// A scan that saw all, or was cut; of the types that are named, the counts are new.
fn scan(world: &mut World, cut: bool, types: &[(&str, u64)]) {
    for (name, count) in types {
        world.say(&Record::Observation(Observation::Objects { name: (*name).to_owned(), count: *count }));
    }
    let counts = CensusCounts { depth: Some(1), cut: Some(u64::from(cut)), ..CensusCounts::default() };
    world.say(&Record::Observation(Observation::Census(counts)));
}

fn series<'a>(objects: &'a Objects, name: &str) -> &'a [Option<u64>] {
    objects.types.iter().find(|one| one.name == name).map_or(&[], |one| &one.counts)
}

fn told(looks: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    for epoch in 1..=12 {
        w.cycle(Epoch);
        looks(&mut w, epoch);
    }
    w.ends(0);
    w.report()
}

#[test]
fn what_is_said_once_holds_until_it_is_said_again() {
    let report = told(|w, epoch| match epoch {
        3 => scan(w, false, &[("dict", 50), ("list", 9)]),
        5 => scan(w, false, &[("Event", 4), ("list", 7)]),
        9 => scan(w, false, &[("Event", 8)]),
        _ => {}
    });
    let objects = report.objects.unwrap();
    let cycles: Vec<u64> = objects.looks.iter().map(|look| look.cycle).collect();
    assert_eq!(cycles, [3, 5, 9]);
    assert_eq!(series(&objects, "dict"), [Some(50), Some(50), Some(50)]);
    assert_eq!(series(&objects, "list"), [Some(9), Some(7), Some(7)]);
    assert_eq!(series(&objects, "Event"), [None, Some(4), Some(8)]);
    let order: Vec<&str> = objects.types.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(order, ["Event", "dict", "list"], "those that became more first");
}

#[test]
fn a_look_that_was_cut_counts_for_none() {
    let report = told(|w, epoch| scan(w, epoch != 2 && epoch != 8, &[]));
    assert_eq!(report.objects, None, "nothing was said of a type");
    let report = told(|w, epoch| match epoch {
        2 => scan(w, false, &[("dict", 1)]),
        4 => scan(w, true, &[]),
        6 => scan(w, false, &[("dict", 2)]),
        _ => {}
    });
    assert_eq!(series(&report.objects.unwrap(), "dict"), [Some(1), Some(2)]);
}

#[test]
fn one_look_shows_no_course() {
    let once = |w: &mut World, epoch| {
        if epoch == 4 {
            scan(w, false, &[("dict", 1)]);
        }
    };
    assert_eq!(told(once).objects, None);
}

#[test]
fn thousands_of_looks_are_thinned_and_the_ends_stay() {
    let mut w = started();
    for look in 1..=1000 {
        scan(&mut w, false, &[("dict", look)]);
    }
    let objects = w.report().objects.unwrap();
    let dicts = series(&objects, "dict");
    assert_eq!((dicts.len(), dicts[0], dicts[127]), (128, Some(1), Some(1000)));
    assert_eq!(objects.looks.len(), 128);
}
