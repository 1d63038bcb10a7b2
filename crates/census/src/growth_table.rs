//! The lengths of containers in earlier scans, in a table of our own.
//!
//! In: each container of a scan, with its length. Out: containers that grew in this scan and did not shrink
//! over at least three scans. What must not happen here: a Python object, a reference, trust in an address
//! alone. Another container may have come to an address, so its type counts too, and one larger length does
//! not count as growth.

use crate::memory::prefetch;
use crate::object::{Object, Type};

/// Growths that must be seen before a container is reported.
const MIN_GROWTHS: u8 = 2;
/// Longer containers are counted as this long.
const MAX_LENGTH: u64 = u32::MAX as u64;

/// Slots of the table: 48 MiB, for 1.5 million containers.
const MAX_SLOTS: usize = 1 << 21;

/// Growing containers that are remembered before they are reported.
const MAX_UNCONFIRMED: usize = 1 << 14;

/// Containers whose table slots are prefetched together.
const PENDING_CONTAINERS: usize = 16;

/// One container: 24 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// 0: the slot is free.
    address: u64,
    kind: u32,
    length: u32,
    /// The length when the row of growth began.
    first: u32,
    /// The last scan that met it.
    seen: u16,
    scans: u8,
    growths: u8,
}

/// A container that grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContainerGrowth {
    pub(crate) object: Object,
    pub(crate) length: u64,
    /// In the scan before.
    pub(crate) before: u64,
    /// When its row of growth began.
    pub(crate) first: u64,
    /// Scans in the row; 255 and more are 255.
    pub(crate) scans: u32,
}

/// The containers of the scans before. Open addressing.
#[derive(Debug, Default)]
pub(crate) struct GrowthTable {
    entries: Vec<Entry>,
    used: usize,
    /// The running scan, and the last one that was complete.
    scan: u16,
    complete: u16,
    /// No more containers fit until some are gone.
    full: bool,
    /// Containers with a prefetched slot, and the index of the newest of them.
    pending: [Option<(Object, Type, u64)>; PENDING_CONTAINERS],
    next: usize,
    pub(crate) confirmed: Vec<ContainerGrowth>,
    /// Containers that grew in this scan, but fewer than [`MIN_GROWTHS`] times.
    pub(crate) unconfirmed: Vec<ContainerGrowth>,
    /// Containers that were confirmed before and became shorter in this scan.
    pub(crate) fallen: Vec<ContainerGrowth>,
}

