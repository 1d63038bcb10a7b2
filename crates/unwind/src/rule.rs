//! A row of call frame rules in 64 bits: enough to go one frame up, for nearly every frame.
//!
//! Only the stack pointer and `rbp` are followed. A row that needs another register becomes
//! [`Kind::Complex`], and the stack is walked again with all registers (`generic_walk`).
//!
//! Layout, from the low end: kind (3 bits), where `rbp` is (2), CFA offset (32, signed), `rbp` offset (27, signed).

use crate::cfi::Section;
use crate::cfi::expression::{block, register_offset};
use crate::cfi::program::{Cfa, RBP, RETURN, RSP, RegisterRule, Row};

/// How the caller's stack pointer (CFA) is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `rsp` + offset.
    Sp = 0,
    /// `rbp` + offset.
    Bp = 1,
    /// The number at `rbp` + offset: a function that realigned its stack.
    AtBp = 2,
    /// The kernel's frame between a signal handler and the interrupted code.
    Signal = 3,
    /// The thread's first frame.
    Root = 4,
    /// Needs more than two registers.
    Complex = 5,
    /// No rule for this address.
    Unknown = 6,
}

/// Where the caller's `rbp` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bp {
    /// Unchanged.
    Same = 0,
    /// Saved at CFA + offset.
    AtCfa = 1,
    /// Saved at `rbp` + offset.
    AtBp = 2,
}

/// One packed rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule(pub(crate) u64);

const BP_OFFSET_BITS: u32 = 27;

/// Offsets of the interrupted registers from the stack pointer, in the signal frame of x86-64 Linux.
pub(crate) const SIGNAL_BP: u64 = 120;
pub(crate) const SIGNAL_SP: u64 = 160;
pub(crate) const SIGNAL_IP: u64 = 168;

impl Rule {
    /// A rule with a kind and nothing else.
    pub const fn bare(kind: Kind) -> Rule {
        Rule(kind as u64)
    }

    /// Packs a rule. `None`: an offset does not fit.
    pub fn new(kind: Kind, cfa: i64, bp: Bp, bp_offset: i64) -> Option<Rule> {
        let cfa = i32::try_from(cfa).ok()?;
        let limit = 1i64 << (BP_OFFSET_BITS - 1);
        if !(-limit..limit).contains(&bp_offset) {
            return None;
        }
        Some(Rule(
            kind as u64
                | (bp as u64) << 3
                | u64::from(cfa.cast_unsigned()) << 5
                | bp_offset.cast_unsigned() << (64 - BP_OFFSET_BITS),
        ))
    }

    /// How to find the CFA.
    #[inline(always)]
    pub fn kind(self) -> Kind {
        match self.0 & 7 {
            0 => Kind::Sp,
            1 => Kind::Bp,
            2 => Kind::AtBp,
            3 => Kind::Signal,
            4 => Kind::Root,
            5 => Kind::Complex,
            _ => Kind::Unknown,
        }
    }

    /// Where `rbp` is.
    #[inline(always)]
    pub fn bp(self) -> Bp {
        match self.0 >> 3 & 3 {
            0 => Bp::Same,
            1 => Bp::AtCfa,
            _ => Bp::AtBp,
        }
    }

    /// Added to the register that the kind names.
    #[inline(always)]
    pub fn cfa_offset(self) -> u64 {
        i64::from(((self.0 >> 5) as u32).cast_signed()).cast_unsigned()
    }

    /// Added to the base that [`Rule::bp`] names.
    #[inline(always)]
    pub fn bp_offset(self) -> u64 {
        (self.0.cast_signed() >> (64 - BP_OFFSET_BITS)).cast_unsigned()
    }

    pub(crate) fn pack(row: &Row, section: Section<'_>, signal: bool) -> Rule {
        exact(row, section, signal).unwrap_or(Rule::bare(Kind::Complex))
    }
}

fn exact(row: &Row, section: Section<'_>, signal: bool) -> Option<Rule> {
    let expression = |place: usize| register_offset(block(section, place)?);
    let saved_at = |register| match row.rule(register) {
        (RegisterRule::Expression, place) => expression(usize::try_from(place).ok()?),
        _ => None,
    };
    if signal {
        let stack = |offset: u64, read| Some((RSP as u64, offset.cast_signed(), read));
        let as_laid_out = matches!(row.cfa, Cfa::Expression(place) if expression(place) == stack(SIGNAL_SP, true))
            && saved_at(RETURN) == stack(SIGNAL_IP, false)
            && saved_at(RBP) == stack(SIGNAL_BP, false);
        return as_laid_out.then_some(Rule::bare(Kind::Signal));
    }
    match row.rule(RETURN) {
        (RegisterRule::Undefined, _) => return Some(Rule::bare(Kind::Root)),
        (RegisterRule::Offset, -8) => {}
        _ => return None,
    }
    if !matches!(row.rule(RSP), (RegisterRule::Unspecified, _) | (RegisterRule::ValOffset, 0)) {
        return None;
    }
    let (kind, cfa) = match row.cfa {
        Cfa::Register(7, offset) => (Kind::Sp, offset),
        Cfa::Register(6, offset) => (Kind::Bp, offset),
        Cfa::Expression(place) => match expression(place)? {
            (6, offset, true) => (Kind::AtBp, offset),
            _ => return None,
        },
        _ => return None,
    };
    let (bp, bp_offset) = match row.rule(RBP) {
        (RegisterRule::Unspecified | RegisterRule::SameValue, _) => (Bp::Same, 0),
        (RegisterRule::Offset, offset) => (Bp::AtCfa, offset),
        (RegisterRule::Expression, place) => match expression(usize::try_from(place).ok()?)? {
            (6, offset, false) => (Bp::AtBp, offset),
            _ => return None,
        },
        _ => return None,
    };
    Rule::new(kind, cfa, bp, bp_offset)
}
