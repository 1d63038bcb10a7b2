//! Compaction in a file that is in use: readers see all of it at any moment, and `kill -9` of anybody loses nothing that stays.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nilometer_capture::thin::thinned;
use nilometer_capture::*;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;
const UNIT: u64 = 64 << 10;
/// What the capture of the test with kills may take.
const MAX_UNITS: u64 = 128;
const PATH: &str = "TEST_COMPACTED";

fn tick(n: u64) -> Record {
    let counters = Counters { heap_in_use: Some(n), rss_anon: Some(n), ..Counters::default() };
    Record::Reading { moment: Moment::Tick, counters: Box::new(counters) }
}

fn birth(id: u64) -> Record {
    let birth =
        Birth { id, stack: 1, size: 4096, mean: 4096, address: 64 * id, thread: 1, source: Source::Malloc };
    Record::Sampling(Sampling::Birth(birth))
}

fn births(capture: &Capture) -> Vec<u64> {
    let mut ids = Vec::new();
    capture.each_sample(|stamped| {
        if let Record::Sampling(Sampling::Birth(birth)) = &stamped.record {
            ids.push(birth.id);
        }
    });
    ids.sort_unstable();
    ids
}

/// A capture of four readings a second for so many hours, closed.
fn filled(path: &Path, hours: u64) -> u64 {
    let writer = Writer::create(path, false).unwrap();
    for n in 0..hours * 3600 * 4 {
        assert!(writer.append_at(n * SECOND / 4, &tick(n)));
        if n % 1000 == 0 {
            assert!(writer.append_at(n * SECOND / 4, &birth(n / 1000 + 1)));
        }
    }
    hours * HOUR
}

#[test]
fn what_is_left_is_what_thinning_leaves_and_units_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let now = filled(&path, 12);
    let before = Capture::open(&path).unwrap();
    let compactor = Compactor::open(&path).unwrap();
    let in_use = compactor.units_in_use();
    let done = compactor.compact(now, in_use).unwrap();
    assert_eq!((done.before, done.harshness), (in_use, 0));
    let after = Capture::open(&path).unwrap();
    assert_eq!(after.records, thinned(&before.records, now, 0));
    assert_eq!((after.losses, after.header.compactions), (vec![], 1));
    assert!(done.after * 2 < in_use && compactor.units_in_use() == done.after, "{done:?}");
    // What was freed is used again: the file grows no more.
    let length = path.metadata().unwrap().len();
    let writer = Writer::join(&path).unwrap();
    for n in 0..50_000 {
        assert!(writer.append_at(now + n, &tick(n)));
    }
    assert_eq!(path.metadata().unwrap().len(), length);
    let again = Capture::open(&path).unwrap();
    assert_eq!(again.records.len(), after.records.len() + 50_000);
    assert_eq!(again.losses, Vec::<String>::new());
}

#[test]
fn a_second_compaction_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let now = filled(&path, 6);
    let compactor = Compactor::open(&path).unwrap();
    compactor.compact(now, 1000).unwrap();
    let first = Capture::open(&path).unwrap();
    compactor.compact(now, 1000).unwrap();
    let second = Capture::open(&path).unwrap();
    assert_eq!(first.records, second.records);
}

#[test]
fn a_reader_that_has_begun_sees_what_was_there_then() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let now = filled(&path, 6);
    let compactor = Compactor::open(&path).unwrap();
    let begun = Capture::open_streamed(&path).unwrap();
    let before = births(&begun);
    let done = compactor.compact(now, 1000).unwrap();
    assert!(compactor.units_in_use() > done.after, "somebody still reads");
    assert_eq!(births(&begun), before);
    assert_eq!(births(&Capture::open_streamed(&path).unwrap()), before);
    drop(begun);
    // A process that another test starts has the file open until it is another program.
    while !compactor.free_dead().unwrap() {}
    assert_eq!(compactor.units_in_use(), done.after);
    assert_eq!(births(&Capture::open_streamed(&path).unwrap()), before);
}

#[test]
fn a_segment_that_is_being_written_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    for n in 0..100 {
        assert!(writer.append_at(n, &tick(n)));
    }
    let compactor = Compactor::open(&path).unwrap();
    compactor.compact(10 * HOUR, 0).unwrap();
    assert!(writer.append_at(200, &tick(200)));
    assert_eq!(Capture::open(&path).unwrap().records.len(), 101);
}

#[test]
fn there_is_one_compactor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    drop(Writer::create(&path, false).unwrap());
    let first = Compactor::open(&path).unwrap();
    assert!(matches!(Compactor::open(&path), Err(CompactError::ByAnother)));
    drop(first);
    Compactor::open(&path).unwrap();
}

#[test]
fn a_full_capture_refuses_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    Compactor::open(&path).unwrap().limit(3);
    let written = (0..20_000).filter(|n| writer.append_at(*n, &tick(*n))).count();
    let capture = Capture::open(&path).unwrap();
    assert_eq!(capture.records.len(), written);
    assert!(path.metadata().unwrap().len() <= 4096 + 3 * UNIT);
    assert!(capture.losses[0].ends_with("because the capture had reached the size that --keep allows"));
}

#[test]
fn what_cannot_be_kept_small_enough_is_thinned_more_and_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let now = filled(&path, 12);
    let compactor = Compactor::open(&path).unwrap();
    let done = compactor.compact(now, 4).unwrap();
    assert!(done.harshness > 0 && done.after <= 4, "{done:?}");
    let births = births(&Capture::open(&path).unwrap());
    assert_eq!(births.len(), 12 * 3600 * 4 / 1000 + 1, "who lives stays");
}

