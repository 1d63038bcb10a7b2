//! Autograd graphs, which keep what their functions saved.
//!
//! In: the function that made a tensor. Out: the memory of the functions behind it, of the tensors that they
//! saved, and of these tensors' data. What must not happen here: a read without the kernel, as a backward
//! pass on another thread may free what a function saved; trust in a structure by its offset alone; a walk
//! without an end.
//!
//! Behind a function's vtable stands a pointer to itself; from PyTorch 2.15 on, the counts of its references. Edges to the functions
//! before it stand in a vector of its own. What it saved are pointers to tensors, known by their class.

use nilometer_census::{MadeBy, Walked, usable};

use super::sizes::{IMPL_WORDS, STORAGE_BYTES, data_of, storage_word};

/// Functions that one walk visits at most.
const MAX_FUNCTIONS: usize = 1 << 16;
/// Functions between two looks at the clock.
const FUNCTIONS_PER_CLOCK_CHECK: usize = 64;
/// Words of a function that are read: 1.5 KiB. Convolutions have the largest, of some 1.1 KiB.
const FUNCTION_WORDS: usize = 192;
/// Bytes of the smallest function.
const MIN_FUNCTION_BYTES: u64 = 64;
/// References of one function, or weak ones; a larger number was misread.
const MAX_REFERENCES: u64 = 1 << 24;
/// Edges of one function that are followed.
const MAX_EDGES: u64 = 256;
/// Inputs of one function; a larger number was misread.
const MAX_INPUTS: u64 = 1 << 20;
/// No code lies below.
const MIN_METHOD: u64 = 1 << 16;
/// In front of a block of the C library stand its bytes, with flags in the lowest bits.
const SIZE_FLAGS: u64 = 7;

/// How functions are owned, which decides what an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owned {
    /// By a shared pointer: an edge is a pointer, its owner, the number of an input.
    Shared,
    /// By counts in the function: an edge is a pointer, the number of an input.
    Counted,
}

impl Owned {
    /// By the word behind a function's vtable.
    fn by(function: u64, word: u64) -> Option<Self> {
        let is_count = |count: u64| (1..MAX_REFERENCES).contains(&count);
        // The highest bit tells whether Python has an object for it.
        let counts = [word & 0xffff_ffff, word >> 32 & 0x7fff_ffff];
        match word {
            _ if word == function => Some(Self::Shared),
            _ if counts.into_iter().all(is_count) => Some(Self::Counted),
            _ => None,
        }
    }

    fn edge_bytes(self) -> u64 {
        match self {
            Self::Shared => 24,
            Self::Counted => 16,
        }
    }

    /// The function that the edge at this address leads to.
    fn edge(self, walked: &mut Walked, at: u64) -> Option<u64> {
        let (function, input) = match self {
            Self::Shared => match walked.peek(at)? {
                [function, owner, input] if usable(owner) => (function, input),
                _ => return None,
            },
            Self::Counted => walked.peek(at).map(|[function, input]| (function, input))?,
        };
        (is_block(function) && input & 0xffff_ffff < MAX_INPUTS).then_some(function)
    }
}

/// Visits the memory behind a tensor, each block with its bytes. False: the walk was cut.
pub(super) fn walk(
    from: MadeBy,
    walked: &mut Walked,
    late: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(u64, u64),
) -> bool {
    let mut open = vec![from.function];
    while let Some(function) = open.pop() {
        if !walked.meet(function) {
            continue;
        }
        let functions = walked.count_function();
        let look_at_clock = functions.is_multiple_of(FUNCTIONS_PER_CLOCK_CHECK);
        if functions > MAX_FUNCTIONS || look_at_clock && late() {
            return false;
        }
        let Some((owned, bytes, words)) = read(walked, function) else { continue };
        visit(function, bytes);
        for word in words.iter().skip(2) {
            saved(*word, from.class, walked, visit);
        }
        for vector in words.windows(3) {
            open.extend(edges(walked, owned, vector));
        }
    }
    true
}

