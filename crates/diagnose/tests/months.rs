//! Services of a month, on a clock that is only told: their captures stay within the bound, and the verdict is that of all the time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use nilometer_capture::*;
use nilometer_diagnose::{Report, Verdict, diagnose};

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;
const DAY: u64 = 24 * HOUR;
const MIB: f64 = (1 << 20) as f64;
const UNIT: u64 = 64 << 10;
/// What the captures may take, in units.
const MOST: u64 = 128;

/// A service.
struct Service {
    days: u64,
    /// Seconds between two readings.
    every: u64,
    /// Bytes that each request keeps, and bytes that are kept once, from an hour on.
    leak: f64,
    once: f64,
    since: u64,
    /// It gets ten times the requests by day.
    sleeps: bool,
}

/// Requests per second.
fn load(service: &Service, at_ns: u64) -> f64 {
    let phase = (at_ns % DAY) as f64 / DAY as f64 * std::f64::consts::TAU;
    if service.sleeps { 11.0 - 9.0 * phase.cos() } else { 10.0 }
}

/// Pseudo-random, the same each time, from 0 to 1.
fn noise(n: u64) -> f64 {
    let mixed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (n >> 7).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Writes as the program and the supervisor do, and compacts as the supervisor does; the largest number of units.
fn run(path: &Path, service: &Service) -> u64 {
    let writer = Writer::create(path, false).unwrap();
    let compactor = Compactor::open(path).unwrap();
    compactor.limit(MOST);
    let fact = |key: &str, value: String| writer.append_at(0, &Record::Fact { key: key.to_owned(), value });
    fact("pid", std::process::id().to_string());
    fact("script", "server.py".to_owned());
    writer.append_sampling(1, &Sampling::Start { sample: 512 << 10 });
    let (mut requests, mut kept, mut most, mut id, mut least) = (0.0, 0.0, 0, 0_u64, 0);
    let mut waiting = std::collections::VecDeque::new();
    for n in 0..service.days * 24 * 3600 / service.every {
        let at = n * service.every * SECOND;
        let load = load(service, at);
        let new = load * service.every as f64;
        let before = requests as u64;
        requests += new;
        if at >= service.since * HOUR {
            kept += new * service.leak;
        }
        if at == service.since * HOUR {
            kept += service.once;
        }
        writer.board().count_cycles(CycleUnit::Served, requests as u64 - before);
        let ordinal = requests as u64;
        // Each request in flight has its buffers, and garbage waits for the collector.
        let live = 200.0 * MIB + kept + load * MIB * (0.5 + noise(n)) + 2.0 * MIB * noise(n * 31);
        let counters = Counters {
            heap_in_use: Some(live as u64),
            py_in_use: Some(30 << 20),
            rss_anon: Some((live + 50.0 * MIB) as u64),
            gc0: Some(n * 3),
            gc1: Some(n / 4),
            gc2: Some(n / 40),
            gc_enabled: Some(1),
            ..Counters::default()
        };
        let moment = Moment::Cycle { unit: CycleUnit::Served, ordinal };
        writer.append_at(at, &Record::Cycle { unit: CycleUnit::Served, ordinal });
        writer.append_reading(at, moment, &counters);
        let pid = Some(u64::from(std::process::id()));
        let outside = ProcessReading { pid, rss_anon: counters.rss_anon, ..ProcessReading::default() };
        writer.append_at(at, &Record::Process(Box::new(outside)));
        // A sample of a request's buffers, which dies with one of the next ones.
        id += 1;
        let birth = |id, stack| Birth {
            id,
            stack,
            size: 512 << 10,
            mean: 512 << 10,
            address: 64 * id,
            thread: 1,
            source: Source::Malloc,
        };
        writer.append_sampling(at, &Sampling::Birth(birth(id, 1)));
        waiting.push_back(id);
        if waiting.len() > 4 {
            writer.append_sampling(at, &Sampling::Death { id: waiting.pop_front().unwrap() });
        }
        let in_use = compactor.units_in_use();
        most = most.max(in_use);
        if in_use >= (MOST / 2).max(least) {
            least = compactor.compact(at, MOST / 4).unwrap().after + MOST / 16;
        }
    }
    most
}

fn judged(service: &Service) -> (Report, Capture) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.nilo");
    let most = run(&path, service);
    assert!(most <= MOST * 3 / 4, "{most} units");
    assert!(path.metadata().unwrap().len() <= 4096 + MOST * UNIT);
    let capture = Capture::open(&path).unwrap();
    assert_eq!(capture.losses, Vec::<String>::new());
    assert!(capture.header.compactions >= 3, "{}", capture.header.compactions);
    let report = diagnose(&capture, nilometer_frameworks::DIAGNOSE);
    (report, capture)
}

#[test]
fn a_healthy_service_of_a_month_whose_load_is_ten_times_as_high_by_day_does_not_leak() {
    let (report, _) = judged(&Service { days: 30, every: 10, leak: 0.0, once: 0.0, since: 0, sleeps: true });
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
}

#[test]
fn a_leak_that_begins_on_the_twentieth_day_is_found_and_weighed_per_request() {
    let (report, _) =
        judged(&Service { days: 30, every: 10, leak: 8192.0, once: 0.0, since: 480, sleeps: true });
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert_eq!(report.cycles.unit, "request");
}

#[test]
fn a_leak_of_all_the_time_is_weighed_as_without_compaction() {
    let service = Service { days: 30, every: 10, leak: 4096.0, once: 0.0, since: 0, sleeps: true };
    let (report, _) = judged(&service);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let growth = report.growth.unwrap();
    assert!((growth.bytes_per_cycle.estimate as f64 - 4096.0).abs() < 100.0, "{growth:?}");
}

#[test]
fn the_verdict_is_the_same_before_and_after() {
    for leak in [0.0, 8192.0] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.nilo");
        let service = Service { days: 2, every: 8, leak, once: 0.0, since: 0, sleeps: true };
        run(&path, &service);
        let before = Capture::open(&path).unwrap();
        let after = before.with_records(thin::thinned(&before.records, 2 * DAY, 1));
        assert!(after.records.len() < before.records.len());
        assert_eq!(
            diagnose(&before, nilometer_frameworks::DIAGNOSE).verdict,
            diagnose(&after, nilometer_frameworks::DIAGNOSE).verdict,
            "{leak}"
        );
    }
}

#[test]
fn a_leak_of_this_morning_is_found_after_weeks_that_went_well() {
    let service = Service { days: 30, every: 10, leak: 8192.0, once: 0.0, since: 30 * 24 - 5, sleeps: true };
    let (report, _) = judged(&service);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert!(report.reason.starts_with("in the last 6 h"), "{}", report.reason);
}

#[test]
fn what_came_once_this_morning_is_no_leak() {
    let once = 300.0 * MIB;
    let service = Service { days: 10, every: 10, leak: 0.0, once, since: 10 * 24 - 5, sleeps: true };
    assert_ne!(judged(&service).0.verdict, Verdict::Leak);
}
