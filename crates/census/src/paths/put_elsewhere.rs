//! Where frameworks keep what their users put elsewhere: what is put into `app.state.paths` lies in a dict `_state` of the state.
//!
//! In: an object and the name of one of its attributes. Out: how a path reads that goes on behind it. What must not happen here: a
//! class that is recognised by its name alone, which a program may give to its own.

use crate::layout::TYPE;
use crate::memory::word;
use crate::naming::HeapView;
use crate::pack::Written;

/// What a user writes for this attribute of the object, where that is something else.
pub(super) fn put_elsewhere(heap: &HeapView<'_>, object: u64, name: &str) -> Option<Written> {
    // Nearly all names are of no row, and then nothing is read.
    let rows = heap.python.packs.iter().flat_map(|pack| pack.put_elsewhere);
    let mut rows = rows.filter(|row| row.attribute == name).peekable();
    rows.peek()?;
    let classes: Vec<(String, String)> = heap
        .bases(word(object, TYPE))
        .map(|class| (heap.module_of_class(class), heap.type_name(class)))
        .collect();
    rows.find(|row| classes.iter().any(|(of, name)| of == row.module && name == row.class)).map(|row| row.how)
}
