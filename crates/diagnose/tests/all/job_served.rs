//! A program that lets workers serve, and is itself too short to be judged by time.

use crate::world::children::{Child, child};
use crate::world::{KIB, MIB, World};
use nilometer_capture::CycleUnit::Served;
use nilometer_capture::{Moment, Record};
use nilometer_diagnose::{Report, Verdict, child_fact};

/// Four seconds of a program that rises by so much in each. Its workers' captures have so many requests, each of which keeps so much.
fn serves(rises: i64, workers: &[(u64, i64)]) -> Report {
    let mut w = World::new();
    w.fact("pid", "10").fact("argv", "[\"gunicorn\"]");
    let pids = || (20..).zip(workers);
    let lives: Vec<Child> = pids().map(|(pid, _)| child(pid, &format!("worker {pid}"), |_| 50.0)).collect();
    for life in pids() {
        w.say(&Record::Child { pid: life.0, parent: 10, role: format!("worker {}", life.0) });
    }
    w.takes(20 * MIB);
    for quarter in 1..=16 {
        w.passes(0.25).takes(rises / 4).reads(Moment::Tick);
        for life in &lives {
            life.is_seen(&mut w, f64::from(quarter) / 4.0, quarter == 8);
        }
    }
    for (pid, (requests, keeps)) in pids() {
        let mut own = World::new();
        for nth in 0..*requests {
            let breath = [4, -4][nth as usize % 2] * KIB;
            own.passes(0.002).takes(keeps + breath).ends_cycle(Served);
        }
        let mut capture = own.capture();
        capture.header.start_mono_ns = w.capture().header.start_mono_ns + 1_000_000_000;
        let (key, value) = child_fact(pid, &capture, &own.report(), true, nilometer_frameworks::DIAGNOSE);
        w.fact(&key, &value);
    }
    w.report()
}

#[test]
fn workers_that_do_not_leak_settle_a_short_program() {
    let report = serves(0, &[(900, 0), (1100, 0)]);
    assert_eq!((report.verdict, report.cycles.needed), (Verdict::NoLeak, None), "{}", report.reason);
    assert_eq!(report.job.program, Verdict::Undecided);
    let said = "its 2 workers do not leak, by 2000 requests; live memory of the program itself rose by 0 B meanwhile";
    assert_eq!(report.reason, said);
}

#[test]
fn they_settle_nothing_where_one_is_unsure_or_the_program_rises() {
    assert_eq!(serves(0, &[(900, 0), (6, 0)]).verdict, Verdict::Undecided, "six requests are too few");
    assert_eq!(serves(MIB, &[(900, 0), (1100, 0)]).verdict, Verdict::Undecided, "the program itself rises");
    assert_eq!(serves(0, &[(900, 0), (900, 20 * KIB)]).verdict, Verdict::Leak);
    assert_eq!(serves(0, &[]).verdict, Verdict::Undecided);
}
