//! The objects that were seen on stacks, in the order in which they were met.
//!
//! The list only grows, without locks: an entry is made apart and put into the first free place by one exchange, so that
//! a fork or a signal at any moment leaves it whole. An object that is gone keeps its place and is only marked.
#![expect(unsafe_code, reason = "entries live for ever in memory of our own")]

use crate::cfi::{Frames, Index, Section};
use crate::learned::Learned;
use crate::loader::{self, Identity, Told};
use crate::{arena, elf};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};

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
    bias: u64,
    path: &'static [u8],
    /// The unwind sections; null if there are none. Replaced, never changed.
    frames: AtomicPtr<Frames<'static>>,
    /// The generation in which the sections were last looked at.
    checked: AtomicU32,
    gone: AtomicBool,
    learned: Learned,
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
        let Identity { start, end, .. } = it.identity;
        visit(index, &Module { path: it.path, bias: it.bias, start, end });
    }
}

/// An object as far as a walk needs it.
pub(crate) struct Object {
    /// The unwind sections, if it has any.
    pub(crate) frames: Option<Frames<'static>>,
    /// Which rules of it are in the table. `None`: the list of objects is full, none may be kept.
    pub(crate) learned: Option<&'static Learned>,
}

/// The object that holds `address`, which must be in use.
#[inline(never)]
pub(crate) fn object_at(address: u64) -> Option<Object> {
    loader::object_at(address, |told| {
        let generation = GENERATION.load(Acquire);
        let (frames, known) = match known().find(|it| it.is(told)) {
            Some(it) if it.checked.load(Acquire) == generation => (it.frames(), Some(it)),
            Some(it) => (it.check(generation), Some(it)),
            None => meet(told, generation),
        };
        Object { frames, learned: known.map(|it| &it.learned) }
    })
}

/// Goes up when an object was unloaded: another may have come to the same place, told apart by its sections only.
static GENERATION: AtomicU32 = AtomicU32::new(0);

impl Known {
    fn is(&self, told: &Told<'_>) -> bool {
        self.identity == told.identity && self.bias == told.bias && self.path.ends_with(told.name)
    }

    fn frames(&self) -> Option<Frames<'static>> {
        // SAFETY: null, or sections in memory that is never freed.
        unsafe { self.frames.load(Acquire).as_ref() }.copied()
    }

    #[cold]
    fn check(&self, generation: u32) -> Option<Frames<'static>> {
        let frames = sections(&self.identity, self.bias);
        if frames != self.frames() {
            self.frames.store(lasting(frames)?, Release);
        }
        self.checked.store(generation, Release);
        self.gone.store(false, Relaxed);
        frames
    }
}

/// Called when objects were unloaded: marks those that are gone. Calls `each` for all that were there, with the rules
/// that were learned of it, its addresses, and whether it is gone.
#[cold]
pub(crate) fn sweep(mut each: impl FnMut(&Learned, (u64, u64), bool)) {
    GENERATION.fetch_add(1, AcqRel);
    for it in known().filter(|it| !it.gone.load(Relaxed)) {
        let Identity { start, end, .. } = it.identity;
        let gone = loader::identity_at(start) != Some(it.identity);
        it.gone.store(gone, Relaxed);
        each(&it.learned, (start, end), gone);
    }
}

/// Makes an entry for an object that was not seen before.
#[cold]
fn meet(told: &Told<'_>, generation: u32) -> (Option<Frames<'static>>, Option<&'static Known>) {
    let frames = sections(&told.identity, told.bias);
    let entry = path(told.name).and_then(|path| {
        keep(Known {
            identity: told.identity,
            bias: told.bias,
            path,
            frames: AtomicPtr::new(lasting(frames)?),
            checked: AtomicU32::new(generation),
            gone: AtomicBool::new(false),
            learned: Learned::default(),
        })
    });
    let Some(entry) = entry else { return (frames, None) };
    for place in &KNOWN {
        match place.compare_exchange(null_mut(), entry.as_ptr(), AcqRel, Acquire) {
            // SAFETY: just made, and never freed.
            Ok(_) => return (frames, Some(unsafe { entry.as_ref() })),
            Err(other) => {
                // SAFETY: not null, so an entry that is never freed.
                let other = unsafe { other.as_ref() }.filter(|it| it.is(told));
                if other.is_some() {
                    return (frames, other);
                }
            }
        }
    }
    (frames, None)
}

/// A copy of sections that lasts; `None` if there is no memory.
fn lasting(frames: Option<Frames<'static>>) -> Option<*mut Frames<'static>> {
    frames.map_or(Some(null_mut()), |frames| Some(keep(frames)?.as_ptr()))
}

/// Moves a value to memory that is never freed.
fn keep<T>(value: T) -> Option<NonNull<T>> {
    const { assert!(align_of::<T>() <= 16) };
    let room = arena::take(size_of::<T>())?.cast::<T>();
    // SAFETY: fresh, large enough and aligned.
    unsafe { room.write(value) };
    Some(room)
}

/// Finds the unwind sections by the object's program headers, and that they lie in readable segments.
fn sections(identity: &Identity, bias: u64) -> Option<Frames<'static>> {
    const HEAD: u64 = 4096;
    let head = loader::mapped(identity.start, HEAD.min(identity.end.checked_sub(identity.start)?))?;
    let segments = elf::segments(elf::table(head)?);
    let section = |address: u64, most: u64| {
        let left = elf::readable_from(segments.clone(), address.wrapping_sub(bias))?;
        Some(Section { bytes: loader::mapped(address, left.min(most))?, address })
    };
    let (header, length) = elf::frame_header(segments.clone())?;
    let header = section(bias.wrapping_add(header), length)?;
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
