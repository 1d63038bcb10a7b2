//! What a framework tells the diagnosis: a [`Pack`] of tables and functions, which the framework's own folder fills.
//!
//! In: nothing. Out: the forms of the tables, and what their functions are asked about. What must not happen here: the name of a
//! framework; a need of a module that judges.

mod case;
mod path;
mod statement;
mod traced;

use nilometer_capture::DeviceAllocator;

pub use case::{Case, Explanation, Run};
pub use path::Path;
pub use traced::{Differs, called_at, is_argument, most_traced, short};

use crate::report::Finding;

/// All that the diagnosis may know of one framework. What a framework lacks it takes from [`Pack::EMPTY`].
#[derive(Debug)]
pub struct Pack {
    /// What explains a growth at a place.
    pub causes: &'static [Cause],
    /// What explains a growth that no place is known for.
    pub run_causes: &'static [RunCause],
    /// Names the holder that a cause knows, in a finding that has just got its sentence.
    pub hold: Option<fn(&mut Finding, cause: &str, run: Run)>,
    /// The cause besides which what keeps the program's models is told, too.
    pub models: Option<&'static str>,
    /// Takes findings that are parts of another one into that. With the whole growth, bytes per cycle.
    pub gather: &'static [fn(&mut Vec<Finding>, f64)],
    /// Known faults.
    pub faults: &'static [Fault],
    /// Native memory of its objects, which Python cannot see.
    pub native_parts: &'static [NativePart],
    /// Parts of the names of its files with machine code: none of them is a library of the program's own.
    pub libraries: &'static [&'static str],
    /// A word in all names of its own machine code.
    pub code: Option<&'static str>,
    /// Its allocator of devices.
    pub device: Option<Device>,
    /// Its own phases, and what they keep, in words.
    pub phases: &'static [(&'static str, &'static str)],
    /// The phase of its own in which it copies the data.
    pub copies: Option<Copying>,
    /// Its pool of tensors in the machine's memory, as people call it.
    pub pool: Option<&'static str>,
    /// The fact that tells of it, if a collection at the end of the program leaves garbage of its own.
    pub leaves_garbage: Option<&'static str>,
}

impl Pack {
    /// A framework that tells nothing.
    pub const EMPTY: Pack = Pack {
        causes: &[],
        run_causes: &[],
        hold: None,
        models: None,
        gather: &[],
        faults: &[],
        native_parts: &[],
        libraries: &[],
        code: None,
        device: None,
        phases: &[],
        copies: None,
        pool: None,
        leaves_garbage: None,
    };
}

/// The packs that a diagnosis works with.
pub type Packs = &'static [&'static Pack];

/// A cause: what it says if its evidence is there.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    /// Causes are asked in the order of their ranks; the first that explains is told. No two have the same.
    pub rank: u16,
    /// Its name, as in reports and in `docs/causes`.
    pub name: &'static str,
    /// The sentence and the change.
    pub explain: fn(&Case) -> Option<Explanation>,
}

/// A cause of a growth that neither samples nor looks explain.
#[derive(Clone, Copy, Debug)]
pub struct RunCause {
    /// As of [`Cause`], among these.
    pub rank: u16,
    /// Of so many bytes per cycle that are left to explain.
    pub explain: fn(Run, left: f64) -> Option<ToldOfRun>,
}

/// A cause's name, what it says, the bytes per cycle that it explains.
pub type ToldOfRun = (&'static str, Explanation, f64);

/// A fault of a framework, as it was measured.
#[derive(Debug)]
pub struct Fault {
    /// The causes that rest on it.
    pub causes: &'static [&'static str],
    /// The package, as in `framework.NAME`.
    pub package: &'static str,
    /// Versions that have it, by major and minor number.
    pub versions: &'static [&'static str],
    /// What is wrong.
    pub what: &'static str,
    /// Where it is talked about.
    pub thread: &'static str,
}

/// Native memory of a holder's elements.
#[derive(Debug)]
pub struct NativePart {
    /// How the census calls elements that have such memory.
    pub elements: &'static str,
    /// Whether a finding that nobody is known to hold is of such memory.
    pub is_made: fn(&Finding) -> bool,
    /// Whether Python sees the numbers of such elements, and not what is kept beside them, also where they were weighed whole.
    pub is_beside: bool,
}

/// An allocator of devices.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Its number in captures.
    pub allocator: DeviceAllocator,
    /// The framework, as people call it.
    pub framework: &'static str,
    /// Whether it takes most of a device at its first allocation. Else it takes as it needs, and gives nothing back.
    pub takes_all: bool,
    /// What to do where others need the device too.
    pub left_to_others: Option<&'static str>,
}

/// A phase in which a framework copies the data.
#[derive(Clone, Copy, Debug)]
pub struct Copying {
    /// Its name.
    pub phase: &'static str,
    /// What is said of so many elements, and so many bytes of all copies.
    pub words: fn(elements: f64, bytes: f64) -> String,
}

/// How the census calls an object that keeps the graph which made it.
pub const WITH_GRAPH: &str = "with grad_fn";
/// A graph and what belongs to it weigh no more bytes than this; train steps of big models do, a few MiB is usual.
pub const MAX_TRACE_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
