//! A capture in memory as one compact value, and back: what evidence is kept as.
//!
//! In: a capture whose records are all in memory. Out: bytes, records of one kind side by side so that they compress well. What must
//! not happen here: a panic or a large allocation for bytes that are damaged; a record that comes back as another one.
//!
//! The payloads are those of the file (`docs/capture-format.md`), with the time as the distance to the record before.

use std::collections::BTreeMap;

use crate::decode::{Rest, decode};
use crate::encode::{Encode as _, Length, Sink, number, string};
use crate::layout::{BoardCounts, FORMAT_MAJOR, HEADER_LEN, Header, Refusal, UNIT};
use crate::reader::{Capture, Stamped};
use crate::record::Record;

/// Bytes, in memory.
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

impl Capture {
    /// A capture of other records, with the header, board and losses of this one.
    #[must_use]
    pub fn with_records(&self, mut records: Vec<Stamped>) -> Self {
        records.sort_by_key(|stamped| stamped.at_ns);
        let (header, board, losses) = (self.header.clone(), self.board.clone(), self.losses.clone());
        Self { header, records, board, losses, streamed: None }
    }

    /// All of it as one value. Samples that were left in the file are not part of it.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut out = Bytes(Vec::new());
        head(&self.header, &mut out);
        self.board.to_numbers().for_each(|count| number(count, &mut out));
        number(self.losses.len() as u64, &mut out);
        self.losses.iter().for_each(|loss| string(loss, &mut out));
        let (mut order, mut streams) = (Bytes(Vec::new()), BTreeMap::<u8, Bytes>::new());
        let mut before = 0;
        for stamped in &self.records {
            let kind = stamped.record.kind();
            let after = stamped.at_ns.saturating_sub(before);
            before = stamped.at_ns;
            order.put(&[kind]);
            let stream = streams.entry(kind).or_insert_with(|| Bytes(Vec::new()));
            number(u64::from(stamped.pid), stream);
            let mut length = Length::default();
            stamped.record.encode(after, &mut length);
            number(length.0 as u64, stream);
            stamped.record.encode(after, stream);
        }
        number(order.0.len() as u64, &mut out);
        out.put(&order.0);
        for (kind, stream) in streams {
            out.put(&[kind]);
            number(stream.0.len() as u64, &mut out);
            out.put(&stream.0);
        }
        out.0
    }

    /// From such a value; `None` if the bytes are none, or of a version that this one does not read.
    pub fn from_packed(bytes: &[u8]) -> Option<Self> {
        let mut rest = Rest::new(bytes);
        let header = header_from(&mut rest)?;
        let board = BoardCounts::from_numbers(|| rest.number().ok())?;
        let mut losses = Vec::new();
        for _ in 0..rest.number().ok()? {
            losses.push(rest.string().ok()?);
        }
        let order = piece(&mut rest)?;
        let mut streams = BTreeMap::new();
        while rest.left() > 0 {
            let kind = *rest.bytes(1).ok()?.first()?;
            streams.insert(kind, Rest::new(piece(&mut rest)?));
        }
        let (mut records, mut before) = (Vec::new(), 0_u64);
        for kind in order {
            let stream = streams.get_mut(kind)?;
            let pid = u32::try_from(stream.number().ok()?).ok()?;
            let (after, record): (u64, Record) = decode(*kind, piece(stream)?).ok()?;
            before = before.checked_add(after)?;
            records.push(Stamped { at_ns: before, pid, record });
        }
        Some(Self { header, records, board, losses, streamed: None })
    }
}

/// A piece with its length in front.
fn piece<'a>(rest: &mut Rest<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(rest.number().ok()?).ok()?;
    rest.bytes(length).ok()
}

fn head(header: &Header, out: &mut Bytes) {
    let refusal = header.refusal.map_or(0, |refusal| refusal as u64);
    let Header { major, minor, start_unix_ns, start_mono_ns, units, lost, .. } = *header;
    for value in [u64::from(major), u64::from(minor), start_unix_ns, start_mono_ns, units, lost, refusal] {
        number(value, out);
    }
}

fn header_from(rest: &mut Rest) -> Option<Header> {
    let mut next = || rest.number().ok();
    let (major, minor) = (u16::try_from(next()?).ok()?, u16::try_from(next()?).ok()?);
    if major != FORMAT_MAJOR {
        return None;
    }
    Some(Header {
        major,
        minor,
        start_unix_ns: next()?,
        start_mono_ns: next()?,
        units: next()?,
        lost: next()?,
        refusal: next().and_then(|value| Refusal::from_number(u32::try_from(value).ok()?)),
        compactions: 0,
        page: HEADER_LEN,
        unit: UNIT,
    })
}
