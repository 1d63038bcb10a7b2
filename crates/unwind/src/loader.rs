//! What the dynamic loader knows: which object an address belongs to.
//!
//! With glibc 2.35 and later `_dl_find_object` answers without a lock and may be called anywhere. Before, there is only
//! `dl_iterate_phdr`, which takes a lock of the loader's; it is called with none of ours held.
#![expect(unsafe_code, reason = "calls the loader, reads what it points to")]

use crate::probe::{PAGE, readable};
use crate::{counters, elf};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Acquire, Ordering::Release};

/// What tells one loaded object from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// `.eh_frame_hdr`; 0 if there is none.
    pub(crate) header: u64,
    /// The loader's own record of the object, or its bias where that is not told.
    record: u64,
}

/// An object as the loader tells of it. The name is valid only while the object stays loaded.
pub(crate) struct Told<'a> {
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

/// Asks once for what is needed later: this may allocate and lock, so it belongs into a constructor.
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

/// The object whose mapping holds `address`, which must be in use: nobody may be unloading the object.
pub(crate) fn object_at<T>(address: u64, then: impl FnOnce(&Told<'_>) -> T) -> Option<T> {
    let Some(find) = finder() else { return searched(address, then) };
    let identity = asked(find, address)?;
    // SAFETY: the loader's record of an object that stays loaded, as the address is in use.
    let record = unsafe { (identity.record as *const LinkMap).as_ref() }?;
    // SAFETY: null, or a C string that lives as long as the record.
    let name = if record.name.is_null() { c"" } else { unsafe { CStr::from_ptr(record.name) } };
    Some(then(&Told { identity, bias: record.bias, name: name.to_bytes() }))
}

/// Which object holds `address` at this moment. Reads nothing that unloading takes away, so any address will do.
pub(crate) fn identity_at(address: u64) -> Option<Identity> {
    match finder() {
        Some(find) => asked(find, address),
        None => searched(address, |told| told.identity),
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
    // SAFETY: any address may be asked for; the answer has the size that glibc fills.
    let failed = unsafe { find(address as *mut c_void, &raw mut found) } != 0;
    let FoundObject { map_start: start, map_end: end, eh_frame: header, link_map, .. } = found;
    (!failed).then_some(Identity { start, end, header, record: link_map as u64 })
}

struct Search<'a> {
    address: u64,
    then: &'a mut dyn FnMut(&Told<'_>),
}

fn searched<T>(address: u64, then: impl FnOnce(&Told<'_>) -> T) -> Option<T> {
    let (mut then, mut result) = (Some(then), None);
    let mut once = |told: &Told<'_>| result = then.take().map(|then| then(told));
    let mut search = Search { address, then: &mut once };
    // SAFETY: the callback gets the pointer back as what it is, and only during this call.
    unsafe { libc::dl_iterate_phdr(Some(one_object), (&raw mut search).cast()) };
    result
}

unsafe extern "C" fn one_object(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    let (Some(info), Some(search)) =
        // SAFETY: both pointers are those that `searched` and the loader passed.
        (unsafe { info.as_ref() }, unsafe { search.cast::<Search<'_>>().as_mut() })
    else {
        return 0;
    };
    let table =
        // SAFETY: the object's table of program headers, which the loader keeps mapped; 56 bytes each.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr.cast::<u8>(), usize::from(info.dlpi_phnum) * 56) };
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
    (search.then)(&Told { identity, bias, name: name.to_bytes() });
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

#[cfg(test)]
mod tests {
    use super::{Told, finder, object_at, prepare, searched};

    /// Where glibc has both ways, they must say the same.
    #[test]
    fn the_old_way_and_the_new_agree() {
        prepare();
        assert!(finder().is_some());
        let facts =
            |told: &Told<'_>| (told.identity.start, told.identity.header, told.bias, told.name.to_vec());
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
