//! Files that are cut, torn, damaged or from another version: the readable part is read, the rest is told, no panic.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use nilometer_capture::record::kind;
use nilometer_capture::*;

const UNIT: usize = 65536;
const COMMITTED: u32 = 1 << 31;

/// A capture made by hand from the words of the format's description, not by the writer.
fn by_hand(segments: &[&[(u32, Vec<u8>)]]) -> Vec<u8> {
    let mut file = vec![0; 4096];
    file[..8].copy_from_slice(b"\x89NILO\r\n\x1a");
    file[8..10].copy_from_slice(&1_u16.to_le_bytes());
    file[12..16].copy_from_slice(&4096_u32.to_le_bytes());
    file[16..20].copy_from_slice(&65536_u32.to_le_bytes());
    file[40..48].copy_from_slice(&(segments.len() as u64).to_le_bytes());
    for (number, records) in segments.iter().enumerate() {
        let mut unit = vec![0; 32];
        unit[..8].copy_from_slice(b"\x93segment");
        unit[8..12].copy_from_slice(&1_u32.to_le_bytes());
        unit[12..16].copy_from_slice(&(100 + number as u32).to_le_bytes());
        for (word, payload) in *records {
            unit.extend((word | payload.len() as u32).to_le_bytes());
            unit.extend(payload);
            unit.resize(unit.len().next_multiple_of(8), 0);
        }
        let used = unit.len() as u32;
        unit[20..24].copy_from_slice(&used.to_le_bytes());
        unit.resize(UNIT, 0);
        file.extend(unit);
    }
    file
}

fn committed(kind: u8) -> u32 {
    COMMITTED | u32::from(kind) << 24
}

/// "The n-th epoch ended at n."
fn epoch(n: u8) -> (u32, Vec<u8>) {
    (committed(kind::CYCLE), vec![n, 0, n])
}

/// The ordinals read, and what was told.
fn read(bytes: &[u8]) -> (Vec<u64>, Vec<String>) {
    let capture = Capture::parse(bytes).unwrap();
    let ordinals = capture.records.iter().map(|stamped| match stamped.record {
        Record::Cycle { ordinal, .. } => ordinal,
        ref other => panic!("{other:?}"),
    });
    (ordinals.collect(), capture.losses)
}

#[test]
fn a_file_made_by_hand_is_read() {
    let file = by_hand(&[&[epoch(1), epoch(3)], &[epoch(2)]]);
    let capture = Capture::parse(&file).unwrap();
    let told: Vec<_> = capture.records.iter().map(|stamped| (stamped.at_ns, stamped.pid)).collect();
    assert_eq!(told, [(1, 100), (2, 101), (3, 100)]);
    assert_eq!(capture.losses, Vec::<String>::new());
}

#[test]
fn a_record_being_written_at_the_end_is_no_loss() {
    let being_written = (u32::from(kind::CYCLE) << 24, vec![0, 0, 0]);
    let file = by_hand(&[&[epoch(1), being_written.clone(), being_written], &[epoch(2)]]);
    assert_eq!(read(&file), (vec![1, 2], vec![]));
}

#[test]
fn a_record_never_finished_hides_nothing_behind_it() {
    let torn = (u32::from(kind::FACT) << 24, vec![9; 50]);
    let (ordinals, losses) = read(&by_hand(&[&[epoch(1), torn, epoch(2)]]));
    assert_eq!(ordinals, [1, 2]);
    assert_eq!(losses.len(), 1);
    assert!(losses[0].starts_with("1 record skipped: not finished"), "{losses:?}");
}

#[test]
fn what_only_a_newer_version_knows_is_skipped_and_told() {
    let new_kind = (committed(99), vec![1, 2, 3]);
    let new_unit = (committed(kind::CYCLE), vec![1, 99, 3]);
    let new_moment = (committed(kind::READING), vec![1, 50, 0]);
    let (ordinals, losses) = read(&by_hand(&[&[new_kind, epoch(1), new_unit, new_moment, epoch(2)]]));
    assert_eq!(ordinals, [1, 2]);
    assert_eq!(losses.len(), 1);
    assert!(
        losses[0].starts_with("3 records skipped: of a kind that only a newer nilometer knows"),
        "{losses:?}"
    );
}

#[test]
fn fields_of_a_newer_version_are_read_over_and_fields_an_older_one_lacks_are_none() {
    let newer = (committed(kind::CYCLE), vec![1, 0, 1, 42, 42]);
    assert_eq!(read(&by_hand(&[&[newer]])), (vec![1], vec![]));
    // Two numbers, the second one present; and seventy, of which the first and the last are.
    let fewer = (committed(kind::SURROUNDINGS), vec![1, 2, 0b10, 7]);
    let more = (committed(kind::SURROUNDINGS), vec![2, 70, 1, 0, 0, 0, 0, 0, 0, 0, 0b10_0000, 8, 9]);
    let capture = Capture::parse(&by_hand(&[&[fewer, more]])).unwrap();
    let records: Vec<_> = capture.records.into_iter().map(|stamped| stamped.record).collect();
    let available = Surroundings { ram_available: Some(7), ..Surroundings::default() };
    let total = Surroundings { ram_total: Some(8), ..Surroundings::default() };
    assert_eq!(records, [Record::Surroundings(available), Record::Surroundings(total)]);
}

