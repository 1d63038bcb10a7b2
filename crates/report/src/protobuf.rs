//! As much of the protobuf encoding as two formats need: fields into bytes.

/// A message that is being written. Fields that have their default value are left out, as protobuf does.
#[derive(Default)]
pub(crate) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LENGTH: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// `int64`, `uint64`, `bool`, an enumeration.
    pub(crate) fn number(&mut self, field: u64, value: i64) -> &mut Self {
        if value != 0 {
            self.tag(field, VARINT);
            varint(value.cast_unsigned(), &mut self.0);
        }
        self
    }

    pub(crate) fn double(&mut self, field: u64, value: f64) -> &mut Self {
        self.tag(field, FIXED64);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn float(&mut self, field: u64, value: f32) -> &mut Self {
        self.tag(field, FIXED32);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// `string` or `bytes`; also where it is empty, since an element of a list must not vanish.
    pub(crate) fn bytes(&mut self, field: u64, value: &[u8]) -> &mut Self {
        self.tag(field, LENGTH);
        varint(value.len() as u64, &mut self.0);
        self.0.extend(value);
        self
    }

    pub(crate) fn text(&mut self, field: u64, value: &str) -> &mut Self {
        self.bytes(field, value.as_bytes())
    }

    /// A message within.
    pub(crate) fn message(&mut self, field: u64, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes(field, &inner.0)
    }

    /// Numbers in a list, packed.
    pub(crate) fn packed(&mut self, field: u64, values: impl IntoIterator<Item = i64>) -> &mut Self {
        let mut inner = Vec::new();
        for value in values {
            varint(value.cast_unsigned(), &mut inner);
        }
        self.bytes(field, &inner)
    }

    fn tag(&mut self, field: u64, wire: u64) {
        varint(field << 3 | wire, &mut self.0);
    }
}

/// A count as protobuf's numbers have it.
pub(crate) fn whole(count: usize) -> i64 {
    (count as u64).cast_signed()
}

/// Seven bits a byte, the lowest first.
pub(crate) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn fields_are_encoded_as_the_specification_shows() {
        let mut m = Message::default();
        m.number(1, 150).text(2, "testing").packed(6, [3, 270, 86942]).number(4, -1).number(5, 0);
        let expected = [
            &[0x08, 0x96, 0x01][..],
            &[0x12, 0x07],
            b"testing",
            &[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
            &[0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ];
        assert_eq!(m.into_bytes(), expected.concat());
    }
}
