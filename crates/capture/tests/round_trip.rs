//! What goes in comes out: every kind of record, through a real file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;

use nilometer_capture::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn unit() -> impl Strategy<Value = CycleUnit> {
    (0..10_u8).prop_map(|number| CycleUnit::from_number(number).unwrap())
}

fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![Just(Edge::Begin), Just(Edge::End)]
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![
        (unit(), any::<u64>()).prop_map(|(unit, ordinal)| Moment::Cycle { unit, ordinal }),
        Just(Moment::Phase),
        Just(Moment::Tick),
        Just(Moment::BeforeExit),
        Just(Moment::AfterExitCollection),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<Option<u64>>> {
    vec(option::of(any::<u64>()), 24)
}

fn kill() -> impl Strategy<Value = MemoryKill> {
    prop_oneof![
        Just(MemoryKill::None),
        Just(MemoryKill::Cgroup),
        Just(MemoryKill::System),
        Just(MemoryKill::Rlimit),
    ]
}

fn frame() -> impl Strategy<Value = StackFrame> {
    prop_oneof![
        // User space on x86-64 and aarch64 ends below 2^56.
        (0..1_u64 << 56).prop_map(|address| StackFrame::Native { address }),
        (0..1_u64 << 60, any::<u32>()).prop_map(|(code, line)| StackFrame::Python { code, line }),
        (0..6_u64).prop_map(|number| StackFrame::Cut(Cut::from_number(number))),
    ]
}

fn sampling() -> impl Strategy<Value = Sampling<'static>> {
    let text = || "\\PC{0,60}";
    let number = any::<u64>;
    prop_oneof![
        number().prop_map(|sample| Sampling::Start { sample }),
        (number(), number(), number(), text()).prop_map(|(start, end, bias, path)| Sampling::Module {
            start,
            end,
            bias,
            path: path.into()
        }),
        (number(), text()).prop_map(|(id, text)| Sampling::Text { id, text: text.into() }),
        (number(), number(), number(), number())
            .prop_map(|(id, file, function, first_line)| Sampling::Code { id, file, function, first_line }),
        (number(), number(), vec(frame(), 0..80)).prop_map(|(first, parent, frames)| Sampling::Stack {
            first,
            parent,
            frames: frames.into()
        }),
        ((number(), number(), number(), number()), number(), number(), 0..6_u64).prop_map(
            |((id, stack, size, mean), address, thread, source)| {
                let source = Source::from_number(source).unwrap();
                Sampling::Birth(Birth { id, stack, size, mean, address, thread, source })
            }
        ),
        number().prop_map(|id| Sampling::Death { id }),
        numbers().prop_map(|numbers| Sampling::Count(Box::new(SamplingCount::from_numbers(&numbers)))),
    ]
}

