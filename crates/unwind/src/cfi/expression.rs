//! Evaluates DWARF expressions of call frame programs.
//!
//! In: the expression, and a context that gives registers and memory. Out: a number, or `None`. The number of
//! steps and the stack are bounded; memory is only read through the context.

use super::bytes::{Bytes, Section};

/// The registers and the memory of the frame that an expression refers to.
pub(crate) trait EvaluationContext {
    fn register(&self, register: u64) -> Option<u64>;
    fn memory(&mut self, address: u64) -> Option<u64>;
}

const MAX_STACK_DEPTH: usize = 12;
const MAX_STEPS: usize = 64;

struct ValueStack {
    values: [u64; MAX_STACK_DEPTH],
    depth: usize,
}

impl ValueStack {
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

/// The expression whose block is at offset `place` of the section.
pub(crate) fn block(section: Section<'_>, place: usize) -> Option<Bytes<'_>> {
    Bytes::between(section, place, section.bytes.len())?.block()
}

/// `[register + offset]`, and whether a read of that address follows: compilers write no other forms.
pub(crate) fn register_offset(mut code: Bytes<'_>) -> Option<(u64, i64, bool)> {
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

/// The value of the expression. `first` is on the stack at the start.
#[inline(never)]
pub(crate) fn evaluate(
    mut code: Bytes<'_>,
    first: Option<u64>,
    context: &mut impl EvaluationContext,
) -> Option<u64> {
    let mut values = ValueStack { values: [0; MAX_STACK_DEPTH], depth: 0 };
    if let Some(first) = first {
        values.push(first)?;
    }
    for _ in 0..MAX_STEPS {
        if code.is_empty() {
            return values.pop();
        }
        step(&mut code, &mut values, context)?;
    }
    None
}

fn step(code: &mut Bytes<'_>, values: &mut ValueStack, context: &mut impl EvaluationContext) -> Option<()> {
    let operation = code.u8()?;
    match operation {
        0x03 | 0x0e | 0x0f => values.push(code.u64()?),
        0x06 => {
            let address = values.pop()?;
            values.push(context.memory(address)?)
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
            let base = context.register(u64::from(operation - 0x70))?;
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
