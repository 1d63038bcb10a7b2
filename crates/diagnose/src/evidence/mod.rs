//! All that a diagnosis takes from a run, before any judgement, as one small value.
//!
//! In: a capture, and what its report asked of files. Out: the same report again, on any machine, also by other rules. What must not
//! happen here: a judgement; a fact that another rule would need, left out because today's rules do not ask for it.
//!
//! A capture of a short training compresses to 50 to 100 KiB, of which most are samples that nobody ever saw alive and stacks of them.

mod answers;
mod reduced;
mod renamed;

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use nilometer_capture::Capture;

use crate::lookup::Lookup;
use crate::pack::Packs;
use crate::report::Report;

use answers::{Answering, Answers, Noting};
pub(crate) use reduced::left_out;

/// The first bytes of the value. The last digit is its version.
const MAGIC: &[u8] = b"nilometer evidence 1\n";
/// The first bytes of it in any version.
const ANY_MAGIC: &[u8] = b"nilometer evidence ";
/// A value that unfolds to more is not one of ours.
const MAX_BYTES: u64 = 1 << 30;

/// What a report is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    capture: Capture,
    answers: Answers,
}

impl Evidence {
    /// The evidence of a run, and its report. `lookup` is asked as for any report.
    pub fn of(capture: &Capture, lookup: &mut dyn Lookup) -> (Self, Report) {
        let mut noting = Noting::new(lookup);
        let report = crate::diagnose_with(capture, &mut noting);
        let answers = noting.answers();
        (Self { capture: reduced::reduced(capture), answers }, report)
    }

    /// The report, by today's rules.
    pub fn judge(&self, packs: Packs) -> Report {
        crate::diagnose_with(&self.capture, &mut Answering { answers: self.answers.clone(), packs })
    }

    /// The evidence as a capture, with what answers for its files: for forms that draw more than the report has.
    pub fn into_parts(self, packs: Packs) -> (Capture, impl Lookup) {
        (self.capture, Answering { answers: self.answers, packs })
    }

    /// As bytes, compressed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let answers = serde_json::to_vec(&self.answers).unwrap_or_default();
        let mut whole = (answers.len() as u64).to_le_bytes().to_vec();
        whole.extend(answers);
        whole.extend(self.capture.to_packed());
        let mut encoder = DeflateEncoder::new(MAGIC.to_vec(), Compression::best());
        // A vector takes whatever is written.
        let written = encoder.write_all(&whole);
        written.and_then(|()| encoder.finish()).unwrap_or_default()
    }

    /// Whether bytes begin like such a value, of this or another version.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(ANY_MAGIC)
    }

    /// Whether bytes that begin like one are of another version, which can only be a newer one: this is the first.
    pub fn is_newer(bytes: &[u8]) -> bool {
        Self::begins(bytes) && !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes)
    }

    /// From such bytes; `None` if they are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut whole = Vec::new();
        let packed = bytes.strip_prefix(MAGIC)?;
        DeflateDecoder::new(packed).take(MAX_BYTES).read_to_end(&mut whole).ok()?;
        let (length, rest) = whole.split_first_chunk()?;
        let (answers, capture) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Self { answers: serde_json::from_slice(answers).ok()?, capture: Capture::from_packed(capture)? })
    }
}
