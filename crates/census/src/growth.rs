//! What containers were like in the scans before, in a table of our own.
//!
//! In: each container that a scan meets, with its length. Out: those that grew in this scan and did not shrink in a row of at
//! least three. What must not happen here: a Python object, a reference, belief in an address alone: another container may
//! have come to it, so its type counts too, and one larger container in its place is not yet a growth.

use crate::memory::prefetch;
use crate::object::{Object, Type};

/// How often a container must have been seen to have grown before it is told.
const RISES: u8 = 2;
/// Longer ones are counted as this long.
const LONGEST: u64 = u32::MAX as u64;

/// Slots of the table: 48 MiB, for 1.5 million containers.
const MOST: usize = 1 << 21;

/// Containers that are remembered although they are not told.
const MOST_YOUNG: usize = 1 << 14;

/// Containers that the table is asked for together.
const WAITING: usize = 16;

/// One container: 24 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// 0: the slot is free.
    address: u64,
    kind: u32,
    length: u32,
    /// The length when the row began.
    first: u32,
    /// The scan that met it last.
    seen: u16,
    scans: u8,
    rises: u8,
}

/// A container that grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rise {
    pub(crate) object: Object,
    pub(crate) length: u64,
    /// In the scan before.
    pub(crate) before: u64,
    /// When its row began.
    pub(crate) first: u64,
    /// Scans in the row; 255 and more are 255.
    pub(crate) scans: u32,
}

/// The containers of the scans before. Open addressing.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    entries: Vec<Entry>,
    used: usize,
    /// The scan that runs, and the last one that saw everything.
    scan: u16,
    whole: u16,
    /// There is no room for more until some are gone.
    full: bool,
    /// Containers that are about to be met, and the place of the last of them.
    waiting: [Option<(Object, Type, u64)>; WAITING],
    next: usize,
    pub(crate) rises: Vec<Rise>,
    /// Those that grew in this scan and were not seen to often enough.
    pub(crate) young: Vec<Rise>,
}

