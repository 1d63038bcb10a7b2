//! One stack out of two: native frames, and the Python frames that the interpreter keeps beside them.
//!
//! In: both, innermost first. Out: one list, innermost first. Each native frame of the evaluator stands for the Python
//! frames up to the one that C called into. What must not happen here: a wrong order. Where the two do not match, the
//! Python frames are kept in their order, the native ones between them are left out, and a cut says so.
//!
//! The interpreter's own frames between two runs of the evaluator say nothing and are left out always: they would be
//! most of a capture.

use nilometer_capture::Cut;
use nilometer_pyframes::Frame;

use std::ops::Range;

/// A frame of the one stack. All zero bytes are `Nothing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Item {
    /// No frame.
    #[default]
    Nothing,
    /// A return address.
    Native(u64),
    /// A Python frame: code object and instruction.
    Python(Frame),
    /// Frames are missing.
    Cut(Cut),
}

/// How far the native walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the thread's first frame.
    Root,
    /// Not further than this.
    Cut(Cut),
}

/// What is known of the stack.
#[derive(Debug)]
pub(crate) struct Stack<'a> {
    pub(crate) native: &'a [u64],
    pub(crate) reach: Reach,
    pub(crate) python: &'a [Frame],
    /// The outermost Python frame is among them.
    pub(crate) complete: bool,
    /// Addresses of the evaluator, which compilers may put into two places.
    pub(crate) evaluator: [Range<u64>; 2],
    /// Addresses of the object that the evaluator is in.
    pub(crate) interpreter: Range<u64>,
}

/// The list under construction.
struct List<'a> {
    room: &'a mut [Item],
    len: usize,
    /// Something did not fit.
    full: bool,
}

impl List<'_> {
    fn push(&mut self, item: Item) {
        match self.room.get_mut(self.len) {
            Some(place) => {
                *place = item;
                self.len += 1;
            }
            None => self.full = true,
        }
    }

    /// Drops what `drop` says of all from this place on.
    fn thin(&mut self, from: usize, drop: impl Fn(&Item) -> bool) {
        let mut to = from;
        for index in from..self.len {
            if let Some(item) = self.room.get(index).copied().filter(|item| !drop(item)) {
                if let Some(place) = self.room.get_mut(to) {
                    *place = item;
                }
                to += 1;
            }
        }
        self.len = to;
    }
}

/// Writes the one stack into `into`; how many frames, innermost first, and whether frames are missing.
pub(crate) fn splice(stack: &Stack<'_>, into: &mut [Item]) -> (usize, bool) {
    let mut list = List { room: into, len: 0, full: false };
    let runs = stack.native.iter().filter(|address| stack.runs(**address)).count();
    let groups = stack.python.iter().filter(|frame| frame.entry).count();
    let matched = match stack.reach {
        Reach::Root if stack.complete => runs == groups,
        Reach::Root => runs >= groups,
        Reach::Cut(_) => !stack.complete || runs <= groups,
    };
    let mut cut = if matched { together(stack, &mut list) } else { apart(stack, &mut list) };
    if list.full {
        // The innermost frames tell most.
        if let Some(last) = list.room.last_mut() {
            *last = Item::Cut(Cut::TooDeep);
        }
        cut = true;
    }
    (list.len, cut)
}

fn together(stack: &Stack<'_>, list: &mut List<'_>) -> bool {
    let mut python = stack.python.iter();
    let (mut since_run, mut cut) = (None, false);
    for address in stack.native {
        if !stack.runs(*address) {
            list.push(Item::Native(*address));
            continue;
        }
        if let Some(from) = since_run {
            list.thin(from, |item| stack.is_plumbing(item));
        }
        if python.as_slice().is_empty() {
            // The walk through Python's frames has ended before the native one.
            if !cut {
                list.push(Item::Cut(Cut::PythonUnknown));
            }
            cut = true;
            list.push(Item::Native(*address));
        }
        for frame in python.by_ref() {
            if frame.code != 0 {
                list.push(Item::Python(*frame));
            }
            if frame.entry {
                break;
            }
        }
        since_run = Some(list.len);
    }
    if let Reach::Cut(why) = stack.reach {
        // Further out there are native frames that nobody knows, but the Python frames among them are known.
        list.push(Item::Cut(why));
        python.filter(|frame| frame.code != 0).for_each(|frame| list.push(Item::Python(*frame)));
        cut = true;
    }
    if !stack.complete && matches!(stack.reach, Reach::Cut(_)) && !stack.python.is_empty() {
        list.push(Item::Cut(Cut::TooDeep));
    }
    cut || (!stack.complete
        && stack.python.is_empty()
        && stack.native.iter().any(|address| stack.runs(*address)))
}

fn apart(stack: &Stack<'_>, list: &mut List<'_>) -> bool {
    let inside = |address: &&u64| !stack.interpreter.contains(&address.wrapping_sub(1));
    stack.native.iter().take_while(inside).for_each(|address| list.push(Item::Native(*address)));
    for frame in stack.python.iter().filter(|frame| frame.code != 0) {
        list.push(Item::Python(*frame));
    }
    list.push(Item::Cut(Cut::Unmatched));
    let outermost = stack.native.iter().rposition(|address| stack.runs(*address)).map_or(0, |run| run + 1);
    if stack.reach == Reach::Root && outermost > 0 {
        let outside = stack.native.get(outermost..).unwrap_or_default();
        for address in outside {
            list.push(Item::Native(*address));
        }
    }
    true
}

