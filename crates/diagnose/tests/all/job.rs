//! The job is the program with the processes that it started: which of them make it a leak, and which do not.

use crate::world::children::{Child, PROGRAM, child, job, trains};
use crate::world::{MIB, World};
use nilometer_capture::CycleUnit::Step;
use nilometer_capture::Record;
use nilometer_diagnose::{Report, Verdict, child_fact};

fn is_leak_of(report: &Report, pid: u64) {
    let culprit = report.job.culprit.as_ref().map(|culprit| culprit.pid);
    assert_eq!((report.verdict, culprit), (Verdict::Leak, Some(pid)), "{}", report.reason);
    assert_ne!(report.job.program, Verdict::Leak);
}

fn is_none(children: &[Child]) {
    let report = trains(children);
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert_eq!((report.job.culprit, report.findings.len()), (None, 0));
}

#[test]
fn a_loader_that_grows_makes_the_job_a_leak() {
    let report = trains(&[child(7, "loader", |age| 50.0 + 2.0 * age)]);
    is_leak_of(&report, 7);
    let culprit = report.job.culprit.unwrap();
    let per_cycle = culprit.bytes_per_cycle.unwrap();
    assert!((per_cycle.estimate - 4 * MIB).abs() < MIB / 10, "{per_cycle:?}");
    assert!(per_cycle.low <= 4 * MIB && per_cycle.high >= 4 * MIB, "{per_cycle:?}");
    let per_minute = culprit.bytes_per_minute.unwrap();
    assert!((per_minute.estimate - 120 * MIB).abs() < 3 * MIB, "{per_minute:?}");
    let reason =
        "loader (pid 7), a process that the program started, grows by 4.0 MiB per epoch to the end (95 %:";
    assert!(report.reason.starts_with(reason), "{}", report.reason);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!(finding.sentence, "loader (pid 7) grows by 4.0 MiB per epoch");
    assert_eq!((finding.confidence, finding.process), ("likely", Some(7)));
    let steps: Vec<&str> = report.next_steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(steps, ["nilometer run --children train.py"], "nothing that looks into the program itself");
    assert_eq!(report.growth.unwrap().bytes_per_cycle.estimate, 0, "that is the program's own");
}

#[test]
fn without_cycles_minutes_serve_and_more_of_them() {
    let grows = |seconds| job(seconds, false, 0, &[child(7, "loader", |age| 50.0 + 2.0 * age)]).report();
    let report = grows(40);
    is_leak_of(&report, 7);
    assert_eq!(report.findings[0].sentence, "loader (pid 7) grows by 120 MiB per minute");
    assert_eq!(report.job.culprit.unwrap().bytes_per_cycle, None);
    assert_eq!(grows(30).job.culprit, None, "20 s after the start-up third are needed");
}

#[test]
fn a_few_cycles_are_no_measure() {
    // Eight epochs after the start-up third: neither twelve of them nor 20 s.
    let report = job(26, true, 0, &[child(7, "loader", |age| 50.0 + 2.0 * age)]).report();
    assert_eq!(report.job.culprit, None);
    let report = job(38, true, 0, &[child(7, "loader", |age| 50.0 + 2.0 * age)]).report();
    is_leak_of(&report, 7);
}

/// Of a job of so many quarters of a second with twenty cycles in each second, from one on.
fn fast_cycles(quarters: u32, cycles_from: u32, loader: &Child) -> Report {
    let mut w = World::new();
    w.fact("pid", &PROGRAM.to_string());
    for quarter in 0..quarters {
        loader.is_seen(&mut w, f64::from(quarter) / 4.0, false);
        for _ in 0..if quarter < cycles_from { 0 } else { 5 } {
            w.passes(0.05).ends_cycle(Step);
        }
        w.passes(if quarter < cycles_from { 0.25 } else { 0.0 });
    }
    w.report()
}

#[test]
fn any_number_of_readings_has_its_windows() {
    // 12 to 21 readings are judged, which no six windows of one length share evenly.
    for quarters in 76..84 {
        let level = |age: f64| if age < 13.0 { 30.0 } else { 30.0 + 20.0 * (age - 13.0) };
        is_leak_of(&fast_cycles(quarters, 56, &child(7, "loader", level)), 7);
    }
}

