//! Known rules by address: one table for all threads, without locks.
//!
//! A slot is two words written one after the other: the rule, and the address mixed with the rule. A reader
//! that gets words of two different writers computes a wrong address, and treats it as a miss. That holds in
//! any order of visibility, so all accesses are relaxed. The mix multiplies by an odd number: with a plain
//! XOR, rules that differ in one bit would turn a torn slot into a neighbouring address.

#![expect(unsafe_code, reason = "asks the processor to fetch a line")]

use crate::rule::Rule;
#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MIX_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// One rule.
#[repr(align(16))]
#[derive(Debug)]
pub(crate) struct Slot {
    mixed: AtomicU64,
    rule: AtomicU64,
}

impl Slot {
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Slot {
        Slot { mixed: AtomicU64::new(0), rule: AtomicU64::new(0) }
    }

    #[cfg(loom)]
    pub(crate) fn new() -> Slot {
        Slot { mixed: AtomicU64::new(0), rule: AtomicU64::new(0) }
    }

    /// The rule of `address`, if this slot holds it. Address 0 must not be asked for: empty slots answer to
    /// it.
    #[inline(always)]
    pub(crate) fn get(&self, address: u64) -> Option<Rule> {
        let rule = self.rule.load(Relaxed);
        (self.mixed.load(Relaxed) ^ rule.wrapping_mul(MIX_MULTIPLIER) == address).then_some(Rule(rule))
    }

    pub(crate) fn set(&self, address: u64, rule: Rule) {
        self.rule.store(rule.0, Relaxed);
        self.mixed.store(address ^ rule.0.wrapping_mul(MIX_MULTIPLIER), Relaxed);
    }

    /// The address of this slot's rule; 0 if it is empty.
    pub(crate) fn address(&self) -> u64 {
        self.mixed.load(Relaxed) ^ self.rule.load(Relaxed).wrapping_mul(MIX_MULTIPLIER)
    }

    pub(crate) fn clear(&self) {
        self.mixed.store(0, Relaxed);
        self.rule.store(0, Relaxed);
    }
}

/// `N` slots (a power of two, at least 2) in pairs.
#[derive(Debug)]
pub(crate) struct RuleTable<const N: usize> {
    slots: [Slot; N],
}

#[cfg(not(loom))]
impl<const N: usize> RuleTable<N> {
    pub(crate) const fn new() -> Self {
        RuleTable { slots: [const { Slot::new() }; N] }
    }

    /// The home slot of an address, out of at most 65,536.
    #[inline(always)]
    pub(crate) fn place(address: u64) -> u16 {
        const { assert!(N <= 1 << 16 && N.is_power_of_two()) };
        (address.wrapping_mul(MIX_MULTIPLIER) >> (64 - N.trailing_zeros())) as u16
    }

    #[inline(always)]
    fn pair(&self, place: u16) -> Option<(&Slot, &Slot)> {
        let place = usize::from(place);
        Some((self.slots.get(place)?, self.slots.get(place ^ 1)?))
    }

