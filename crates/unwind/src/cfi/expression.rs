//! DWARF expressions as they occur in call frame programs.
//!
//! In: the expression and a machine that answers for registers and memory. Out: a number, or `None`.
//! Loops are bounded by a number of steps, the stack by its size; memory is only read through the machine.

use super::bytes::{Bytes, Section};

/// Answers for the registers and the memory of the frame that an expression speaks about.
pub(crate) trait Machine {
    fn register(&self, register: u64) -> Option<u64>;
    fn memory(&mut self, address: u64) -> Option<u64>;
}

const DEPTH: usize = 12;
const STEPS: usize = 64;

struct Values {
    values: [u64; DEPTH],
    depth: usize,
}

impl Values {
    fn push(&mut self, value: u64) -> Option<()> {
        *self.values.get_mut(self.depth)? = value;
        self.depth += 1;
        Some(())
    }

    fn pop(&mut self) -> Option<u64> {
        self.depth = self.depth.checked_sub(1)?;
        self.values.get(self.depth).copied()
    }

    fn pick(&self, index: usize) -> Option<u64> {
        self.values.get(self.depth.checked_sub(index)?.checked_sub(1)?).copied()
    }
}

/// The expression whose block lies at `place` of the section.
pub(crate) fn block(section: Section<'_>, place: usize) -> Option<Bytes<'_>> {
    Bytes::between(section, place, section.bytes.len())?.block()
}

/// `[register + offset]`, and whether a read of that address follows: the only forms that compilers write.
pub(crate) fn simple(mut code: Bytes<'_>) -> Option<(u64, i64, bool)> {
    let operation = code.u8()?;
    let register = u64::from(operation.checked_sub(0x70)?);
    if register >= 32 {
        return None;
    }
    let offset = code.sleb()?;
    let read = match (code.is_empty(), code.u8()) {
        (true, _) => false,
        (_, Some(0x06)) if code.is_empty() => true,
        _ => return None,
    };
    Some((register, offset, read))
}

/// What the expression comes to. `first` is on the stack when it begins.
#[inline(never)]
pub(crate) fn evaluate(mut code: Bytes<'_>, first: Option<u64>, machine: &mut impl Machine) -> Option<u64> {
    let mut values = Values { values: [0; DEPTH], depth: 0 };
    if let Some(first) = first {
        values.push(first)?;
    }
    for _ in 0..STEPS {
        if code.is_empty() {
            return values.pop();
        }
        step(&mut code, &mut values, machine)?;
    }
    None
}

fn step(code: &mut Bytes<'_>, values: &mut Values, machine: &mut impl Machine) -> Option<()> {
    let operation = code.u8()?;
    match operation {
        0x03 | 0x0e | 0x0f => values.push(code.u64()?),
        0x06 => {
            let address = values.pop()?;
            values.push(machine.memory(address)?)
        }
        0x08 => values.push(u64::from(code.u8()?)),
        0x09 => values.push(i64::from(code.u8()?.cast_signed()).cast_unsigned()),
        0x0a => values.push(u64::from(code.u16()?)),
        0x0b => values.push(i64::from(code.u16()?.cast_signed()).cast_unsigned()),
        0x0c => values.push(u64::from(code.u32()?)),
        0x0d => values.push(i64::from(code.u32()?.cast_signed()).cast_unsigned()),
        0x10 => values.push(code.uleb()?),
        0x11 => values.push(code.sleb()?.cast_unsigned()),
        0x12 => values.push(values.pick(0)?),
        0x13 => values.pop().map(drop),
        0x14 => values.push(values.pick(1)?),
        0x15 => {
            let index = code.u8()?;
            values.push(values.pick(usize::from(index))?)
        }
        0x16 => {
            let (top, below) = (values.pop()?, values.pop()?);
            values.push(top)?;
            values.push(below)
        }
        0x1f => {
            let top = values.pop()?;
            values.push(top.wrapping_neg())
        }
        0x20 => {
            let top = values.pop()?;
            values.push(!top)
        }
        0x23 => {
            let top = values.pop()?;
            values.push(top.wrapping_add(code.uleb()?))
        }
        0x1a | 0x1c | 0x1e | 0x21 | 0x22 | 0x24..=0x27 | 0x29..=0x2e => {
            let (right, left) = (values.pop()?, values.pop()?);
            values.push(pair(operation, left, right)?)
        }
        0x30..=0x4f => values.push(u64::from(operation - 0x30)),
        0x70..=0x8f => {
            let base = machine.register(u64::from(operation - 0x70))?;
            values.push(base.wrapping_add(code.sleb()?.cast_unsigned()))
        }
        0x96 => Some(()), // nop
        _ => None,
    }
}

fn pair(operation: u8, left: u64, right: u64) -> Option<u64> {
    let (a, b) = (left.cast_signed(), right.cast_signed());
    let shift = u32::try_from(right).ok().filter(|&shift| shift < 64);
    Some(match operation {
        0x1a => left & right,
        0x1c => left.wrapping_sub(right),
        0x1e => left.wrapping_mul(right),
        0x21 => left | right,
        0x22 => left.wrapping_add(right),
        0x24 => shift.map_or(0, |shift| left << shift),
        0x25 => shift.map_or(0, |shift| left >> shift),
        0x26 => (a >> shift.unwrap_or(63)).cast_unsigned(),
        0x27 => left ^ right,
        0x29 => u64::from(a == b),
        0x2a => u64::from(a >= b),
        0x2b => u64::from(a > b),
        0x2c => u64::from(a <= b),
        0x2d => u64::from(a < b),
        0x2e => u64::from(a != b),
        _ => return None,
    })
}
