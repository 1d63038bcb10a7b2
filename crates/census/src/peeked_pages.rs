//! Pages of memory that the kernel has copied, for a walk that reads many words near each other.
//!
//! In: addresses, which may be unmapped. Out: words, as [`peek`] gives them. What must not happen here: a page kept beyond one look, in which
//! memory is given back and taken anew.
//!
//! A walk over autograd graphs asks for some ten words of each function, each a call into the kernel. Functions lie beside each other, so
//! that one call for a page serves many.

use crate::memory::{peek, usable};

const PAGE_BYTES: u64 = 4096;
const PAGE_WORDS: usize = 512;
/// Pages that are kept, each in the place that its number gives: 4 MiB.
const MAX_PAGES: usize = 1024;

type Words = [u64; PAGE_WORDS];

/// One page: its number, and its words if it is mapped.
#[derive(Debug)]
struct Page {
    number: u64,
    words: Option<Box<Words>>,
}

/// Pages that were read.
#[derive(Debug, Default)]
pub(crate) struct PeekedPages {
    pages: Vec<Option<Page>>,
}

impl PeekedPages {
    /// Words from memory that may be unmapped, as they were when their page was first read.
    pub(crate) fn peek<const WORDS: usize>(&mut self, address: u64) -> Option<[u64; WORDS]> {
        if !usable(address) {
            return None;
        }
        let mut out = [0_u64; WORDS];
        let mut done = 0;
        while done < WORDS {
            let at = address.checked_add(8 * done as u64)?;
            let first = (at % PAGE_BYTES / 8) as usize;
            let count = (WORDS - done).min(PAGE_WORDS - first);
            let page = self.page(at / PAGE_BYTES)?;
            out.get_mut(done..done + count)?.copy_from_slice(page.get(first..first + count)?);
            done += count;
        }
        Some(out)
    }

    fn page(&mut self, number: u64) -> Option<&Words> {
        if self.pages.is_empty() {
            self.pages.resize_with(MAX_PAGES, || None);
        }
        let place = self.pages.get_mut(number as usize % MAX_PAGES)?;
        if place.as_ref().is_none_or(|page| page.number != number) {
            let words = peek::<PAGE_WORDS>(number * PAGE_BYTES).map(Box::new);
            *place = Some(Page { number, words });
        }
        place.as_ref()?.words.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_stand_there() {
        let there: Vec<u64> = (0..3 * PAGE_WORDS as u64).collect();
        let mut pages = PeekedPages::default();
        for from in [0, 1, 500, 511, 512, 1000] {
            let address = there.as_ptr() as u64 + 8 * from;
            assert_eq!(pages.peek::<3>(address), Some([from, from + 1, from + 2]));
            assert_eq!(pages.peek::<300>(address), peek::<300>(address), "across pages");
        }
    }

    #[test]
    fn two_pages_with_one_place_do_not_mix() {
        let there: Vec<u64> = (0..(2 * MAX_PAGES * PAGE_WORDS) as u64).collect();
        let (first, second) = (there.as_ptr() as u64, there.as_ptr() as u64 + MAX_PAGES as u64 * PAGE_BYTES);
        let mut pages = PeekedPages::default();
        for address in [first, second, first] {
            assert_eq!(pages.peek::<2>(address), peek::<2>(address));
        }
    }

    #[test]
    fn what_is_unmapped_stays_an_answer() {
        let mut pages = PeekedPages::default();
        for address in [0x10000, 0x10000, 0, 0x1001, u64::MAX - 7, 1 << 47] {
            assert_eq!(pages.peek::<2>(address), None, "{address:x}");
        }
    }
}
