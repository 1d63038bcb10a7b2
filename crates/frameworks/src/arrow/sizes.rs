//! Arrow's buffers behind pyarrow's tables, batches, columns, arrays and buffers.
//!
//! In: a pyarrow object with one of these below it. Out: the buffers with their addresses, so that a buffer
//! shared by several slices and columns counts once. What must not happen here: a call into Arrow, or trust
//! in a structure by its offset alone. The C++ layout may change with versions. So it is read through the
//! kernel, and a field that does not fit ends the reading: the object is opaque then.

use nilometer_census::{Buffer, Object, Reader, Sizes, peek, usable, word};

/// The structure that a pyarrow object points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Table,
    Batch,
    Chunked,
    Array,
    Buffer,
}

/// Reads through the kernel for one object; larger objects are opaque.
const MAX_READS: u32 = 4096;
/// Nesting of arrays, and of slices of a buffer.
const MAX_NESTING: u32 = 32;
/// Elements of one C++ vector.
const MAX_LIST_ELEMENTS: u64 = 1 << 14;
/// Largest size of one buffer.
const MAX_ARROW_BYTES: u64 = 1 << 48;

impl Reader for Form {
    /// The buffers below an object.
    fn buffers(&self, _: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        let mut found = Vec::new();
        if read(o, *self, &mut found).is_some() {
            for (address, bytes) in found {
                visit(Buffer { address, bytes, owner: true });
            }
        }
    }

    fn is_opaque(&self, _: &Sizes<'_>, o: Object) -> bool {
        read(o, *self, &mut Vec::new()).is_none()
    }

    fn shape(&self, _: &Sizes<'_>, o: Object) -> Option<(Vec<u64>, &'static str)> {
        shape(o, *self).map(|shape| (shape, ""))
    }
}

/// Rows and columns of a table or batch; the length of an array.
fn shape(o: Object, form: Form) -> Option<Vec<u64>> {
    let mut reads = Reads { left: MAX_READS, found: &mut Vec::new() };
    let target = reads.target(o, form)?;
    match form {
        Form::Table | Form::Batch => {
            let [_, _, _, rows, begin, end, _]: [u64; 7] = reads.peek(target)?;
            Some(vec![rows, end.checked_sub(begin)? / 16])
        }
        Form::Array => {
            let [_, data]: [u64; 2] = reads.peek(target)?;
            let [_, _, length]: [u64; 3] = reads.peek(data)?;
            Some(vec![length])
        }
        Form::Chunked => {
            let [_, _, _, _, _, length]: [u64; 6] = reads.peek(target)?;
            Some(vec![length])
        }
        Form::Buffer => None,
    }
}

fn read(o: Object, form: Form, found: &mut Vec<(u64, u64)>) -> Option<()> {
    let mut reads = Reads { left: MAX_READS, found };
    let target = reads.target(o, form)?;
    match form {
        Form::Table => reads.columns(target, Reads::chunked),
        Form::Batch => reads.columns(target, |reads, column| reads.data(column, MAX_NESTING)),
        Form::Chunked => reads.chunked(target),
        Form::Array => reads.array(target),
        Form::Buffer => reads.buffer(target, MAX_NESTING),
    }
}

/// A bounded reading of one object.
struct Reads<'a> {
    left: u32,
    found: &'a mut Vec<(u64, u64)>,
}

