//! What other processes have of a GPU, by what its driver says: the limit of the forecast, bounds, and the doubts.

use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{DeviceAllocator, DeviceCounts, GpuCounts, Moment, Observation, Record};
use nilometer_diagnose::{Device, Report};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;

/// What the driver says in the middle of a run: total, free, its own, the run's.
type Said = [Option<u64>; 4];

/// A driver that knows all: 80 GiB, of which 30 are free, 1 is its own and 9 the run's.
const ALL: Said = [Some(80 * GIB), Some(30 * GIB), Some(GIB), Some(9 * GIB)];

/// `PyTorch` holds 8 GiB of GPU 0, of which 4 MiB more are in use with each epoch. The GPUs are alike and have these numbers.
fn run(gpus: &[u64], said: &[(u64, Said)], facts: &[(&str, &str)]) -> Report {
    run_asked_at(10, gpus, said, facts)
}

/// The same, asked at the end of this epoch. The GPU is in use from the sixth on.
fn run_asked_at(asked_at: u64, gpus: &[u64], said: &[(u64, Said)], facts: &[(&str, &str)]) -> Report {
    let mut w = started();
    for gpu in gpus {
        w.fact(&format!("nvml.{gpu}.uuid"), &format!("GPU-{gpu}{gpu}"));
        w.fact(&format!("nvml.{gpu}.name"), "H100");
        w.fact(&format!("nvml.{gpu}.cut"), "0");
    }
    for (key, value) in facts {
        w.fact(key, value);
    }
    for epoch in 1..=20 {
        w.objects(100).cycle(Epoch);
        if epoch > 5 {
            uses(&mut w, epoch);
        }
        if epoch == asked_at {
            for (index, [total, free, reserved, own]) in said {
                let index = Some(*index);
                let (total, free, reserved, own) = (*total, *free, *reserved, *own);
                w.say(&Record::Observation(Observation::Gpu(GpuCounts {
                    index,
                    total,
                    free,
                    reserved,
                    own,
                })));
            }
        }
    }
    w.ends(0);
    w.report()
}

fn uses(w: &mut World, epoch: u64) {
    let counts = DeviceCounts {
        in_use: Some((100 + 4 * epoch) * MIB),
        peak: Some(GIB),
        reserved: Some(8 * GIB),
        device: Some(0),
        limit: Some(80 * GIB),
        ordinal: Some(0),
    };
    let (allocator, moment) = (DeviceAllocator::PyTorch, Moment::Cycle { unit: Epoch, ordinal: epoch });
    w.say(&Record::Observation(Observation::Device { allocator, moment, counts }));
}

fn device(report: &Report) -> &Device {
    let [device] = report.devices.as_slice() else { panic!("{:?}", report.devices) };
    device
}

/// Bytes of others and whether that is a bound; or why they are not known.
fn others(report: &Report) -> Result<(u64, bool), &str> {
    let device = device(report);
    match &device.others {
        Some(others) => Ok((others.bytes, others.is_at_most)),
        None => Err(device.others_unknown.as_deref().unwrap_or("nobody asked")),
    }
}

#[test]
fn what_others_hold_is_what_is_neither_free_nor_the_drivers_nor_the_runs() {
    let report = run(&[0], &[(0, ALL)], &[]);
    assert_eq!(others(&report), Ok((40 * GIB, false)));
    let device = device(&report);
    assert_eq!(device.total_bytes, Some(80 * GIB));
    let sentence = device.others.as_ref().unwrap().sentence.as_deref();
    assert_eq!(sentence, Some("other processes hold 40.0 GiB of GPU 0, which has 80.0 GiB"));
}

#[test]
fn the_forecast_counts_what_others_leave() {
    let (alone, shared) = (run(&[], &[], &[]), run(&[0], &[(0, ALL)], &[]));
    assert_eq!((others(&alone), device(&alone).limit_bytes), (Err("nobody asked"), Some(80 * GIB)));
    assert_eq!(device(&shared).limit_bytes, Some(38 * GIB), "8 that it holds, and 30 that are free");
    let left = |report: &Report| device(report).growth.as_ref().unwrap().cycles_left;
    assert_eq!(left(&alone), Some((80 * 1024 - 180) / 4));
    assert_eq!(left(&shared), Some((38 * 1024 - 180) / 4));
}

#[test]
fn a_pool_whose_own_limit_is_lower_keeps_it() {
    let free = [Some(200 * GIB), Some(190 * GIB), Some(GIB), Some(9 * GIB)];
    let report = run(&[0], &[(0, free)], &[]);
    assert_eq!((device(&report).limit_bytes, others(&report)), (Some(80 * GIB), Ok((0, false))));
    assert_eq!(device(&report).others.as_ref().unwrap().sentence, None, "nothing to tell");
}

