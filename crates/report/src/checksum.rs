//! The checksums that containers ask for: CRC-32 as in gzip and PNG, CRC-32C as in event files, Adler-32 as in zlib.

/// CRC-32 of gzip and PNG.
pub(crate) const GZIP: Crc = Crc::of(0xedb8_8320);
/// CRC-32C of event files.
pub(crate) const CASTAGNOLI: Crc = Crc::of(0x82f6_3b78);

/// A table for one polynomial, its bits reversed.
pub(crate) struct Crc([u32; 256]);

impl Crc {
    const fn of(polynomial: u32) -> Self {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut value = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ polynomial } else { value >> 1 };
                bit += 1;
            }
            table[byte] = value;
            byte += 1;
        }
        Self(table)
    }

    pub(crate) fn sum(&self, bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |crc, byte| crc >> 8 ^ self.0[((crc ^ u32::from(*byte)) & 0xff) as usize])
    }
}

/// Adler-32 of zlib.
pub(crate) fn adler(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

/// Deflate without compression: blocks that are stored.
pub(crate) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 16);
    let mut blocks = bytes.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out
}

/// A gzip file, not compressed: what asks for gzip asks for its frame.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(stored(bytes));
    out.extend(GZIP.sum(bytes).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::{CASTAGNOLI, GZIP, adler};

    #[test]
    fn sums_are_those_that_the_specifications_name() {
        assert_eq!(GZIP.sum(b"123456789"), 0xcbf4_3926);
        assert_eq!(CASTAGNOLI.sum(b"123456789"), 0xe306_9283);
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(GZIP.sum(b""), 0);
    }
}
