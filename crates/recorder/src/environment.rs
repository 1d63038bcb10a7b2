#![expect(unsafe_code, reason = "reads and changes the C library's list of variables")]
//! The environment as the program will see it: without a trace of us.
//!
//! In: the private variables. Out: their values, and an environment in which `LD_PRELOAD` is what it was, in its old
//! place. Only from the constructor, when there is one thread. What must not happen here: a variable moved, copied or
//! lost that is not ours.

use std::ffi::{CStr, CString, c_char};

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
}

/// The list, entry by entry.
fn entries() -> impl Iterator<Item = *mut *mut c_char> {
    // SAFETY: read by the only thread; null before the C library has begun.
    let first = unsafe { environ };
    let mut next = first;
    std::iter::from_fn(move || {
        // SAFETY: the list ends with a null pointer.
        if next.is_null() || unsafe { (*next).is_null() } {
            return None;
        }
        let entry = next;
        next = next.wrapping_add(1);
        Some(entry)
    })
}

/// Where a variable stands in the list, and its value: a C string that may be written to, so no reference.
fn find(name: &str) -> Option<(*mut *mut c_char, *mut c_char)> {
    entries().find_map(|entry| {
        // SAFETY: entries are C strings.
        let (at, text) = unsafe { (*entry, CStr::from_ptr(*entry)) };
        text.to_bytes().strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        // SAFETY: inside of the string, behind the name and its sign.
        Some((entry, unsafe { at.add(name.len() + 1) }))
    })
}

/// The value of a variable: bytes, since paths need not be text.
pub(crate) fn get(name: &str) -> Option<Vec<u8>> {
    let (_entry, value) = find(name)?;
    // SAFETY: the rest of a C string is one; copied before anything changes it.
    Some(unsafe { CStr::from_ptr(value) }.to_bytes().to_vec())
}

/// Takes a variable out; the others keep their order.
pub(crate) fn remove(name: &str) {
    while let Some((entry, _value)) = find(name) {
        let mut entry = entry;
        // SAFETY: up to and including the null pointer at the end, all of it the list.
        unsafe {
            while !(*entry).is_null() {
                *entry = *entry.add(1);
                entry = entry.add(1);
            }
        }
    }
}

/// Gives a variable that is there another value, in its place.
pub(crate) fn replace(name: &str, value: &[u8]) {
    let Some((entry, at)) = find(name) else { return };
    // SAFETY: a C string.
    let room = unsafe { CStr::from_ptr(at) }.to_bytes().len();
    if value.len() <= room {
        // The text itself too: /proc shows it.
        // SAFETY: not longer than the C string that it replaces, which nobody else reads now.
        unsafe {
            std::ptr::copy_nonoverlapping(value.as_ptr(), at.cast(), value.len());
            *at.add(value.len()) = 0;
        }
    } else if let Ok(text) = CString::new([name.as_bytes(), b"=", value].concat()) {
        // SAFETY: an entry of the list; the text is never freed.
        unsafe { *entry = text.into_raw() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_out_and_replaces_in_place() {
        let set = |name: &str, value: &str| {
            let (name, value) =
                (CString::new(name).unwrap_or_default(), CString::new(value).unwrap_or_default());
            // SAFETY: C strings; no other test of this crate looks at the environment.
            unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
        };
        for name in ["NILO_A", "NILO_B", "NILO_C"] {
            set(name, "0123456789");
        }
        let place = find("NILO_B").map(|(entry, _value)| entry);
        replace("NILO_B", b"01\xff");
        assert_eq!(
            (get("NILO_B").as_deref(), find("NILO_B").map(|(entry, _value)| entry)),
            (Some(&b"01\xff"[..]), place)
        );
        replace("NILO_B", b"longer than it was before");
        assert_eq!(get("NILO_B").as_deref(), Some(&b"longer than it was before"[..]));
        assert_eq!(find("NILO_B").map(|(entry, _value)| entry), place);
        replace("NILO_B", b"");
        assert_eq!(get("NILO_B").as_deref(), Some(&b""[..]));
        remove("NILO_B");
        assert_eq!((get("NILO_A"), get("NILO_B")), (Some(b"0123456789".to_vec()), None));
        assert_eq!(get("NILO_C").as_deref(), Some(&b"0123456789"[..]));
        assert_eq!(get("NILO"), None);
    }
}
