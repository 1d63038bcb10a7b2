#![expect(unsafe_code, reason = "C++ calls these functions in place of its own")]
//! The hooks of TensorFlow's pool allocator (BFC), by the names that C++ gives its virtual functions.
//!
//! In: calls through the allocator's table of virtual functions, whose entries the linker binds by name and so to us. Out: the
//! same calls to the object's own functions, and samples. What must not happen here: a call that does not reach the
//! object's own function; a function of one framework's copy called on the object of another's.
//!
//! Where a version of TensorFlow has other names, or binds them within its library, nothing comes here and its pools are
//! seen as the regions they take from the C allocator.
use std::ffi::c_void;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use nilometer_capture::Source;

use crate::births::{self, New};
use crate::deaths;
use crate::exports::{function_anywhere, function_in};
use crate::filter::FILTER;
use crate::pools::{Inside, Met, Pool};
use crate::tls::count_down;

/// `tsl::BFCAllocator::AllocateRaw(size_t, size_t, const tsl::AllocationAttributes&)`.
type Allocate = unsafe extern "C-unwind" fn(*mut c_void, usize, usize, *const c_void) -> *mut c_void;
/// `tsl::BFCAllocator::DeallocateRaw(void*)`.
type Deallocate = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void);
/// `tsl::BFCAllocator::RequestedSize(const void*) const`.
type RequestedSize = unsafe extern "C-unwind" fn(*const c_void, *const c_void) -> usize;

const ALLOCATE: &[u8] = b"_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE";
const DEALLOCATE: &[u8] = b"_ZN3tsl12BFCAllocator13DeallocateRawEPv";
const REQUESTED_SIZE: &[u8] = b"_ZNK3tsl12BFCAllocator13RequestedSizeEPKv";

/// `tsl::BFCAllocator::GetStats()`: writes an optional `AllocatorStats`, which begins with the number of allocations, bytes in
/// use, and the most bytes that ever were.
type GetStats = unsafe extern "C-unwind" fn(*mut [u64; STATS], *mut c_void) -> *mut c_void;
/// `tsl::BFCAllocator::GetMemoryType() const`.
type GetMemoryType = unsafe extern "C-unwind" fn(*const c_void) -> i32;

const GET_STATS: &[u8] = b"_ZN3tsl12BFCAllocator8GetStatsEv";
const GET_MEMORY_TYPE: &[u8] = b"_ZNK3tsl12BFCAllocator13GetMemoryTypeEv";
/// Words that no version's figures fill.
const STATS: usize = 64;
/// `tsl::AllocatorMemoryType`.
const DEVICE: i32 = 1;
const HOST_PAGEABLE: i32 = 2;
const HOST_PINNED: i32 = 3;

/// A class of allocators: its table of virtual functions, and the functions that we stand in front of.
struct Class {
    table: AtomicU64,
    own: [AtomicU64; 3],
}

/// TensorFlow has three classes with a table of their own; a process may hold a second framework.
static CLASSES: [Class; 16] = [const { Class::new() }; 16];

impl Class {
    const fn new() -> Self {
        Self { table: AtomicU64::new(0), own: [const { AtomicU64::new(0) }; 3] }
    }
}

/// The functions of one class.
#[derive(Clone, Copy)]
struct Own {
    allocate: Allocate,
    deallocate: Deallocate,
    requested_size: RequestedSize,
}

impl Own {
    /// # Safety
    /// The addresses are those of the functions with the names above.
    unsafe fn at(allocate: u64, deallocate: u64, requested_size: u64) -> Self {
        // SAFETY: what the caller promises; the names tell the arguments, which are all as wide as a register.
        unsafe {
            Self {
                allocate: std::mem::transmute::<u64, Allocate>(allocate),
                deallocate: std::mem::transmute::<u64, Deallocate>(deallocate),
                requested_size: std::mem::transmute::<u64, RequestedSize>(requested_size),
            }
        }
    }
}

/// A place in [`CLASSES`] that is being filled.
const FILLING: u64 = 1;

