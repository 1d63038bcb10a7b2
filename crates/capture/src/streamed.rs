//! Samples that stay in the file: a long run makes millions of them, of which a report keeps few.
//!
//! In: an open capture. Out: its samples, one by one, as often as asked. What must not happen here: memory that grows with
//! the file.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use crate::decode::{Rest, Unreadable};
use crate::decode_sampling::decode_sampling;
use crate::layout::{Header, at};
use crate::reader::Stamped;
use crate::record::{Record, kind};
use crate::sample::Sampling;
use crate::walk::{Skipped, Units, decoded, walk};

/// Bytes that are read at a time, unless a segment is longer.
const READ_BYTES: usize = 1 << 20;

/// Where samples are that a [`Capture`](crate::Capture) has not in memory.
#[derive(Clone, Debug)]
pub(crate) struct Streamed {
    file: Arc<File>,
    page: usize,
    unit: usize,
    generation: u64,
    /// Bytes behind the header page, as they were when the file was opened.
    present: usize,
    /// Those of nurseries, as they were then.
    young: Vec<Stamped>,
    /// Samples from before this time are of an earlier run; the others count from here.
    begins_ns: u64,
}

/// Two are the same only if they read through one opening of one file.
impl PartialEq for Streamed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && self.present == other.present && self.young == other.young
    }
}

impl Eq for Streamed {}

impl Streamed {
    /// Goes over a file; `take` gets all but its samples.
    pub(crate) fn begin(
        file: File,
        header: &Header,
        present: usize,
        take: &mut impl FnMut(Stamped),
    ) -> (Self, Skipped) {
        let (page, unit, generation) = (header.page, header.unit, header.compactions);
        let file = Arc::new(file);
        let mut take = decoded(take);
        let mut others = |pid: u32, kind: u8, payload: &[u8]| {
            if is_sample_kind(kind) { check(kind, payload) } else { take(pid, kind, payload) }
        };
        let mut skipped = walk(&mut Window::new(&file, page, present), unit, generation, &mut others);
        let young = std::mem::take(&mut skipped.young);
        (Self { file, page, unit, generation, present, young, begins_ns: 0 }, skipped)
    }

    /// Whether what is read has been freed since it was opened.
    pub(crate) fn is_stale(&self) -> bool {
        freed(&self.file) > self.generation
    }

    /// Births and deaths, in the order of the file; those of nurseries last. None where what was read at first is gone by now: some of them
    /// would make dead memory look alive.
    pub(crate) fn each(&self, tell: &mut impl FnMut(&Stamped)) {
        if self.is_stale() {
            return;
        }
        let mut young: HashSet<_> = self.young.iter().filter_map(identity).collect();
        let mut samples = |pid: u32, kind: u8, payload: &[u8]| {
            if is_sample_kind(kind) {
                let mut rest = Rest::new(payload);
                let at_ns = rest.number()?;
                let stamped =
                    Stamped { at_ns, pid, record: Record::Sampling(decode_sampling(kind, &mut rest)?) };
                if !young.is_empty() {
                    identity(&stamped).map(|identity| young.remove(&identity));
                }
                self.tell(stamped, tell);
            }
            Ok(())
        };
        walk(&mut Window::new(&self.file, self.page, self.present), self.unit, self.generation, &mut samples);
        let left = self.young.iter().filter(|one| identity(one).is_some_and(|id| young.contains(&id)));
        left.for_each(|one| self.tell(one.clone(), tell));
    }

    /// The run that is read begins at this time.
    pub(crate) fn begin_at(&mut self, at_ns: u64) {
        self.begins_ns = at_ns;
    }

    fn tell(&self, mut stamped: Stamped, tell: &mut impl FnMut(&Stamped)) {
        if let Some(at_ns) = stamped.at_ns.checked_sub(self.begins_ns) {
            stamped.at_ns = at_ns;
            tell(&stamped);
        }
    }
}

/// The generation up to which what is not read any more was freed.
pub(crate) fn freed(file: &File) -> u64 {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, at::FREED as u64).map_or(0, |()| u64::from_le_bytes(bytes))
}

fn is_sample_kind(kind: u8) -> bool {
    matches!(kind, kind::BIRTH | kind::DEATH)
}

/// Whether a birth or death makes sense, without making a record of it.
fn check(kind: u8, payload: &[u8]) -> Result<(), Unreadable> {
    let mut rest = Rest::new(payload);
    rest.number()?;
    decode_sampling(kind, &mut rest).map(|_sampling| ())
}

pub(crate) fn is_sample(record: &Record) -> bool {
    matches!(record, Record::Sampling(Sampling::Birth(_) | Sampling::Death { .. }))
}

/// By which a birth is the same in a nursery and in its record.
pub(crate) fn identity(stamped: &Stamped) -> Option<(u32, u64, u64)> {
    match &stamped.record {
        Record::Sampling(Sampling::Birth(birth)) => Some((stamped.pid, birth.id, stamped.at_ns)),
        _ => None,
    }
}

/// A file through a buffer that moves along it.
struct Window<'a> {
    file: &'a File,
    page: usize,
    present: usize,
    buffer: Vec<u8>,
    /// Where the buffer lies, counted from the first unit.
    begin: usize,
}

impl<'a> Window<'a> {
    fn new(file: &'a File, page: usize, present: usize) -> Self {
        Self { file, page, present, buffer: Vec::new(), begin: 0 }
    }

    fn fill(&mut self, offset: usize, length: usize) {
        let length = length.max(READ_BYTES).min(self.present.saturating_sub(offset));
        self.buffer.resize(length, 0);
        self.begin = offset;
        let mut filled = 0;
        while let Some(rest) = self.buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, (self.page + offset + filled) as u64) {
                Ok(0) => break, // it was cut meanwhile
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.buffer.truncate(filled);
    }
}

impl Units for Window<'_> {
    fn piece(&mut self, offset: usize, length: usize) -> &[u8] {
        let length = length.min(self.present.saturating_sub(offset));
        let end = self.begin + self.buffer.len();
        if offset < self.begin || offset + length > end {
            self.fill(offset, length);
        }
        let rest = self.buffer.get(offset - self.begin..).unwrap_or_default();
        rest.get(..length).unwrap_or(rest)
    }
}
