#![expect(unsafe_code, reason = "the driver's library has no other face than C")]
//! NVML's functions, by their C names and types.
//!
//! In: the library that the loader finds. Out: what its functions say, as plain values. Functions that are younger than the drivers in use
//! are looked for by all their names, and may be missing. What must not happen here: a function called by a type that is not its own.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::processes::{self, BLANK, ENTRY_ROOM};
use super::{Memory, Refusal};

const LIBRARY: &CStr = c"libnvidia-ml.so.1";
const SUCCESS: c_int = 0;
/// Names and UUIDs with their end take less.
const TEXT_BYTES: usize = 96;
/// Processes on one GPU; with more of them the list is not read.
const MAX_PROCESSES: usize = 256;

/// A GPU, as the library has it.
pub(super) type Handle = *mut c_void;

type Plain = unsafe extern "C" fn() -> c_int;
type Number = unsafe extern "C" fn(*mut c_uint) -> c_int;
type ByIndex = unsafe extern "C" fn(c_uint, *mut Handle) -> c_int;
type Text = unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> c_int;
type Two = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_uint) -> c_int;
type Bytes = unsafe extern "C" fn(Handle, *mut Plainly) -> c_int;
type Versioned = unsafe extern "C" fn(Handle, *mut Version2) -> c_int;
type List = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_void) -> c_int;