/// Of a job of 20 cycles of a second and 20 of a quarter, in each of which a reader gathers so many MiB.
fn cycles_that_get_faster(per_cycle: f64) -> Report {
    let mut w = World::new();
    w.fact("pid", &PROGRAM.to_string());
    let reader =
        child(7, "reader", move |age| 50.0 + per_cycle * if age < 20.0 { age } else { 4.0 * age - 60.0 });
    for quarter in 4..=104_u32 {
        w.passes(0.25);
        reader.is_seen(&mut w, f64::from(quarter) / 4.0, false);
        if quarter > 84 || quarter % 4 == 0 {
            w.ends_cycle(Step);
        }
    }
    w.report()
}

#[test]
fn cycles_that_get_faster_hide_no_rise() {
    // Most readings fall into the first, slow cycles; the rise is known by the cycles.
    is_leak_of(&cycles_that_get_faster(0.36), 7);
    assert_eq!(cycles_that_get_faster(0.25).job.culprit, None, "a rise of 8 MiB counts");
}

#[test]
fn many_cycles_make_no_life_of_a_start_up() {
    let loader = || child(7, "loader", |age| 30.0 + 20.0 * age);
    assert_eq!(
        fast_cycles(26, 4, &loader()).job.culprit,
        None,
        "5.5 s, and nobody knows when it had imported"
    );
    is_leak_of(&fast_cycles(30, 4, &loader()), 7);
}

#[test]
fn a_short_life_is_judged_once_it_has_imported() {
    let loader = |imports| child(7, "loader", |age| 30.0 + 20.0 * age).imports(imports);
    is_leak_of(&fast_cycles(24, 4, &loader(1.0)), 7);
    is_leak_of(&fast_cycles(24, 4, &loader(1.7)), 7);
    assert_eq!(fast_cycles(24, 4, &loader(2.5)).job.culprit, None, "too few readings after it");
    assert_eq!(fast_cycles(24, 4, &loader(9.0)).job.culprit, None, "it imports to its end");
    is_leak_of(&fast_cycles(30, 4, &loader(9.0)), 7); // it may map its data
}

#[test]
fn code_that_is_mapped_bit_by_bit_is_no_import() {
    let reader = |mib| child(7, "reader", |age| 30.0 + 20.0 * age).imports(0.0).maps(3.0, mib);
    is_leak_of(&fast_cycles(24, 4, &reader(3.0)), 7);
    assert_eq!(fast_cycles(24, 4, &reader(5.0)).job.culprit, None, "4 MiB are an import");
}

/// Cycles for eight seconds, then none for so many while the loader lives on.
fn lives_on(seconds: u32, loader: &Child) -> Report {
    let mut w = World::new();
    w.fact("pid", &PROGRAM.to_string());
    for quarter in 0..4 * (8 + seconds) {
        loader.is_seen(&mut w, f64::from(quarter) / 4.0, false);
        let works = quarter < 32;
        for _ in 0..if works { 5 } else { 0 } {
            w.passes(0.05).ends_cycle(Step);
        }
        w.passes(if works { 0.0 } else { 0.25 });
    }
    w.report()
}

#[test]
fn what_a_loader_gives_back_as_it_ends_hides_nothing() {
    // Its function returns after 57.5 s; the last reading of what it shares with nobody comes half a second later.
    let loader = child(7, "loader", |age| if age > 57.5 { 10.0 } else { 50.0 + 2.0 * age });
    is_leak_of(&trains(&[loader]), 7);
}

#[test]
fn a_reader_that_is_seen_while_it_ends_has_grown_all_the_same() {
    // A third of what it gathered is gone at the last reading, which is little of all that it has.
    let reader = child(7, "reader", |age| if age > 57.5 { 875.0 } else { 800.0 + 2.0 * age });
    is_leak_of(&trains(&[reader]), 7);
}