#[test]
fn where_pids_are_hidden_the_rest_is_a_bound() {
    let report = run(&[0], &[(0, [ALL[0], ALL[1], ALL[2], None])], &[]);
    assert_eq!(others(&report), Ok((41 * GIB, true)), "8 GiB of the pool, and not its context");
    let sentence = device(&report).others.as_ref().unwrap().sentence.as_deref().unwrap();
    assert!(sentence.starts_with("other processes hold at most 41.0 GiB of GPU 0"), "{sentence}");
    assert!(sentence.contains("own context may be part of it"), "{sentence}");
    assert_eq!(device(&report).limit_bytes, Some(38 * GIB));
    let old = run(&[0], &[(0, [ALL[0], ALL[1], None, ALL[3]])], &[]);
    assert_eq!(others(&old), Ok((41 * GIB, true)), "a driver that does not tell its own part");
    let context = [Some(80 * GIB), Some(71 * GIB), Some(GIB / 2), None];
    let report = run(&[0], &[(0, context)], &[]);
    assert_eq!(others(&report), Ok((GIB / 2, true)));
    assert_eq!(device(&report).others.as_ref().unwrap().sentence, None, "no more than a context takes");
}

#[test]
fn of_several_gpus_the_one_that_is_meant_is_told() {
    let second = [Some(80 * GIB), Some(70 * GIB), Some(GIB), Some(9 * GIB)];
    let said = [(0, [ALL[0], ALL[1], ALL[2], None]), (1, second)];
    for facts in
        [[("cuda.visible_devices", "1")], [("cuda.visible_devices", "GPU-11")], [("cuda.0.uuid", "11")]]
    {
        assert_eq!(others(&run(&[0, 1], &said, &facts)), Ok((0, false)), "{facts:?}");
    }
    let contradicts = Err("what the driver says does not fit what the framework holds");
    assert_eq!(others(&run(&[0, 1], &said, &[])), contradicts, "the run is listed at the other one");
}

#[test]
fn nothing_is_said_where_it_is_not_known_which_gpu_it_is() {
    let which = Err("nothing says which of the machine's GPUs it is");
    for facts in [
        vec![("cuda.visible_devices", "MIG-11")],
        vec![("cuda.visible_devices", "2")],
        vec![("nvml.1.name", "T4")],
        vec![("cuda.0.uuid", "77")],
    ] {
        assert_eq!(others(&run(&[0, 1], &[(0, ALL)], &facts)), which, "{facts:?}");
    }
    let cut = run(&[0, 1], &[(0, ALL)], &[("nvml.1.cut", "1")]);
    assert_eq!(others(&cut), Err("the machine's GPUs are cut into instances (MIG)"));
    assert_eq!(device(&cut).limit_bytes, Some(80 * GIB));
}

#[test]
fn numbers_that_do_not_fit_are_not_told() {
    let contradicts = Err("what the driver says does not fit what the framework holds");
    for said in [
        [Some(80 * GIB), Some(30 * GIB), Some(GIB), Some(7 * GIB)],
        [Some(80 * GIB), Some(75 * GIB), Some(GIB), None],
        [Some(80 * GIB), Some(81 * GIB), Some(GIB), None],
        [None, Some(30 * GIB), Some(GIB), Some(9 * GIB)],
    ] {
        assert_eq!(others(&run(&[0], &[(0, said)], &[])), contradicts, "{said:?}");
    }
}

#[test]
fn why_the_driver_told_nothing_is_known() {
    for (refused, why) in [
        ("no_library", "the driver's library `libnvidia-ml.so.1` was not found"),
        ("no_function nvmlInit_v2", "the driver's library has no function `nvmlInit_v2`"),
        ("failed nvmlInit_v2 9", "`nvmlInit_v2` of the driver's library failed with error 9"),
        ("of a later version", "the driver's library did not answer (of a later version)"),
    ] {
        assert_eq!(others(&run(&[], &[], &[("nvml.asked", "1"), ("nvml.refused", refused)])), Err(why));
    }
    let silent = Err("the driver was asked and told of no GPU");
    assert_eq!(others(&run(&[], &[], &[("nvml.asked", "1")])), silent);
}

#[test]
fn what_was_said_before_the_gpu_was_in_use_tells_nothing() {
    let early = Err("the program had nothing in use there when the driver was asked");
    assert_eq!(others(&run(&[0], &[], &[])), early);
    let empty = [Some(80 * GIB), Some(79 * GIB), Some(GIB), None];
    assert_eq!(others(&run_asked_at(3, &[0], &[(0, empty)], &[])), early);
    assert_eq!(
        others(&run_asked_at(3, &[0], &[(0, ALL)], &[])),
        Ok((40 * GIB, false)),
        "and since unchanged"
    );
}
