//! A sample as the table holds it: its id and its size in one word, so that whoever asks for the samples that live need
//! not look into the capture.
//!
//! In: an id below 2^40 (a million samples a second for twelve days) and a size. Out: both, the size rounded down to eighteen
//! significant bits. Pure.

const ID_BITS: u32 = 40;
const MANTISSA_BITS: u32 = 18;

/// An id and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedSample(pub(crate) u64);

impl PackedSample {
    pub(crate) fn new(id: u64, size: u64) -> Self {
        let exponent = (u64::BITS - size.leading_zeros()).saturating_sub(MANTISSA_BITS);
        let packed = u64::from(exponent) << MANTISSA_BITS | size >> exponent;
        Self(packed << ID_BITS | id & ((1 << ID_BITS) - 1))
    }

    pub(crate) fn id(self) -> u64 {
        self.0 & ((1 << ID_BITS) - 1)
    }

    pub(crate) fn size(self) -> u64 {
        let packed = self.0 >> ID_BITS;
        (packed & ((1 << MANTISSA_BITS) - 1)) << (packed >> MANTISSA_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_and_size_come_back() {
        for size in [0, 1, 48, 1057, (1 << 18) - 1, 1 << 18, 8_000_112, u64::MAX] {
            let lot = PackedSample::new(987_654_321_012, size);
            assert_eq!(lot.id(), 987_654_321_012);
            let off = size - lot.size();
            assert!(off <= size >> 17, "{size}: {}", lot.size());
        }
        assert_eq!(PackedSample::new(5, 262_143).size(), 262_143);
    }
}
