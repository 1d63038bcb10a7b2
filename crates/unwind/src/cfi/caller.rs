//! From one frame to its caller with all registers, by rules of every kind.
//!
//! In: the registers of a frame and a way to read memory. Out: the registers of the caller, as far as they
//! are known. An unknown register fails the step where it is needed; nothing is guessed.

use super::Frames;
use super::bytes::Section;
use super::expression::{EvaluationContext, block, evaluate};
use super::program::{Cfa, REGISTERS, RETURN, RSP, RegisterRule, Row};

/// Registers by their DWARF number (16 is the instruction's address).
#[derive(Clone, Copy, Debug, Default)]
pub struct Values {
    values: [u64; REGISTERS],
    known: u32,
}

/// The caller of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// No caller: this was the thread's first frame.
    None,
    /// The caller made a call.
    Called,
    /// The caller was interrupted by a signal.
    Interrupted,
    /// The rules could not be followed.
    NotUnderstood,
    /// No rules exist for the address.
    NoRule,
}

/// The callee-saved registers: rbx, rbp, r12 to r15.
const CALLEE_SAVED: u32 = 1 << 3 | 1 << 6 | 0xf << 12;

impl Values {
    /// The value, if it is known.
    pub fn get(&self, register: usize) -> Option<u64> {
        let value = *self.values.get(register)?;
        (self.known >> register & 1 == 1).then_some(value)
    }

    /// Sets a value, or marks it as unknown.
    pub fn set(&mut self, register: usize, value: Option<u64>) {
        let Some(slot) = self.values.get_mut(register) else { return };
        *slot = value.unwrap_or(0);
        self.known = self.known & !(1 << register) | u32::from(value.is_some()) << register;
    }
}

impl Frames<'_> {
    /// Replaces the registers of the frame at `address` by those of its caller.
    pub fn caller(
        &self,
        address: u64,
        values: &mut Values,
        memory: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Caller {
        let Some((row, signal)) = self.row(address) else { return Caller::NoRule };
        if row.rule(RETURN).0 == RegisterRule::Undefined {
            return Caller::None;
        }
        let mut frame = Frame { values: *values, memory };
        match frame.up(self.eh_frame, &row) {
            Some(caller) => *values = caller,
            None => return Caller::NotUnderstood,
        }
        if signal { Caller::Interrupted } else { Caller::Called }
    }
}

struct Frame<'a> {
    values: Values,
    memory: &'a mut dyn FnMut(u64) -> Option<u64>,
}

impl EvaluationContext for Frame<'_> {
    fn register(&self, register: u64) -> Option<u64> {
        self.values.get(usize::try_from(register).ok()?)
    }

    fn memory(&mut self, address: u64) -> Option<u64> {
        (self.memory)(address)
    }
}

impl Frame<'_> {
    fn up(&mut self, section: Section<'_>, row: &Row) -> Option<Values> {
        let cfa = match row.cfa {
            Cfa::Register(register, offset) => self.register(register)?.wrapping_add(offset.cast_unsigned()),
            Cfa::Expression(place) => evaluate(block(section, place)?, None, self)?,
            Cfa::Unspecified => return None,
        };
        let mut caller = Values::default();
        for register in 0..REGISTERS {
            caller.set(register, self.saved(section, row, register, cfa));
        }
        // Only a thread's first frame has no rule for the return address.
        caller.get(RETURN)?;
        Some(caller)
    }

    fn saved(&mut self, section: Section<'_>, row: &Row, register: usize, cfa: u64) -> Option<u64> {
        let (how, number) = row.rule(register);
        let place = || usize::try_from(number).ok().and_then(|place| block(section, place));
        match how {
            RegisterRule::Unspecified if register == RSP => Some(cfa),
            // The called function may have changed registers that a call does not preserve.
            RegisterRule::Unspecified if CALLEE_SAVED >> register & 1 == 0 => None,
            RegisterRule::Unspecified | RegisterRule::SameValue => self.values.get(register),
            RegisterRule::Undefined => None,
            RegisterRule::Offset => self.memory(cfa.wrapping_add(number.cast_unsigned())),
            RegisterRule::ValOffset => Some(cfa.wrapping_add(number.cast_unsigned())),
            RegisterRule::Register => self.register(number.cast_unsigned()),
            RegisterRule::Expression => {
                let address = evaluate(place()?, Some(cfa), self)?;
                self.memory(address)
            }
            RegisterRule::ValExpression => evaluate(place()?, Some(cfa), self),
        }
    }
}
