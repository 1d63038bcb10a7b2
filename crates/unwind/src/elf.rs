//! The program headers of a loaded object: its extent and its unwind sections.
//!
//! In: the object's first mapped bytes. Out: addresses relative to its bias. Never reads elsewhere, never
//! panics.

/// `p_type` of a loaded segment and of the segment that is `.eh_frame_hdr`.
const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PF_R: u32 = 4;
pub(crate) const PROGRAM_HEADER_BYTES: usize = 56;
/// No linker writes more program headers than this.
const MAX_PROGRAM_HEADERS: usize = 64;

/// The used fields of a program header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    kind: u32,
    flags: u32,
    address: u64,
    in_file: u64,
    in_memory: u64,
}

/// The program headers of a table.
pub(crate) fn segments(table: &[u8]) -> impl Iterator<Item = Segment> + Clone + '_ {
    table.chunks_exact(PROGRAM_HEADER_BYTES).take(MAX_PROGRAM_HEADERS).filter_map(|header| {
        let u32_at = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let u64_at = |at: usize| header.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        Some(Segment {
            kind: u32_at(0)?,
            flags: u32_at(4)?,
            address: u64_at(16)?,
            in_file: u64_at(32)?,
            in_memory: u64_at(40)?,
        })
    })
}

/// The program header table in an object's first bytes; `None` unless they are the head of a 64-bit
/// little-endian ELF object.
pub(crate) fn table(head: &[u8]) -> Option<&[u8]> {
    if head.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let start = usize::try_from(u64::from_le_bytes(head.get(32..40)?.try_into().ok()?)).ok()?;
    let size = u16::from_le_bytes(head.get(54..56)?.try_into().ok()?);
    let count = u16::from_le_bytes(head.get(56..58)?.try_into().ok()?);
    if usize::from(size) != PROGRAM_HEADER_BYTES {
        return None;
    }
    let end = start.checked_add(usize::from(count).min(MAX_PROGRAM_HEADERS) * PROGRAM_HEADER_BYTES)?;
    head.get(start..end)
}

/// First address, and first address behind, of all loaded segments, without the bias.
pub(crate) fn extent(segments: impl Iterator<Item = Segment>) -> Option<(u64, u64)> {
    segments.filter(|it| it.kind == PT_LOAD).fold(None, |extent, it| {
        let (low, high) = extent.unwrap_or((u64::MAX, 0));
        Some((low.min(it.address), high.max(it.address.saturating_add(it.in_memory))))
    })
}

/// Address and length of `.eh_frame_hdr`, without the bias.
pub(crate) fn frame_header(segments: impl Iterator<Item = Segment>) -> Option<(u64, u64)> {
    segments.filter(|it| it.kind == PT_GNU_EH_FRAME).map(|it| (it.address, it.in_memory)).next()
}

/// Number of readable file bytes in the segment from `address` on, without the bias.
pub(crate) fn readable_from(segments: impl Iterator<Item = Segment>, address: u64) -> Option<u64> {
    segments
        .filter(|it| it.kind == PT_LOAD && it.flags & PF_R != 0)
        .filter_map(|it| it.in_file.checked_sub(address.checked_sub(it.address)?))
        .find(|&left| left > 0)
}