    /// Prefetches the cache line with this slot and its pair.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: u16) {
        #[cfg(not(miri))]
        if let Some(slot) = self.slots.get(usize::from(place)) {
            // SAFETY: a hint, which changes nothing.
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                    std::ptr::from_ref(slot).cast(),
                );
            }
        }
        #[cfg(miri)]
        let _ = place;
    }

    /// The rule of an address, given its home slot.
    #[inline(always)]
    pub(crate) fn get(&self, place: u16, address: u64) -> Option<Rule> {
        let (first, second) = self.pair(place)?;
        first.get(address).or_else(|| second.get(address))
    }

    pub(crate) fn set(&self, address: u64, rule: Rule) {
        let Some((first, second)) = self.pair(Self::place(address)) else { return };
        if first.address() == 0 || first.address() == address || second.address() != 0 {
            // In a full pair the address's home slot is overwritten: pairs are seldom full.
            first.set(address, rule);
        } else {
            second.set(address, rule);
        }
    }

    /// Forgets the rule of one address.
    pub(crate) fn forget_one(&self, address: u64) {
        let Some((first, second)) = self.pair(Self::place(address)) else { return };
        for slot in [first, second] {
            if slot.address() == address {
                slot.clear();
            }
        }
    }

    /// Forgets every rule of addresses in `start..end`.
    pub(crate) fn forget(&self, start: u64, end: u64) {
        for slot in &self.slots {
            if (start..end).contains(&slot.address()) {
                slot.clear();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::RuleTable;
    use crate::rule::{Bp, Kind, Rule};

    fn rule(offset: i64) -> Rule {
        Rule::new(Kind::Sp, offset, Bp::AtCfa, -16).unwrap_or(Rule::bare(Kind::Unknown))
    }

    fn get<const N: usize>(table: &RuleTable<N>, address: u64) -> Option<Rule> {
        table.get(RuleTable::<N>::place(address), address)
    }

    #[test]
    fn keeps_forgets_and_never_mixes() {
        let table: Box<RuleTable<64>> = Box::new(RuleTable::new());
        assert_eq!(get(&table, 0x1000), None);
        for address in 1..=2000 {
            table.set(address, rule(address.cast_signed()));
            assert_eq!(get(&table, address), Some(rule(address.cast_signed())));
        }
        let kept = (1..=2000).filter(|&it| get(&table, it).is_some()).count();
        assert!((50..=64).contains(&kept), "{kept}");
        assert!((1..=2000u64).all(|it| get(&table, it).is_none_or(|found| found == rule(it.cast_signed()))));
        table.forget(1, 1990);
        assert!((1..1990).all(|it| get(&table, it).is_none()));
        table.forget_one(2000);
        assert_eq!(get(&table, 2000), None);
    }

    #[test]
    fn threads_see_their_own_rules_or_none() {
        let table: Box<RuleTable<16>> = Box::new(RuleTable::new());
        let rounds = if cfg!(miri) { 50 } else { 20_000 };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..rounds {
                        // Neighbouring addresses with rules that differ in few bits, which a plain XOR would
                        // mix up.
                        let address = 0x1000 + (round * 7 + thread) % 40;
                        table.set(address, rule(address.cast_signed() * 8));
                        for asked in 0x1000..0x1000 + 40 {
                            let found = get(table, asked);
                            assert!(found.is_none_or(|it| it == rule(asked.cast_signed() * 8)));
                        }
                        if round % 50 == 0 {
                            table.forget(0x1000, 0x1010);
                        }
                    }
                });
            }
        });
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p nilometer-unwind --lib --release`
#[cfg(all(test, loom))]
mod every_interleaving {
    use super::Slot;
    use crate::rule::{Bp, Kind, Rule};
    use loom::sync::Arc;

    fn rule(offset: i64) -> Rule {
        Rule::new(Kind::Sp, offset, Bp::AtCfa, -16).unwrap_or(Rule::bare(Kind::Unknown))
    }

    const ENTRIES: [u64; 3] = [0x1008, 0x1010, 0x1018];

    /// The slot's answer is right for any address. One pair of reads: each has many outcomes.
    fn check(slot: &Slot) {
        let found = slot.rule.load(super::Relaxed);
        let address = slot.mixed.load(super::Relaxed) ^ found.wrapping_mul(super::MIX_MULTIPLIER);
        if ENTRIES.contains(&address) {
            assert_eq!(found, rule(address.cast_signed()).0);
        }
    }

    fn two(first: fn(&Slot), second: fn(&Slot)) {
        loom::model(move || {
            let slot = Arc::new(Slot::new());
            let (one, other) = (slot.clone(), slot.clone());
            let threads =
                [loom::thread::spawn(move || first(&one)), loom::thread::spawn(move || second(&other))];
            check(&slot);
            for thread in threads {
                thread.join().unwrap();
            }
            check(&slot);
        });
    }

    fn set<const AT: usize>(slot: &Slot) {
        slot.set(ENTRIES[AT], rule(ENTRIES[AT].cast_signed()));
    }

    #[test]
    fn a_reader_beside_two_writers_gets_the_rule_of_its_address_or_none() {
        two(set::<0>, set::<1>);
    }

    #[test]
    fn a_reader_beside_a_writer_and_one_who_forgets() {
        two(set::<0>, Slot::clear);
    }
}
