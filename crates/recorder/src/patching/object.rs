//! One loaded object: the words in it through which it calls what we stand before.
//!
//! In: an object, while the linker's list stands still. Out: its words, patched. What must not happen here: a word patched
//! that the linker has still to fill. It would add the object's address to ours, or meet a page that we have closed.

use std::ops::Range;

use super::hooks::{COUNT, Hook, Hooks, Real};
use super::protect::{PAGE, Pen, is_open, read};
use super::slots::{Slot, Slots};
use crate::elf::{Object, Tables, is_name};

/// Kinds of places that hold a symbol's address and nothing else (psABI for x86-64): in data, in the table of addresses, and
/// in that of calls.
const R_64: u32 = 1;
const R_GLOB_DAT: u32 = 6;
const R_JUMP_SLOT: u32 = 7;

/// Words of one object that are patched together. One of TensorFlow's libraries has 20.
const BATCH_WORDS: usize = 128;
/// Symbols of one object that have a name of ours: some are taken in two versions.
const NAMES: usize = 2 * COUNT;

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Done,
    /// The linker is still at work there: to be looked at once more.
    NotYet,
}

/// A word that is bound to a name of ours.
#[derive(Clone, Copy, Default)]
struct Found {
    place: u64,
    hook: usize,
    /// It may be bound at the first call.
    may_be_lazy: bool,
}

/// Patches all words of this object.
pub(super) fn patch(object: &Object<'_>, hooks: &Hooks, slots: &mut Slots, round: u32) -> Came {
    // The linker's own calls are its own affair: it begins before there is an allocator.
    let Some(tables) = object.tables().filter(|tables| tables.index(b"_rtld_global").is_none()) else {
        return Came::Done;
    };
    let names = Names::of(&tables, hooks);
    if names.count == 0 {
        return Came::Done;
    }
    let sealed = whole_pages(object.sealed());
    if !sealed.is_empty() && is_open(sealed.start) {
        return Came::NotYet;
    }
    let (mut found, mut count, mut came) = ([Found::default(); BATCH_WORDS], 0, Came::Done);
    let mut write = |found: &mut [Found]| {
        if write(object, hooks, slots, round, &sealed, found) == Came::NotYet {
            came = Came::NotYet;
        }
    };
    for relocation in tables.relocations() {
        if !names.may_have(relocation.symbol()) || relocation.addend != 0 {
            continue;
        }
        let kind = relocation.kind();
        let Some((hook, is_taken)) = names.hook(relocation.symbol()) else { continue };
        if !matches!(kind, R_64 | R_GLOB_DAT | R_JUMP_SLOT) {
            continue;
        }
        if count == BATCH_WORDS {
            write(&mut found);
            count = 0;
        }
        if let Some(free) = found.get_mut(count) {
            let may_be_lazy = kind == R_JUMP_SLOT && is_taken && hooks.lazy;
            *free = Found { place: tables.place(relocation), hook, may_be_lazy };
            count += 1;
        }
    }
    write(found.get_mut(..count).unwrap_or_default());
    came
}

/// Puts back what stood in the words of this object, where ours still stands.
pub(super) fn put_back(object: &Object<'_>, hooks: &Hooks, slots: &Slots) {
    let sealed = whole_pages(object.sealed());
    let mut pen = Pen::default();
    // Its object may be gone, and another one lie there, with code in that place.
    for slot in slots.each().filter(|slot| is_writable(object, slot.place)) {
        if let Some(hook) = hooks.get(slot.hook).filter(|hook| read(slot.place) == hook.ours) {
            pen.write(slot.place, hook.ours, slot.before, sealed.contains(&slot.place));
        }
    }
}