/// Runs in a process of its own: four readings in each second of a time that runs fast, one in five hundred records a birth, which is said once it is
/// promised.
#[test]
fn child_that_writes_for_days() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let writer = Writer::join(Path::new(&path)).unwrap();
    let from = births(&Capture::open_streamed(Path::new(&path)).unwrap()).last().copied().unwrap_or(0);
    let mut id = from;
    for n in from * 500.. {
        if n % 500 == 499 {
            id += 1;
            if writer.append_at(n * SECOND / 4, &birth(id)) {
                let said = format!("\npromised {id}\n");
                std::io::stdout().lock().write_all(said.as_bytes()).unwrap();
            }
        } else {
            writer.append_at(n * SECOND / 4, &tick(n));
        }
    }
}

/// Compacts again and again, as of the time of the last record.
#[test]
fn child_that_compacts_without_end() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let path = Path::new(&path);
    let compactor = loop {
        match Compactor::open(path) {
            Ok(compactor) => break compactor,
            Err(CompactError::ByAnother) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
    };
    std::io::stdout().lock().write_all(b"\npromised 0\n").unwrap();
    loop {
        let now = Capture::open_streamed(path).unwrap().records.last().map_or(0, |last| last.at_ns);
        compactor.limit(MAX_UNITS);
        compactor.compact(now, 16).unwrap();
    }
}

fn child(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How often the file was compacted, by its header page.
fn compactions(path: &Path) -> u64 {
    let mut bytes = [0; 8];
    std::fs::File::open(path).unwrap().read_exact_at(&mut bytes, 752).unwrap();
    u64::from_le_bytes(bytes)
}

/// All ids that a child said before it was killed, of the lines that are whole.
fn promised(child: &mut Child) -> BTreeSet<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("promised ")?.parse().ok()).collect()
}

#[test]
fn nothing_that_stays_is_lost_when_anybody_is_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    drop(Writer::create(&path, false).unwrap());
    // Before the first writer: on a busy machine one filled the file before the other child had said what may be in it.
    Compactor::open(&path).unwrap().limit(MAX_UNITS);
    let mut all = BTreeSet::new();
    for round in 0..24_u64 {
        let mut writer = child("child_that_writes_for_days", &path);
        let mut compactor = child("child_that_compacts_without_end", &path);
        // Some are killed while they start, the others in the middle of their work.
        let until = compactions(&path) + u64::from(round % 4 != 3);
        while compactions(&path) < until {
            assert!(compactor.try_wait().unwrap().is_none(), "round {round}: nobody compacts any more");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 7919 % 60_000));
        if round % 3 != 1 {
            compactor.kill().unwrap();
        }
        if round % 3 == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        writer.kill().unwrap();
        compactor.kill().unwrap();
        all.extend(promised(&mut writer));
        writer.wait().unwrap();
        compactor.wait().unwrap();
        let capture = Capture::open_streamed(&path).unwrap();
        let there = births(&capture);
        let unique: BTreeSet<u64> = there.iter().copied().collect();
        assert_eq!(there.len(), unique.len(), "round {round}: none twice");
        let lost: Vec<&u64> = all.difference(&unique).filter(|id| **id > 0).collect();
        assert!(lost.is_empty(), "round {round}: lost {lost:?}");
        assert!(path.metadata().unwrap().len() <= 4096 + MAX_UNITS * UNIT);
        let told: Vec<&String> = capture.losses.iter().filter(|l| !l.contains("--keep allows")).collect();
        assert!(told.is_empty(), "round {round}: {told:?}");
    }
    assert!(compactions(&path) >= 18);
}

#[test]
fn another_run_goes_on_in_the_capture_of_one_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    // Closed as by a process that is gone: its number is given as one of the new run.
    let first = Writer::create(&path, false).unwrap();
    assert!(first.append_at(3 * SECOND, &tick(1)) && first.append_at(4 * SECOND, &birth(1)));
    first.board().count_cycle(CycleUnit::Served);
    let nursery = first.nursery().unwrap();
    let young = Birth { id: 1, stack: 1, size: 1, mean: 1, address: 1, thread: 1, source: Source::Malloc };
    assert!(nursery.put(&first, 5 * SECOND, &young));
    std::mem::forget((first, nursery));
    let second = Writer::resume(&path, &[std::process::id()]).unwrap();
    assert!(second.append(&tick(2)));
    second.board().count_cycle(CycleUnit::Served);
    second.board().count_cycle(CycleUnit::Served);
    for capture in [Capture::open(&path).unwrap(), Capture::open_streamed(&path).unwrap()] {
        let readings: Vec<&Record> = capture
            .records
            .iter()
            .map(|s| &s.record)
            .filter(|r| matches!(r, Record::Reading { .. }))
            .collect();
        assert_eq!(readings, [&tick(2)], "the report is of the new run");
        assert!(capture.records.iter().all(|stamped| stamped.at_ns < HOUR), "counted from its beginning");
        assert_eq!(capture.board.cycles(CycleUnit::Served), 2);
        assert_eq!(births(&capture), Vec::<u64>::new(), "what the first one had is gone");
    }
    drop(second);
    let third = Writer::resume(&path, &[]).unwrap();
    assert!(third.append(&tick(3)));
    let run = Capture::open(&path).unwrap().records.into_iter().find_map(|stamped| match stamped.record {
        Record::Fact { key, value } if key == thin::RUN_BEGINS => Some(value),
        _ => None,
    });
    assert_eq!(run.as_deref(), Some("3"));
}

#[test]
fn a_capture_that_is_in_use_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    drop(Writer::create(&path, false).unwrap());
    let _its_supervisor = Compactor::open(&path).unwrap();
    let error = Writer::resume(&path, &[]).err().unwrap().to_string();
    assert!(error.starts_with("another run is being recorded into"), "{error}");
}
