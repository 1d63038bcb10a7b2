//! The call frame reader against arbitrary sections: no panic, no read outside them, whatever address is asked for.
//!
//! The input is an address (8 bytes), the length of `.eh_frame_hdr` (2 bytes), that section, then `.eh_frame`.
//! `cargo +nightly fuzz run read_unwind fuzz/corpus/read_unwind fuzz/seeds/unwind`
#![no_main]

use libfuzzer_sys::fuzz_target;
use nilometer_unwind::cfi::{Frames, Index, Section, Values};

/// Where the sections are said to be; an address asked for is near it, as it would be in an object.
const BASE: u64 = 0x7f00_0000_0000;

fuzz_target!(|bytes: &[u8]| {
    let Some((address, rest)) = bytes.split_first_chunk::<8>() else { return };
    let Some((length, rest)) = rest.split_first_chunk::<2>() else { return };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (header, eh_frame) = rest.split_at(length);
    let header = Section { bytes: header, address: BASE };
    let Some(index) = Index::read(header) else { return };
    // Allocated apart, so that a read beyond either is seen.
    let eh_frame = eh_frame.to_vec();
    let frames = Frames { header, eh_frame: Section { bytes: &eh_frame, address: index.eh_frame }, index };
    let address = u64::from_le_bytes(*address);
    for address in [address, BASE.wrapping_add(address), BASE.wrapping_add(address & 0xffff)] {
        let rule = frames.rule(address);
        if let Some((start, end)) = frames.range(address) {
            assert!(start <= address && address < end);
        } else {
            assert_eq!(rule.kind(), nilometer_unwind::rule::Kind::Unknown);
        }
        let mut values = Values::default();
        (0..17).for_each(|register| values.set(register, Some(address.rotate_left(register as u32))));
        frames.caller(address, &mut values, &mut |word| (word & 7 == 0).then_some(word));
    }
});
