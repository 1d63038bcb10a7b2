//! The objects that were seen on stacks, in the order in which they were met.
//!
//! The list only grows, without locks: an entry is made apart and put into the first free place by one exchange, so that
//! a fork or a signal at any moment leaves it whole. An object that is gone keeps its place and is only marked.
#![expect(unsafe_code, reason = "entries live for ever in memory of our own")]

use crate::cfi::{Frames, Index, Section};
use crate::loader::{self, Identity, Told};
use crate::{arena, elf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

/// One object that was found on a stack. Its loaded segments lie in `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module<'a> {
    /// The file, as the loader names it; made absolute where it was relative.
    pub path: &'a [u8],
    /// What is added to an address in the file to get the one in memory.
    pub bias: u64,
    /// First mapped address.
    pub start: u64,
    /// First address behind the object.
    pub end: u64,
}

struct Known {
    identity: Identity,
    path: &'static [u8],
    frames: Option<Frames<'static>>,
    gone: AtomicBool,
}

/// More objects than this are unwound through, but not listed.
const MOST: usize = 8192;

static KNOWN: [AtomicPtr<Known>; MOST] = [const { AtomicPtr::new(null_mut()) }; MOST];

fn known() -> impl Iterator<Item = &'static Known> {
    // SAFETY: null, or an entry that was published whole and is never freed.
    KNOWN.iter().map_while(|place| unsafe { place.load(Acquire).as_ref() })
}

/// Calls `visit` with the index and the object, for all from index `from` on. The list only grows.
///
/// An object that was unloaded stays in the list; a later one may lie at its addresses.
pub fn modules(from: usize, visit: &mut dyn FnMut(usize, &Module<'_>)) {
    for (index, it) in known().enumerate().skip(from) {
        let Identity { start, end, bias, .. } = it.identity;
        visit(index, &Module { path: it.path, bias, start, end });
    }
}

/// The unwind sections of the object that holds `address`; `None` if there is no object or it has none.
#[inline(never)]
pub(crate) fn frames_at(address: u64) -> Option<Frames<'static>> {
    loader::object_at(address, |told| match known().find(|it| is_same(it, told)) {
        Some(it) => {
            it.gone.store(false, Relaxed);
            it.frames
        }
        None => learn(told),
    })?
}

fn is_same(known: &Known, told: &Told<'_>) -> bool {
    known.identity == told.identity && (known.path.ends_with(told.name) || told.name.is_empty())
}

/// Marks objects that are not there any more; calls `gone` with the addresses of each.
pub(crate) fn sweep(mut gone: impl FnMut(u64, u64)) {
    for it in known().filter(|it| !it.gone.load(Relaxed)) {
        let stays = loader::object_at(it.identity.start, |told| is_same(it, told)) == Some(true);
        if !stays {
            it.gone.store(true, Relaxed);
            gone(it.identity.start, it.identity.end);
        }
    }
}

/// Makes an entry for an object that was not seen before.
#[cold]
fn learn(told: &Told<'_>) -> Option<Frames<'static>> {
    let frames = sections(&told.identity);
    let Some(path) = path(told.name) else { return frames };
    let Some(room) = arena::take(size_of::<Known>()) else { return frames };
    let entry = room.cast::<Known>();
    const { assert!(align_of::<Known>() <= 16) };
    // SAFETY: fresh, large enough and aligned.
    unsafe { entry.write(Known { identity: told.identity, path, frames, gone: AtomicBool::new(false) }) };
    for place in &KNOWN {
        match place.compare_exchange(null_mut(), entry.as_ptr(), AcqRel, Acquire) {
            Ok(_) => break,
            // SAFETY: not null, so an entry that is never freed.
            Err(other) if unsafe { other.as_ref() }.is_some_and(|it| is_same(it, told)) => break,
            Err(_) => {}
        }
    }
    frames
}

/// Finds the unwind sections by the object's program headers, and that they lie in readable segments.
fn sections(identity: &Identity) -> Option<Frames<'static>> {
    const HEAD: u64 = 4096;
    let head = loader::mapped(identity.start, HEAD.min(identity.end.checked_sub(identity.start)?))?;
    let segments = elf::segments(elf::table(head)?);
    let section = |address: u64, most: u64| {
        let left = elf::readable_from(segments.clone(), address.wrapping_sub(identity.bias))?;
        Some(Section { bytes: loader::mapped(address, left.min(most))?, address })
    };
    let (header, length) = elf::frame_header(segments.clone())?;
    let header = section(identity.bias.wrapping_add(header), length)?;
    let index = Index::read(header)?;
    Some(Frames { header, eh_frame: section(index.eh_frame, u64::MAX)?, index })
}

/// A lasting copy of an object's name. The program itself has none: the kernel knows it.
fn path(name: &[u8]) -> Option<&'static [u8]> {
    const LONGEST: usize = 4096;
    let relative = name.contains(&b'/') && !name.starts_with(b"/");
    if !name.is_empty() && !relative {
        let room = arena::take(name.len().min(LONGEST))?;
        // SAFETY: fresh room of that length.
        let copy = unsafe { std::slice::from_raw_parts_mut(room.as_ptr(), name.len().min(LONGEST)) };
        copy.copy_from_slice(name.get(..copy.len())?);
        return Some(copy);
    }
    let room = arena::take(LONGEST)?.as_ptr();
    // SAFETY: fresh zeroed room of that length; each call writes at most what it is told.
    let (room, length) = unsafe {
        let length = if relative {
            libc::syscall(libc::SYS_getcwd, room, LONGEST)
        } else {
            libc::syscall(libc::SYS_readlink, c"/proc/self/exe".as_ptr(), room, LONGEST)
        };
        (std::slice::from_raw_parts_mut(room, LONGEST), usize::try_from(length).ok()?)
    };
    if !relative {
        return room.get(..length);
    }
    // getcwd counts the zero at its end: that is where the slash goes.
    let (slash, end) = (length.checked_sub(1)?, length.checked_add(name.len())?);
    *room.get_mut(slash)? = b'/';
    room.get_mut(length..end)?.copy_from_slice(name);
    room.get(..end)
}
