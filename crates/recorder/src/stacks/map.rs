//! A map from hashes to numbers for one holder, in pages of its own.
//!
//! In: hashes of 64 bits, which stand for what was hashed: two of a few hundred thousand are the same once in a hundred
//! million runs. Out: the numbers. It grows to a bound and then refuses. What must not happen here: `malloc`.

use crate::pages::Pages;

pub(crate) struct Map {
    places: Pages<[u64; 2]>,
    len: usize,
    most: usize,
}

const FIRST_SLOTS: usize = 1 << 9;

impl Map {
    /// A map that takes up to `most` places, a power of two.
    pub(crate) const fn new(most: usize) -> Self {
        Self { places: Pages::empty(), len: 0, most }
    }

    pub(crate) fn get(&self, hash: u64) -> Option<u64> {
        let places = self.places.all();
        let place = place(places, hash)?;
        places.get(place).filter(|[key, _value]| *key == hash).map(|[_key, value]| *value)
    }

    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.len + more <= self.most / 4 * 3
    }

    /// False if it is full, or there is no memory.
    pub(crate) fn insert(&mut self, hash: u64, value: u64) -> bool {
        if !self.has_room(1) || (self.len >= self.places.all().len() / 4 * 3 && !self.grow()) {
            return false;
        }
        if !set(self.places.all_mut(), hash, value) {
            return false;
        }
        self.len += 1;
        true
    }

    fn grow(&mut self) -> bool {
        let wanted = (self.places.all().len() * 2).max(FIRST_SLOTS);
        let Some(mut places) = Pages::new(wanted) else { return false };
        for [key, value] in self.places.all().iter().filter(|[key, _value]| *key != 0) {
            set(places.all_mut(), *key, *value);
        }
        self.places = places;
        true
    }
}

fn set(places: &mut [[u64; 2]], hash: u64, value: u64) -> bool {
    let Some(place) = place(places, hash).and_then(|place| places.get_mut(place)) else { return false };
    *place = [hash, value];
    true
}

/// Where it is or would be.
fn place(places: &[[u64; 2]], hash: u64) -> Option<usize> {
    let mask = places.len().checked_sub(1)?;
    let mut index = hash as usize & mask;
    for _step in 0..places.len() {
        let [key, _value] = places.get(index)?;
        if *key == 0 || *key == hash {
            return Some(index);
        }
        index = (index + 1) & mask;
    }
    None
}

/// A hash of two words, never 0.
#[inline]
pub(crate) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(other ^ 0xd6e8_feb8_6659_fd93);
    let folded = (product >> 64) as u64 ^ product as u64;
    // Once more, as a factor of zero would swallow the other word.
    let again = (folded ^ one.rotate_left(23) ^ other).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (again ^ again >> 32) | 1 << 63
}

/// A hash of a text, never 0.
pub(crate) fn mix_text(text: &str) -> u64 {
    text.as_bytes().chunks(8).fold(text.len() as u64, |hash, chunk| {
        mix(hash, chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_finds_all() {
        let mut map = Map::new(1 << 14);
        let hashes = (0..12_000_u64).map(|n| mix(n, 7));
        assert!(hashes.clone().enumerate().all(|(index, hash)| map.insert(hash, index as u64)));
        assert!(hashes.clone().enumerate().all(|(index, hash)| map.get(hash) == Some(index as u64)));
        assert_eq!(map.get(mix(12_000, 7)), None);
        let more = (12_000..20_000).take_while(|n| map.insert(mix(*n, 7), *n)).count();
        assert_eq!(more, (1 << 14) / 4 * 3 - 12_000);
    }

    #[test]
    fn hashes_differ() {
        let mut seen = std::collections::HashSet::new();
        for one in 0..300 {
            for other in 0..300 {
                assert!(seen.insert(mix(one, other << 4)), "{one} {other}");
            }
        }
        assert_ne!(mix_text("a"), mix_text("a\0"));
        assert_ne!(mix_text(""), mix_text("\0"));
    }
}