/// Visits a tensor that a function saved.
fn saved(tensor: u64, class: u64, walked: &mut Walked, visit: &mut dyn FnMut(u64, u64)) {
    if !is_block(tensor) || walked.has_met(tensor) {
        return;
    }
    let Some(words) = walked.peek::<IMPL_WORDS>(tensor).filter(|words| words[0] == class) else {
        return;
    };
    walked.meet(tensor);
    visit(tensor, size_of_val(&words) as u64);
    let Some(at) = storage_word(&words) else { return };
    let Some(storage) = words.get(at).copied().filter(|storage| walked.meet(*storage)) else {
        return;
    };
    let Some((data, bytes)) = walked.peek(storage).and_then(|words| data_of(&words, at)) else { return };
    visit(storage, STORAGE_BYTES);
    visit(data, bytes);
}

/// How a function is owned, its bytes and words, if one stands there.
fn read(walked: &mut Walked, function: u64) -> Option<(Owned, u64, Vec<u64>)> {
    let [before, class, behind] = walked.peek(function.checked_sub(8)?)?;
    let bytes = (before & !SIZE_FLAGS).checked_sub(8)?;
    let owned = Owned::by(function, behind)?;
    // Counts are less of a mark than a pointer to itself: the first of its methods must stand where the vtable says.
    let mut is_object = || usable(class) && walked.peek(class).is_some_and(|[method]| method >= MIN_METHOD);
    let sound = (MIN_FUNCTION_BYTES..=8 * FUNCTION_WORDS as u64).contains(&bytes)
        && (owned == Owned::Shared || is_object());
    if !sound {
        return None;
    }
    // The end of the heap may be near.
    let words = walked
        .peek::<FUNCTION_WORDS>(function)
        .map(|words| words.to_vec())
        .or_else(|| Some(walked.peek::<{ FUNCTION_WORDS / 4 }>(function)?.to_vec()))?;
    Some((owned, bytes, words.into_iter().take((bytes / 8) as usize).collect()))
}

/// The functions that a vector of edges leads to: its begin, its end, the end of its room.
fn edges(walked: &mut Walked, owned: Owned, vector: &[u64]) -> Vec<u64> {
    let &[begin, end, room] = vector else { return Vec::new() };
    let (bytes, each) = (end.wrapping_sub(begin), owned.edge_bytes());
    let sound = is_block(begin)
        && (each..=MAX_EDGES * each).contains(&bytes)
        && bytes.is_multiple_of(each)
        && room >= end
        && room.wrapping_sub(begin).is_multiple_of(each);
    if !sound {
        return Vec::new();
    }
    (0..bytes / each).filter_map(|index| owned.edge(walked, begin + index * each)).collect()
}

