//! Workers that serve for a while and are replaced: their lives are judged together.

use crate::world::children::{job, recycles, worker};
use crate::world::{KIB, MIB, Noise, World};
use nilometer_capture::CycleUnit::{self, Epoch, Served, Task};
use nilometer_diagnose::{Report, Verdict, child_fact};

/// So many lives of 150 requests; `adds` has the life and the request.
fn lives(count: u64, requests: u64, adds: impl Fn(u64, u64) -> i64) -> Vec<World> {
    (0..count).map(|life| worker(Served, requests, |nth| adds(life, nth))).collect()
}

/// The same, where live memory sways by so many bytes around what is kept.
fn swaying(count: u64, requests: u64, sways: i64, adds: impl Fn(u64) -> i64) -> Vec<World> {
    let life = |life: u64| {
        let (mut noise, mut last) = (Noise(7 + 31 * life), 0);
        worker(Served, requests, |nth| {
            let level = noise.bytes(sways);
            let change = level - last + adds(nth);
            last = level;
            change
        })
    };
    (0..count).map(life).collect()
}

fn judged(workers: &[World]) -> Report {
    let report = recycles(8.0, workers);
    assert_eq!(report.job.program, Verdict::NoLeak);
    report
}

fn is_none(workers: &[World], world: &str) {
    let report = judged(workers);
    assert_eq!(report.verdict, Verdict::NoLeak, "{world}: {}", report.reason);
    assert_eq!((report.job.culprit, report.findings.len()), (None, 0), "{world}");
    assert_eq!(report.job.lives, None, "{world}");
}

