//! Memory of GPUs: what is reserved, what is in use, and the verdict on each device.

use crate::world::{Noise, World, started};
use nilometer_capture::CycleUnit::{self, Epoch, Update};
use nilometer_capture::{DeviceAllocator, DeviceCounts, Found, Moment, Observation, Record};
use nilometer_diagnose::{About, Component, Device, Kind, Report, Verdict};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

use DeviceAllocator::{Jax, PyTorch, TensorFlow};

fn says(w: &mut World, allocator: DeviceAllocator, moment: Moment, in_use: u64, reserved: u64) {
    says_of(w, allocator, moment, [0, in_use, reserved, 0]);
}

/// Device, in use, reserved and limit; a limit of 0 is not known.
fn says_of(w: &mut World, allocator: DeviceAllocator, moment: Moment, said: [u64; 4]) {
    let [device, in_use, reserved, limit] = said;
    let counts = DeviceCounts {
        in_use: Some(in_use),
        peak: Some(in_use + 200 * MIB),
        reserved: Some(reserved),
        device: Some(device),
        limit: Some(limit).filter(|limit| *limit > 0),
        ordinal: Some(device),
    };
    w.say(&Record::Observation(Observation::Device { allocator, moment, counts }));
}

/// A cycle of this unit ends, the `ordinal`th.
fn ends(w: &mut World, unit: CycleUnit, ordinal: u64, in_use: u64) {
    w.objects(100).ends_cycle(unit);
    says(w, PyTorch, Moment::Cycle { unit, ordinal }, in_use, 600 * MIB);
}

fn run(epochs: u64, reserved: u64, used: impl Fn(u64) -> u64) -> Report {
    run_of(TensorFlow, epochs, |_| reserved, used)
}

/// A healthy program of so many epochs; `used` says what the GPU has in use at the end of each, of `reserved` bytes.
fn run_of(
    allocator: DeviceAllocator,
    epochs: u64,
    reserved: impl Fn(u64) -> u64,
    used: impl Fn(u64) -> u64,
) -> Report {
    let mut w = started();
    for epoch in 1..=epochs {
        w.objects(100).cycle(Epoch);
        says(&mut w, allocator, Moment::Cycle { unit: Epoch, ordinal: epoch }, used(epoch), reserved(epoch));
    }
    w.ends(0);
    healthy(&w)
}

/// The program's own memory does not grow, whatever its devices do.
fn healthy(w: &World) -> Report {
    let report = w.report();
    assert_eq!(report.job.program, Verdict::NoLeak, "{}", report.reason);
    report
}

/// Nothing is accused.
fn is_flat(report: &Report) -> bool {
    report.verdict == Verdict::NoLeak && report.findings.is_empty() && report.warnings.is_empty()
}

fn device(report: &Report) -> &Device {
    let [device] = report.devices.as_slice() else { panic!("{:?}", report.devices) };
    device
}

fn reserved(report: &Report) -> &Component {
    report.components.iter().find(|c| c.kind == Kind::Reserved).unwrap()
}

/// What the one finding says, which makes the verdict a leak.
fn grows(report: &Report) -> &str {
    let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!(
        (report.verdict, finding.cause.as_str()),
        (Verdict::Leak, "gpu-memory-grows"),
        "{}",
        report.reason
    );
    assert_eq!(finding.device, report.job.device);
    assert!(report.warnings.is_empty());
    &finding.sentence
}

#[test]
fn what_tensorflow_took_when_it_began_is_reserved() {
    let report = run(15, 40_000 * MIB, |_| 100 * MIB);
    assert!(is_flat(&report));
    let reserved = reserved(&report);
    assert_eq!(reserved.bytes, 39_900 << 20);
    assert!(reserved.sentence.contains("took 39.1 GiB"), "{}", reserved.sentence);
    assert!(reserved.sentence.contains("300 MiB of it in use at most"), "{}", reserved.sentence);
    assert!(reserved.change.as_ref().unwrap().contains("set_memory_growth"));
}

#[test]
fn a_pool_that_grows_as_it_needs_has_nothing_reserved() {
    let report = run(15, 0, |_| 100 * MIB);
    assert!(!report.components.iter().any(|c| c.kind == Kind::Reserved));
}

#[test]
fn a_growth_on_a_device_makes_the_job_a_leak() {
    let report = run(15, 40_000 * MIB, |epoch| (100 + 25 * epoch) * MIB);
    let sentence = grows(&report);
    assert!(sentence.contains("25.0 MiB more of GPU 0 in use with each epoch"), "{sentence}");
    assert!(report.reason.contains("475 MiB at the last"), "{}", report.reason);
}

