//! From one frame to its caller with all registers, by rules of every kind.
//!
//! In: the registers in a frame and a way to read memory. Out: those of the caller, as far as they are known.
//! A register whose value is not known makes the step fail where it is needed: nothing is guessed.

use super::Frames;
use super::bytes::Section;
use super::expression::{Machine, block, evaluate};
use super::program::{Cfa, How, REGISTERS, RETURN, RSP, Row};

/// Registers by their DWARF number (16 is the instruction's address).
#[derive(Clone, Copy, Debug, Default)]
pub struct Values {
    values: [u64; REGISTERS],
    known: u32,
}

/// What a frame's caller turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// There is none: this was the thread's first frame.
    None,
    /// It called.
    Called,
    /// It was interrupted by a signal.
    Interrupted,
    /// The rules cannot be followed.
    NotUnderstood,
    /// There are no rules.
    NoRule,
}

/// The registers that a call keeps: rbx, rbp, r12 to r15.
const KEPT: u32 = 1 << 3 | 1 << 6 | 0xf << 12;

impl Values {
    /// The value, if it is known.
    pub fn get(&self, register: usize) -> Option<u64> {
        let value = *self.values.get(register)?;
        (self.known >> register & 1 == 1).then_some(value)
    }

    /// Sets a value, or that it is not known.
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
        if row.rule(RETURN).0 == How::Undefined {
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

impl Machine for Frame<'_> {
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
            Cfa::Unsaid => return None,
        };
        let mut caller = Values::default();
        for register in 0..REGISTERS {
            caller.set(register, self.saved(section, row, register, cfa));
        }
        // All but a thread's first frame say where the return address is.
        caller.get(RETURN)?;
        Some(caller)
    }

    fn saved(&mut self, section: Section<'_>, row: &Row, register: usize, cfa: u64) -> Option<u64> {
        let (how, number) = row.rule(register);
        let place = || usize::try_from(number).ok().and_then(|place| block(section, place));
        match how {
            How::Unsaid if register == RSP => Some(cfa),
            // What a call does not keep may have been changed by the function that was called.
            How::Unsaid if KEPT >> register & 1 == 0 => None,
            How::Unsaid | How::Same => self.values.get(register),
            How::Undefined => None,
            How::AtOffset => self.memory(cfa.wrapping_add(number.cast_unsigned())),
            How::IsOffset => Some(cfa.wrapping_add(number.cast_unsigned())),
            How::Register => self.register(number.cast_unsigned()),
            How::AtExpression => {
                let address = evaluate(place()?, Some(cfa), self)?;
                self.memory(address)
            }
            How::IsExpression => evaluate(place()?, Some(cfa), self),
        }
    }
}
