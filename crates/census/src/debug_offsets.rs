//! CPython 3.14's own table of offsets, `_Py_DebugOffsets`, at the start of `_PyRuntime`.
//!
//! In: a version's layout. Out: that the running interpreter agrees with it, or the part that differs.
//! Releases of one version may differ from the headers behind the layout; then the heap is not read. What
//! must not happen here: an offset that is used from the table unchecked.

use crate::c_api::symbol;
use crate::layout::{Layout, SIZE, TYPE, Text, dict, list, set, types};
use crate::memory;
use crate::naming::Offsets;

/// The first bytes of the table; the version and the GIL flag follow.
const COOKIE: &[u8] = b"xdebugpy";
const VERSION: u64 = 8;
const WITHOUT_GIL: u64 = 16;

/// Whether the process's own table agrees with the layout.
///
/// # Errors
/// The part that differs.
pub(crate) fn agrees(layout: Layout, offsets: &Offsets) -> Result<(), &'static str> {
    let table = symbol(c"_PyRuntime").map_or(0, |found| found as u64);
    if !memory::usable(table) || !memory::equal(table, 0, COOKIE) {
        return Err("it has no table of offsets");
    }
    let (major, minor) = layout.version;
    if memory::word(table, VERSION) >> 16 != u64::from(major) << 8 | u64::from(minor) {
        return Err("its table of offsets is of another version");
    }
    if memory::word(table, WITHOUT_GIL) != 0 {
        return Err("it runs without the GIL");
    }
    match expected(layout, offsets).iter().find(|(at, offset, _)| memory::word(table, *at) != *offset) {
        Some((_, _, what)) => Err(what),
        None => Ok(()),
    }
}

/// Offset in 3.14's table, expected value, and subject. The collector's state is left out: its lists prove
/// their place, and where they do not CPython's own walk serves.
fn expected(layout: Layout, offsets: &Offsets) -> [(u64, u64, &'static str); 39] {
    let (frame, code, text) = (offsets.frame, offsets.code, layout.text);
    [
        (208, offsets.thread_current, "threads"),
        (248, frame.variables + 8, "frames"),
        (256, frame.previous, "the frame before a frame"),
        (264, frame.code, "the code of a frame"),
        (280, frame.variables, "the variables of a frame"),
        (288, frame.owner, "the owner of a frame"),
        (296, frame.depth, "the stack of a frame"),
        (320, code.file, "the file of code"),
        (328, code.name, "the name of code"),
        (336, code.qualified_name, "the qualified name of code"),
        (360, code.arguments, "the arguments of code"),
        (368, code.names, "the variables of code"),
        (376, code.kinds, "the kinds of variables"),
        (408, TYPE, "objects"),
        (416, 416, "types"),
        (424, types::NAME, "the name of a type"),
        (440, types::FLAGS, "the flags of a type"),
        (456, layout.tuple_items, "tuples"),
        (464, SIZE, "the length of a tuple"),
        (472, list::ALLOCATED + 8, "lists"),
        (480, list::ITEMS, "the items of a list"),
        (496, 200, "sets"),
        (504, set::USED, "the length of a set"),
        (512, set::TABLE, "the table of a set"),
        (520, set::MASK, "the size of a set's table"),
        (528, dict::VALUES + 8, "dicts"),
        (536, dict::KEYS, "the keys of a dict"),
        (544, dict::VALUES, "the values of a dict"),
        (560, SIZE, "the value of a float"),
        (576, SIZE, "the length of an int"),
        (584, SIZE + 8, "the digits of an int"),
        (600, SIZE, "the length of bytes"),
        (608, SIZE + 16, "bytes"),
        (616, text.other + 8, "texts"),
        (624, Text::STATE, "the state of a text"),
        (632, SIZE, "the length of a text"),
        (640, text.ascii, "ASCII texts"),
        (680, offsets.generator_frame, "the frame of a generator"),
        (688, offsets.generator_state, "the state of a generator"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_for_twice() {
        let (Some(layout), Some(offsets)) = (Layout::of((3, 14)), Offsets::of((3, 14))) else {
            panic!("3.14 is known");
        };
        let mut places: Vec<u64> = expected(layout, &offsets).iter().map(|(at, _, _)| *at).collect();
        assert!(places.is_sorted() && places.iter().all(|at| at % 8 == 0 && *at > WITHOUT_GIL));
        places.dedup();
        assert_eq!(places.len(), 39);
    }

    #[test]
    fn no_table_no_belief() {
        let (Some(layout), Some(offsets)) = (Layout::of((3, 14)), Offsets::of((3, 14))) else {
            panic!("3.14 is known");
        };
        assert_eq!(agrees(layout, &offsets), Err("it has no table of offsets"));
    }
}