#[test]
fn lives_that_leak_make_the_job_a_leak() {
    let report = judged(&lives(6, 150, |_, _| 8 * KIB));
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let culprit = report.job.culprit.as_ref().unwrap();
    assert_eq!((culprit.rate.as_str(), culprit.of, culprit.growing), ("8.0 KiB per request", 6, 6));
    let lives = report.job.lives.as_ref().unwrap();
    assert_eq!((lives.count, lives.judged, lives.unit, lives.cycles), (6, 6, "request", 150));
    assert!((lives.seconds - 7.5).abs() < 0.6, "{}", lives.seconds);
    assert_eq!((lives.bytes_per_cycle.estimate, lives.bytes_per_life), (8 * KIB, 150 * 8 * KIB));
    assert!(report.reason.contains("recycling hides it"), "{}", report.reason);
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn what_no_life_shows_alone_all_of_them_show_together() {
    let workers = swaying(8, 80, 200 * KIB, |_| 4 * KIB);
    for one in &workers {
        assert_ne!(one.report().verdict, Verdict::Leak, "{}", one.report().reason);
    }
    let report = judged(&workers);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.job.lives.unwrap().bytes_per_cycle;
    assert!(rate.low > 2 * KIB && (rate.low..=rate.high).contains(&(4 * KIB)), "{rate:?}");
}

#[test]
fn healthy_lives_are_none() {
    is_none(&lives(8, 150, |_, _| 0), "flat");
    is_none(&swaying(8, 80, 200 * KIB, |_| 0), "swaying");
    is_none(&lives(8, 150, |_, nth| if nth < 30 { 100 * KIB } else { 0 }), "a start-up of 30 requests");
    is_none(&lives(8, 150, |_, nth| if nth == 90 { 3 * MIB } else { 0 }), "a library that is imported late");
    is_none(&lives(8, 150, |_, nth| (100_000.0 * (-(nth as f64) / 20.0).exp()) as i64), "a cache that fills");
    is_none(&lives(8, 150, |_, _| 100), "next to nothing of each");
    is_none(&lives(8, 150, |life, _| if life == 3 { 8 * KIB } else { 0 }), "one life of eight is another");
}

#[test]
fn a_cache_that_fills_slower_than_a_life_is_no_leak_for_sure() {
    for time in [40.0, 60.0, 90.0] {
        let workers = swaying(8, 150, 100 * KIB, move |nth| (60_000.0 * (-(nth as f64) / time).exp()) as i64);
        assert_ne!(judged(&workers).verdict, Verdict::Leak, "within {time} requests");
    }
}

#[test]
fn growth_that_may_be_garbage_leaves_the_job_open() {
    let life = |_| {
        let mut w = World::new();
        for _ in 0..150 {
            w.passes(0.01).objects(40).takes(8 * KIB).ends_cycle(Served);
        }
        w
    };
    let workers: Vec<World> = (0..8).map(life).collect();
    assert_eq!(workers[0].report().verdict, Verdict::Undecided, "{}", workers[0].report().reason);
    let report = judged(&workers);
    assert_eq!(report.verdict, Verdict::Undecided, "{}", report.reason);
    assert!(report.reason.contains("before their growth can be judged"), "{}", report.reason);
    assert!(report.reason.contains("let each worker serve 10 times as many requests"), "{}", report.reason);
    assert_eq!(report.job.culprit, None);
    assert_eq!(report.job.lives.unwrap().bytes_per_cycle.estimate, 8 * KIB);
}

#[test]
fn who_does_one_piece_of_work_may_keep_it_to_the_end() {
    let of = |unit: CycleUnit| {
        let workers: Vec<World> = (0..6).map(|_| worker(unit, 60, |_| MIB)).collect();
        judged(&workers).verdict
    };
    assert_eq!(of(Epoch), Verdict::NoLeak, "a process for each fold");
    assert_eq!(of(Task), Verdict::Leak);
    let one_task: Vec<World> = (0..8).map(|_| worker(Task, 1, |_| 40 * MIB)).collect();
    is_none(&one_task, "a process for each task");
}

#[test]
fn workers_that_are_not_replaced_are_judged_one_by_one() {
    let report = recycles(30.0, &lives(1, 150, |_, _| 8 * KIB));
    assert_eq!(report.verdict, Verdict::Leak);
    assert_eq!(report.job.lives, None);
}

#[test]
fn the_floor_is_that_of_one_process_which_serves_as_much() {
    // 1 KiB is forgiven of 1,200 requests, and not of 40,000.
    is_none(&lives(8, 150, |_, _| KIB), "few");
    let many = recycles(60.0, &lives(8, 5_000, |_, _| KIB));
    assert_eq!(many.verdict, Verdict::Leak, "{}", many.reason);
}

/// Lives whose captures say that they leak, with these levels in KiB after each tenth request.
fn said_to_leak(level: impl Fn(u64) -> f64, holders: [&str; 4]) -> Report {
    let points: Vec<String> =
        (1..=30).map(|tenth| format!("[{},{}]", 10 * tenth, level(10 * tenth) * KIB as f64)).collect();
    let served = Served.number();
    let growth = "{\"estimate\":4096,\"low\":3500,\"high\":4500}";
    let mut w = job(60, true, 0, &[]);
    for (nth, holder) in holders.iter().enumerate() {
        let verdict = if holder.is_empty() { "no_leak" } else { "leak" };
        let (pid, from, points) = (20 + nth, 1_000 * nth, points.join(","));
        w.fact(
            &format!("child.{pid}.judged"),
            &format!(
                "{{\"verdict\":\"{verdict}\",\"held_by\":\"{holder}\",\"growth\":{growth},\"lived\":{{\"unit\":{served},\
                 \"command\":\"serve\",\"cycles\":300,\"garbage\":5000,\"from\":{from},\"to\":{},\"points\":[{points}]}}}}",
                from + 900
            ),
        );
    }
    w.report()
}

#[test]
fn lives_that_leak_by_their_own_word_bend_together() {
    let grows = |request: u64| 4.0 * request as f64;
    let bends = |request: u64| 1200.0 * (1.0 - (-(request as f64) / 90.0).exp());
    assert_eq!(said_to_leak(grows, ["a"; 4]).verdict, Verdict::Leak);
    assert_ne!(said_to_leak(bends, ["a"; 4]).verdict, Verdict::Leak);
}

#[test]
fn one_holder_in_several_lives_is_in_those_that_nobody_looked_at_too() {
    let of = |level: f64, holders| said_to_leak(move |request| level * request as f64, holders).verdict;
    assert_eq!(of(1.0, ["a", "", "a", "a"]), Verdict::Leak);
    assert_eq!(of(1.0, ["a", "", "a", ""]), Verdict::Undecided);
    assert_ne!(of(0.5, ["a", "", "", "a"]), Verdict::Leak);
    assert_eq!(of(0.0, ["a", "", "", ""]), Verdict::NoLeak);
}

#[test]
fn what_is_told_of_a_worker_that_was_looked_at_often_fits_into_a_record() {
    let said = |looks: u64| {
        let mut nth = 0;
        let mut w = worker(Task, 900, |_| 8 * KIB);
        w.fact("command", &format!("celery {}worker", "--option ".repeat(300)));
        while nth < looks {
            nth += 1;
            w.passes(0.2 * nth as f64).looked(false, &[]);
        }
        child_fact(20, &w.capture(), &w.report(), true, nilometer_frameworks::DIAGNOSE).1
    };
    for looks in [0, 100, 400] {
        let fact = said(looks);
        assert!(fact.len() < 4096, "{} bytes", fact.len());
        assert!(serde_json::from_str::<serde_json::Value>(&fact).is_ok());
    }
}