fn observation() -> impl Strategy<Value = Observation> {
    let text = || "\\PC{0,60}";
    let number = any::<u64>;
    prop_oneof![
        (text(), number()).prop_map(|(name, value)| Observation::Probe { name, value }),
        (text(), number()).prop_map(|(name, count)| Observation::Objects { name, count }),
        (0..3_u64, moment(), numbers()).prop_map(|(allocator, moment, numbers)| Observation::Device {
            allocator: DeviceAllocator::from_number(allocator).unwrap(),
            moment,
            counts: DeviceCounts::from_numbers(&numbers)
        }),
        numbers().prop_map(|numbers| Observation::Gpu(GpuCounts::from_numbers(&numbers))),
        (number(), unit(), text()).prop_map(|(id, unit, name)| Observation::Endpoint { id, unit, name }),
        vec((number(), number()), 0..9).prop_map(|totals| Observation::Ended { totals }),
        ((text(), text(), text(), text()), number(), number(), number()).prop_map(
            |((function, file, why, caller_file), line, nth, caller_line)| {
                Observation::Trace(Trace { function, file, line, nth, why, caller_file, caller_line })
            }
        ),
        numbers().prop_map(|numbers| Observation::Census(CensusCounts::from_numbers(&numbers))),
        (
            (text(), text(), text(), text(), text(), text()),
            number(),
            vec(option::of(number()), 3),
            vec((text(), option::of(number())), 0..4)
        )
            .prop_map(|((path, owner, role, kind, file, elements), id, sizes, numbers)| {
                let (bound, retained, alone) = (sizes[0], sizes[1], sizes[2]);
                Observation::Holder(Holder {
                    id,
                    path,
                    owner,
                    role,
                    kind,
                    file,
                    bound,
                    elements,
                    retained,
                    alone,
                    numbers,
                })
            }),
        (number(), vec(number(), 0..200)).prop_map(|(holder, samples)| Observation::Held { holder, samples }),
        ((number(), number(), number()), number(), number(), any::<[bool; 3]>()).prop_map(
            |((holder, cycle, length), bytes, new, [native, shared, partial])| {
                Observation::Grown(Grown { holder, cycle, length, bytes, new, native, shared, partial })
            }
        ),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let text = || "\\PC{0,60}";
    prop_oneof![
        (text(), text()).prop_map(|(key, value)| Record::Fact { key, value }),
        (unit(), any::<u64>()).prop_map(|(unit, ordinal)| Record::Cycle { unit, ordinal }),
        (text(), edge(), any::<u64>()).prop_map(|(name, edge, thread)| Record::Phase { name, edge, thread }),
        (moment(), numbers()).prop_map(|(moment, numbers)| Record::Reading {
            moment,
            counters: Box::new(Counters::from_numbers(&numbers))
        }),
        numbers().prop_map(|numbers| Record::Process(Box::new(ProcessReading::from_numbers(&numbers)))),
        numbers().prop_map(|numbers| Record::Surroundings(Surroundings::from_numbers(&numbers))),
        (any::<u64>(), any::<u64>(), text()).prop_map(|(pid, parent, role)| Record::Child {
            pid,
            parent,
            role
        }),
        (option::of(any::<i32>()), option::of(any::<i32>()), kill())
            .prop_map(|(code, signal, memory_kill)| Record::Exit(Exit { code, signal, memory_kill })),
        (text(), any::<u64>()).prop_map(|(what, count)| Record::Loss { what, count }),
        sampling().prop_map(Record::Sampling),
        observation().prop_map(Record::Observation),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_come_back_sorted_by_time(said in vec((any::<u64>(), record()), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.nilo");
        let writer = Writer::create(&path, false).unwrap();
        for (at_ns, record) in &said {
            prop_assert!(writer.append_at(*at_ns, record));
        }
        let capture = Capture::open(&path).unwrap();
        let mut expected = said;
        expected.sort_by_key(|(at_ns, _)| *at_ns);
        let pid = std::process::id();
        let expected: Vec<_> =
            expected.into_iter().map(|(at_ns, record)| Stamped { at_ns, pid, record }).collect();
        prop_assert_eq!(Capture::from_packed(&capture.to_packed()), Some(capture.clone()));
        prop_assert_eq!(capture.records, expected);
        prop_assert_eq!(capture.losses, Vec::<String>::new());
    }
}

/// A capture's folder and path, whoever began it and a process that joined.
fn outside_and_inside() -> (tempfile::TempDir, PathBuf, Writer, Writer) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let outside = Writer::create(&path, false).unwrap();
    let inside = Writer::join(&path).unwrap();
    (folder, path, outside, inside)
}

#[test]
fn the_board_counts_for_all_who_share_it() {
    let (_folder, path, outside, inside) = outside_and_inside();
    assert_eq!(inside.board().count_cycle(CycleUnit::Epoch), 1);
    assert_eq!(inside.board().count_cycle(CycleUnit::Epoch), 2);
    assert_eq!(outside.board().count_cycle(CycleUnit::Call), 1);
    inside.board().count_step();
    assert_eq!((outside.board().cycles(CycleUnit::Epoch), outside.board().steps()), (2, 1));
    let read = Capture::open(&path).unwrap().board;
    assert_eq!((read.cycles(CycleUnit::Epoch), read.cycles(CycleUnit::Call), read.steps), (2, 1, 1));
}

#[test]
fn imports_that_have_begun_and_not_ended_are_known_to_all() {
    let (_folder, _path, outside, inside) = outside_and_inside();
    let mut said = Vec::new();
    inside.board().end_import();
    said.push(outside.board().is_importing());
    for begins in [true, true, false, false] {
        if begins {
            inside.board().begin_import();
        } else {
            inside.board().end_import();
        }
        said.push(outside.board().is_importing());
    }
    assert_eq!(said, [false, true, true, true, false], "one that had not begun ends none");
}

#[test]
fn what_recording_may_take_is_said_to_all_who_share_the_capture() {
    let (_folder, _path, outside, inside) = outside_and_inside();
    assert!((inside.board().overhead() - 0.02).abs() < 1e-9, "where nobody said it");
    for share in [0.2, 0.0005] {
        outside.board().allow_overhead(share);
        assert!((inside.board().overhead() - share).abs() < 1e-9);
    }
}

#[test]
fn times_count_from_the_start_of_the_capture() {
    let (_folder, _path, outside, inside) = outside_and_inside();
    let first = outside.now();
    let second = inside.now();
    let third = outside.now();
    assert!(first <= second && second <= third && third < 60_000_000_000, "{first} {second} {third}");
}

#[test]
fn a_text_that_is_too_long_is_cut_at_a_letter_and_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let key = "é".repeat(2048); // 4096 bytes: fits
    let value = format!("x{}", "é".repeat(4096));
    assert!(writer.append(&Record::Fact { key: key.clone(), value }));
    let capture = Capture::open(&path).unwrap();
    let cut = format!("x{}…", "é".repeat(2046));
    assert!(cut.len() <= 4096);
    assert_eq!(capture.records[0].record, Record::Fact { key, value: cut });
}