/// The functions that belong to this object. They are looked for in the library that holds its table of virtual
/// functions: two frameworks in one process may each bring their own allocator under the same name.
fn own(object: *const c_void) -> Option<Own> {
    // SAFETY: an object with virtual functions begins with the address of their table.
    let table = unsafe { *object.cast::<u64>() };
    for class in &CLASSES {
        let here = class.table.load(Acquire);
        if here == table {
            let [allocate, deallocate, size] = class.own.each_ref().map(|own| own.load(Relaxed));
            // SAFETY: `remember` wrote them before the table, from what was found under these names.
            return Some(unsafe { Own::at(allocate, deallocate, size) });
        }
        if here == 0 {
            break;
        }
    }
    let find = |name| function_in(table, name).or_else(|| function_anywhere(name));
    let [allocate, deallocate, size] = [find(ALLOCATE)?, find(DEALLOCATE)?, find(REQUESTED_SIZE)?];
    remember(table, [allocate, deallocate, size]);
    // SAFETY: just found under these names.
    Some(unsafe { Own::at(allocate, deallocate, size) })
}

fn remember(table: u64, own: [u64; 3]) {
    for class in &CLASSES {
        if class.table.load(Relaxed) == 0 && class.table.compare_exchange(0, FILLING, AcqRel, Relaxed).is_ok()
        {
            class.own.iter().zip(own).for_each(|(place, own)| place.store(own, Relaxed));
            class.table.store(table, Release);
            return;
        }
    }
}

/// The pool of this object. One that worked before a late start is asked what it has in use, outside of its own functions,
/// whose lock the answer takes.
fn pool_of(object: *mut c_void) -> Option<&'static Pool> {
    Pool::of(object as u64, || {
        // SAFETY: an object with virtual functions begins with the address of their table.
        let table = unsafe { *object.cast::<u64>() };
        let find = |name| function_in(table, name).or_else(|| function_anywhere(name));
        let (stats, memory_type) = (find(GET_STATS)?, find(GET_MEMORY_TYPE)?);
        let mut figures = [0_u64; STATS];
        // SAFETY: found under these names, which tell the arguments; the room is larger than the figures of any version.
        let memory_type = unsafe {
            std::mem::transmute::<u64, GetStats>(stats)(&raw mut figures, object);
            std::mem::transmute::<u64, GetMemoryType>(memory_type)(object)
        };
        let [_allocations, used, most, ..] = figures;
        let is_known = matches!(memory_type, DEVICE | HOST_PAGEABLE | HOST_PINNED);
        // Pinned memory is no memory of the C allocator, as is what a device has.
        (is_known && used <= most && most < 1 << 48)
            .then_some(Met { used, on_host: memory_type == HOST_PAGEABLE })
    })
}

// What follows stands in front of the allocator's own functions. `C-unwind`: an exception of C++ passes through.

#[unsafe(export_name = "_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE")]
pub(super) unsafe extern "C-unwind" fn allocate_raw(
    object: *mut c_void,
    alignment: usize,
    bytes: usize,
    attributes: *const c_void,
) -> *mut c_void {
    let Some(own) = own(object) else {
        // Nobody has the function, and yet it was called. No memory is an answer that callers are made for.
        return std::ptr::null_mut();
    };
    let pool = pool_of(object);
    let memory = {
        let _inside = Inside::enter(pool);
        // SAFETY: the function that the linker would have bound, with the arguments it was called with.
        unsafe { (own.allocate)(object, alignment, bytes, attributes) }
    };
    if let Some(pool) = pool
        && !memory.is_null()
    {
        // As much as was asked for: how large the part is that the pool chose depends on what was free.
        pool.took(bytes as u64);
        if count_down(bytes) {
            let source = if pool.is_on_host() { Source::Pool } else { Source::Device };
            births::consider(New { address: key(memory), size: bytes, source });
        }
    }
    memory
}

#[unsafe(export_name = "_ZN3tsl12BFCAllocator13DeallocateRawEPv")]
pub(super) unsafe extern "C-unwind" fn deallocate_raw(object: *mut c_void, memory: *mut c_void) {
    let Some(own) = own(object) else { return };
    if !memory.is_null()
        && let Some(pool) = pool_of(object)
    {
        if FILTER.may_hold(key(memory)) {
            deaths::consider(key(memory));
        }
        // SAFETY: memory of this allocator that is still handed out.
        pool.gave_back(unsafe { (own.requested_size)(object, memory) } as u64);
    }
    // SAFETY: as in `allocate_raw`.
    unsafe { (own.deallocate)(object, memory) };
}

/// The first part of a region begins where the region does, which has its own place in the table of samples. No
/// allocator hands out odd addresses.
fn key(memory: *mut c_void) -> usize {
    memory as usize | 1
}
