//! The reader: a file, whole or torn, finished or still being written, to records in the order of time.
//!
//! In: a path or bytes. Out: a [`Capture`] with all that is readable, and in words what is not. What must not happen
//! here: an error for a file of which anything can be read, or memory taken for what the file merely claims to hold.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::error::OpenError;
use crate::layout::{BoardCounts, HEADER_LEN, Header};
use crate::mapping::{Lock, try_lock};
use crate::record::Record;
use crate::streamed::{Streamed, freed, identity, is_sample};
use crate::thin::RUN_BEGINS;
use crate::walk::{decoded, walk};
use crate::words;

/// A capture that is compacted while it is read is read again; this often at most.
const MAX_TRIES: usize = 5;

/// A record, when it happened and which process said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// Nanoseconds since the start of the capture.
    pub at_ns: u64,
    /// The process that wrote it.
    pub pid: u32,
    /// What it said.
    pub record: Record,
}

/// A capture, as far as it is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// The header page.
    pub header: Header,
    /// All readable records, in the order of time; at the same time, in the order of the file.
    pub records: Vec<Stamped>,
    /// The counters of the board.
    pub board: BoardCounts,
    /// What could not be written or read, one sentence each; empty is the normal case.
    pub losses: Vec<String>,
    /// Where samples are that are not among the records.
    pub(crate) streamed: Option<Streamed>,
}

impl Capture {
    /// Reads a capture, which may still be in use.
    ///
    /// # Errors
    /// If not even a header can be read; each of [`OpenError`] says what to do.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        for _changed in 0..MAX_TRIES {
            let (mut file, length) = open_file(path)?;
            let bytes = read(&mut file, length, path)?;
            let capture = Self::parse_named(&bytes, path)?;
            if freed(&file) <= capture.header.compactions {
                return Ok(capture);
            }
        }
        Err(OpenError::of_io(std::io::ErrorKind::Interrupted.into(), path))
    }

    /// Reads a capture, which may still be in use, and leaves its samples in the file: births and deaths are not among the
    /// records, and [`Capture::each_sample`] reads them. Takes memory for what a run says besides, however long it is.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn open_streamed(path: &Path) -> Result<Self, OpenError> {
        for _changed in 0..MAX_TRIES {
            let (mut file, length) = open_file(path)?;
            let head = read_head(&mut file, path)?;
            let (header, board) =
                Header::parse(&head).map_err(|problem| OpenError::of_header(problem, path))?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let present = length.saturating_sub(header.page);
            let mut records = Vec::new();
            let (streamed, skipped) =
                Streamed::begin(file, &header, present, &mut |stamped| records.push(stamped));
            if streamed.is_stale() {
                continue;
            }
            records.sort_by_key(|stamped| stamped.at_ns);
            let losses = words::losses(&header, present, &skipped);
            return Ok(Self { header, records, board, losses, streamed: Some(streamed) }.of_last_run());
        }
        Err(OpenError::of_io(std::io::ErrorKind::Interrupted.into(), path))
    }

    /// Tells all births and deaths of samples, wherever they are; in no particular order.
    pub fn each_sample(&self, mut tell: impl FnMut(&Stamped)) {
        if let Some(streamed) = &self.streamed {
            streamed.each(&mut tell);
        } else {
            self.records.iter().filter(|stamped| is_sample(&stamped.record)).for_each(tell);
        }
    }

    /// Reads a capture from memory.
    ///
    /// # Errors
    /// As [`Capture::open`]; the file is called "the bytes given" there.
    pub fn parse(bytes: &[u8]) -> Result<Self, OpenError> {
        Self::parse_named(bytes, Path::new("the bytes given"))
    }

    /// Without the runs before the last one, if there are several: as if the capture had begun with it.
    fn of_last_run(mut self) -> Self {
        let begins = |stamped: &Stamped| match &stamped.record {
            Record::Fact { key, .. } if key == RUN_BEGINS => Some(stamped.at_ns),
            _ => None,
        };
        let Some(begin) = self.records.iter().rev().find_map(begins) else { return self };
        self.records.retain_mut(|stamped| {
            let is_of_it = stamped.at_ns >= begin;
            stamped.at_ns = stamped.at_ns.saturating_sub(begin);
            is_of_it
        });
        self.header.start_unix_ns = self.header.start_unix_ns.saturating_add(begin);
        self.header.start_mono_ns = self.header.start_mono_ns.wrapping_add(begin);
        if let Some(streamed) = &mut self.streamed {
            streamed.begin_at(begin);
        }
        self
    }

    fn parse_named(bytes: &[u8], path: &Path) -> Result<Self, OpenError> {
        let (header, board) = Header::parse(bytes).map_err(|problem| OpenError::of_header(problem, path))?;
        let mut units = bytes.get(header.page..).unwrap_or_default();
        let present = units.len();
        let mut records = Vec::new();
        let mut skipped =
            walk(&mut units, header.unit, header.compactions, &mut decoded(|stamped| records.push(stamped)));
        add_young(&mut records, std::mem::take(&mut skipped.young));
        records.sort_by_key(|stamped| stamped.at_ns);
        let losses = words::losses(&header, present, &skipped);
        Ok(Self { header, records, board, losses, streamed: None }.of_last_run())
    }
}

/// Adds the samples of a nursery, but for those that were leaving it and have a record already.
fn add_young(records: &mut Vec<Stamped>, young: Vec<Stamped>) {
    if !young.is_empty() {
        let written: HashSet<_> = records.iter().filter_map(identity).collect();
        records.extend(young.into_iter().filter(|one| identity(one).is_none_or(|id| !written.contains(&id))));
    }
}

/// The file and its length; only a plain file is opened. As long as it is open, nothing that can be read in it is freed.
fn open_file(path: &Path) -> Result<(File, u64), OpenError> {
    let of_io = |source| OpenError::of_io(source, path);
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .map_err(of_io)?;
    let about = file.metadata().map_err(of_io)?;
    if about.is_dir() {
        return Err(OpenError::IsFolder { path: path.to_owned() });
    }
    if !about.is_file() {
        return Err(OpenError::NotACapture { path: path.to_owned() });
    }
    try_lock(&file, Lock::Readers, true);
    // Units may have been added since.
    let length = file.metadata().map_err(of_io)?.len();
    Ok((file, length))
}

/// The header first: a file that is not a capture may be of any size.
fn read_head(file: &mut File, path: &Path) -> Result<Vec<u8>, OpenError> {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    let read = file.by_ref().take(HEADER_LEN as u64).read_to_end(&mut bytes);
    read.map_err(|source| OpenError::of_io(source, path))?;
    Header::parse(&bytes).map_err(|problem| OpenError::of_header(problem, path))?;
    Ok(bytes)
}

fn read(file: &mut File, length: u64, path: &Path) -> Result<Vec<u8>, OpenError> {
    let of_io = |source| OpenError::of_io(source, path);
    let mut bytes = read_head(file, path)?;
    let more = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(bytes.len());
    bytes.try_reserve_exact(more).map_err(|_no_memory| of_io(std::io::ErrorKind::OutOfMemory.into()))?;
    file.read_to_end(&mut bytes).map_err(of_io)?;
    Ok(bytes)
}
