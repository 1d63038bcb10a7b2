//! Asks the dynamic loader which object an address belongs to.
//!
//! With glibc 2.35 and later `_dl_find_object` answers without a lock, and may be called anywhere. Older
//! versions have only `dl_iterate_phdr`, which takes a lock of the loader; it is called with none of ours
//! held.
#![expect(unsafe_code, reason = "calls the loader, reads what it points to")]

use crate::probe::{PAGE, readable};
use crate::{counters, elf};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Acquire, Ordering::Release};

/// The identity of a loaded object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// `.eh_frame_hdr`; 0 if there is none.
    pub(crate) header: u64,
    /// The loader's own record of the object, or its bias where the record is unknown.
    record: u64,
}

/// A loaded object in the loader's words. The name is valid only while the object stays loaded.
pub(crate) struct LoadedObject<'a> {
    pub(crate) identity: Identity,
    pub(crate) bias: u64,
    pub(crate) name: &'a [u8],
}

/// The loader's answer, as glibc lays it out on this machine.
#[repr(C)]
struct FoundObject {
    flags: u64,
    map_start: u64,
    map_end: u64,
    link_map: *const LinkMap,
    eh_frame: u64,
    reserved: [u64; 7],
}

/// The public beginning of the loader's record of an object.
#[repr(C)]
struct LinkMap {
    bias: u64,
    name: *const c_char,
}

type FindObject = unsafe extern "C" fn(address: *mut c_void, found: *mut FoundObject) -> c_int;

static FIND: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static PREPARED: AtomicU8 = AtomicU8::new(0);

/// Finds the loader's functions once. This may allocate and lock, so it belongs into a constructor.
pub(crate) fn prepare() {
    if PREPARED.load(Acquire) != 0 {
        return;
    }
    // SAFETY: looks up a name; a failure is taken out of dlerror again, whose text is the program's to see.
    let find = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr()) };
    if find.is_null() {
        // SAFETY: as above.
        unsafe { libc::dlerror() };
    }
    FIND.store(find, Release);
    counters::find();
    PREPARED.store(1, Release);
}

fn finder() -> Option<FindObject> {
    if PREPARED.load(Acquire) == 0 {
        prepare();
    }
    let find = FIND.load(Acquire);
    // SAFETY: null, or the function of that name, whose type is fixed by glibc's interface.
    (!find.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, FindObject>(find) })
}

/// The object that contains `address`. The address must be in use, so that no thread unloads the object.
pub(crate) fn object_at<T>(address: u64, then: impl FnOnce(&LoadedObject<'_>) -> T) -> Option<T> {
    let Some(find) = finder() else { return searched(address, then) };
    let identity = asked(find, address)?;
    // SAFETY: the loader's record of an object that stays loaded, as the address is in use.
    let record = unsafe { (identity.record as *const LinkMap).as_ref() }?;
    // SAFETY: null, or a C string that lives as long as the record.
    let name = if record.name.is_null() { c"" } else { unsafe { CStr::from_ptr(record.name) } };
    Some(then(&LoadedObject { identity, bias: record.bias, name: name.to_bytes() }))
}

/// The object that contains `address` now. Reads nothing that unloading frees, so any address will do.
pub(crate) fn identity_at(address: u64) -> Option<Identity> {
    match finder() {
        Some(find) => asked(find, address),
        None => searched(address, |object| object.identity),
    }
}

fn asked(find: FindObject, address: u64) -> Option<Identity> {
    let mut found = FoundObject {
        flags: 0,
        map_start: 0,
        map_end: 0,
        link_map: null_mut(),
        eh_frame: 0,
        reserved: [0; 7],
    };
    // SAFETY: any address may be passed; the answer has the size that glibc fills.
    let failed = unsafe { find(address as *mut c_void, &raw mut found) } != 0;
    let FoundObject { map_start: start, map_end: end, eh_frame: header, link_map, .. } = found;
    (!failed).then_some(Identity { start, end, header, record: link_map as u64 })
}

struct Search<'a> {
    address: u64,
    then: &'a mut dyn FnMut(&LoadedObject<'_>),
}