/// Whether a block of an allocator can begin there.
fn is_block(address: u64) -> bool {
    usable(address) && address.is_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks as the C library hands them out, with their bytes in front.
    #[repr(C, align(16))]
    struct Block<const WORDS: usize> {
        unused: u64,
        bytes: u64,
        words: [u64; WORDS],
    }

    impl<const WORDS: usize> Block<WORDS> {
        #[allow(clippy::unnecessary_box_returns, reason = "its address is in other blocks")]
        fn of(words: &[u64]) -> Box<Self> {
            let mut block =
                Box::new(Self { unused: 0, bytes: (8 * WORDS as u64 + 8) | 1, words: [0; WORDS] });
            block.words[..words.len()].copy_from_slice(words);
            block
        }

        fn at(&self) -> u64 {
            self.words.as_ptr() as u64
        }
    }

    const CLASS: u64 = 0x7fff_8000;

    /// A function with these edges that saved these tensors; a function has room for what is read of it.
    fn function(edges: &[u64], saved: &[u64]) -> (Box<Block<FUNCTION_WORDS>>, Box<Block<24>>) {
        let list: Vec<u64> = edges.iter().flat_map(|function| [*function, *function, 0]).collect();
        let list = Block::<24>::of(&list);
        let mut made = Block::of(&[0x7fff_9000]);
        made.words[1] = made.at();
        let end = list.at() + EDGE_BYTES * edges.len() as u64;
        made.words[10..13].copy_from_slice(&[list.at(), end, end]);
        made.words[20..20 + saved.len()].copy_from_slice(saved);
        made.bytes = (8 * 100 + 8) | 1;
        (made, list)
    }

    const EDGE_BYTES: u64 = 24;

    /// The same as PyTorch 2.15 has it: one reference, one weak one, and an object of Python's.
    fn counted(edges: &[u64], saved: &[u64]) -> (Box<Block<FUNCTION_WORDS>>, [Box<Block<24>>; 2]) {
        let list: Vec<u64> = edges.iter().flat_map(|function| [*function, 0xdead_0000_0000]).collect();
        let (list, methods) = (Block::<24>::of(&list), Block::<24>::of(&[0x7fff_1000]));
        let mut made = Block::of(&[methods.at(), 1 << 63 | 1 << 32 | 1]);
        let end = list.at() + 16 * edges.len() as u64;
        made.words[10..13].copy_from_slice(&[list.at(), end, end]);
        made.words[20..20 + saved.len()].copy_from_slice(saved);
        made.bytes = (8 * 100 + 8) | 1;
        (made, [list, methods])
    }

    #[test]
    fn functions_that_count_their_references() {
        let storage = Block::<24>::of(&[0x7fff_7000, 1, 0x7ff0_0000, 0, 0x7ff0_0000, 0, 4096]);
        let tensor = Block::<24>::of(&[CLASS, 1, storage.at()]);
        let (first, _first) = counted(&[], &[tensor.at()]);
        let (mut last, _last) = counted(&[0, first.at()], &[]);
        let expected = vec![
            (last.at(), 800),
            (first.at(), 800),
            (tensor.at(), 192),
            (storage.at(), STORAGE_BYTES),
            (0x7ff0_0000, 4096),
        ];
        assert_eq!(walked(&mut Walked::default(), last.at()), (true, expected));
        last.words[1] = 1;
        assert_eq!(
            walked(&mut Walked::default(), last.at()),
            (true, Vec::new()),
            "nobody refers to it weakly"
        );
        last.words[..2].copy_from_slice(&[0x7fff_9000, 1 << 32 | 1]);
        assert_eq!(walked(&mut Walked::default(), last.at()), (true, Vec::new()), "no methods stand there");
    }

    fn walked(walked: &mut Walked, from: u64) -> (bool, Vec<(u64, u64)>) {
        let mut seen = Vec::new();
        let from = MadeBy { function: from, class: CLASS };
        let whole = walk(from, walked, &|| false, &mut |at, bytes| {
            seen.push((at, bytes));
        });
        (whole, seen)
    }

    #[test]
    fn functions_and_what_they_saved() {
        let storage = Block::<24>::of(&[0x7fff_7000, 1, 0x7ff0_0000, 0, 0x7ff0_0000, 0, 4096]);
        let tensor = Block::<24>::of(&[CLASS, 1, storage.at()]);
        let other = Block::<24>::of(&[0x7fff_6000, 1, storage.at()]);
        let (first, _first) = function(&[], &[tensor.at()]);
        let (last, _last) = function(&[first.at(), 0], &[tensor.at(), other.at()]);
        let mut graphs = Walked::default();
        let (whole, seen) = walked(&mut graphs, last.at());
        assert!(whole);
        let expected = [
            (last.at(), 800),
            (tensor.at(), 192),
            (storage.at(), STORAGE_BYTES),
            (0x7ff0_0000, 4096),
            (first.at(), 800),
        ];
        assert_eq!(seen, expected, "and nothing of another class");
        assert_eq!(walked(&mut graphs, last.at()), (true, Vec::new()), "what was met belongs to the first");
    }

    #[test]
    fn what_is_no_function() {
        let (mut wrong, _edges) = function(&[], &[]);
        wrong.words[1] += 8;
        assert_eq!(walked(&mut Walked::default(), wrong.at()), (true, Vec::new()), "no pointer to itself");
        wrong.words[1] -= 8;
        wrong.bytes = 1 << 40;
        assert_eq!(walked(&mut Walked::default(), wrong.at()), (true, Vec::new()), "of another allocator");
        assert_eq!(walked(&mut Walked::default(), 0x10000), (true, Vec::new()), "unmapped");
    }

    #[test]
    fn a_graph_that_leads_back_to_itself_ends() {
        let (mut one, edges) = function(&[0x1000], &[]);
        let at = one.at();
        drop(edges);
        let list = Block::<24>::of(&[at, at, 0]);
        one.words[10..13].copy_from_slice(&[list.at(), list.at() + EDGE_BYTES, list.at() + EDGE_BYTES]);
        assert_eq!(walked(&mut Walked::default(), at), (true, vec![(at, 800)]));
    }
}
