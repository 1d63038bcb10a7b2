//! CPython 3.14's own table of offsets, `_Py_DebugOffsets`, at the start of `_PyRuntime`.
//!
//! In: a version's layout. Out: that the running interpreter agrees with it, or the part that differs.
//! Releases of one version may differ from the headers behind the layout; then the heap is not read. What
//! must not happen here: an offset that is used from the table unchecked.

use crate::c_api::symbol;
use crate::layout::{Layout, SIZE, TYPE, Text, dict, list, set, types};
use crate::memory;
use crate::naming::Offsets;
use crate::words;

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
        return Err(words::NO_TABLE);
    }
    let (major, minor) = layout.version;
    if memory::word(table, VERSION) >> 16 != u64::from(major) << 8 | u64::from(minor) {
        return Err(words::OTHER_TABLE);
    }
    if memory::word(table, WITHOUT_GIL) != 0 {
        return Err(words::TABLE_WITHOUT_GIL);
    }
    match expected(layout, offsets).iter().find(|(at, offset)| memory::word(table, *at) != *offset) {
        Some((at, _)) => Err(words::field(*at)),
        None => Ok(()),
    }
}

/// Place in 3.14's table, and expected value. The collector's state is left out: its lists prove
/// their place, and where they do not CPython's own walk serves.
fn expected(layout: Layout, offsets: &Offsets) -> [(u64, u64); 39] {
    let (frame, code, text) = (offsets.frame, offsets.code, layout.text);
    [
        (208, offsets.thread_current),
        (248, frame.variables + 8),
        (256, frame.previous),
        (264, frame.code),
        (280, frame.variables),
        (288, frame.owner),
        (296, frame.depth),
        (320, code.file),
        (328, code.name),
        (336, code.qualified_name),
        (360, code.arguments),
        (368, code.names),
        (376, code.kinds),
        (408, TYPE),
        (416, 416),
        (424, types::NAME),
        (440, types::FLAGS),
        (456, layout.tuple_items),
        (464, SIZE),
        (472, list::ALLOCATED + 8),
        (480, list::ITEMS),
        (496, 200),
        (504, set::USED),
        (512, set::TABLE),
        (520, set::MASK),
        (528, dict::VALUES + 8),
        (536, dict::KEYS),
        (544, dict::VALUES),
        (560, SIZE),
        (576, SIZE),
        (584, SIZE + 8),
        (600, SIZE),
        (608, SIZE + 16),
        (616, text.other + 8),
        (624, Text::STATE),
        (632, SIZE),
        (640, text.ascii),
        (680, offsets.generator_frame),
        (688, offsets.generator_state),
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
        let mut places: Vec<u64> = expected(layout, &offsets).iter().map(|(at, _)| *at).collect();
        assert!(places.is_sorted() && places.iter().all(|at| at % 8 == 0 && *at > WITHOUT_GIL));
        places.dedup();
        assert_eq!(places.len(), 39);
    }

    #[test]
    fn each_field_has_words_of_its_own() {
        let (Some(layout), Some(offsets)) = (Layout::of((3, 14)), Offsets::of((3, 14))) else {
            panic!("3.14 is known");
        };
        let mut said: Vec<&str> =
            expected(layout, &offsets).iter().map(|(at, _)| words::field(*at)).collect();
        assert!(!said.contains(&words::field(0)));
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), 39);
    }

    #[test]
    fn no_table_no_belief() {
        let (Some(layout), Some(offsets)) = (Layout::of((3, 14)), Offsets::of((3, 14))) else {
            panic!("3.14 is known");
        };
        assert_eq!(agrees(layout, &offsets), Err(words::NO_TABLE));
    }
}
