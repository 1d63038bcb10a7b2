//! The call frame programs of `.eh_frame`: how to find the caller's registers at an address.
//!
//! In: an entry and an address. Out: the row of rules for that address. A row covers the sixteen general
//! registers and the return address; rules for others are skipped. All state is on the stack and below 1.5
//! KiB, because this runs inside any function that allocates.

use super::bytes::Bytes;
use super::fde::Fde;

/// Registers of a row by DWARF number: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, return address.
pub(crate) const REGISTERS: usize = 17;
pub(crate) const RBP: usize = 6;
pub(crate) const RSP: usize = 7;
pub(crate) const RETURN: usize = 16;

/// Nested `remember_state`; compilers need one, hand-written code two.
const MAX_REMEMBERED_ROWS: usize = 3;

/// How to find one register of the caller. The number is an offset, a register, or an expression's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RegisterRule {
    /// No rule: unchanged, by the convention of this machine.
    Unspecified,
    SameValue,
    Undefined,
    /// Saved at CFA + offset.
    Offset,
    /// Equal to CFA + offset.
    ValOffset,
    /// Held in another register.
    Register,
    /// Saved at the address that the expression gives.
    Expression,
    /// Equal to the expression's value.
    ValExpression,
}

/// How to find the canonical frame address: the caller's stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cfa {
    Unspecified,
    Register(u64, i64),
    /// Offset of the expression's block in the section.
    Expression(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) cfa: Cfa,
    how: [RegisterRule; REGISTERS],
    number: [i64; REGISTERS],
}

impl Row {
    const EMPTY: Row =
        Row { cfa: Cfa::Unspecified, how: [RegisterRule::Unspecified; REGISTERS], number: [0; REGISTERS] };

    pub(crate) fn rule(&self, register: usize) -> (RegisterRule, i64) {
        match (self.how.get(register), self.number.get(register)) {
            (Some(&how), Some(&number)) => (how, number),
            _ => (RegisterRule::Unspecified, 0),
        }
    }

    fn set(&mut self, register: u64, how: RegisterRule, number: i64) {
        let Ok(register) = usize::try_from(register) else { return };
        if let (Some(slot), Some(place)) = (self.how.get_mut(register), self.number.get_mut(register)) {
            *slot = how;
            *place = number;
        }
    }
}

/// The row at `address`, which the entry covers. `None`: the program is broken or of an unknown kind.
#[inline(never)]
pub(crate) fn row(entry: &Fde<'_>, address: u64) -> Option<Row> {
    let mut run = Run {
        row: Row::EMPTY,
        initial: Row::EMPTY,
        remembered: [Row::EMPTY; MAX_REMEMBERED_ROWS],
        depth: 0,
        at: entry.start,
    };
    run.execute(entry, entry.initial, u64::MAX)?;
    run.initial = run.row;
    run.at = entry.start;
    run.execute(entry, entry.program, address)?;
    Some(run.row)
}

struct Run {
    row: Row,
    initial: Row,
    remembered: [Row; MAX_REMEMBERED_ROWS],
    depth: usize,
    at: u64,
}

impl Run {
    fn execute(&mut self, entry: &Fde<'_>, mut code: Bytes<'_>, address: u64) -> Option<()> {
        while !code.is_empty() {
            let operation = code.u8()?;
            let low = u64::from(operation & 0x3f);
            match operation >> 6 {
                1 => self.advance(entry, low),
                2 => {
                    let offset = factored(code.uleb()?, entry)?;
                    self.row.set(low, RegisterRule::Offset, offset);
                }
                3 => self.restore(low),
                _ => self.extended(operation, entry, &mut code)?,
            }
            if self.at > address {
                return Some(());
            }
        }
        Some(())
    }