impl Reads<'_> {
    fn peek<const WORDS: usize>(&mut self, address: u64) -> Option<[u64; WORDS]> {
        self.left = self.left.checked_sub(1)?;
        peek(address)
    }

    /// The structure that the object owns: a shared pointer, then the same address again; for a buffer, its
    /// size and a one.
    fn target(&mut self, o: Object, form: Form) -> Option<u64> {
        let size = o.basic_size().min(256);
        (2..(size / 8).saturating_sub(2)).find_map(|index| {
            let word = |further: u64| word(o.address(), 8 * (index + further));
            let (target, control, third) = (word(0), word(1), word(2));
            if !usable(target) || !usable(control) {
                return None;
            }
            let fits = if form == Form::Buffer {
                let [_, _, _, size]: [u64; 4] = self.peek(target)?;
                size == third && word(3) == 1
            } else {
                target == third
            };
            (fits && self.is_shared(control)).then_some(target)
        })
    }

    /// Whether this is a control block that counts the owners of a shared pointer.
    fn is_shared(&mut self, control: u64) -> bool {
        let Some([table, counts]) = self.peek(control) else { return false };
        let count = |number: u64| (1..1 << 24).contains(&number);
        usable(table) && count(counts & 0xffff_ffff) && count(counts >> 32)
    }

    /// The shared pointers of a vector, given its begin and end; empty ones are skipped.
    fn each(
        &mut self,
        begin: u64,
        end: u64,
        visit: &mut dyn FnMut(&mut Self, u64) -> Option<()>,
    ) -> Option<()> {
        let bytes = end.checked_sub(begin).filter(|bytes| bytes.is_multiple_of(16))?;
        if bytes / 16 > MAX_LIST_ELEMENTS {
            return None;
        }
        for at in (begin..end).step_by(16) {
            let [target, control] = self.peek(at)?;
            if target != 0 {
                self.is_shared(control).then_some(())?;
                visit(self, target)?;
            }
        }
        Some(())
    }

    /// A table or batch: vtable, schema, rows, columns.
    fn columns(&mut self, target: u64, mut visit: impl FnMut(&mut Self, u64) -> Option<()>) -> Option<()> {
        let [table, schema, control, rows, begin, end, room]: [u64; 7] = self.peek(target)?;
        let sound = usable(table) && usable(schema) && rows < MAX_ARROW_BYTES && end <= room;
        (sound && self.is_shared(control)).then_some(())?;
        self.each(begin, end, &mut visit)
    }

    /// A column: arrays, type, length.
    fn chunked(&mut self, target: u64) -> Option<()> {
        let [begin, end, room, kind, control, length]: [u64; 6] = self.peek(target)?;
        let sound = end <= room && usable(kind) && length < MAX_ARROW_BYTES;
        (sound && self.is_shared(control)).then_some(())?;
        self.each(begin, end, &mut Reads::array)
    }

    /// An array: vtable, data.
    fn array(&mut self, target: u64) -> Option<()> {
        let [table, data, control]: [u64; 3] = self.peek(target)?;
        (usable(table) && self.is_shared(control)).then_some(())?;
        self.data(data, MAX_NESTING)
    }

    /// An array's data: type, length, null count, offset, buffers, children, dictionary.
    fn data(&mut self, target: u64, deeper: u32) -> Option<()> {
        let deeper = deeper.checked_sub(1)?;
        let words: [u64; 13] = self.peek(target)?;
        let [kind, control, length, _, offset, begin, end, room, first, last, space, dictionary, counts] =
            words;
        let sound = usable(kind)
            && length < MAX_ARROW_BYTES
            && offset < MAX_ARROW_BYTES
            && end <= room
            && last <= space;
        (sound && self.is_shared(control)).then_some(())?;
        self.each(begin, end, &mut |reads, buffer| reads.buffer(buffer, MAX_NESTING))?;
        self.each(first, last, &mut |reads, child| reads.data(child, deeper))?;
        if dictionary != 0 {
            self.is_shared(counts).then_some(())?;
            self.data(dictionary, deeper)?;
        }
        Some(())
    }

    /// A buffer: vtable, two flags, data, size, capacity, device, parent buffer. A slice keeps its parent.
    fn buffer(&mut self, target: u64, deeper: u32) -> Option<()> {
        let deeper = deeper.checked_sub(1)?;
        let [table, marks, data, size, capacity, _, parent, control]: [u64; 8] = self.peek(target)?;
        let sound = usable(table) && marks & 0xfefe == 0 && size <= capacity && capacity < MAX_ARROW_BYTES;
        sound.then_some(())?;
        if parent != 0 {
            self.is_shared(control).then_some(())?;
            return self.buffer(parent, deeper);
        }
        if capacity > 0 && data != 0 {
            self.found.push((data, capacity));
        }
        Some(())
    }
}
