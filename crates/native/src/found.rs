//! What repeats in the program without a hook that knows it: kinds of printed lines, loops.
//!
//! In: hashes of what came. Out: the unit of each kind that came often enough. Pure, in constant memory. What must not happen
//! here: a unit for what came by chance; a table that grows with a program that never says the same thing twice.

use nilometer_capture::{Found, FoundKind};

/// A kind has come so often before it is a unit.
pub(crate) const MIN_REPEATS: u64 = 3;
/// The number in a line rose by the same so often before that is believed.
const MIN_EQUAL_STEPS: u64 = 2;
/// Places of the table, a power of two.
const PLACES: usize = 512;
/// Places that a kind may stand in, from its own on.
const MAX_PROBES: usize = 8;
/// Units of lines; those that are left are for loops.
const MAX_LINES: u8 = 32;
const MAX_LOOPS: u8 = nilometer_capture::MAX_FOUND - MAX_LINES;

#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    hash: u64,
    /// How often it came; 0 in an empty place.
    count: u64,
    unit: Option<Found>,
    /// The number in its last line, and by how much more it was than the one before, so often in a row.
    number: u64,
    step: u64,
    equal_steps: u64,
}

/// A kind came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// Too seldom so far, or there is no room for it.
    Unknown,
    /// Often enough from now on: these turns have not been counted yet.
    Begins(Found, u64),
    /// Once more.
    Again(Found),
}

/// The kinds that came.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// Empty until something comes.
    table: Vec<Kind>,
    lines: u8,
    loops: u8,
}

impl Kinds {
    pub(crate) const fn new() -> Self {
        Self { table: Vec::new(), lines: 0, loops: 0 }
    }

    /// Counts one more of the kind with this hash.
    pub(crate) fn came(&mut self, kind: FoundKind, hash: u64) -> Came {
        self.came_often(kind, hash, 1)
    }

    /// Counts so many more of it.
    pub(crate) fn came_often(&mut self, kind: FoundKind, hash: u64, count: u64) -> Came {
        if self.table.is_empty() {
            let _ours = crate::recorder::Ours::begin();
            self.table.resize(PLACES, Kind::default());
        }
        let Some(at) = self.place(hash) else { return Came::Unknown };
        let Some(entry) = self.table.get_mut(at) else { return Came::Unknown };
        entry.count += count;
        match (entry.unit, entry.count) {
            (Some(unit), _) => Came::Again(unit),
            (None, MIN_REPEATS..) => {
                let (used, first, most) = match kind {
                    FoundKind::Line => (&mut self.lines, 0, MAX_LINES),
                    FoundKind::Loop => (&mut self.loops, MAX_LINES, MAX_LOOPS),
                };
                if *used == most {
                    return Came::Unknown;
                }
                let unit = Found::new(first + *used);
                *used += 1;
                entry.unit = unit;
                let all = entry.count;
                unit.map_or(Came::Unknown, |unit| Came::Begins(unit, all))
            }
            (None, _) => Came::Unknown,
        }
    }

    /// The number in a line that came: by how much it rises from one to the next, told once, if that is more than one.
    pub(crate) fn numbered(&mut self, hash: u64, number: u64) -> Option<(Found, u64)> {
        let at = self.place(hash)?;
        let kind = self.table.get_mut(at).filter(|kind| kind.count > 0)?;
        let step = number.saturating_sub(std::mem::replace(&mut kind.number, number));
        if kind.count == 1 {
            return None;
        }
        kind.equal_steps = if step == kind.step { kind.equal_steps + 1 } else { 1 };
        kind.step = step;
        let is_told = kind.equal_steps == MIN_EQUAL_STEPS && step > 1;
        kind.unit.filter(|_| is_told).map(|unit| (unit, step))
    }

    /// Where the hash stands, or may stand: an empty place, or that of a kind that came once.
    fn place(&mut self, hash: u64) -> Option<usize> {
        let start = hash as usize % PLACES;
        let places = || (start..start + MAX_PROBES).map(|at| at % PLACES);
        let of = |at: &usize| self.table.get(*at).copied().unwrap_or_default();
        if let Some(at) = places().find(|at| of(at).count > 0 && of(at).hash == hash) {
            return Some(at);
        }
        let at = places().find(|at| of(at).count == 0).or_else(|| places().find(|at| of(at).count == 1))?;
        *self.table.get_mut(at)? = Kind { hash, ..Kind::default() };
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_a_unit_from_its_third_time_on() {
        let mut kinds = Kinds::new();
        let came: Vec<Came> = (0..5).map(|_| kinds.came(FoundKind::Line, 77)).collect();
        let unit = Found::new(0).unwrap_or_else(|| unreachable!());
        let again = Came::Again(unit);
        assert_eq!(came, [Came::Unknown, Came::Unknown, Came::Begins(unit, 3), again, again]);
    }

    #[test]
    fn a_number_that_rises_by_more_than_one_is_told_once() {
        let told = |numbers: &[u64]| {
            let mut kinds = Kinds::new();
            let told = numbers.iter().filter_map(|number| {
                kinds.came(FoundKind::Line, 77);
                kinds.numbered(77, *number).map(|(_, step)| step)
            });
            told.collect::<Vec<u64>>()
        };
        assert_eq!(told(&[20, 40, 60, 80, 100]), [20]);
        assert_eq!(told(&[1, 20, 40, 60]), [20]);
        assert_eq!(told(&[1, 2, 3, 4, 5]), []);
        assert_eq!(told(&[5, 5, 5, 5]), []);
        assert_eq!(told(&[10, 12, 15, 11, 30]), []);
    }

    #[test]
    fn turns_that_come_together_are_all_counted() {
        let mut kinds = Kinds::new();
        let came: Vec<Came> = [2, 5, 4].map(|count| kinds.came_often(FoundKind::Loop, 77, count)).to_vec();
        let unit = Found::new(MAX_LINES).unwrap_or_else(|| unreachable!());
        assert_eq!(came, [Came::Unknown, Came::Begins(unit, 7), Came::Again(unit)]);
    }

    #[test]
    fn a_program_that_never_repeats_itself_leaves_room_for_one_line_that_does() {
        let mut kinds = Kinds::new();
        let mut told = 0;
        for turn in 0..10_000_u64 {
            kinds.came(FoundKind::Line, turn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            told += u64::from(turn % 3 == 0 && kinds.came(FoundKind::Line, 77) != Came::Unknown);
        }
        assert!(told > 3000, "{told}");
    }

    #[test]
    fn lines_do_not_take_the_places_of_loops() {
        let mut kinds = Kinds::new();
        for hash in 0..100 {
            (0..3).for_each(|_| {
                kinds.came(FoundKind::Line, hash);
            });
        }
        let last = (0..3).map(|_| kinds.came(FoundKind::Loop, 1000)).last();
        assert_eq!(last, Found::new(MAX_LINES).map(|unit| Came::Begins(unit, 3)));
    }
}