fn searched<T>(address: u64, then: impl FnOnce(&LoadedObject<'_>) -> T) -> Option<T> {
    let (mut then, mut result) = (Some(then), None);
    let mut once = |object: &LoadedObject<'_>| result = then.take().map(|then| then(object));
    let mut search = Search { address, then: &mut once };
    // SAFETY: the callback gets the pointer back with its own type, and only during this call.
    unsafe { libc::dl_iterate_phdr(Some(one_object), (&raw mut search).cast()) };
    result
}

unsafe extern "C" fn one_object(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    let (Some(info), Some(search)) =
        // SAFETY: the loader's record, and the pointer that `searched` passed.
        (unsafe { info.as_ref() }, unsafe { search.cast::<Search<'_>>().as_mut() })
    else {
        return 0;
    };
    let table =
        // SAFETY: the object's table of program headers, which the loader keeps mapped; 56 bytes each.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr.cast::<u8>(), usize::from(info.dlpi_phnum) * elf::PROGRAM_HEADER_BYTES) };
    let Some((low, high)) = elf::extent(elf::segments(table)) else { return 0 };
    let (start, end) = (info.dlpi_addr.wrapping_add(low), info.dlpi_addr.wrapping_add(high));
    if !(start..end).contains(&search.address) {
        return 0;
    }
    let header = elf::frame_header(elf::segments(table))
        .map_or(0, |(address, _)| info.dlpi_addr.wrapping_add(address));
    // SAFETY: null, or a C string that lives as long as the object.
    let name = if info.dlpi_name.is_null() { c"" } else { unsafe { CStr::from_ptr(info.dlpi_name) } };
    let bias = info.dlpi_addr;
    let identity = Identity { start: start & !(PAGE - 1), end, header, record: bias };
    (search.then)(&LoadedObject { identity, bias, name: name.to_bytes() });
    1
}

/// A part of an object's mapping as bytes. `None` if it cannot be read.
///
/// The bytes stay as long as the object does: a walk reads them only for addresses that are in use.
pub(crate) fn mapped(address: u64, length: u64) -> Option<&'static [u8]> {
    if address == 0 || length == 0 || !readable(address) {
        return None;
    }
    let length = usize::try_from(length).ok()?;
    // SAFETY: inside one segment of a loaded object, which is read-only or never written while it is loaded.
    Some(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// The main program's table of program headers, as the kernel passed it. `None` if it cannot be read.
pub(crate) fn main_program_table() -> Option<&'static [u8]> {
    // SAFETY: reads the auxiliary vector, which never changes.
    let (table, count) = unsafe { (libc::getauxval(libc::AT_PHDR), libc::getauxval(libc::AT_PHNUM)) };
    mapped(table, count.checked_mul(elf::PROGRAM_HEADER_BYTES as u64)?)
}

#[cfg(test)]
mod tests {
    use super::{LoadedObject, finder, object_at, prepare, searched};

    /// Where glibc has both ways, they must agree.
    #[test]
    fn the_old_way_and_the_new_agree() {
        prepare();
        assert!(finder().is_some());
        let facts = |object: &LoadedObject<'_>| {
            (object.identity.start, object.identity.header, object.bias, object.name.to_vec())
        };
        for address in
            [prepare as fn() as usize, libc::malloc as *const () as usize, libc::dlsym as *const () as usize]
        {
            let address = address as u64;
            let (new, old) = (object_at(address, facts), searched(address, facts));
            assert!(new.is_some());
            assert_eq!(new, old);
        }
        let local = 0u64;
        let stack = std::ptr::from_ref(&local) as u64;
        assert_eq!(object_at(stack, facts), None);
        assert_eq!(searched(stack, facts), None);
    }
}