#[test]
fn a_process_that_outlives_the_work_is_judged_by_the_work() {
    let grows = |until: f64| child(7, "loader", move |age: f64| 60.0 + 12.0 * age.min(until));
    is_leak_of(&lives_on(0, &grows(8.0)), 7);
    is_leak_of(&lives_on(16, &grows(8.0)), 7);
    assert_eq!(lives_on(16, &grows(3.0)).job.culprit, None, "it filled, and the work went on");
}

#[test]
fn a_rise_that_pauses_or_slows_is_none() {
    is_none(&[child(7, "loader", |age| 50.0 + 2.0 * age.min(32.0) + 2.0 * (age - 41.0).max(0.0))]);
    is_none(&[child(7, "loader", |age| 50.0 + 3.0 * age.min(40.0) + 1.2 * (age - 40.0).max(0.0))]);
}

#[test]
fn memory_that_is_flat_or_ends_its_rise_is_none() {
    is_none(&[child(7, "loader", |_| 50.0)]);
    is_none(&[child(7, "loader", |age| 50.0 + (4.0 * age).min(80.0))]); // starts up
    is_none(&[child(7, "loader", |age| 50.0 + (3.0 * age).min(130.0))]); // ends it in the judged part
    is_none(&[child(7, "loader", |age| if age > 35.0 { 90.0 } else { 50.0 })]); // a step
    is_none(&[child(7, "loader", |age| 50.0 + 30.0 * (age / 15.0).floor())]); // a few steps
    is_none(&[child(7, "loader", |age| 90.0 + 30.0 * (age / 3.0).sin())]); // sways
    is_none(&[child(7, "loader", |age| 90.0 + 30.0 * (age / 9.0).sin())]); // sways slowly
}

#[test]
fn a_cache_that_fills_is_none_and_one_whose_end_is_out_of_sight_is() {
    let cache = |time: f64| child(7, "loader", move |age| 50.0 + 300.0 * (1.0 - (-age / time).exp()));
    for time in [5.0, 10.0, 20.0, 30.0] {
        is_none(&[cache(time)]);
    }
    is_leak_of(&trains(&[cache(1000.0)]), 7);
}

#[test]
fn the_rise_must_be_more_than_an_allocator_keeps() {
    // Two thirds of a minute are judged, in windows of which the last begins five sixths into it.
    let by = |per_second: f64, base: f64| child(7, "loader", move |age| base + per_second * age);
    is_none(&[by(7.5 / 33.0, 50.0)]);
    is_leak_of(&trains(&[by(9.0 / 33.0, 50.0)]), 7);
    is_none(&[by(45.0 / 33.0, 950.0)]);
    is_leak_of(&trains(&[by(60.0 / 33.0, 950.0)]), 7);
}

#[test]
fn short_lives_are_none() {
    let grows = |age: f64| 50.0 + 2.0 * age;
    is_none(&[child(7, "loader", grows).lives(35.0, 60.0)]); // less than half of the work
    is_leak_of(&trains(&[child(7, "loader", grows).lives(25.0, 60.0)]), 7);
    is_none(&[child(7, "loader", grows).lives(1.0, 50.0)]); // gone long before the end
    is_leak_of(&trains(&[child(7, "loader", grows).lives(1.0, 57.0)]), 7);
    let short = job(12, true, 0, &[child(7, "loader", |age| 50.0 + 20.0 * age)]).report();
    assert_eq!(short.job.culprit, None);
}

#[test]
fn what_a_child_gives_back_as_it_ends_hides_no_leak() {
    let until = |end: f64| {
        child(7, "loader", move |age| if age > end { 40.0 } else { 50.0 + 2.0 * age }).lives(1.0, 60.0)
    };
    is_leak_of(&trains(&[until(58.3)]), 7);
    is_none(&[until(50.0)]);
}