impl GrowthTable {
    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry>()) as u64
    }

    /// Begins a scan.
    pub(crate) fn begin(&mut self) {
        self.confirmed.clear();
        self.unconfirmed.clear();
        self.fallen.clear();
        if self.scan == u16::MAX {
            // The numbers of scans wrap around. Forgetting all is simple, and happens once in 65,535 scans.
            *self = GrowthTable::default();
        }
        self.scan += 1;
        self.full = false;
    }

    /// As [`GrowthTable::observe`], a few containers later: by then the prefetched slot has come.
    #[inline]
    pub(crate) fn observe_soon(&mut self, object: Object, kind: Type, length: u64) {
        if let Some(home) = self.entries.get(self.home(object.0)) {
            prefetch(std::ptr::from_ref(home) as u64);
        }
        self.next = (self.next + 1) % PENDING_CONTAINERS;
        if let Some(place) = self.pending.get_mut(self.next) {
            let before = place.replace((object, kind, length));
            self.observe_pending(before);
        }
    }

    fn observe_pending(&mut self, one: Option<(Object, Type, u64)>) {
        if let Some((object, kind, length)) = one {
            self.observe(object, kind, length);
        }
    }

    /// Takes in a container, once per scan.
    pub(crate) fn observe(&mut self, object: Object, kind: Type, length: u64) {
        self.observe_value(object, kind, length, true);
    }

    /// As [`GrowthTable::observe`], for what is no growth unless `may_grow`. Gives its length in the scan before if that was longer.
    pub(crate) fn observe_value(
        &mut self,
        object: Object,
        kind: Type,
        length: u64,
        may_grow: bool,
    ) -> Option<u64> {
        if !self.full && self.used * 4 >= self.entries.len() * 3 && !self.rebuild() {
            self.full = true;
        }
        let (scan, complete) = (self.scan, self.complete);
        let kind = (kind.0 >> 3) as u32;
        let length32 = length.min(MAX_LENGTH) as u32;
        let slot = self.slot(object.0);
        let entry = self.entries.get_mut(slot)?;
        let free = entry.address == 0;
        if free && self.full {
            return None;
        }
        if free || entry.kind != kind || entry.seen < complete {
            self.used += usize::from(free);
            *entry = Entry {
                address: object.0,
                kind,
                length: length32,
                first: length32,
                seen: scan,
                scans: 1,
                growths: 0,
            };
            return None;
        }
        if entry.seen == scan {
            // A second object led to the same container.
            return None;
        }
        let before = entry.length;
        entry.seen = scan;
        entry.length = length32;
        let before = u64::from(before);
        let growth = |entry: &Entry| ContainerGrowth {
            object,
            length,
            before,
            first: u64::from(entry.first),
            scans: u32::from(entry.scans),
        };
        let fell = u64::from(length32) < before;
        if fell || !may_grow {
            if entry.growths >= MIN_GROWTHS && self.fallen.len() < MAX_UNCONFIRMED {
                self.fallen.push(growth(entry));
            }
            (entry.first, entry.scans, entry.growths) = (length32, 1, 0);
            return fell.then_some(before);
        }
        entry.scans = entry.scans.saturating_add(1);
        if u64::from(length32) == before {
            return None;
        }
        entry.growths = entry.growths.saturating_add(1);
        if entry.growths >= MIN_GROWTHS {
            self.confirmed.push(growth(entry));
        } else if self.unconfirmed.len() < MAX_UNCONFIRMED {
            self.unconfirmed.push(growth(entry));
        }
        None
    }

    /// Ends the scan. `complete`: it saw every container, so any that it did not meet is gone.
    pub(crate) fn end(&mut self, complete: bool) {
        for one in std::mem::take(&mut self.pending) {
            self.observe_pending(one);
        }
        if complete {
            self.complete = self.scan;
        }
    }

    /// The home slot of an address.
    fn home(&self, address: u64) -> usize {
        let mask = self.entries.len().wrapping_sub(1);
        ((address >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize & mask
    }

    /// The slot of an address, or the free one where it would go.
    fn slot(&self, address: u64) -> usize {
        let mask = self.entries.len().wrapping_sub(1);
        let mut slot = self.home(address);
        // A free slot always exists: the table is rebuilt at three quarters.
        while self.entries.get(slot).is_some_and(|entry| entry.address != 0 && entry.address != address) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Drops containers that are gone, and makes room. False: too many, or no memory; an allocation that
    /// fails in the usual way would end the user's process.
    fn rebuild(&mut self) -> bool {
        let alive =
            self.entries.iter().filter(|entry| entry.address != 0 && entry.seen >= self.complete).count();
        let size = ((alive + 512) * 2).next_power_of_two();
        let mut larger = Vec::new();
        if size > MAX_SLOTS || larger.try_reserve_exact(size).is_err() {
            return false;
        }
        larger.resize(size, Entry::default());
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        for entry in old {
            if entry.address != 0 && entry.seen >= self.complete {
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

    fn scan(table: &mut GrowthTable, met: &[(u64, Type, u64)], complete: bool) -> Vec<(u64, u64, u64)> {
        table.begin();
        for (address, kind, length) in met {
            table.observe(Object(*address), *kind, *length);
        }
        table.end(complete);
        table.confirmed.iter().map(|growth| (growth.object.0, growth.before, growth.length)).collect()
    }

    #[test]
    fn three_scans_make_a_growth() {
        let mut table = GrowthTable::default();
        assert_eq!(scan(&mut table, &[(16, LIST, 5)], true), []);
        assert_eq!(scan(&mut table, &[(16, LIST, 6)], true), []);
        assert_eq!(
            (table.unconfirmed[0].before, table.unconfirmed[0].length),
            (5, 6),
            "it is known, and not told"
        );
        assert_eq!(scan(&mut table, &[(16, LIST, 9)], true), [(16, 6, 9)]);
        assert_eq!((table.confirmed[0].first, table.unconfirmed.len()), (5, 0));
        assert_eq!(table.confirmed[0].scans, 3);
        assert_eq!(scan(&mut table, &[(16, LIST, 9)], true), []);
        assert_eq!(scan(&mut table, &[(16, LIST, 10)], true), [(16, 9, 10)]);
    }

    #[test]
    fn a_container_that_shrinks_begins_again() {
        let mut table = GrowthTable::default();
        for length in [5, 6, 7] {
            scan(&mut table, &[(16, LIST, length)], true);
        }
        for length in [0, 1] {
            assert_eq!(scan(&mut table, &[(16, LIST, length)], true), []);
            let fallen: Vec<u64> = table.fallen.iter().map(|growth| growth.before).collect();
            assert_eq!(fallen, if length == 0 { vec![7] } else { vec![] }, "told when it falls, and once");
        }
        assert_eq!(scan(&mut table, &[(16, LIST, 2)], true), [(16, 1, 2)]);
    }

    #[test]
    fn another_container_at_the_address_begins_again() {
        let mut table = GrowthTable::default();
        scan(&mut table, &[(16, LIST, 1)], true);
        scan(&mut table, &[(16, LIST, 2)], true);
        assert_eq!(scan(&mut table, &[(16, Type(0x9000), 3)], true), []);
        scan(&mut table, &[], true);
        assert_eq!(scan(&mut table, &[(16, Type(0x9000), 4)], true), [], "it was gone in between");
    }

    #[test]
    fn a_scan_that_was_cut_short_forgets_nothing() {
        let mut table = GrowthTable::default();
        scan(&mut table, &[(16, LIST, 1), (32, LIST, 1)], true);
        scan(&mut table, &[(16, LIST, 2), (32, LIST, 2)], true);
        scan(&mut table, &[(16, LIST, 3)], false);
        assert_eq!(scan(&mut table, &[(16, LIST, 3), (32, LIST, 5)], true), [(32, 2, 5)]);
    }

    #[test]
    fn the_table_has_an_end() {
        let mut table = GrowthTable::default();
        for round in 1..4_u64 {
            table.begin();
            for number in 1..1_700_000_u64 {
                table.observe(Object(number * 16), LIST, number + round);
            }
            table.end(true);
        }
        assert!(table.bytes() <= 24 * MAX_SLOTS as u64);
        assert!(table.confirmed.len() > 1_000_000, "those that were first are followed");
        assert!(table.used * 4 <= table.entries.len() * 3 + 4, "there is always a free slot");
    }

    #[test]
    fn the_table_follows_the_heap() {
        let mut table = GrowthTable::default();
        let many: Vec<_> = (1..50_000_u64).map(|number| (number * 16, LIST, number)).collect();
        scan(&mut table, &many, true);
        let large = table.bytes();
        assert!(large <= 24 * 131_072, "{large}");
        for round in 0..20 {
            let few: Vec<_> =
                (1..1000_u64).map(|number| ((round << 32) + number * 16, LIST, number)).collect();
            assert_eq!(scan(&mut table, &few, true), []);
        }
        assert!(table.bytes() <= large, "dead ones leave");
        scan(&mut table, &many, true);
        let longer: Vec<_> =
            many.iter().map(|(address, kind, length)| (*address, *kind, length + 1)).collect();
        scan(&mut table, &longer, true);
        assert_eq!(scan(&mut table, &longer, true).len(), 0);
    }
}