fn write(
    object: &Object<'_>,
    hooks: &Hooks,
    slots: &mut Slots,
    round: u32,
    sealed: &Range<u64>,
    found: &mut [Found],
) -> Came {
    let ends = |found: &Found| hooks.get(found.hook).is_some_and(|hook| hook.ends);
    found.sort_unstable_by_key(|found| (!ends(found), found.place));
    let (mut pen, mut came) = (Pen::default(), Came::Done);
    for one in found.iter() {
        let Some(hook) = hooks.get(one.hook).filter(|_hook| is_writable(object, one.place)) else { continue };
        let now = read(one.place);
        match judge(object, hook, *one, now) {
            Judged::Ours => slots.meet(one.place, round),
            Judged::Patch if slots.has_room() => {
                if pen.write(one.place, now, hook.ours, sealed.contains(&one.place)) {
                    slots.keep(Slot { place: one.place, before: now, hook: one.hook }, round);
                } else if hook.ends {
                    // What is born here would be seen, and its end not.
                    return came;
                }
            }
            Judged::NotYet => came = Came::NotYet,
            Judged::Patch | Judged::Anothers => {}
        }
    }
    came
}

enum Judged {
    Ours,
    Patch,
    /// Another tool's, or another allocator's.
    Anothers,
    NotYet,
}

fn judge(object: &Object<'_>, hook: &Hook, found: Found, now: u64) -> Judged {
    if now == hook.ours {
        return Judged::Ours;
    }
    if now == 0 {
        return Judged::NotYet;
    }
    let waits_for_its_first_call = || {
        let is_code = |(range, flags): (Range<u64>, u32)| flags & libc::PF_X != 0 && range.contains(&now);
        found.may_be_lazy && object.parts().any(is_code)
    };
    match hook.real {
        Real::Any => Judged::Patch,
        Real::At(real) if now == real || waits_for_its_first_call() => Judged::Patch,
        // The linker has not added the object's address yet.
        Real::At(_) if found.may_be_lazy && now < object.bias && now < 1 << 32 => Judged::NotYet,
        Real::At(_) => Judged::Anothers,
    }
}

fn is_writable(object: &Object<'_>, place: u64) -> bool {
    place.is_multiple_of(8)
        && object.parts().any(|(range, flags)| flags & libc::PF_W != 0 && range.contains(&place))
}

/// What the linker closes: whole pages only, as it rounds.
fn whole_pages(sealed: Option<Range<u64>>) -> Range<u64> {
    sealed.map_or(0..0, |sealed| sealed.start & !(PAGE - 1)..sealed.end & !(PAGE - 1))
}

/// The symbols of an object that have a name of ours.
struct Names {
    /// Symbol, hook, and whether the object takes it from another one.
    all: [(u32, usize, bool); NAMES],
    count: usize,
    /// A bit for each 1,024th of the symbols: nearly all places end here.
    filter: [u64; 16],
}

impl Names {
    fn of(tables: &Tables, hooks: &Hooks) -> Self {
        let mut names = Self { all: [(0, 0, false); NAMES], count: 0, filter: [0; 16] };
        for symbol in tables.taken() {
            let (begin, at) = tables.begin_of_name(symbol);
            let is_it = |hook: &Hook| hook.begin == begin && is_name(at, hook.name);
            if let Some(hook) = hooks.all.iter().position(|hook| hook.as_ref().is_some_and(is_it)) {
                names.add(symbol, hook, true);
            }
        }
        for (index, hook) in hooks.all.iter().enumerate() {
            if let Some((symbol, is_taken)) = hook.as_ref().and_then(|hook| tables.index(hook.name)) {
                names.add(symbol, index, is_taken);
            }
        }
        names
    }

    fn add(&mut self, symbol: u32, hook: usize, is_taken: bool) {
        if let (Some(free), Some(word)) =
            (self.all.get_mut(self.count), self.filter.get_mut(symbol as usize / 64 % 16))
        {
            *free = (symbol, hook, is_taken);
            *word |= 1 << (symbol % 64);
            self.count += 1;
        }
    }

    #[inline]
    fn may_have(&self, symbol: u32) -> bool {
        self.filter.get(symbol as usize / 64 % 16).is_some_and(|word| word >> (symbol % 64) & 1 != 0)
    }

    fn hook(&self, symbol: u32) -> Option<(usize, bool)> {
        let all = self.all.iter().take(self.count);
        all.copied().find(|(known, ..)| *known == symbol).map(|(_symbol, hook, is_taken)| (hook, is_taken))
    }
}