#[test]
fn workers_that_are_replaced_are_none() {
    let worker = |n: u32| {
        let from = 1.0 + 15.0 * f64::from(n);
        child(20 + u64::from(n), &format!("ForkPoolWorker-{n}"), |age| 50.0 + 4.0 * age)
            .lives(from, from + 14.0)
    };
    is_none(&(0..4).map(worker).collect::<Vec<_>>());
    // One that grows for as long as the job lasts, after the first of its kind was replaced by it.
    let first = worker(0).lives(1.0, 4.0);
    is_none(&[first, child(30, "ForkPoolWorker-9", |age| 50.0 + 4.0 * age).lives(5.0, 60.0)]);
}

#[test]
fn of_a_pool_the_one_that_grows_is_named() {
    let worker = |pid: u64, per_second: f64| {
        child(pid, &format!("gunicorn worker {pid}"), move |age| 50.0 + per_second * age)
    };
    is_none(&[worker(20, 0.0), worker(21, 0.0), worker(22, 0.0), worker(23, 0.0)]);
    let report = trains(&[worker(20, 0.0), worker(21, 0.0), worker(22, 2.0), worker(23, 0.0)]);
    is_leak_of(&report, 22);
    assert!(report.reason.contains("3 others of its kind do not"), "{}", report.reason);
    let report = trains(&[worker(20, 1.0), worker(21, 0.0), worker(22, 2.0), worker(23, 1.5)]);
    is_leak_of(&report, 22);
    assert!(report.reason.contains("one of 3 that grow"), "{}", report.reason);
    let culprit = report.job.culprit.unwrap();
    assert_eq!((culprit.of, culprit.growing), (4, 3));
}

#[test]
fn pages_that_turn_private_are_told_by_name_and_are_none() {
    let reader = || child(7, "ForkPoolWorker-1", |_| 400.0).private(|age| 2.0 + (8.0 * age).min(390.0));
    is_none(&[reader()]);
    let turned = trains(&[reader()]).processes[0].turned_private_bytes.unwrap().cast_signed();
    assert!((turned - 390 * MIB).abs() < 20 * MIB, "{turned}");
    // A spawned worker's memory is its own from the start: nothing turns.
    let spawned = trains(&[child(7, "loader", |age| 50.0 + 2.0 * age)]);
    assert_eq!(spawned.processes[0].turned_private_bytes, None);
    // It reads what it inherited, and leaks besides.
    let both = child(7, "w", |age| 400.0 + 2.0 * age).private(|age| (8.0 * age).min(390.0) + 2.0 * age);
    is_leak_of(&trains(&[both]), 7);
}

#[test]
fn growth_that_is_shared_with_others_is_none_of_its_own() {
    is_none(&[child(7, "loader", |age| 50.0 + 2.0 * age).private(|_| 20.0)]);
}

#[test]
fn a_leak_of_the_program_itself_stays_the_subject() {
    let report = job(60, true, 4 * MIB, &[child(7, "loader", |_| 50.0)]).report();
    assert_eq!((report.verdict, report.job.program), (Verdict::Leak, Verdict::Leak));
    assert_eq!(report.job.culprit, None);
    assert!(report.reason.starts_with("live memory grows"), "{}", report.reason);
    let both = job(60, true, 4 * MIB, &[child(7, "loader", |age| 50.0 + 2.0 * age)]).report();
    assert_eq!(both.job.culprit, None);
    assert!(both.reason.starts_with("live memory grows"), "{}", both.reason);
    assert_eq!(both.findings.last().unwrap().process, Some(7), "and the child is told as well");
}

#[test]
fn what_a_childs_own_capture_says_counts_more_than_its_resident_memory() {
    let says = |of: &World, level: fn(f64) -> f64| {
        let (key, value) = child_fact(7, &of.capture(), &of.report(), true, nilometer_frameworks::DIAGNOSE);
        let mut w = job(60, true, 0, &[child(7, "loader", level)]);
        w.fact(&key, &value);
        w.report()
    };
    let (leaks, healthy) = (job(60, true, 4 * MIB, &[]), job(60, true, 0, &[]));
    let report = says(&healthy, |age| 50.0 + 2.0 * age);
    assert_eq!((report.verdict, report.job.culprit), (Verdict::NoLeak, None));
    let report = says(&leaks, |_| 50.0);
    is_leak_of(&report, 7);
    assert_eq!(report.findings[0].sentence, "loader (pid 7) grows by 4.0 MiB per epoch");
}

