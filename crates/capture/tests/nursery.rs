//! Young samples: none lost, none told twice, and the dead leave nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nilometer_capture::*;

struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn capture() -> (Place, Writer, Nursery) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let nursery = writer.nursery().unwrap();
    (Place { _folder: folder, path }, writer, nursery)
}

fn birth(id: u64) -> Birth {
    Birth {
        id,
        stack: id + 1,
        size: id * 16,
        mean: 4096,
        address: id << 12,
        thread: 7,
        source: Source::Python,
    }
}

fn read(place: &Place) -> (Vec<(u64, Birth)>, Vec<u64>) {
    let capture = Capture::open(&place.path).unwrap();
    assert_eq!(capture.losses, Vec::<String>::new());
    let (mut births, mut deaths) = (Vec::new(), Vec::new());
    for stamped in capture.records {
        match stamped.record {
            Record::Sampling(Sampling::Birth(birth)) => births.push((stamped.at_ns, birth)),
            Record::Sampling(Sampling::Death { id }) => deaths.push(id),
            other => panic!("{other:?}"),
        }
    }
    births.sort_by_key(|(_, birth)| birth.id);
    (births, deaths)
}

#[test]
fn young_samples_are_read_from_their_slots() {
    let (place, writer, nursery) = capture();
    for id in 1..=50 {
        assert!(nursery.put(&writer, id * 10, &birth(id)));
    }
    let expected: Vec<_> = (1..=50).map(|id| (id * 10, birth(id))).collect();
    assert_eq!(read(&place).0, expected);
}

#[test]
fn who_dies_young_leaves_nothing() {
    let (place, writer, nursery) = capture();
    for id in 1..=10_000 {
        assert!(nursery.put(&writer, writer.now(), &birth(id)));
        assert!(nursery.remove(&writer, id));
    }
    assert_eq!(read(&place), (vec![], vec![]));
    assert!(std::fs::metadata(&place.path).unwrap().len() < 3 * 65536);
}

#[test]
fn who_lived_for_long_is_told_also_from_a_slot_that_nobody_needed() {
    let (place, writer, nursery) = capture();
    assert!(nursery.put(&writer, 5, &birth(1)));
    while writer.now() < 260_000_000 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(nursery.put(&writer, writer.now(), &birth(2)));
    assert!(!nursery.remove(&writer, 1), "its death needs a record");
    assert!(nursery.remove(&writer, 2));
    assert_eq!(read(&place).0, vec![(5, birth(1))]);
}

#[test]
fn who_saw_the_end_of_a_cycle_is_told_also_from_a_slot_that_nobody_needed() {
    let (place, writer, nursery) = capture();
    let now = writer.now();
    assert!(nursery.put(&writer, now, &birth(1)));
    writer.board().count_cycle(CycleUnit::Epoch);
    assert!(nursery.put(&writer, writer.now(), &birth(2)));
    assert!(!nursery.remove(&writer, 1), "its death needs a record");
    assert!(nursery.remove(&writer, 2));
    assert_eq!(read(&place).0, vec![(now, birth(1))]);
}

#[test]
fn the_old_get_a_record_with_their_own_time_and_their_death_needs_one() {
    let (place, writer, nursery) = capture();
    let now = writer.now();
    for id in 1..=5000 {
        assert!(nursery.put(&writer, now + id, &birth(id)));
    }
    let expected: Vec<_> = (1..=5000).map(|id| (now + id, birth(id))).collect();
    assert_eq!(read(&place).0, expected);
    assert!(!nursery.remove(&writer, 1), "it has a record");
    assert!(nursery.put(&writer, writer.now(), &birth(5001)));
    assert!(nursery.remove(&writer, 5001), "it has none yet");
    assert_eq!(read(&place).0.len(), 5000);
}

#[test]
fn a_forked_childs_writer_touches_nothing() {
    let (place, writer, nursery) = capture();
    assert!(nursery.put(&writer, 1, &birth(1)));
    writer.close_in_child();
    assert!(!nursery.remove(&writer, 1));
    assert!(!nursery.put(&writer, 2, &birth(2)));
    assert_eq!(read(&place).0, vec![(1, birth(1))]);
}

#[test]
fn threads_lose_none_and_tell_none_twice() {
    let (place, writer, nursery) = capture();
    let (next, kept) = (AtomicU64::new(0), std::sync::Mutex::new(BTreeSet::new()));
    std::thread::scope(|scope| {
        for _thread in 0..8 {
            scope.spawn(|| {
                let mut mine = BTreeSet::new();
                for turn in 0..20_000_u64 {
                    let id = next.fetch_add(1, Relaxed) + 1;
                    assert!(nursery.put(&writer, writer.now(), &birth(id)));
                    if turn % 5 == 0 {
                        mine.insert(id);
                    } else if !nursery.remove(&writer, id) {
                        writer.append_sampling(id, &Sampling::Death { id });
                    }
                }
                kept.lock().unwrap().extend(mine);
            });
        }
    });
    let (births, deaths) = read(&place);
    let dead: BTreeSet<_> = deaths.iter().copied().collect();
    assert_eq!(dead.len(), deaths.len());
    let born: Vec<_> = births.iter().map(|(_, birth)| birth.id).collect();
    assert!(born.windows(2).all(|pair| pair[0] < pair[1]), "each once");
    let alive: BTreeSet<_> = born.into_iter().filter(|id| !dead.contains(id)).collect();
    assert_eq!(alive, *kept.lock().unwrap());
}

#[test]
fn slots_of_garbage_are_read_without_harm() {
    let (place, writer, nursery) = capture();
    for id in 1..=1500 {
        nursery.put(&writer, id, &birth(id));
    }
    let whole = std::fs::read(&place.path).unwrap();
    let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
    for _file in 0..300 {
        let mut file = whole.clone();
        for _byte in 0..200 {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            // The nursery is the first unit, behind the header page.
            file[4096 + chance as usize % 65536] = (chance >> 32) as u8;
        }
        let capture = Capture::parse(&file).unwrap();
        assert!(capture.records.len() <= 1500 + 200);
    }
}