#[test]
fn what_fills_turns_over_or_is_small_is_no_growth() {
    type Used = fn(u64) -> u64;
    let healthy: [(&str, Used); 5] = [
        ("a cache that fills", |epoch| 100 * MIB + 512 * MIB * epoch / (epoch + 4)),
        ("full after eight epochs", |epoch| (100 + 50 * epoch.min(8)) * MIB),
        ("kept for three epochs", |epoch| (100 + 50 * (epoch % 3)) * MIB),
        ("a counter or so", |epoch| 100 * MIB + 4096 * epoch),
        ("steps that a later one takes back", |epoch| {
            (if epoch < 13 { 100 + 20 * epoch } else { 110 }) * MIB
        }),
    ];
    for (what, used) in healthy {
        assert!(is_flat(&run(18, 0, used)), "{what}");
    }
    assert!(is_flat(&run(11, 0, |epoch| (100 + 25 * epoch) * MIB)), "too few epochs");
}

/// Epochs whose ends are calm and whose steps are not: ticks of the clock see up to 64 MiB more.
fn swings(epochs: u64, kept: u64) -> World {
    let mut noise = Noise(7);
    let mut w = started();
    for epoch in 1..=epochs {
        let level = 100 * MIB + kept * epoch;
        for _ in 0..4 {
            w.passes(0.25);
            says(&mut w, PyTorch, Moment::Tick, level + noise.of(64 * MIB), 600 * MIB);
        }
        ends(&mut w, Epoch, epoch, level);
    }
    w.ends(0);
    w
}

#[test]
fn a_quarter_of_a_mebibyte_per_epoch_is_told_through_swings_of_64() {
    let report = healthy(&swings(20, 256 * KIB));
    assert!(grows(&report).contains("256 KiB more of GPU 0 in use with each epoch"), "{}", grows(&report));
    assert!(report.reason.contains("105 MiB at the last"), "{}", report.reason);
    let flat = healthy(&swings(20, 0));
    assert!(is_flat(&flat));
    assert!(reserved(&flat).sentence.ends_with("no leak on the GPU."), "{}", reserved(&flat).sentence);
}

#[test]
fn levels_at_ends_that_wander_without_a_trend_are_never_accused() {
    let mut noise = Noise(11);
    let mut accused = 0;
    for run in 0..300 {
        let epochs = 12 + run % 30;
        let levels: Vec<u64> = (0..epochs).map(|_| 100 * MIB + noise.of(64 * MIB)).collect();
        accused += usize::from(!is_flat(&self::run(epochs, 0, |epoch| levels[epoch as usize - 1])));
    }
    assert_eq!(accused, 0);
}

/// Updates of which each epoch has 16, seen at each update and at each epoch's printed line; `after_update` stands above the epoch's end.
fn epochs_of_updates(epochs: u64, used: impl Fn(u64, u64) -> u64, at_line: impl Fn(u64) -> u64) -> Report {
    let line = CycleUnit::from_number(32).unwrap();
    let mut w = started();
    w.fact("cycle.32", "line:epoch # loss #");
    for epoch in 1..=epochs {
        for step in 1..=16 {
            w.passes(0.05);
            let ordinal = (epoch - 1) * 16 + step;
            ends(&mut w, Update, ordinal, used(epoch, step));
        }
        ends(&mut w, line, epoch, at_line(epoch));
    }
    w.ends(0);
    healthy(&w)
}

#[test]
fn what_comes_with_the_epoch_is_told_by_the_epoch_and_what_comes_with_the_update_by_it() {
    let kept = |epoch| 256 * KIB * epoch;
    let report =
        epochs_of_updates(24, |epoch, _| 140 * MIB + kept(epoch - 1), |epoch| 100 * MIB + kept(epoch));
    assert_eq!(report.cycles.unit, "update");
    assert_eq!(report.device_that_leaks().map(|(_, growth)| growth.unit), Some("epoch"));
    assert_eq!(report.growth_told(), None, "a rate of an epoch is none of an update");
    assert!(grows(&report).contains("256 KiB more of GPU 0 in use with each epoch"), "{}", grows(&report));
    let kept = |epoch: u64, step: u64| 32 * KIB * ((epoch - 1) * 16 + step);
    let report = epochs_of_updates(
        24,
        |epoch, step| 140 * MIB + kept(epoch, step),
        |epoch| 100 * MIB + kept(epoch, 16),
    );
    assert!(grows(&report).contains("32.0 KiB more of GPU 0 in use with each update"), "{}", grows(&report));
    let report = epochs_of_updates(24, |_, step| (140 + 4 * step) * MIB, |_| 100 * MIB);
    assert!(is_flat(&report), "what an epoch gathers and gives back");
}

