//! The capture file: records, the writer's rules, the reader, salvage of a torn file.
//!
//! In: [`Record`]s, from several threads of several processes at once. Out: [`Capture`], whatever of them is readable.
//! What must not happen here: a panic, a signal or a wait of unknown length in the user's process; a record that
//! `append` promised (`true`) and that the file does not hold after `kill -9`; a file that makes the reader panic.
//!
//! `docs/capture-format.md` is the format, byte by byte, with the reasons.
// Runs inside of somebody's training: what goes wrong here is counted, never thrown.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod atomics;
mod board;
mod claim;
mod compact;
mod counters;
mod create;
mod cycle_unit;
mod decode;
mod decode_observation;
mod decode_sampling;
mod encode;
mod encode_observation;
mod encode_sampling;
mod error;
mod layout;
mod loss;
mod mapping;
mod nursery;
pub mod observation;
mod packed;
mod reader;
pub mod record;
mod resume;
pub mod sample;
mod segment;
mod slots;
mod streamed;
pub mod thin;
mod walk;
mod words;
mod writer;

pub use board::{Board, DEFAULT_OVERHEAD, DEFAULT_PAUSE_NS};
pub use compact::{CompactError, Compacted, Compactor};
pub use counters::{Counters, MIN_SHARED_BYTES, ProcessReading, Surroundings};
pub use cycle_unit::{CycleUnit, FIRST_FOUND, Found, FoundKind, MAX_FOUND};
pub use error::{CreateError, JoinError, OpenError};
pub use layout::{BoardCounts, FORMAT_MAJOR, FORMAT_MINOR, Header, Refusal};
pub use loss::Loss;
pub use nursery::Nursery;
pub use observation::{
    CensusCounts, DeviceAllocator, DeviceCounts, GpuCounts, Grown, Holder, Observation, Trace,
};
pub use reader::{Capture, Stamped};
pub use record::{Edge, Exit, MemoryKill, Moment, Record};
pub use resume::ResumeError;
pub use sample::{Birth, Cut, Sampling, SamplingCount, Source, StackFrame};
pub use writer::Writer;
