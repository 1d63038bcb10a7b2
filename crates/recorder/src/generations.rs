//! When a generation ends, as far as trials care.
//!
//! In: what the capture's board counts, and a clock. Out: whether another generation has begun. Pure.
//!
//! Generations are cycles, short ones taken together. Trials begin with the second step of training, which is traced by
//! then, or the end of the first cycle that does some of the program's work: what stays while a program imports and builds says
//! nothing. A program without marks has no generations, and no trials.

/// Shorter cycles are taken together.
const MIN_GENERATION_NS: u64 = 20_000_000;

/// What is known at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Now {
    pub(crate) ns: u64,
    /// Cycles that have ended.
    pub(crate) cycles: u64,
    /// Those of them that do some of the program's work: no models built, no sessions cleared.
    pub(crate) worked: u64,
    pub(crate) steps: u64,
}

#[derive(Default)]
pub(crate) struct Generations {
    open: bool,
    cycles: u64,
    began_ns: u64,
}

impl Generations {
    /// Whether trials have begun.
    pub(crate) fn are_open(&self) -> bool {
        self.open
    }

    /// Cheap enough to be asked often.
    pub(crate) fn is_due(&self, ns: u64, cycles: u64) -> bool {
        self.open && cycles != self.cycles && ns.saturating_sub(self.began_ns) >= MIN_GENERATION_NS
    }

    /// True if a generation has ended.
    pub(crate) fn pass(&mut self, now: Now) -> bool {
        let begins = !self.open && (now.worked > 0 || now.steps > 1);
        let ended = self.is_due(now.ns, now.cycles);
        if begins || ended {
            (self.open, self.cycles, self.began_ns) = (true, now.cycles, now.ns);
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, cycles: u64, steps: u64) -> Now {
        Now { ns: ms * 1_000_000, cycles, worked: cycles, steps }
    }

    #[test]
    fn trials_begin_with_training_and_generations_are_cycles() {
        let mut generations = Generations::default();
        assert!(!generations.pass(at(5000, 0, 0)));
        assert!(!generations.pass(Now { worked: 0, ..at(5500, 1, 1) }));
        assert!(!generations.are_open(), "an import is no cycle, nor is a model or a trace");
        assert!(!generations.pass(at(6000, 0, 2)));
        assert!(generations.are_open() && !generations.is_due(9_000_000_000, 0));
        assert!(generations.is_due(6_100_000_000, 1) && generations.pass(at(6100, 1, 9)));
        assert!(!generations.pass(at(6130, 1, 9)));
        assert!(generations.pass(at(6140, 2, 9)));
        assert!(!generations.pass(at(6159, 3, 9)), "short ones are taken together");
        assert!(generations.pass(at(6160, 4, 9)));
    }

    #[test]
    fn a_cycle_that_ends_before_the_second_step_begins_them_too() {
        let mut generations = Generations::default();
        assert!(!generations.pass(at(9000, 1, 0)) && generations.are_open());
        assert!(generations.pass(at(9020, 2, 0)));
    }
}