/// `nvmlMemory_t`.
#[repr(C)]
#[derive(Default)]
struct Plainly {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlMemory_v2_t`.
#[repr(C)]
#[derive(Default)]
struct Version2 {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// The size of the struct, and above it its version.
const VERSION_2: c_uint = size_of::<Version2>() as c_uint | 2 << 24;

/// The functions. The library stays loaded: others of the process may use it.
#[derive(Debug)]
pub(super) struct Library {
    /// Once it is set up.
    shut_down: Option<Plain>,
    count: Number,
    handle: ByIndex,
    uuid: Text,
    name: Option<Text>,
    is_cut: Option<Two>,
    memory: Option<Bytes>,
    memory_2: Option<Versioned>,
    processes: Option<List>,
}

/// A function by the first of these names that the library has.
macro_rules! function {
    ($library:expr, $kind:ty, $($name:literal),+) => {
        [$($name),+].into_iter().find_map(|name| symbol($library, name)).map(|found| {
            // SAFETY: `nvml.h` has this type under each of the names.
            unsafe { std::mem::transmute::<*mut c_void, $kind>(found) }
        })
    };
}

impl Library {
    /// Loads it and sets it up.
    pub(super) fn load() -> Result<Self, Refusal> {
        // SAFETY: a name that ends. Constructors of the library run, as in any program that watches a GPU.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(Refusal::NoLibrary);
        }
        let missing = Refusal::NoFunction;
        let set_up = function!(library, Plain, c"nvmlInit_v2").ok_or(missing("nvmlInit_v2"))?;
        let mut found = Self {
            shut_down: None,
            count: function!(library, Number, c"nvmlDeviceGetCount_v2")
                .ok_or(missing("nvmlDeviceGetCount_v2"))?,
            handle: function!(library, ByIndex, c"nvmlDeviceGetHandleByIndex_v2")
                .ok_or(missing("nvmlDeviceGetHandleByIndex_v2"))?,
            uuid: function!(library, Text, c"nvmlDeviceGetUUID").ok_or(missing("nvmlDeviceGetUUID"))?,
            name: function!(library, Text, c"nvmlDeviceGetName"),
            is_cut: function!(library, Two, c"nvmlDeviceGetMigMode"),
            memory: function!(library, Bytes, c"nvmlDeviceGetMemoryInfo"),
            memory_2: function!(library, Versioned, c"nvmlDeviceGetMemoryInfo_v2"),
            processes: function!(
                library,
                List,
                c"nvmlDeviceGetComputeRunningProcesses_v3",
                c"nvmlDeviceGetComputeRunningProcesses_v2",
                c"nvmlDeviceGetComputeRunningProcesses"
            ),
        };
        // Before it is set up: what could not be asked need not be woken.
        if found.memory.is_none() && found.memory_2.is_none() {
            return Err(missing("nvmlDeviceGetMemoryInfo"));
        }
        // SAFETY: takes nothing. It sets up no GPU.
        match unsafe { set_up() } {
            SUCCESS => {
                found.shut_down = function!(library, Plain, c"nvmlShutdown");
                Ok(found)
            }
            code => Err(Refusal::Failed("nvmlInit_v2", code)),
        }
    }

    /// How many GPUs the machine has.
    pub(super) fn count(&self) -> Result<u32, Refusal> {
        let mut count = 0;
        // SAFETY: valid for the write.
        match unsafe { (self.count)(&raw mut count) } {
            SUCCESS => Ok(count),
            code => Err(Refusal::Failed("nvmlDeviceGetCount_v2", code)),
        }
    }

    /// One of them; `None` without permission.
    pub(super) fn handle(&self, index: u32) -> Option<Handle> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: valid for the write; a number that no GPU has is refused.
        (unsafe { (self.handle)(index, &raw mut handle) } == SUCCESS).then_some(handle)
    }

    /// Its UUID.
    pub(super) fn uuid(&self, of: Handle) -> Option<String> {
        text(self.uuid, of)
    }

    /// Its model; empty where it is not known.
    pub(super) fn name(&self, of: Handle) -> String {
        self.name.and_then(|name| text(name, of)).unwrap_or_default()
    }

    /// Whether it is cut into instances. Drivers and GPUs that know of none refuse.
    pub(super) fn is_cut(&self, of: Handle) -> bool {
        let (mut now, mut later) = (0, 0);
        // SAFETY: a handle of the library; both are valid for the write.
        let ask = |mode: Two| unsafe { mode(of, &raw mut now, &raw mut later) };
        self.is_cut.map(ask) == Some(SUCCESS) && now != 0
    }

    /// Its memory, without what processes hold.
    pub(super) fn memory(&self, of: Handle) -> Result<Memory, Refusal> {
        let mut second = Version2 { version: VERSION_2, ..Version2::default() };
        // SAFETY: a handle of the library; the struct is of the size that its version says.
        let ask = |memory: Versioned| unsafe { memory(of, &raw mut second) };
        if self.memory_2.map(ask) == Some(SUCCESS) {
            let Version2 { total, reserved, free, .. } = second;
            return Ok(Memory { total, free, reserved: Some(reserved), own: None });
        }
        let mut first = Plainly::default();
        // SAFETY: a handle of the library; the struct is the one that the function writes.
        let ask = |memory: Bytes| unsafe { memory(of, &raw mut first) };
        match self.memory.map(ask) {
            Some(SUCCESS) => Ok(Memory { total: first.total, free: first.free, ..Memory::default() }),
            code => Err(Refusal::Failed("nvmlDeviceGetMemoryInfo", code.unwrap_or(-1))),
        }
    }

    /// The processes that compute on it, and what each holds; `None` where the library does not list them.
    pub(super) fn processes(&self, of: Handle) -> Option<Vec<(u32, Option<u64>)>> {
        let list = self.processes?;
        let mut buffer = vec![BLANK; MAX_PROCESSES * ENTRY_ROOM];
        let mut count = MAX_PROCESSES as c_uint;
        // SAFETY: a handle of the library; the buffer has room for twice as much as the largest entries that there are.
        let code = unsafe { list(of, &raw mut count, buffer.as_mut_ptr().cast()) };
        (code == SUCCESS).then_some(())?;
        processes::parse(&buffer, usize::try_from(count).ok()?)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(shut_down) = self.shut_down {
            // SAFETY: takes nothing. It was set up once for this value; others that set it up keep it.
            unsafe { shut_down() };
        }
    }
}

fn symbol(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a library that was loaded, and a name that ends.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

fn text(say: Text, of: Handle) -> Option<String> {
    let mut buffer = [0_u8; TEXT_BYTES];
    // SAFETY: a handle of the library; the buffer is as long as is said.
    let code = unsafe { say(of, buffer.as_mut_ptr().cast(), TEXT_BYTES as c_uint) };
    let text = CStr::from_bytes_until_nul(&buffer).ok()?;
    (code == SUCCESS).then(|| text.to_string_lossy().into_owned())
}
