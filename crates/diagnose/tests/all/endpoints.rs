//! Which endpoint of a service makes its growth.

use crate::world::{Noise, World, started};
use nilometer_capture::CycleUnit::{Served, Task};
use nilometer_capture::{CycleUnit, Grown, Holder, Observation, Record};
use nilometer_diagnose::{Endpoint, Report, Verdict};

const KIB: i64 = 1024;
const NAMES: [&str; 4] = ["GET /", "POST /score", "GET /items/<int:id>", "GET /sum"];

/// Which endpoint the nth request is of.
type Asked = fn(u64, &mut Noise) -> usize;

/// A service with four endpoints; `asked` says which one the nth request is of, and `keeps` what a request of it keeps.
fn service(unit: CycleUnit, asked: impl Fn(u64, &mut Noise) -> usize, keeps: [i64; 4]) -> World {
    service_that(unit, asked, |endpoint, _nth| keeps[endpoint])
}

/// The same; what the nth request of an endpoint keeps may depend on n.
fn service_that(
    unit: CycleUnit,
    asked: impl Fn(u64, &mut Noise) -> usize,
    keeps: impl Fn(usize, u64) -> i64,
) -> World {
    seen_by(unit, asked, started(), |w, endpoint, nth, _| {
        w.takes(keeps(endpoint, nth));
    })
}

/// The same; `serves` also has what recorders see: it gets the endpoint, how many requests of it there were, and how many of all.
fn seen_by(
    unit: CycleUnit,
    asked: impl Fn(u64, &mut Noise) -> usize,
    mut w: World,
    serves: impl Fn(&mut World, usize, u64, u64),
) -> World {
    let mut noise = Noise(7);
    let mut totals = [0_u64; 4];
    for (at, name) in NAMES.iter().enumerate() {
        w.say(&Record::Observation(Observation::Endpoint {
            id: at as u64 + 1,
            unit,
            name: (*name).to_owned(),
        }));
    }
    for nth in 0..1200 {
        let endpoint = asked(nth, &mut noise);
        totals[endpoint] += 1;
        serves(&mut w, endpoint, totals[endpoint], nth);
        w.passes(0.005 + 0.01 * noise.share());
        if nth % 4 == 3 {
            let in_flight = noise.bytes(20 * KIB);
            w.takes(in_flight);
            let now = totals.iter().enumerate().map(|(at, total)| (at as u64 + 1, *total)).collect();
            w.say(&Record::Observation(Observation::Ended { totals: now }));
            w.unread_cycles(unit, 3).cycle(unit).takes(-in_flight);
        }
    }
    w.ends(0);
    w
}

fn mixed(_nth: u64, noise: &mut Noise) -> usize {
    (noise.share() * 4.0) as usize % 4
}

/// Of `POST /score` there are ever fewer.
fn fewer(nth: u64, noise: &mut Noise) -> usize {
    let score = 0.9 * (-(nth as f64) / 700.0).exp();
    let others = [0, 2, 3][(noise.share() * 3.0) as usize % 3];
    if noise.share() < score { 1 } else { others }
}

fn endpoints(report: &Report) -> &[Endpoint] {
    report.growth.as_ref().map_or(&[], |growth| &growth.endpoints)
}

#[test]
fn the_endpoint_that_keeps_something_is_named_and_the_others_are_flat() {
    let report = service(Served, mixed, [0, 10 * KIB, 0, 0]).report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [first, others @ ..] = endpoints(&report) else { panic!("{:?}", report.growth) };
    assert!(first.grows && first.name == "POST /score", "{first:?}");
    let truth = 10 * KIB;
    assert!((first.bytes_per_request.estimate - truth).abs() < truth / 8, "{first:?}");
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|one| one.is_flat && !one.grows), "{others:?}");
}

#[test]
fn a_task_has_a_name_too() {
    let report = service(Task, mixed, [0, 0, 10 * KIB, 0]).report();
    let first = endpoints(&report).first().unwrap();
    assert!(first.grows && first.name == NAMES[2], "{first:?}");
}

