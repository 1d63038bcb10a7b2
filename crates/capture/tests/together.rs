//! Many at once: threads, processes, forks and kills. Whatever `append` promised is in the file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(unsafe_code, reason = "fork and kill are what is tested")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nilometer_capture::*;

const CHILD_WRITES_TO: &str = "TEST_CHILD_WRITES_TO";

fn mark(ordinal: u64) -> Record {
    Record::Cycle { unit: CycleUnit::Step, ordinal }
}

/// The ordinals of each process, in the order read.
fn marks(capture: &Capture) -> BTreeMap<u32, Vec<u64>> {
    let mut marks: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for stamped in &capture.records {
        if let Record::Cycle { ordinal, .. } = stamped.record {
            marks.entry(stamped.pid).or_default().push(ordinal);
        }
    }
    marks
}

/// Runs in a process of its own, until killed or its output is closed: says each ordinal after it was appended.
#[test]
fn child_that_appends_without_end() {
    let Some(path) = std::env::var_os(CHILD_WRITES_TO) else { return };
    let writer = Writer::join(Path::new(&path)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let writer = &writer;
            scope.spawn(move || {
                let mut ordinal = thread;
                loop {
                    let promised = writer.append(&mark(ordinal));
                    assert!(promised);
                    let said = format!("\nappended {ordinal}\n");
                    if std::io::stdout().lock().write_all(said.as_bytes()).is_err() {
                        return;
                    }
                    ordinal += 2;
                }
            });
        }
    });
}

fn spawn_appending_child(path: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_appends_without_end", "--nocapture"])
        .env(CHILD_WRITES_TO, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn nothing_that_was_promised_is_lost_at_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..40_usize {
        let path = folder.path().join(format!("{round}.nilo"));
        let _outside = Writer::create(&path, false).unwrap();
        let mut child = spawn_appending_child(&path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut promised = BTreeSet::new();
        let mut note = |line: String| {
            if let Some(ordinal) = line.strip_prefix("appended ").and_then(|number| number.parse().ok()) {
                promised.insert(ordinal);
            }
        };
        // From "just joined" to "in its third segment".
        for _ in 0..round * round * 11 {
            note(lines.next().unwrap().unwrap());
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
        let mut rest: Vec<String> = lines.map(Result::unwrap).collect();
        rest.pop(); // may be torn
        rest.into_iter().for_each(note);

        let capture = Capture::open(&path).unwrap();
        let found: BTreeSet<u64> =
            marks(&capture).remove(&child.id()).unwrap_or_default().into_iter().collect();
        let missing: Vec<_> = promised.difference(&found).collect();
        assert!(missing.is_empty(), "round {round}: {missing:?} of {}", promised.len());
        assert_eq!(capture.header.lost, 0);
    }
}

#[test]
fn several_processes_write_to_one_capture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let outside = Writer::create(&path, false).unwrap();
    let mut children: Vec<_> = (0..3).map(|_| spawn_appending_child(&path)).collect();
    let mut said = Vec::new();
    for child in &mut children {
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        said.push(lines.map(Result::unwrap).filter(|line| line.starts_with("appended")).take(6000).count());
        for ordinal in 0..5000 {
            assert!(outside.append(&mark(ordinal)));
        }
        // Read while all of them write: nothing is broken.
        let live = Capture::open(&path).unwrap();
        assert!(
            live.losses.iter().all(|loss| loss.contains("still at it") || loss.contains("extended")),
            "{live:?}"
        );
    }
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let capture = Capture::open(&path).unwrap();
    let marks = marks(&capture);
    assert_eq!(marks.len(), 4);
    assert_eq!(marks[&std::process::id()].len(), 15000);
    for child in &children {
        assert!(marks[&child.id()].len() >= 6000);
    }
    assert!(capture.records.is_sorted_by_key(|stamped| stamped.at_ns));
    assert!(said.iter().all(|count| *count == 6000));
}

#[test]
fn threads_share_a_writer_through_many_segments() {
    const THREADS: u64 = 8;
    const EACH: u64 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let writer = &writer;
            scope.spawn(move || {
                for ordinal in 0..EACH {
                    assert!(writer.append(&mark(thread * EACH + ordinal)));
                    writer.board().count_cycle(CycleUnit::Step);
                }
            });
        }
    });
    let capture = Capture::open(&path).unwrap();
    let mut found = marks(&capture).remove(&std::process::id()).unwrap();
    found.sort_unstable();
    assert!(found.into_iter().eq(0..THREADS * EACH));
    assert_eq!(capture.board.cycles(CycleUnit::Step), THREADS * EACH);
    assert_eq!(capture.losses, Vec::<String>::new());
    assert!(capture.header.units > 20, "{}", capture.header.units);
}

/// Forks; the child does `in_child` and leaves without any clean-up. False if it had to be killed or died.
fn fork(in_child: impl FnOnce()) -> bool {
    // SAFETY: the child calls only what may be called there, which is what is tested, and leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above; the alarm ends a child that hangs.
        unsafe { libc::alarm(20) };
        in_child();
        // SAFETY: as above.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: writes one number.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    status == 0
}

#[test]
fn a_forked_child_that_closed_its_writer_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    assert!(writer.append(&mark(1)));
    assert!(fork(|| {
        writer.close_in_child();
        for _ in 0..10_000 {
            if writer.append(&mark(7)) || writer.board().count_cycle(CycleUnit::Step) != 0 {
                // SAFETY: leaves.
                unsafe { libc::_exit(1) };
            }
        }
    }));
    assert!(writer.append(&mark(2)));
    let capture = Capture::open(&path).unwrap();
    assert_eq!(marks(&capture)[&std::process::id()], [1, 2]);
    assert_eq!((capture.header.lost, capture.board.cycles(CycleUnit::Step)), (0, 0));
}

#[test]
fn forks_in_the_middle_of_appends_neither_hang_nor_tear() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let appended = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0_usize;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        count += usize::from(writer.append(&mark(0)));
                    }
                    count
                })
            })
            .collect();
        for _ in 0..150 {
            // The child goes on writing, unasked, past the end of a segment that it may share with its parent.
            let child_ok = fork(|| {
                for _ in 0..6000 {
                    writer.append(&mark(1));
                }
            });
            assert!(child_ok, "a child hung or died");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    let capture = Capture::open(&path).unwrap();
    let of = |wanted| capture.records.iter().filter(|stamped| stamped.record == mark(wanted)).count();
    assert_eq!(of(0), appended);
    assert_eq!(of(1) as u64 + capture.header.lost, 150 * 6000);
    assert!(capture.header.lost < 150 * 60, "{}", capture.header.lost);
}
