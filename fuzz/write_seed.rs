//! Writes the seed of the fuzzer: a small capture with every kind of record, by two processes' worth of segments.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --bin write_seed -- fuzz/seeds/small.seed`
//! What is behind the last record of a segment is cut off where the reader allows it, as the fuzzer works best on small
//! files: units of 4 KiB instead of 64.

use std::path::Path;

use nilometer_capture::*;

const HEADER: usize = 4096;
const UNIT: usize = 65536;
const SMALL_UNIT: usize = 4096;

fn main() {
    let path = std::env::args().nth(1).expect("where to write to");
    let path = Path::new(&path);
    let capture = path.with_extension("nilo");
    let writer = Writer::create(&capture, true).expect("a new capture");
    let second = Writer::join(&capture).expect("the same capture");
    let unit = CycleUnit::Epoch;
    for ordinal in 1..=3 {
        let counters = Counters { rss_anon: Some(1 << 40), cost_ns: Some(3), ..Counters::default() };
        for record in [
            Record::Fact { key: "argv".into(), value: "[\"train.py\"]".into() },
            Record::Phase { name: "fit".into(), edge: Edge::Begin, thread: 1 },
            Record::Cycle { unit, ordinal },
            Record::Reading { moment: Moment::Cycle { unit, ordinal }, counters: Box::new(counters) },
            Record::Process(Box::new(ProcessReading { pid: Some(7), ..ProcessReading::default() })),
            Record::Surroundings(Surroundings { ram_total: Some(u64::MAX), ..Surroundings::default() }),
            Record::Child { pid: 8, parent: 7, role: "worker".into() },
            Record::Loss { what: "a reading".into(), count: 2 },
            Record::Exit(Exit { code: Some(-1), signal: Some(9), memory_kill: MemoryKill::Cgroup }),
        ]
        .into_iter()
        .chain(samples(ordinal).map(Record::Sampling))
        {
            assert!(writer.append(&record) && second.append(&record));
        }
    }
    let bytes = std::fs::read(&capture).expect("what was just written");
    let mut small = bytes[..HEADER].to_vec();
    small[16..20].copy_from_slice(&(SMALL_UNIT as u32).to_le_bytes());
    for unit in bytes[HEADER..].chunks(UNIT) {
        small.extend_from_slice(&unit[..SMALL_UNIT]);
    }
    assert_eq!(Capture::parse(&small).expect("a capture still").records.len(), 54 + 48);
    std::fs::write(path, small).expect("a place to write to");
    std::fs::remove_file(capture).expect("what was just written");
}

fn samples(ordinal: u64) -> impl Iterator<Item = Sampling<'static>> {
    let frames = vec![
        StackFrame::Native { address: 0x7f00_1234_5678 },
        StackFrame::Python { code: 1, line: 30 },
        StackFrame::Native { address: 0x7f00_1234_0000 },
        StackFrame::Cut(Cut::TooDeep),
    ];
    let birth = Birth {
        id: ordinal,
        stack: 4,
        size: 4096,
        mean: 1 << 19,
        address: 0x7f00_0000_1000,
        thread: 7,
        source: Source::Malloc,
    };
    [
        Sampling::Start { sample: 1 << 19 },
        Sampling::Module { start: 1 << 40, end: 2 << 40, bias: 1 << 40, path: "/lib/libc.so.6".into() },
        Sampling::Text { id: 1, text: "train.py".into() },
        Sampling::Code { id: 1, file: 1, function: 1, first_line: 20 },
        Sampling::Stack { first: 1, parent: 0, frames: frames.into() },
        Sampling::Birth(birth),
        Sampling::Death { id: ordinal },
        Sampling::Count(Box::new(SamplingCount { samples: Some(ordinal), ..SamplingCount::default() })),
    ]
    .into_iter()
}
