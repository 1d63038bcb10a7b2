//! Functions split in two: compilers move code that they expect to run rarely elsewhere, with frame
//! information of its own. A stripped file has no name for it, and the "rare" part may contain the main loop.
//!
//! In: an address in a function. Out: the ranges of its code. What must not happen here: a neighbour taken
//! for a part. Only a function jumps into its own middle, so two ranges belong together if each jumps to
//! several places in the other.

use crate::loader;
use crate::modules;

/// First address and first address behind; both 0 if there is none.
type Range = (u64, u64);

/// The code between two addresses.
#[derive(Clone, Copy)]
struct Part<'a> {
    start: u64,
    code: &'a [u8],
}

/// The code ranges of the function at `address`: the part that contains it, and the other part of a split
/// function. Takes up to a millisecond, so ask once.
///
/// The address must be in use, so that its object is not unloaded meanwhile.
pub fn function_parts(address: u64) -> [Range; 2] {
    let Some(own) = part(address) else { return [(0, 0); 2] };
    let other = other_part(own, part);
    [own.range(), other.map_or((0, 0), |other| other.range())]
}

/// The range of frame information that contains an address.
fn part(address: u64) -> Option<Part<'static>> {
    let (start, end) = modules::object_at(address)?.frames?.range(address)?;
    Some(Part { start, code: loader::mapped(start, end.checked_sub(start)?)? })
}

fn other_part<'a>(own: Part<'a>, at: impl Fn(u64) -> Option<Part<'a>>) -> Option<Part<'a>> {
    let mut refused = (0, 0);
    for target in own.jumps() {
        if holds(own.range(), target) || holds(refused, target) {
            continue;
        }
        // A jump to the start of a function is a tail call.
        let Some(other) = at(target).filter(|other| other.start != target) else { continue };
        if own.jumps_into(other) && other.jumps_into(own) {
            return Some(other);
        }
        refused = other.range();
    }
    None
}

fn holds((start, end): Range, address: u64) -> bool {
    (start..end).contains(&address)
}

impl Part<'_> {
    fn range(&self) -> Range {
        (self.start, self.start.wrapping_add(self.code.len() as u64))
    }

    /// Targets of jumps with a distance of four bytes, and of some bytes that look like such jumps:
    /// instructions are not decoded.
    fn jumps(&self) -> impl Iterator<Item = u64> {
        const JUMP: u8 = 0xe9;
        const TWO_BYTES: u8 = 0x0f;
        self.code.windows(6).zip(self.start..).filter_map(|(bytes, at)| {
            let &[first, second, third, fourth, fifth, sixth] = bytes else { return None };
            let (distance, length) = match (first, second) {
                (JUMP, _) => ([second, third, fourth, fifth], 5),
                (TWO_BYTES, 0x80..=0x8f) => ([third, fourth, fifth, sixth], 6),
                _ => return None,
            };
            let distance = i64::from(i32::from_le_bytes(distance));
            Some(at.wrapping_add(length).wrapping_add_signed(distance))
        })
    }

    /// Whether it jumps to at least two places behind the start of the other part.
    fn jumps_into(&self, other: Part<'_>) -> bool {
        let (start, end) = other.range();
        let mut inside = self.jumps().filter(|target| holds((start + 1, end), *target));
        inside.next().is_some_and(|first| inside.any(|target| target != first))
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const OWN: u64 = 0x1000;
    const OTHER: u64 = 0x9000;

    /// Code of 64 bytes with jumps from places in it.
    fn code(start: u64, jumps: &[(usize, u64)]) -> Vec<u8> {
        let mut code = vec![0x90; 64];
        for (place, target) in jumps {
            let (at, conditional) = (start + *place as u64, place % 2 == 1);
            let length = if conditional { 6 } else { 5 };
            let distance = (target.wrapping_sub(at + length) as u32).to_le_bytes();
            let bytes = if conditional { vec![0x0f, 0x84] } else { vec![0xe9] };
            let bytes = [bytes, distance.to_vec()].concat();
            code[*place..place + bytes.len()].copy_from_slice(&bytes);
        }
        code
    }

    fn found(own: &[(usize, u64)], other: &[(usize, u64)]) -> Option<u64> {
        let (own, other) = (code(OWN, own), code(OTHER, other));
        let other = Part { start: OTHER, code: &other };
        let own = Part { start: OWN, code: &own };
        other_part(own, |address| holds(other.range(), address).then_some(other)).map(|part| part.start)
    }

    #[test]
    fn parts_that_jump_into_each_other() {
        let back = [(2, OWN + 20), (21, OWN + 40)];
        assert_eq!(found(&[(3, OTHER), (12, OTHER + 8), (31, OTHER + 30)], &back), Some(OTHER));
    }

    #[test]
    fn neighbours() {
        let (there, back) = ([(2, OTHER + 8), (31, OTHER + 30)], [(2, OWN + 20), (21, OWN + 40)]);
        assert_eq!(found(&there, &[]), None, "nothing comes back");
        assert_eq!(found(&there, &[(2, OWN), (21, OWN)]), None, "another function that calls this one");
        assert_eq!(found(&there, &[(2, OWN + 20), (21, OWN + 20)]), None, "a number that looks like a jump");
        assert_eq!(found(&[(2, OTHER), (31, OTHER)], &back), None, "a call that does not come back");
        assert_eq!(found(&[(2, OTHER + 8)], &back), None, "a number that looks like a jump");
    }

    #[test]
    fn a_function_of_ours() {
        let address = function_parts as fn(u64) -> [Range; 2] as usize as u64;
        let [own, _] = function_parts(address);
        assert!(holds(own, address));
        let local = 0u64;
        assert_eq!(function_parts(std::ptr::from_ref(&local) as u64), [(0, 0); 2]);
    }
}
