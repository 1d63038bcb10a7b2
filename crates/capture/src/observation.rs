//! What probes and the census say: counts of a framework's own things, functions that were traced, who holds memory.
//!
//! Ids of holders and endpoints count from 1 in each process and mean the same path, the same endpoint for as long as it lives.

use crate::counters::numbers;
use crate::cycle_unit::CycleUnit;
use crate::record::Moment;

numbers! {
    /// One look at Python's heap. Counts unless said otherwise.
    CensusCounts {
        /// How thorough: 1 a scan of containers, 2 every object and edge, 3 garbage among young objects alone.
        depth,
        /// Objects that Python's collector tracks.
        objects,
        /// All objects that were reached; of a thorough look.
        nodes,
        /// References between them; of a thorough look.
        edges,
        /// Bytes of cyclic garbage that waits for a collection; of a thorough look.
        garbage_bytes,
        /// Bytes that only native code holds; of a thorough look.
        native_bytes,
        /// CPU time of it all, in nanoseconds.
        cost_ns,
        /// How long the program had to wait, in nanoseconds.
        pause_ns,
        /// Samples of the recorder that were looked for.
        sought,
        /// Samples that were found to be held by an object with a path.
        found,
        /// 1 if the look was ended early by its limits.
        cut,
        /// Objects that are cyclic garbage, those included that only such garbage refers to; of a thorough look.
        garbage_objects,
        /// When the mark was made behind which this garbage stands, nanoseconds; of a look among young objects.
        behind_ns,
        /// The part of the garbage's bytes that a collection of younger generations frees; of a look among young objects.
        young_bytes,
    }
}

numbers! {
    /// What an allocator of device memory says of one device. Bytes, but for its number.
    DeviceCounts {
        /// In use: tensors, and what kernels work with.
        in_use,
        /// The most that was in use.
        peak,
        /// What it took of the devices, in use or not; 0 or none where that is nothing of its own.
        reserved,
        /// Which device, from 0 (a number). None in older captures, which have the sum over all devices.
        device,
        /// The most that it may take of the device.
        limit,
        /// The device's number among those that CUDA shows to the program. None where that is not known, or it is none of CUDA's.
        ordinal,
    }
}

numbers! {
    /// What the driver says of one GPU, read from outside. Bytes, but for its number.
    GpuCounts {
        /// Which, among all of the machine (a number). Facts `nvml.0.uuid`, `nvml.0.name` and `nvml.0.cut` say more of it.
        index,
        /// Its memory.
        total,
        /// What nobody has of it.
        free,
        /// What the driver keeps for itself. None where that is not told apart.
        reserved,
        /// What the processes of this run hold. None where the driver lists none of them.
        own,
    }
}

/// Who hands out memory of devices. The numbers stand in files: never reuse them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DeviceAllocator {
    /// `TensorFlow`'s.
    TensorFlow = 0,
    /// `PyTorch`'s.
    PyTorch = 1,
    /// JAX's.
    Jax = 2,
}

impl DeviceAllocator {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::TensorFlow, Self::PyTorch, Self::Jax];

    /// The one with this number, if this version knows it.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| *one as u64 == number)
    }
}

/// A tf.function that was traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its qualified name.
    pub function: String,
    /// The file it is defined in.
    pub file: String,
    /// Its first line.
    pub line: u64,
    /// How many times it was traced, this one included.
    pub nth: u64,
    /// What differed from the trace before, in words; empty at first.
    pub why: String,
    /// The file of the user's line that called it; empty if it is not known.
    pub caller_file: String,
    /// That line; 0 if it is not known.
    pub caller_line: u64,
}

/// A path from a root that a person knows to an object that holds memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub id: u64,
    /// `fit(): callbacks[0].saved[*]`; empty for what only native code holds and for garbage, which `kind` tells then.
    pub path: String,
    /// The class or function that owns it: `PredictionLogger`; empty if there is none.
    pub owner: String,
    /// What the owner is to its framework: `callback`, `dataset`, `layer`, `model`, `metric`, or of a function: `generator`, `closure`; empty for all others.
    pub role: String,
    /// What holds: `list`, `dict`, ...; `native` and `garbage` without a path.
    pub kind: String,
    /// The file of the owner's module; empty if it is not known.
    pub file: String,
    /// The size it cannot grow beyond, in elements, if there is one.
    pub bound: Option<u64>,
    /// What it holds, in words: `12 x ndarray (2000, 500) float64`.
    pub elements: String,
    /// Bytes that Python sees hang below it; of a thorough look.
    pub retained: Option<u64>,
    /// Those of them that nothing else holds: what letting go of this path alone would free.
    pub alone: Option<u64>,
    /// Numbers and `None` among the attributes of the object that has the container, as `capacity` of a replay buffer.
    pub numbers: Vec<(String, Option<u64>)>,
}

/// A container that grew since the scan before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Id of its [`Holder`].
    pub holder: u64,
    /// Cycles that had ended.
    pub cycle: u64,
    /// Its elements now.
    pub length: u64,
    /// What its new elements alone keep, as far as Python can see: bytes.
    pub bytes: u64,
    /// Elements that are new.
    pub new: u64,
    /// Whether they keep memory of native code, which Python cannot see.
    pub native: bool,
    /// Whether something else holds each of them, too: it may keep all of the bytes, and have kept them before.
    pub shared: bool,
    /// The walk below its new elements was cut: they may keep more than `bytes`, of whatever kind.
    pub partial: bool,
}

/// What [`Grown`] says besides numbers, as bits.
pub(crate) const GROWN_NATIVE: u64 = 1;
pub(crate) const GROWN_SHARED: u64 = 2;
pub(crate) const GROWN_PARTIAL: u64 = 4;

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A count at the end of a cycle; said when it changed.
    Probe {
        /// What was counted: `func_graphs`, `gradient_registry`, ...
        name: String,
        /// How many there were.
        value: u64,
    },
    /// A function was traced.
    Trace(Trace),
    /// The census looked.
    Census(CensusCounts),
    /// Somebody holds memory.
    Holder(Holder),
    /// These samples of the recorder hang below that path.
    Held {
        /// Id of the [`Holder`].
        holder: u64,
        /// Ids of the samples.
        samples: Vec<u64>,
    },
    /// A container grew.
    Grown(Grown),
    /// A scan counted the objects of a type; said when it changed, and before the scan's [`Observation::Census`].
    Objects {
        /// The type, with its module: `numpy.ndarray`.
        name: String,
        /// How many of them the collector tracks.
        count: u64,
    },
    /// An allocator of device memory was asked.
    Device {
        /// Whose.
        allocator: DeviceAllocator,
        /// Why now.
        moment: Moment,
        /// What it said.
        counts: DeviceCounts,
    },
    /// The driver of a GPU was asked, from outside.
    Gpu(GpuCounts),
    /// A request or a task of a new kind has ended.
    Endpoint {
        /// Its id.
        id: u64,
        /// The unit that its requests are counted as.
        unit: CycleUnit,
        /// Its name: `POST /score`, or of a task.
        name: String,
    },
    /// How many requests of these endpoints had ended at the reading that has the same time: of those that had more than when they
    /// were last said.
    Ended {
        /// Ids of endpoints, and how many of each in all.
        totals: Vec<(u64, u64)>,
    },
}