#[test]
fn a_pool_that_holds_what_was_in_use_once_is_reserved() {
    let used = |epoch| if epoch < 3 { 3_800 * MIB } else { 80 * MIB };
    let report = run_of(PyTorch, 15, |_| 4_100 * MIB, used);
    assert!(is_flat(&report));
    let reserved = reserved(&report);
    assert_eq!(reserved.bytes, 4_020 << 20);
    assert!(
        reserved.sentence.contains("PyTorch holds 4.0 GiB; tensors have 80.0 MiB of it in use"),
        "{}",
        reserved.sentence
    );
    assert!(reserved.sentence.ends_with("no leak on the GPU."), "{}", reserved.sentence);
    assert!(reserved.change.as_ref().unwrap().contains("empty_cache"));
}

#[test]
fn what_is_reserved_may_grow_and_is_no_leak() {
    let report = run_of(PyTorch, 24, |epoch| (100 + 40 * epoch) * MIB, |_| 80 * MIB);
    assert!(is_flat(&report));
    let sentence = &reserved(&report).sentence;
    assert!(
        sentence.contains("What it holds rose by 600 MiB, and what is in use did not: no leak on the GPU."),
        "{sentence}"
    );
}

#[test]
fn a_pool_that_is_nearly_all_in_use_needs_no_word() {
    let report = run_of(PyTorch, 15, |_| 100 * MIB, |_| 60 * MIB);
    assert!(!report.components.iter().any(|c| c.kind == Kind::Reserved));
}

#[test]
fn growth_is_told_of_each_framework_and_no_flatness_beside_it() {
    for (allocator, name) in [(PyTorch, "PyTorch"), (Jax, "JAX")] {
        let report = run_of(allocator, 15, |_| 40_000 * MIB, |epoch| (100 + 4 * epoch) * MIB);
        let sentence = grows(&report);
        assert!(sentence.starts_with(&format!("tensors of {name} have 4.0 MiB more of GPU 0")), "{sentence}");
        assert!(!reserved(&report).sentence.contains("no leak"), "{}", reserved(&report).sentence);
    }
    let short = run_of(Jax, 11, |_| 40_000 * MIB, |_| 100 * MIB);
    assert!(!reserved(&short).sentence.contains("no leak"), "too few epochs: {}", reserved(&short).sentence);
}

#[test]
fn what_the_last_collection_gives_back_was_garbage() {
    let run = |freed: u64| {
        let mut w = started();
        for epoch in 1..=20 {
            w.objects(100).cycle(Epoch);
            says(&mut w, PyTorch, Moment::Cycle { unit: Epoch, ordinal: epoch }, (100 + epoch) * MIB, 0);
        }
        says(&mut w, PyTorch, Moment::BeforeExit, 120 * MIB, 0);
        says(&mut w, PyTorch, Moment::AfterExitCollection, (120 - freed) * MIB, 0);
        w.ends(0);
        healthy(&w)
    };
    let (garbage, held) = (run(20), run(0));
    let [warning] = garbage.warnings.as_slice() else { panic!("{:?}", garbage.warnings) };
    assert_eq!((garbage.verdict, warning.about), (Verdict::NoLeak, About::GpuMemory), "{}", garbage.reason);
    assert!(warning.sentence.contains("garbage that waited for it"), "{}", warning.sentence);
    assert!(garbage.warnings[0].change.contains("gc.collect()"), "{}", garbage.warnings[0].change);
    assert!(!grows(&held).contains("garbage"), "{}", grows(&held));
}

/// A capture of before, or a loop whose ends nobody sees: figures of any moment.
#[test]
fn where_no_end_was_seen_the_least_of_each_cycle_counts() {
    let run = |kept: u64| {
        let mut w = started();
        for epoch in 1..=24 {
            w.objects(100).cycle(Epoch);
            for step in [40, 0, 25, 60] {
                w.passes(0.01);
                let value = 100 * MIB + step * MIB + kept * epoch;
                w.say(&Record::Observation(Observation::Probe {
                    name: "torch_gpu_memory".to_owned(),
                    value,
                }));
            }
        }
        w.ends(0);
        healthy(&w)
    };
    assert!(grows(&run(MIB)).contains("1.0 MiB more of the GPU in use with each epoch"));
    assert!(is_flat(&run(0)));
}