impl Stack<'_> {
    /// A return address is behind its call.
    fn runs(&self, address: u64) -> bool {
        self.evaluator.iter().any(|part| part.contains(&address.wrapping_sub(1)))
    }

    fn is_plumbing(&self, item: &Item) -> bool {
        matches!(item, Item::Native(address) if self.interpreter.contains(&address.wrapping_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVALUATOR: u64 = 0x1050;
    const OTHER_PART: u64 = 0x1850;
    const PLUMBING: u64 = 0x1200;
    const NUMPY: u64 = 0x9000;
    const MAIN: u64 = 0x500;

    fn frame(code: u64, entry: bool) -> Frame {
        Frame { code, instruction: 2, entry }
    }

    fn spliced(native: &[u64], reach: Reach, python: &[Frame], complete: bool) -> (Vec<Item>, bool) {
        let (evaluator, interpreter) = ([0x1000..0x1100, 0x1800..0x1900], 0x1000..0x2000);
        let stack = Stack { native, reach, python, complete, evaluator, interpreter };
        let mut into = [Item::Nothing; 12];
        let (count, cut) = splice(&stack, &mut into);
        (into[..count].to_vec(), cut)
    }

    fn native(address: u64) -> Item {
        Item::Native(address)
    }

    #[test]
    fn each_run_of_the_evaluator_is_its_frames() {
        let (found, cut) = spliced(
            &[NUMPY, PLUMBING, EVALUATOR, PLUMBING, NUMPY, PLUMBING, EVALUATOR, PLUMBING, MAIN],
            Reach::Root,
            &[frame(1, false), frame(2, true), frame(3, true)],
            true,
        );
        let python = |code, entry| Item::Python(frame(code, entry));
        let expected = [
            native(NUMPY),
            native(PLUMBING),
            python(1, false),
            python(2, true),
            native(NUMPY),
            python(3, true),
            native(PLUMBING),
            native(MAIN),
        ];
        assert_eq!(found, expected);
        assert!(!cut);
    }

    #[test]
    fn an_evaluator_in_two_parts() {
        let (found, cut) = spliced(
            &[NUMPY, OTHER_PART, NUMPY, EVALUATOR, MAIN],
            Reach::Root,
            &[frame(1, true), frame(2, true)],
            true,
        );
        let python = |code| Item::Python(frame(code, true));
        assert_eq!(
            (found, cut),
            (vec![native(NUMPY), python(1), native(NUMPY), python(2), native(MAIN)], false)
        );
    }

    #[test]
    fn without_python_all_is_native() {
        let (found, cut) = spliced(&[NUMPY, MAIN], Reach::Root, &[], true);
        assert_eq!((found, cut), (vec![native(NUMPY), native(MAIN)], false));
    }

    #[test]
    fn a_run_that_has_no_frame_any_more_leaves_nothing() {
        let (found, cut) = spliced(&[NUMPY, EVALUATOR, MAIN], Reach::Root, &[frame(0, true)], true);
        assert_eq!((found, cut), (vec![native(NUMPY), native(MAIN)], false));
    }

    #[test]
    fn what_does_not_match_keeps_the_order_and_says_so() {
        let (found, cut) =
            spliced(&[NUMPY, EVALUATOR, NUMPY, MAIN], Reach::Root, &[frame(1, true), frame(2, true)], true);
        let expected = [
            native(NUMPY),
            Item::Python(frame(1, true)),
            Item::Python(frame(2, true)),
            Item::Cut(Cut::Unmatched),
            native(NUMPY),
            native(MAIN),
        ];
        assert_eq!((found, cut), (expected.to_vec(), true));
    }

    #[test]
    fn a_native_walk_that_is_cut_keeps_the_python_frames_further_out() {
        let reach = Reach::Cut(Cut::NoUnwindInfo);
        let (found, cut) =
            spliced(&[NUMPY, EVALUATOR, NUMPY], reach, &[frame(1, true), frame(2, true)], true);
        let expected = [
            native(NUMPY),
            Item::Python(frame(1, true)),
            native(NUMPY),
            Item::Cut(Cut::NoUnwindInfo),
            Item::Python(frame(2, true)),
        ];
        assert_eq!((found, cut), (expected.to_vec(), true));
    }

    #[test]
    fn python_frames_that_are_not_known_leave_the_native_ones() {
        let (found, cut) = spliced(&[NUMPY, EVALUATOR, MAIN], Reach::Root, &[], false);
        let expected = [native(NUMPY), Item::Cut(Cut::PythonUnknown), native(EVALUATOR), native(MAIN)];
        assert_eq!((found, cut), (expected.to_vec(), true));
    }

    #[test]
    fn the_innermost_are_kept_when_there_is_no_room() {
        let (found, cut) = spliced(&[NUMPY; 40], Reach::Root, &[], true);
        assert_eq!(found.len(), 12);
        assert_eq!((found[10], found[11], cut), (native(NUMPY), Item::Cut(Cut::TooDeep), true));
    }
}
