//! The objects that were seen on stacks, in the order of their first sight.
//!
//! The list only grows, without locks: a new entry is put into the first free place by one exchange, so a
//! fork or signal at any moment leaves the list consistent. An unloaded object keeps its place and is only
//! marked.
#![expect(unsafe_code, reason = "entries live for ever in memory of our own")]

use crate::cfi::{Frames, Index, Section};
use crate::loader::{self, Identity, LoadedObject};
use crate::module_rules::ModuleRules;
use crate::{arena, elf};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};

/// An object that was found on a stack. Its loaded segments lie in `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module<'a> {
    /// The file by the loader's name, made absolute where it was relative.
    pub path: &'a [u8],
    /// Added to an address in the file, it gives the address in memory.
    pub bias: u64,
    /// First mapped address.
    pub start: u64,
    /// First address behind the object.
    pub end: u64,
}

struct ModuleEntry {
    identity: Identity,
    bias: u64,
    path: &'static [u8],
    /// The unwind sections; null if there are none. Replaced, never changed.
    frames: AtomicPtr<Frames<'static>>,
    /// The generation in which the sections were last checked.
    checked: AtomicU32,
    gone: AtomicBool,
    rules: ModuleRules,
}

/// Further objects are unwound through, but not listed.
const MAX_MODULES: usize = 8192;

static KNOWN: [AtomicPtr<ModuleEntry>; MAX_MODULES] = [const { AtomicPtr::new(null_mut()) }; MAX_MODULES];

fn known() -> impl Iterator<Item = &'static ModuleEntry> {
    // SAFETY: null, or an entry that was published whole and is never freed.
    KNOWN.iter().map_while(|place| unsafe { place.load(Acquire).as_ref() })
}

/// Calls `visit` with index and object, for all from index `from` on. The list only grows.
///
/// An unloaded object stays in the list; a later one may have the same addresses.
pub fn modules(from: usize, visit: &mut dyn FnMut(usize, &Module<'_>)) {
    for (index, it) in known().enumerate().skip(from) {
        let Identity { start, end, .. } = it.identity;
        visit(index, &Module { path: it.path, bias: it.bias, start, end });
    }
}

/// The facts of an object that a walk needs.
pub(crate) struct Object {
    /// The unwind sections, if it has any.
    pub(crate) frames: Option<Frames<'static>>,
    /// Its rules in the table. `None`: the list of objects is full, and no rule may be kept.
    pub(crate) rules: Option<&'static ModuleRules>,
}

/// The object that holds `address`, which must be in use.
#[inline(never)]
pub(crate) fn object_at(address: u64) -> Option<Object> {
    loader::object_at(address, |object| {
        let generation = GENERATION.load(Acquire);
        let (frames, known) = match known().find(|it| it.is(object)) {
            Some(it) if it.checked.load(Acquire) == generation => (it.frames(), Some(it)),
            Some(it) => (it.check(generation), Some(it)),
            None => register(object, generation),
        };
        Object { frames, rules: known.map(|it| &it.rules) }
    })
}

/// Incremented when an object was unloaded: another one may have the same addresses and differ only in its
/// sections.
static GENERATION: AtomicU32 = AtomicU32::new(0);

impl ModuleEntry {
    fn is(&self, object: &LoadedObject<'_>) -> bool {
        self.identity == object.identity && self.bias == object.bias && self.path.ends_with(object.name)
    }

    fn frames(&self) -> Option<Frames<'static>> {
        // SAFETY: null, or sections in memory that is never freed.
        unsafe { self.frames.load(Acquire).as_ref() }.copied()
    }

    #[cold]
    fn check(&self, generation: u32) -> Option<Frames<'static>> {
        let frames = sections(&self.identity, self.bias);
        if frames != self.frames() {
            self.frames.store(permanent(frames)?, Release);
        }
        self.checked.store(generation, Release);
        self.gone.store(false, Relaxed);
        frames
    }
}

/// Called when objects were unloaded: marks those that are gone. Calls `each` for every object that was
/// there, with its rules, its addresses, and whether it is gone.
#[cold]
pub(crate) fn sweep(mut each: impl FnMut(&ModuleRules, (u64, u64), bool)) {
    GENERATION.fetch_add(1, AcqRel);
    for it in known().filter(|it| !it.gone.load(Relaxed)) {
        let Identity { start, end, .. } = it.identity;
        let gone = loader::identity_at(start) != Some(it.identity);
        it.gone.store(gone, Relaxed);
        each(&it.rules, (start, end), gone);
    }
}