#[test]
fn no_endpoint_is_told_where_nothing_leaks() {
    let report = service(Served, mixed, [0; 4]).report();
    assert_eq!((report.verdict, endpoints(&report)), (Verdict::NoLeak, &[][..]), "{}", report.reason);
}

#[test]
fn nobody_is_named_where_all_come_in_turn() {
    let report = service(Served, |nth, _| nth as usize % 4, [0, 10 * KIB, 0, 0]).report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let all = endpoints(&report);
    assert!(all.iter().all(|one| !one.grows && !one.is_flat), "{all:?}");
    assert!(all.iter().any(|one| !one.together_with.is_empty()), "{all:?}");
}

#[test]
fn a_leak_of_an_endpoint_that_is_asked_less_and_less_does_not_level_off() {
    let report = service(Served, fewer, [0, 10 * KIB, 0, 0]).report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let first = endpoints(&report).first().unwrap();
    assert!(first.grows && first.name == "POST /score", "{first:?}");
    assert!(report.reason.contains("fewer of them"), "{}", report.reason);
}

#[test]
fn its_holder_and_its_line_are_named_as_well() {
    let scans = |w: &mut World, length: u64, cycle: u64, new: u64| {
        let (path, file) = ("app.SEEN[*]".to_owned(), "/job/app.py".to_owned());
        let holder = Holder { id: 1, path, kind: "list".to_owned(), file, ..Holder::default() };
        let bytes = new * 10 * KIB as u64;
        w.scans_grown(holder, Grown { cycle, length, bytes, new, ..Grown::default() });
    };
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 3);
    let stack = w.stack(&["/v/lib/python3.11/site-packages/flask/app.py:9 run", "/job/app.py:30 score"]);
    let told = std::cell::Cell::new(0);
    let report = seen_by(Served, fewer, w, |w, endpoint, of_it, nth| {
        if endpoint == 1 {
            w.makes(stack, 10 << 10, 1);
            if of_it.is_multiple_of(40) {
                scans(w, of_it, nth, of_it - told.replace(of_it));
            }
        }
    })
    .report_with_names();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [first] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(first.holder.as_ref().map(|holder| holder.path.as_str()), Some("app.SEEN[*]"));
    assert!(first.sites.iter().any(|site| site.file.ends_with("app.py") && site.line == 30), "{first:#?}");
    let explained = report.growth.as_ref().and_then(|growth| growth.explained).unwrap();
    assert!((explained - 1.0).abs() < 0.15, "{explained}");
}

#[test]
fn a_line_that_fills_a_cache_is_not_accused_whatever_the_mix() {
    for (fill, asked) in [(30.0, fewer as Asked), (60.0, fewer), (120.0, fewer), (60.0, mixed)] {
        let mut w = started();
        w.fact("cwd", "/job").records(16 << 10, 3);
        let stack = w.stack(&["/v/lib/python3.11/site-packages/flask/app.py:9 run", "/job/app.py:30 score"]);
        let report = seen_by(Served, asked, w, |w, endpoint, of_it, _| {
            let bytes = ((-(of_it as f64) / fill).exp() * 20480.0) as u64;
            if endpoint == 1 && bytes > 100 {
                w.makes(stack, bytes, 1);
            }
        })
        .report_with_names();
        assert_ne!(report.verdict, Verdict::Leak, "{fill}: {}", report.reason);
    }
}

#[test]
fn a_cache_of_one_endpoint_levels_off_whatever_the_mix() {
    let more = |nth: u64, noise: &mut Noise| fewer(1200 - nth, noise);
    let mixes: [(&str, Asked); 3] = [("fewer", fewer), ("more", more), ("mixed", mixed)];
    for fill in [15.0, 30.0, 60.0, 120.0] {
        let cache = |endpoint: usize, nth: u64| {
            let fresh = (-(nth as f64) / fill).exp();
            if endpoint == 1 { (fresh * (20 * KIB) as f64) as i64 } else { 0 }
        };
        for (name, asked) in mixes {
            let report = service_that(Served, asked, cache).report();
            assert_ne!(report.verdict, Verdict::Leak, "{fill}, {name}: {}", report.reason);
        }
    }
}
