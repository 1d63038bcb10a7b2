//! Samples that stay in the file are the same ones that a reader of everything finds, also where the file is torn.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use nilometer_capture::*;

/// Several segments of samples among other records, and some that lie in a nursery.
fn write(path: &Path) -> Vec<u8> {
    let writer = Writer::create(path, true).unwrap();
    let birth = |id: u64| {
        let source = if id.is_multiple_of(7) { Source::Region } else { Source::Malloc };
        Birth { id, stack: id % 50, size: id * 10, mean: 4096, address: id << 12, thread: 1, source }
    };
    for id in 1..20_000_u64 {
        writer.append_sampling(id, &Sampling::Birth(birth(id)));
        if id % 3 == 0 {
            writer.append_sampling(id + 5, &Sampling::Death { id });
        }
        if id % 100 == 0 {
            writer.append_at(id, &Record::Cycle { unit: CycleUnit::Step, ordinal: id / 100 });
        }
    }
    let nursery = writer.nursery().unwrap();
    for id in 20_000..20_010 {
        nursery.put(&writer, id, &birth(id));
    }
    std::fs::read(path).unwrap()
}

fn is_sample(stamped: &Stamped) -> bool {
    matches!(stamped.record, Record::Sampling(Sampling::Birth(_) | Sampling::Death { .. }))
}

fn sorted(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all
}

fn compare(path: &Path) -> usize {
    let (whole, streamed) = (Capture::open(path).unwrap(), Capture::open_streamed(path).unwrap());
    let others = |capture: &Capture| -> Vec<Stamped> {
        capture.records.iter().filter(|stamped| !is_sample(stamped)).cloned().collect()
    };
    assert_eq!(streamed.records, others(&whole));
    assert_eq!((&streamed.losses, &streamed.header), (&whole.losses, &whole.header));
    let samples = |capture: &Capture| {
        let mut out = Vec::new();
        capture.each_sample(|stamped| out.push(format!("{stamped:?}")));
        sorted(out)
    };
    let (a, b) = (samples(&whole), samples(&streamed));
    assert_eq!(a, b);
    assert_eq!(samples(&streamed), b, "as often as asked");
    a.len()
}

#[test]
fn streamed_samples_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nilo");
    let bytes = write(&path);
    assert_eq!(compare(&path), 19_999 + 6_666 + 10);
    for keep in [5000, 70_000, 300_001, bytes.len() - 9] {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        compare(&path);
    }
    let mut damaged = bytes.clone();
    for at in (20_000..damaged.len()).step_by(33_331) {
        damaged[at] ^= 0x55;
    }
    std::fs::write(&path, &damaged).unwrap();
    compare(&path);
}

#[test]
fn what_is_no_capture_is_told_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.nilo");
    std::fs::write(&path, b"something else").unwrap();
    for path in [path.as_path(), folder.path(), Path::new("/nowhere/c.nilo")] {
        let (a, b) = (Capture::open(path).unwrap_err(), Capture::open_streamed(path).unwrap_err());
        assert_eq!(a.to_string(), b.to_string());
    }
}