#[test]
fn a_worker_of_which_it_is_undecided_is_not_told_to_be_healthy() {
    let with = |other: &World| {
        let mut w = job(60, true, 0, &[child(7, "worker 1", |_| 50.0), child(8, "worker 2", |_| 50.0)]);
        for (pid, of) in [(7, &job(60, true, 4 * MIB, &[])), (8, other)] {
            let (key, value) =
                child_fact(pid, &of.capture(), &of.report(), true, nilometer_frameworks::DIAGNOSE);
            w.fact(&key, &value);
        }
        w.report()
    };
    let few = job(3, true, 4 * MIB, &[]);
    assert_eq!(few.report().verdict, Verdict::Undecided);
    let report = with(&few);
    is_leak_of(&report, 7);
    assert!(report.reason.contains("another of its kind is undecided"), "{}", report.reason);
    let report = with(&job(60, true, 0, &[]));
    is_leak_of(&report, 7);
    assert!(report.reason.contains("another of its kind does not"), "{}", report.reason);
}

#[test]
fn growth_beyond_what_a_childs_allocators_know_is_judged_from_outside() {
    let with = |unseen_mib: i64| {
        let mut w = job(60, true, 0, &[child(7, "loader", |age| 50.0 + 2.0 * age)]);
        let said = format!("{{\"verdict\":\"no_leak\",\"unseen_per_minute\":{}}}", unseen_mib * MIB);
        w.fact("child.7.judged", &said);
        w.report()
    };
    // It grows by 120 MiB per minute.
    is_leak_of(&with(110), 7);
    assert_eq!(with(30).verdict, Verdict::NoLeak);
}

#[test]
fn what_a_look_at_a_childs_heap_takes_is_not_its_growth() {
    // Each look takes more than the one before, which would be a rise without a break.
    let mut w =
        job(60, true, 0, &[child(7, "loader", |age| if age < 9.0 { 50.0 } else { 50.0 + 2.0 * age })]);
    let start = w.capture().header.start_mono_ns;
    let looks = format!("[[{},{}]]", start + 9_000_000_000, start + 70_000_000_000);
    w.fact("child.7.judged", &format!("{{\"verdict\":\"undecided\",\"looks\":{looks}}}"));
    assert_eq!(w.report().verdict, Verdict::NoLeak);
    w.fact("child.7.judged", "{\"verdict\":\"undecided\",\"looks\":[[1,2]]}");
    is_leak_of(&w.report(), 7);
}

#[test]
fn a_child_that_is_looked_at_all_the_time_still_leaks_by_its_own_capture() {
    let of = job(60, true, 4 * MIB, &[]);
    let (key, value) = child_fact(7, &of.capture(), &of.report(), true, nilometer_frameworks::DIAGNOSE);
    let mut w = job(60, true, 0, &[child(7, "worker", |age| 50.0 + age)]);
    let start = w.capture().header.start_mono_ns;
    let looks = format!("\"looks\":[[{start},{}]]", start + 70_000_000_000);
    assert!(value.contains("\"looks\":[]"), "{value}");
    w.fact(&key, &value.replace("\"looks\":[]", &looks));
    let report = w.report();
    is_leak_of(&report, 7);
    let [process] = report.processes.as_slice() else { panic!("{:?}", report.processes) };
    assert_eq!(process.first_bytes, 50 << 20, "what it had is told all the same");
}

#[test]
fn the_name_that_the_program_gave_a_child_is_told() {
    let mut w = job(60, true, 0, &[child(7, "python -c spawn_main()", |age| 50.0 + 2.0 * age)]);
    // Written by the program about its own child; the supervisor's word came before and comes again.
    w.say(&Record::Child { pid: 7, parent: u64::from(std::process::id()), role: "loader".to_owned() });
    w.say(&Record::Child { pid: 7, parent: PROGRAM, role: "python -c spawn_main()".to_owned() });
    assert!(w.report().reason.starts_with("loader (pid 7)"));
}
