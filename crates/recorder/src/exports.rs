//! Finds a function in a loaded object by its name, reading the object's own symbol table in memory.
//!
//! In: an address inside of an object, and a name. Out: where that object has the function. What must not happen here: a
//! question to the dynamic linker that takes its lock for long, opens the object anew, or finds our own function of
//! the same name.
//!
//! `dlsym(RTLD_NEXT)` does not do: Python loads its extensions so that their symbols are not global. Nor does
//! `dlsym(RTLD_DEFAULT)` for the C allocator: in a program that lies at a fixed address it may answer with the program's own
//! jump, which leads to whatever stands in the program's table, and that may be our hook.

use crate::elf::{Object, each};

/// The address of `name` in the object that covers `inside`.
pub(crate) fn function_in(inside: u64, name: &[u8]) -> Option<u64> {
    let mut found = None;
    each(&mut |object| {
        let covers = object.covers(inside);
        if covers {
            found = find(object, name);
        }
        !covers
    });
    found
}

/// The address of `name` in the first object that has it, other than ours.
pub(crate) fn function_anywhere(name: &[u8]) -> Option<u64> {
    let ours = function_anywhere as *const () as u64;
    let mut found = None;
    each(&mut |object| {
        if !object.covers(ours) {
            found = find(object, name);
        }
        found.is_none()
    });
    found
}

/// Which comes first among the loaded objects: 0 is the program itself. `None` if none covers this address.
pub(crate) fn order(inside: u64) -> Option<usize> {
    let (mut count, mut found) = (0, None);
    each(&mut |object| {
        if object.covers(inside) {
            found = Some(count);
        }
        count += 1;
        found.is_none()
    });
    found
}

fn find(object: &Object<'_>, name: &[u8]) -> Option<u64> {
    object.tables()?.find(name)
}

#[cfg(test)]
mod tests {
    #![expect(unsafe_code, reason = "asks the linker what is expected")]
    use super::*;

    #[test]
    fn functions_of_the_c_library_are_where_the_linker_finds_them() {
        let inside = libc::getenv as *const () as u64;
        for name in [c"getenv", c"qsort", c"posix_memalign", c"strtoull"] {
            // SAFETY: a C string, and the default search.
            let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as u64;
            assert_eq!(function_in(inside, name.to_bytes()), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn a_function_is_found_without_knowing_where() {
        // SAFETY: a C string, and the default search.
        let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"qsort".as_ptr()) } as u64;
        assert_eq!(function_anywhere(b"qsort"), Some(expected));
        assert_eq!(function_anywhere(b"no such function"), None);
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let inside = libc::getenv as *const () as u64;
        assert_eq!(function_in(inside, b"no such function"), None);
        assert_eq!(function_in(inside, b"geten"), None);
        assert_eq!(function_in(16, b"getenv"), None);
    }

    #[test]
    fn the_program_comes_before_the_c_library() {
        let own = order(order as *const () as u64);
        let library = order(libc::getenv as *const () as u64);
        assert_eq!(own, Some(0));
        assert!(library > own, "{library:?}");
        assert_eq!(order(16), None);
    }
}