    fn extended(&mut self, operation: u8, entry: &Fde<'_>, code: &mut Bytes<'_>) -> Option<()> {
        match operation {
            0x00 => {}                                           // nop
            0x01 => self.at = code.pointer(entry.encoding, 0)?,  // set_loc
            0x02 => self.advance(entry, u64::from(code.u8()?)),  // advance_loc1
            0x03 => self.advance(entry, u64::from(code.u16()?)), // advance_loc2
            0x04 => self.advance(entry, u64::from(code.u32()?)), // advance_loc4
            0x05 => self.save(code, RegisterRule::Offset, |code| factored(code.uleb()?, entry))?,
            0x06 => self.restore(code.uleb()?), // restore_extended
            0x07 => self.save(code, RegisterRule::Undefined, |_| Some(0))?,
            0x08 => self.save(code, RegisterRule::SameValue, |_| Some(0))?,
            0x09 => self.save(code, RegisterRule::Register, |code| i64::try_from(code.uleb()?).ok())?,
            0x0a => {
                *self.remembered.get_mut(self.depth)? = self.row;
                self.depth += 1;
            }
            0x0b => {
                self.depth = self.depth.checked_sub(1)?;
                self.row = *self.remembered.get(self.depth)?;
            }
            0x0c => self.row.cfa = Cfa::Register(code.uleb()?, i64::try_from(code.uleb()?).ok()?),
            0x0d => {
                let Cfa::Register(_, offset) = self.row.cfa else { return None };
                self.row.cfa = Cfa::Register(code.uleb()?, offset);
            }
            0x0e => {
                let Cfa::Register(register, _) = self.row.cfa else { return None };
                self.row.cfa = Cfa::Register(register, i64::try_from(code.uleb()?).ok()?);
            }
            0x0f => self.row.cfa = Cfa::Expression(place(code)?),
            0x10 => self.save(code, RegisterRule::Expression, |code| i64::try_from(place(code)?).ok())?,
            0x11 => self.save(code, RegisterRule::Offset, |code| signed(code.sleb()?, entry))?,
            0x12 => self.row.cfa = Cfa::Register(code.uleb()?, signed(code.sleb()?, entry)?),
            0x13 => {
                let Cfa::Register(register, _) = self.row.cfa else { return None };
                self.row.cfa = Cfa::Register(register, signed(code.sleb()?, entry)?);
            }
            0x14 => self.save(code, RegisterRule::ValOffset, |code| factored(code.uleb()?, entry))?,
            0x15 => self.save(code, RegisterRule::ValOffset, |code| signed(code.sleb()?, entry))?,
            0x16 => self.save(code, RegisterRule::ValExpression, |code| i64::try_from(place(code)?).ok())?,
            0x2e => _ = code.uleb()?, // GNU_args_size: of use to exceptions only
            0x2f => {
                self.save(code, RegisterRule::Offset, |code| factored(code.uleb()?, entry)?.checked_neg())?;
            }
            _ => return None,
        }
        Some(())
    }

    fn save(
        &mut self,
        code: &mut Bytes<'_>,
        how: RegisterRule,
        number: impl FnOnce(&mut Bytes<'_>) -> Option<i64>,
    ) -> Option<()> {
        let register = code.uleb()?;
        self.row.set(register, how, number(code)?);
        Some(())
    }

    fn restore(&mut self, register: u64) {
        let (how, number) =
            usize::try_from(register).map_or((RegisterRule::Unspecified, 0), |it| self.initial.rule(it));
        self.row.set(register, how, number);
    }

    fn advance(&mut self, entry: &Fde<'_>, delta: u64) {
        self.at = self.at.saturating_add(delta.saturating_mul(entry.code_factor));
    }
}

fn factored(number: u64, entry: &Fde<'_>) -> Option<i64> {
    signed(i64::try_from(number).ok()?, entry)
}

fn signed(number: i64, entry: &Fde<'_>) -> Option<i64> {
    number.checked_mul(entry.data_factor)
}

/// The offset of an expression's block; the block itself is skipped.
fn place(code: &mut Bytes<'_>) -> Option<usize> {
    let at = code.at();
    code.block()?;
    Some(at)
}