/// Makes an entry for a new object.
#[cold]
fn register(
    object: &LoadedObject<'_>,
    generation: u32,
) -> (Option<Frames<'static>>, Option<&'static ModuleEntry>) {
    let frames = sections(&object.identity, object.bias);
    let entry = path(object.name).and_then(|path| {
        leak(ModuleEntry {
            identity: object.identity,
            bias: object.bias,
            path,
            frames: AtomicPtr::new(permanent(frames)?),
            checked: AtomicU32::new(generation),
            gone: AtomicBool::new(false),
            rules: ModuleRules::default(),
        })
    });
    let Some(entry) = entry else { return (frames, None) };
    for place in &KNOWN {
        match place.compare_exchange(null_mut(), entry.as_ptr(), AcqRel, Acquire) {
            // SAFETY: just made, and never freed.
            Ok(_) => return (frames, Some(unsafe { entry.as_ref() })),
            Err(other) => {
                // SAFETY: not null, so an entry that is never freed.
                let other = unsafe { other.as_ref() }.filter(|it| it.is(object));
                if other.is_some() {
                    return (frames, other);
                }
            }
        }
    }
    (frames, None)
}

/// A copy of sections that is never freed; `None` if there is no memory.
fn permanent(frames: Option<Frames<'static>>) -> Option<*mut Frames<'static>> {
    frames.map_or(Some(null_mut()), |frames| Some(leak(frames)?.as_ptr()))
}

/// Moves a value to memory that is never freed.
fn leak<T>(value: T) -> Option<NonNull<T>> {
    const { assert!(align_of::<T>() <= 16) };
    let room = arena::take(size_of::<T>())?.cast::<T>();
    // SAFETY: fresh, large enough and aligned.
    unsafe { room.write(value) };
    Some(room)
}

/// Finds the unwind sections by the object's program headers, and checks that they are in readable segments.
fn sections(identity: &Identity, bias: u64) -> Option<Frames<'static>> {
    const ELF_HEAD_BYTES: u64 = 4096;
    let head = loader::mapped(identity.start, ELF_HEAD_BYTES.min(identity.end.checked_sub(identity.start)?))?;
    // A program with a gap between its segments is known by one of them, which need not begin with its head.
    let own = elf::table(head);
    let segments = elf::segments(own.or_else(loader::main_program_table)?);
    let section = |address: u64, limit: u64| {
        let left = elf::readable_from(segments.clone(), address.wrapping_sub(bias))?;
        Some(Section { bytes: loader::mapped(address, left.min(limit))?, address })
    };
    let (header, length) = elf::frame_header(segments.clone())?;
    let header = bias.wrapping_add(header);
    if own.is_none() && header != identity.header {
        return None;
    }
    let header = section(header, length)?;
    let index = Index::read(header)?;
    Some(Frames { header, eh_frame: section(index.eh_frame, u64::MAX)?, index })
}

/// A permanent copy of an object's path. The program itself has an empty name: the kernel knows its path.
fn path(name: &[u8]) -> Option<&'static [u8]> {
    const MAX_PATH_BYTES: usize = 4096;
    let relative = name.contains(&b'/') && !name.starts_with(b"/");
    if !name.is_empty() && !relative {
        let room = arena::take(name.len().min(MAX_PATH_BYTES))?;
        // SAFETY: fresh room of that length.
        let copy = unsafe { std::slice::from_raw_parts_mut(room.as_ptr(), name.len().min(MAX_PATH_BYTES)) };
        copy.copy_from_slice(name.get(..copy.len())?);
        return Some(copy);
    }
    let room = arena::take(MAX_PATH_BYTES)?.as_ptr();
    // SAFETY: fresh zeroed room of that length; each call writes at most the given length.
    let (room, length) = unsafe {
        let length = if relative {
            libc::syscall(libc::SYS_getcwd, room, MAX_PATH_BYTES)
        } else {
            libc::syscall(libc::SYS_readlink, c"/proc/self/exe".as_ptr(), room, MAX_PATH_BYTES)
        };
        (std::slice::from_raw_parts_mut(room, MAX_PATH_BYTES), usize::try_from(length).ok()?)
    };
    if !relative {
        return room.get(..length);
    }
    // getcwd counts its final zero: the slash replaces it.
    let (slash, end) = (length.checked_sub(1)?, length.checked_add(name.len())?);
    *room.get_mut(slash)? = b'/';
    room.get_mut(length..end)?.copy_from_slice(name);
    room.get(..end)
}

#[cfg(test)]
mod tests {
    use super::{loader, object_at, sections};

    #[test]
    fn a_program_is_read_by_any_of_its_segments() {
        let code = object_at as fn(u64) -> Option<super::Object> as usize as u64;
        let found = loader::object_at(code, |object| (object.identity, object.bias));
        let (mut identity, bias) = found.expect("this code is loaded");
        let whole = sections(&identity, bias);
        assert!(whole.is_some());
        // The answer of glibc for a program with a gap before its code.
        identity.start = code & !0xfff;
        assert_eq!(sections(&identity, bias), whole);
    }
}