impl Growth {
    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry>()) as u64
    }

    /// A scan begins.
    pub(crate) fn begin(&mut self) {
        self.rises.clear();
        self.young.clear();
        if self.scan == u16::MAX {
            // The marks begin again: forgetting all is simple, and happens once in 65,535 scans.
            *self = Growth::default();
        }
        self.scan += 1;
        self.full = false;
    }

    /// As [`Growth::meet`], a few containers later: until then the table's memory has come.
    #[inline]
    pub(crate) fn meet_soon(&mut self, object: Object, kind: Type, length: u64) {
        if let Some(home) = self.entries.get(self.home(object.0)) {
            prefetch(std::ptr::from_ref(home) as u64);
        }
        self.next = (self.next + 1) % WAITING;
        if let Some(place) = self.waiting.get_mut(self.next) {
            let before = place.replace((object, kind, length));
            self.meet_waiting(before);
        }
    }

    fn meet_waiting(&mut self, one: Option<(Object, Type, u64)>) {
        if let Some((object, kind, length)) = one {
            self.meet(object, kind, length);
        }
    }

    /// A container, once per scan.
    pub(crate) fn meet(&mut self, object: Object, kind: Type, length: u64) {
        if !self.full && self.used * 4 >= self.entries.len() * 3 && !self.rebuild() {
            self.full = true;
        }
        let (scan, whole) = (self.scan, self.whole);
        let kind = (kind.0 >> 3) as u32;
        let length32 = length.min(LONGEST) as u32;
        let slot = self.slot(object.0);
        let Some(entry) = self.entries.get_mut(slot) else { return };
        let free = entry.address == 0;
        if free && self.full {
            return;
        }
        if free || entry.kind != kind || entry.seen < whole {
            self.used += usize::from(free);
            *entry = Entry {
                address: object.0,
                kind,
                length: length32,
                first: length32,
                seen: scan,
                scans: 1,
                rises: 0,
            };
            return;
        }
        if entry.seen == scan {
            // Two objects led to it.
            return;
        }
        let before = entry.length;
        entry.seen = scan;
        entry.length = length32;
        if length32 < before {
            (entry.first, entry.scans, entry.rises) = (length32, 1, 0);
            return;
        }
        entry.scans = entry.scans.saturating_add(1);
        if length32 == before {
            return;
        }
        entry.rises = entry.rises.saturating_add(1);
        let told = entry.rises >= RISES;
        let rise = Rise {
            object,
            length,
            before: u64::from(before),
            first: u64::from(entry.first),
            scans: u32::from(entry.scans),
        };
        if told {
            self.rises.push(rise);
        } else if self.young.len() < MOST_YOUNG {
            self.young.push(rise);
        }
    }

    /// The scan is over; `whole` says whether it saw everything, so that what it did not meet is gone.
    pub(crate) fn end(&mut self, whole: bool) {
        for one in std::mem::take(&mut self.waiting) {
            self.meet_waiting(one);
        }
        if whole {
            self.whole = self.scan;
        }
    }

    /// Where the address would stand in an empty table.
    fn home(&self, address: u64) -> usize {
        let mask = self.entries.len().wrapping_sub(1);
        ((address >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize & mask
    }

    /// Where the address stands, or would.
    fn slot(&self, address: u64) -> usize {
        let mask = self.entries.len().wrapping_sub(1);
        let mut slot = self.home(address);
        // There is always a free slot: the table is rebuilt at three quarters.
        while self.entries.get(slot).is_some_and(|entry| entry.address != 0 && entry.address != address) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Without what is gone, and with room again. False: there would be too many, or there is no memory for them; an
    /// allocation that fails in the usual way would end the user's process.
    fn rebuild(&mut self) -> bool {
        let alive =
            self.entries.iter().filter(|entry| entry.address != 0 && entry.seen >= self.whole).count();
        let size = ((alive + 512) * 2).next_power_of_two();
        let mut larger = Vec::new();
        if size > MOST || larger.try_reserve_exact(size).is_err() {
            return false;
        }
        larger.resize(size, Entry::default());
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        for entry in old {
            if entry.address != 0 && entry.seen >= self.whole {
                let slot = self.slot(entry.address);
                if let Some(place) = self.entries.get_mut(slot) {
                    *place = entry;
                    self.used += 1;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: Type = Type(0x8000);

    fn scan(growth: &mut Growth, met: &[(u64, Type, u64)], whole: bool) -> Vec<(u64, u64, u64)> {
        growth.begin();
        for (address, kind, length) in met {
            growth.meet(Object(*address), *kind, *length);
        }
        growth.end(whole);
        growth.rises.iter().map(|rise| (rise.object.0, rise.before, rise.length)).collect()
    }

    #[test]
    fn three_scans_make_a_growth() {
        let mut growth = Growth::default();
        assert_eq!(scan(&mut growth, &[(16, LIST, 5)], true), []);
        assert_eq!(scan(&mut growth, &[(16, LIST, 6)], true), []);
        assert_eq!((growth.young[0].before, growth.young[0].length), (5, 6), "it is known, and not told");
        assert_eq!(scan(&mut growth, &[(16, LIST, 9)], true), [(16, 6, 9)]);
        assert_eq!((growth.rises[0].first, growth.young.len()), (5, 0));
        assert_eq!(growth.rises[0].scans, 3);
        assert_eq!(scan(&mut growth, &[(16, LIST, 9)], true), []);
        assert_eq!(scan(&mut growth, &[(16, LIST, 10)], true), [(16, 9, 10)]);
    }

    #[test]
    fn a_container_that_shrinks_begins_again() {
        let mut growth = Growth::default();
        for length in [5, 6, 7] {
            scan(&mut growth, &[(16, LIST, length)], true);
        }
        for length in [0, 1] {
            assert_eq!(scan(&mut growth, &[(16, LIST, length)], true), []);
        }
        assert_eq!(scan(&mut growth, &[(16, LIST, 2)], true), [(16, 1, 2)]);
    }

    #[test]
    fn another_container_at_the_address_begins_again() {
        let mut growth = Growth::default();
        scan(&mut growth, &[(16, LIST, 1)], true);
        scan(&mut growth, &[(16, LIST, 2)], true);
        assert_eq!(scan(&mut growth, &[(16, Type(0x9000), 3)], true), []);
        scan(&mut growth, &[], true);
        assert_eq!(scan(&mut growth, &[(16, Type(0x9000), 4)], true), [], "it was gone in between");
    }

    #[test]
    fn a_scan_that_was_cut_short_forgets_nothing() {
        let mut growth = Growth::default();
        scan(&mut growth, &[(16, LIST, 1), (32, LIST, 1)], true);
        scan(&mut growth, &[(16, LIST, 2), (32, LIST, 2)], true);
        scan(&mut growth, &[(16, LIST, 3)], false);
        assert_eq!(scan(&mut growth, &[(16, LIST, 3), (32, LIST, 5)], true), [(32, 2, 5)]);
    }

    #[test]
    fn the_table_has_an_end() {
        let mut growth = Growth::default();
        for round in 1..4_u64 {
            growth.begin();
            for number in 1..1_700_000_u64 {
                growth.meet(Object(number * 16), LIST, number + round);
            }
            growth.end(true);
        }
        assert!(growth.bytes() <= 24 * MOST as u64);
        assert!(growth.rises.len() > 1_000_000, "those that were first are followed");
        assert!(growth.used * 4 <= growth.entries.len() * 3 + 4, "there is always a free slot");
    }

    #[test]
    fn the_table_follows_the_heap() {
        let mut growth = Growth::default();
        let many: Vec<_> = (1..50_000_u64).map(|number| (number * 16, LIST, number)).collect();
        scan(&mut growth, &many, true);
        let large = growth.bytes();
        assert!(large <= 24 * 131_072, "{large}");
        for round in 0..20 {
            let few: Vec<_> =
                (1..1000_u64).map(|number| ((round << 32) + number * 16, LIST, number)).collect();
            assert_eq!(scan(&mut growth, &few, true), []);
        }
        assert!(growth.bytes() <= large, "dead ones leave");
        scan(&mut growth, &many, true);
        let longer: Vec<_> =
            many.iter().map(|(address, kind, length)| (*address, *kind, length + 1)).collect();
        scan(&mut growth, &longer, true);
        assert_eq!(scan(&mut growth, &longer, true).len(), 0);
    }
}
