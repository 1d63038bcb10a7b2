//! The reader of unwind sections with broken sections: any answer is allowed, but no panic and no read beyond
//! the bytes. With sound ones, its answers about this program must be consistent.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use nilometer_unwind::cfi::{Frames, Index, Section, Values};
use nilometer_unwind::rule::{Bp, Kind, Rule};
use proptest::prelude::*;

/// The pretended address of the small sections below.
const BASE: u64 = 0x5000;
const EH_FRAME: u64 = BASE + 0x100;

/// One CIE, one function at `BASE + 0x1000` of 0x100 bytes that pushes rbp and moves it, with a realigned stack later.
fn small() -> (Vec<u8>, Vec<u8>) {
    let mut cie = vec![0, 0, 0, 0, 1];
    cie.extend(b"zR\0");
    cie.extend([1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1]);
    cie.resize(cie.len().next_multiple_of(4), 0);
    let mut eh_frame = u32::try_from(cie.len()).unwrap().to_le_bytes().to_vec();
    eh_frame.extend(&cie);
    let fde = eh_frame.len();
    let mut body = u32::try_from(fde + 4).unwrap().to_le_bytes().to_vec();
    let start_at = EH_FRAME + fde as u64 + 8;
    body.extend(i32::try_from((BASE + 0x1000).cast_signed() - start_at.cast_signed()).unwrap().to_le_bytes());
    body.extend(0x100u32.to_le_bytes());
    body.push(0);
    body.extend([0x41, 0x0e, 16, 0x86, 2]); // after 1 byte: CFA = rsp + 16, rbp at CFA - 16
    body.extend([0x43, 0x0d, 6]); // after 3 more: CFA = rbp + 16
    body.extend([0x44, 0x0a, 0x0f, 3, 0x76, 0x78, 6, 0x10, 6, 2, 0x76, 0]); // realigned, remembered
    body.extend([0x48, 0x0b]); // restored
    body.extend([0x48, 0xc6, 0x0c, 7, 8]); // after the epilogue
    body.resize(body.len().next_multiple_of(4), 0);
    eh_frame.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    eh_frame.extend(body);
    eh_frame.extend([0; 4]);

    let mut header = vec![1, 0x1b, 0x03, 0x3b];
    header.extend(i32::try_from(EH_FRAME.cast_signed() - BASE.cast_signed() - 4).unwrap().to_le_bytes());
    header.extend(1u32.to_le_bytes());
    header.extend(0x1000i32.to_le_bytes());
    header.extend(i32::try_from((EH_FRAME - BASE) as usize + fde).unwrap().to_le_bytes());
    (header, eh_frame)
}

fn frames<'a>(header: &'a [u8], eh_frame: &'a [u8]) -> Option<Frames<'a>> {
    let header = Section { bytes: header, address: BASE };
    let index = Index::read(header)?;
    Some(Frames { header, eh_frame: Section { bytes: eh_frame, address: index.eh_frame }, index })
}

#[test]
fn each_row_of_a_function() {
    let (header, eh_frame) = small();
    let frames = frames(&header, &eh_frame).unwrap();
    assert_eq!(frames.index.eh_frame, EH_FRAME);
    let rule = |offset: u64| frames.rule(BASE + 0x1000 + offset);
    let rules = [
        (0, Rule::new(Kind::Sp, 8, Bp::Same, 0)),
        (1, Rule::new(Kind::Sp, 16, Bp::AtCfa, -16)),
        (3, Rule::new(Kind::Sp, 16, Bp::AtCfa, -16)),
        (4, Rule::new(Kind::Bp, 16, Bp::AtCfa, -16)),
        (8, Rule::new(Kind::AtBp, -8, Bp::AtBp, 0)),
        (16, Rule::new(Kind::Bp, 16, Bp::AtCfa, -16)),
        (24, Rule::new(Kind::Sp, 8, Bp::Same, 0)),
        (255, Rule::new(Kind::Sp, 8, Bp::Same, 0)),
        (256, Some(Rule::bare(Kind::Unknown))),
    ];
    for (offset, expected) in rules {
        assert_eq!(Some(rule(offset)), expected, "at {offset}");
    }
    assert_eq!(frames.rule(u64::MAX), Rule::bare(Kind::Unknown));
    assert_eq!(frames.range(BASE + 0x10ff), Some((BASE + 0x1000, BASE + 0x1100)));
    assert_eq!(frames.range(BASE + 0x1100), None);
}

fn ask_everything(header: &[u8], eh_frame: &[u8]) {
    let Some(frames) = frames(header, eh_frame) else { return };
    for address in (BASE..BASE + 0x1200).step_by(3).chain([0, u64::MAX, EH_FRAME]) {
        let rule = frames.rule(address);
        if frames.range(address).is_none() {
            assert_eq!(rule.kind(), Kind::Unknown);
        }
        let mut values = Values::default();
        (0..17).for_each(|register| values.set(register, Some(address)));
        frames.caller(address, &mut values, &mut |word| Some(word.rotate_left(9)));
    }
}

#[test]
fn cut_anywhere() {
    let (header, eh_frame) = small();
    for length in 0..header.len() {
        ask_everything(&header[..length], &eh_frame);
    }
    for length in 0..eh_frame.len() {
        ask_everything(&header, &eh_frame[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn changed_anywhere(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (mut header, mut eh_frame) = small();
        for (place, byte) in changes {
            let at = place.index(header.len() + eh_frame.len());
            match header.get_mut(at) {
                Some(slot) => *slot = byte,
                None => eh_frame[at - header.len()] = byte,
            }
        }
        let (header, eh_frame) = (header, eh_frame);
        ask_everything(&header, &eh_frame);
    }

    #[test]
    fn rules_are_packed_without_loss(
        cfa in i64::from(i32::MIN)..=i64::from(i32::MAX),
        bp_offset in -(1i64 << 26)..1 << 26,
        kind in prop::sample::select(vec![Kind::Sp, Kind::Bp, Kind::AtBp]),
        bp in prop::sample::select(vec![Bp::Same, Bp::AtCfa, Bp::AtBp]),
    ) {
        let rule = Rule::new(kind, cfa, bp, bp_offset).unwrap();
        prop_assert_eq!(rule.kind(), kind);
        prop_assert_eq!(rule.bp(), bp);
        prop_assert_eq!(rule.cfa_offset().cast_signed(), cfa);
        prop_assert_eq!(rule.bp_offset().cast_signed(), bp_offset);
    }

    #[test]
    fn what_does_not_fit_is_refused(too_far in (1i64 << 32)..i64::MAX) {
        prop_assert_eq!(Rule::new(Kind::Sp, too_far, Bp::Same, 0), None);
        prop_assert_eq!(Rule::new(Kind::Sp, -too_far, Bp::Same, 0), None);
        prop_assert_eq!(Rule::new(Kind::Sp, 8, Bp::AtCfa, too_far), None);
        prop_assert_eq!(Rule::new(Kind::Sp, 8, Bp::AtCfa, -too_far), None);
    }
}
