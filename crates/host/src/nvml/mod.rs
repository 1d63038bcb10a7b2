//! What the driver of NVIDIA's GPUs says of each: how much memory it has, how much is free, and what given processes hold of it.
//!
//! In: process ids. Out: numbers of each GPU, or why there are none. NVML, the driver's library, is loaded when this is asked for, and
//! only then. What must not happen here: a context on a GPU, which would take memory there; a number that the driver did not say.
//!
//! The crate `nvml-wrapper` binds NVML, too. It brings several others with it for the ten functions here. It takes one size of the entries
//! in a list of processes for granted, and some drivers 535 have another under the same name ([`processes`]).

mod library;
mod processes;

use std::fmt;

use library::{Handle, Library};

/// More GPUs than any machine has.
const MAX_GPUS: u32 = 64;

/// The loaded library, set up.
#[derive(Debug)]
pub struct Driver {
    library: Library,
    gpus: Vec<(Gpu, Handle)>,
}

/// A GPU that this process may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its number among all of the machine: the order of their PCI addresses.
    pub index: u32,
    /// `GPU-`, and sixteen bytes in hexadecimal digits.
    pub uuid: String,
    /// Its model; empty if the driver does not say it.
    pub name: String,
    /// It is cut into instances (MIG), each of which is a device to programs.
    pub is_cut: bool,
}

/// Memory of a GPU. Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What nobody has.
    pub free: u64,
    /// What the driver keeps for itself, which older ones do not tell.
    pub reserved: Option<u64>,
    /// What the given processes hold; `None` where the driver lists none of them, as in containers with pids of their own.
    pub own: Option<u64>,
}

/// Why there is nothing to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such library.
    NoLibrary,
    /// The library lacks a function, as those of old drivers do.
    NoFunction(&'static str),
    /// A call failed with this number.
    Failed(&'static str, i32),
}

/// As captures have it: `no_library`, `no_function nvmlInit_v2`, `failed nvmlInit_v2 9`.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary => f.write_str("no_library"),
            Self::NoFunction(name) => write!(f, "no_function {name}"),
            Self::Failed(name, code) => write!(f, "failed {name} {code}"),
        }
    }
}

impl Driver {
    /// Loads the library and finds the GPUs. It may take seconds where a GPU sleeps.
    ///
    /// # Errors
    ///
    /// Says what is missing or failed.
    pub fn load() -> Result<Self, Refusal> {
        let library = Library::load()?;
        let count = library.count()?;
        // Of those that this process may not open there is no handle. CUDA leaves them out when it counts, too.
        let about = |index| {
            let handle = library.handle(index)?;
            let uuid = library.uuid(handle)?;
            let gpu = Gpu { index, uuid, name: library.name(handle), is_cut: library.is_cut(handle) };
            Some((gpu, handle))
        };
        let gpus = (0..count.min(MAX_GPUS)).filter_map(about).collect();
        Ok(Self { library, gpus })
    }

    /// The GPUs, by their numbers.
    pub fn gpus(&self) -> impl Iterator<Item = &Gpu> {
        self.gpus.iter().map(|(gpu, _)| gpu)
    }

    /// Memory of each GPU, and what these processes hold of it.
    ///
    /// # Errors
    ///
    /// Says which call failed, where none of the GPUs answered.
    pub fn memory(&self, pids: &[u32]) -> Result<Vec<(u32, Memory)>, Refusal> {
        let mut refusal = None;
        let mut out = Vec::new();
        for (gpu, handle) in &self.gpus {
            match self.library.memory(*handle) {
                Ok(memory) => out.push((gpu.index, Memory { own: self.own(*handle, pids), ..memory })),
                Err(refused) => refusal = Some(refused),
            }
        }
        refusal.filter(|_| out.is_empty()).map_or(Ok(out), Err)
    }

    fn own(&self, handle: Handle, pids: &[u32]) -> Option<u64> {
        let listed = self.library.processes(handle)?;
        let mut own = listed.iter().filter(|(pid, _)| pids.contains(pid)).peekable();
        own.peek()?;
        own.map(|(_, bytes)| *bytes).try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
    }
}