#[test]
fn bytes_that_make_no_sense_are_skipped_and_told() {
    let endless_number = (committed(kind::CYCLE), vec![0xff; 30]);
    let text_beyond_the_end = (committed(kind::FACT), [vec![1], vec![0xff; 9], vec![1, b'x']].concat());
    let numbers_beyond_the_end = (committed(kind::PROCESS), [vec![1], vec![0xff; 9], vec![1]].concat());
    let empty = (committed(kind::EXIT), vec![]);
    let all = [endless_number, epoch(1), text_beyond_the_end, numbers_beyond_the_end, empty, epoch(2)];
    let (ordinals, losses) = read(&by_hand(&[&all]));
    assert_eq!(ordinals, [1, 2]);
    assert_eq!(losses.len(), 1);
    assert!(losses[0].starts_with("4 records skipped: the bytes make no sense"), "{losses:?}");
}

#[test]
fn a_broken_segment_does_not_hide_the_next() {
    let segments: [&[_]; 2] = [&[epoch(1), epoch(2), epoch(3)], &[epoch(4)]];
    let second_word = 4096 + 32 + 8;
    for damage in [[0, 0, 0, 0], [0xff, 0xff, 0xff, 0x82]] {
        let mut file = by_hand(&segments);
        file[second_word..second_word + 4].copy_from_slice(&damage);
        let (ordinals, losses) = read(&file);
        assert_eq!(ordinals, [1, 4]);
        assert_eq!(losses, ["the rest of 1 segment skipped: the file was damaged there"]);
    }
    for (offset, damage) in [(0, [1, 2, 3, 4]), (8, [0, 0, 0, 0]), (8, [0xff; 4])] {
        let mut file = by_hand(&segments);
        file[4096 + offset..4096 + offset + 4].copy_from_slice(&damage);
        let (ordinals, losses) = read(&file);
        assert_eq!(ordinals, [4]);
        assert_eq!(losses, ["1 segment skipped: the file was damaged there"]);
    }
}

#[test]
fn a_unit_claimed_and_not_begun_is_stepped_over() {
    let mut file = by_hand(&[&[epoch(1)], &[], &[epoch(2)]]);
    file[4096 + UNIT..4096 + 2 * UNIT].fill(0);
    assert_eq!(read(&file), (vec![1, 2], vec![]));
}

#[test]
fn units_that_are_missing_are_told() {
    let file = by_hand(&[&[epoch(1)], &[epoch(2)]]);
    let (ordinals, losses) = read(&file[..4096 + UNIT]);
    assert_eq!(ordinals, [1]);
    assert_eq!(losses.len(), 1);
    assert!(losses[0].starts_with("the file is 64 KiB shorter than its header says"), "{losses:?}");
}

/// A capture of every kind of record, by the writer.
fn written() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let second = Writer::join(&path).unwrap();
    let counters = Counters { rss_anon: Some(1 << 40), cost_ns: Some(3), ..Counters::default() };
    for ordinal in 1..=3 {
        let unit = CycleUnit::Epoch;
        for record in [
            Record::Fact { key: "argv".into(), value: "[\"train.py\"]".into() },
            Record::Phase { name: "fit".into(), edge: Edge::Begin, thread: 1 },
            Record::Cycle { unit, ordinal },
            Record::Reading { moment: Moment::Cycle { unit, ordinal }, counters: Box::new(counters.clone()) },
            Record::Process(Box::new(ProcessReading { pid: Some(7), ..ProcessReading::default() })),
            Record::Surroundings(Surroundings { ram_total: Some(u64::MAX), ..Surroundings::default() }),
            Record::Child { pid: 8, parent: 7, role: "worker".into() },
            Record::Loss { what: "a reading".into(), count: 2 },
            Record::Exit(Exit { code: Some(-1), signal: None, memory_kill: MemoryKill::Cgroup }),
        ] {
            assert!(writer.append(&record) && second.append(&record));
        }
    }
    std::fs::read(&path).unwrap()
}

#[test]
fn a_file_cut_at_any_length_gives_what_stood_before_the_cut() {
    let file = written();
    let whole = Capture::parse(&file).unwrap();
    assert_eq!((whole.records.len(), whole.losses.len()), (54, 0));
    let mut most = 0;
    for length in 0..file.len() {
        match Capture::parse(&file[..length]) {
            Err(_) => assert!(length < 4096, "{length}"),
            Ok(capture) => {
                assert!(capture.records.len() >= most, "{length}: a longer file gives no less");
                if capture.records.len() > most {
                    assert!(capture.records.iter().all(|stamped| whole.records.contains(stamped)));
                }
                assert!(!capture.losses.is_empty(), "{length}: a cut is told");
                most = capture.records.len();
            }
        }
    }
    assert_eq!(most, 54);
}

/// A generator with a seed, so that a failure can be had again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

#[test]
fn damage_at_random_never_panics_nor_invents_a_flood() {
    let whole = written();
    let used = [(0, 512), (4096, 4096 + 1400), (4096 + UNIT, 4096 + UNIT + 1400)];
    for seed in 1..=20_000_u64 {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut file = whole.clone();
        for _ in 0..=chance.below(8) {
            let (begin, end) = used[chance.below(3)];
            let place = begin + chance.below(end - begin);
            match chance.below(4) {
                0 => file[place] ^= 1 << chance.below(8),
                1 => file[place] = chance.below(256) as u8,
                2 => file[place..place + 4].fill(if chance.below(2) == 0 { 0 } else { 0xff }),
                _ => file.copy_within(place..place + 64, 4096 + chance.below(1000)),
            }
        }
        if chance.below(4) == 0 {
            file.truncate(chance.below(file.len()));
        }
        if let Ok(capture) = Capture::parse(&file) {
            // A record takes 8 bytes at least, so that no damage makes more of them than the file has room for.
            assert!(capture.records.len() <= file.len() / 8, "seed {seed}");
            assert!(capture.losses.len() < 10, "seed {seed}");
            assert!(capture.records.is_sorted_by_key(|stamped| stamped.at_ns), "seed {seed}");
        }
    }
}