/// A short job of JAX: it compiles for longer than it works, so that its rounds are too few to be judged on the host.
#[test]
fn what_repeats_counts_from_its_first_end_not_from_the_compilation_before() {
    let job = |kept: u64| {
        let mut w = World::new();
        let found = Found::new(0).unwrap();
        w.takes(40 << 20).objects(5000).fact(&found.fact(), "line:epoch #/# loss #");
        for _ in 0..12 {
            w.passes(1.0).reads(Moment::Tick);
            says(&mut w, Jax, Moment::Tick, 40 * MIB, 600 * MIB);
        }
        let unit = CycleUnit::Found(found);
        for ordinal in 1..=36 {
            w.objects(10).passes(0.08).unread_cycles(unit, 1);
            says(&mut w, Jax, Moment::Cycle { unit, ordinal }, 40 * MIB + kept * ordinal, 600 * MIB);
        }
        w.ends(0);
        w.report()
    };
    let leaking = job(256 * KIB);
    assert_eq!(leaking.cycles.unit, "window");
    assert!(grows(&leaking).contains("256 KiB more of GPU 0 in use with each epoch"), "{}", grows(&leaking));
    assert!(is_flat(&job(0)));
}

#[test]
fn figures_of_the_judged_ends_are_probes_too() {
    let report = healthy(&swings(20, MIB));
    let probe = report.probes.iter().find(|probe| probe.name == "torch_gpu_memory").unwrap();
    assert_eq!((probe.first, probe.last), (101 * MIB, 120 * MIB));
    assert!((probe.per_cycle.unwrap() - MIB as f64).abs() < 1.0);
}

#[test]
fn what_is_reserved_and_flat_is_said_in_one_sentence() {
    let report = run_of(TensorFlow, 15, |_| 78 * 1024 * MIB, |_| 3_174 * MIB);
    let device = device(&report);
    assert_eq!((device.verdict, device.framework), (Verdict::NoLeak, "TensorFlow"));
    assert_eq!(
        device.reason,
        "TensorFlow reserved 78.0 GiB of GPU 0; 3.1 GiB are in use, and that does not grow"
    );
    assert!(is_flat(&report));
}

#[test]
fn of_two_devices_the_one_that_leaks_is_named() {
    let mut w = started();
    for epoch in 1..=20 {
        w.objects(100).cycle(Epoch);
        let moment = Moment::Cycle { unit: Epoch, ordinal: epoch };
        says_of(&mut w, PyTorch, moment, [0, 300 * MIB, 600 * MIB, 0]);
        says_of(&mut w, PyTorch, moment, [1, (100 + 4 * epoch) * MIB, 600 * MIB, 1_180 * MIB]);
    }
    w.ends(0);
    let report = healthy(&w);
    assert!(grows(&report).contains("4.0 MiB more of GPU 1 in use with each epoch"), "{}", grows(&report));
    assert!(report.reason.ends_with("; the program's own memory does not grow"), "{}", report.reason);
    let [first, second] = report.devices.as_slice() else { panic!("{:?}", report.devices) };
    assert_eq!((first.verdict, second.verdict), (Verdict::NoLeak, Verdict::Leak));
    let growth = second.growth.as_ref().unwrap();
    assert_eq!((growth.bytes_per_cycle.estimate, growth.cycles_left), (4 << 20, Some(250)));
    assert_eq!(report.growth_told(), Some(growth.bytes_per_cycle));
    let probe = report.probes.iter().find(|probe| probe.name == "torch_gpu_memory").unwrap();
    assert_eq!(probe.last, 480 * MIB, "the sum of both");
}

#[test]
fn a_leak_of_the_program_itself_stays_the_subject() {
    let mut w = started();
    for epoch in 1..=20 {
        w.takes(8 << 20).objects(100).cycle(Epoch);
        says(&mut w, PyTorch, Moment::Cycle { unit: Epoch, ordinal: epoch }, (100 + 4 * epoch) * MIB, 0);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!((report.verdict, report.job.program), (Verdict::Leak, Verdict::Leak));
    assert!(report.job.is_own() && report.growth_told().unwrap().estimate > 8_000_000);
    assert_eq!(device(&report).verdict, Verdict::Leak);
    assert_eq!(report.findings.last().unwrap().device.as_deref(), Some("GPU 0"));
}

#[test]
fn too_few_cycles_and_a_rise_that_may_end_are_undecided_on_the_device_alone() {
    let short = run(11, 0, |epoch| (100 + 25 * epoch) * MIB);
    assert_eq!(device(&short).verdict, Verdict::Undecided);
    assert!(device(&short).reason.starts_with("too few cycles"), "{}", device(&short).reason);
    let slows = run(18, 0, |epoch| 100 * MIB + 512 * MIB * epoch / (epoch + 4));
    assert_eq!((device(&slows).verdict, slows.verdict), (Verdict::Undecided, Verdict::NoLeak));
    assert!(device(&slows).reason.contains("does not show whether it rises on"), "{}", device(&slows).reason);
}
