//! The list of processes that NVML writes, read by the size that its entries turn out to have.
//!
//! In: a buffer of one byte repeated, after the call. Out: process ids and bytes. Pure. An entry begins with the pid in four bytes; the bytes held
//! stand in eight, from the eighth on. What follows differs: nothing, two numbers of an instance, and in some drivers 535 eight
//! bytes more under the same name. So nobody's word for the size is taken. It is told from what was written.

/// What the buffer holds before: no pid ends so, and no number of bytes.
pub(super) const BLANK: u8 = 0xEE;
/// Room for each entry, twice what the largest takes.
pub(super) const ENTRY_ROOM: usize = 64;
/// The sizes that there are.
const SIZES: [usize; 3] = [16, 24, 32];
/// What drivers say where they do not know.
const UNKNOWN: u64 = u64::MAX;

/// The processes and what each holds; `None` for bytes that the driver does not know. `None` for a list that cannot be read.
pub(super) fn parse(buffer: &[u8], count: usize) -> Option<Vec<(u32, Option<u64>)>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let written = buffer.iter().rposition(|byte| *byte != BLANK)? + 1;
    let size = SIZES.into_iter().find(|size| size * count == written)?;
    buffer.get(..written)?.chunks_exact(size).map(entry).collect()
}

fn entry(bytes: &[u8]) -> Option<(u32, Option<u64>)> {
    let pid = u32::from_ne_bytes(*bytes.first_chunk()?);
    let held = u64::from_ne_bytes(*bytes.get(8..)?.first_chunk()?);
    Some((pid, Some(held).filter(|bytes| *bytes != UNKNOWN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of this size in a buffer with room for more.
    fn written(size: usize, entries: &[(u32, u64)]) -> Vec<u8> {
        let mut buffer = vec![BLANK; entries.len() * ENTRY_ROOM + ENTRY_ROOM];
        for (slot, (pid, held)) in buffer.chunks_exact_mut(size).zip(entries) {
            slot.fill(0);
            slot[..4].copy_from_slice(&pid.to_ne_bytes());
            slot[8..16].copy_from_slice(&held.to_ne_bytes());
        }
        buffer
    }

    #[test]
    fn entries_of_every_size_are_read() {
        for size in SIZES {
            let buffer = written(size, &[(7, 1 << 30), (8, UNKNOWN), (900_000, 5)]);
            let read = parse(&buffer, 3);
            assert_eq!(read, Some(vec![(7, Some(1 << 30)), (8, None), (900_000, Some(5))]), "{size}");
        }
    }

    #[test]
    fn entries_of_another_size_are_not_guessed_at() {
        assert_eq!(parse(&written(40, &[(7, 1), (8, 2)]), 2), None);
        assert_eq!(parse(&[BLANK; 64], 1), None, "nothing was written");
        assert_eq!(parse(&[BLANK; 64], 0), Some(Vec::new()));
    }
}
