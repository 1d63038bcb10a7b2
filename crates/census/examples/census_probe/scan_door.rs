//! Doors to objects, sizes and the scan.

use std::ffi::c_char;

use nilometer_census::{Object, Python};

use crate::{answer, quoted};

thread_local! { static FOUND: Result<Python, String> = Python::find() }

fn with_python(make: impl FnOnce(&Python) -> String) -> *const c_char {
    FOUND.with(|found| match found {
        Ok(python) => answer(&make(python)),
        Err(why) => answer(&format!("{{\"error\": {}}}", quoted(why))),
    })
}

fn list(addresses: &[u64]) -> String {
    format!("[{}]", addresses.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
}

/// Whether this Python can be read, and why not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_find() -> *const c_char {
    with_python(|python| format!("{{\"version\": [{}, {}]}}", python.version().0, python.version().1))
}

/// What the base says of the object at an address.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_object(address: u64) -> *const c_char {
    with_python(|python| {
        let object = Object::at(address);
        let (start, bytes) = python.block(object);
        let mut children = Vec::new();
        python.traverse(object, &mut |child| children.push(child.address()));
        format!(
            "{{\"type\": {}, \"references\": {}, \"gc\": {}, \"tracked\": {}, \"length\": {}, \"start\": {start}, \
             \"bytes\": {bytes}, \"children\": {}}}",
            quoted(&python.type_name(python.type_of(object))),
            python.references(object),
            python.is_gc(object),
            python.is_tracked(object),
            python.length(object).map_or("null".to_string(), |length| length.to_string()),
            list(&children),
        )
    })
}

/// The addresses of everything that the collector tracks.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_tracked() -> *const c_char {
    with_python(|python| {
        let mut tracked = Vec::new();
        python.visit_tracked(&mut |object| tracked.push(object.address()));
        list(&tracked)
    })
}
