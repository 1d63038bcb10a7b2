//! Finds the object that owns each sample.
//!
//! In: the extents of objects (blocks and buffers) and the recorder's samples. Out: for each sample the
//! object that covers most of it. What must not happen here: an arena of many small objects given to one of
//! them. So an object owns a sample only if it covers half of it.

use super::Block;

/// Samples by address, with the best owner so far.
pub(super) struct SampleOwners {
    samples: Vec<Sample>,
}

#[derive(Clone, Copy)]
struct Sample {
    block: Block,
    owner: Option<u32>,
    overlap: u64,
}

impl SampleOwners {
    pub(super) fn new(blocks: &[Block]) -> SampleOwners {
        let mut samples: Vec<Sample> = blocks
            .iter()
            .filter(|block| block.size > 0)
            .map(|block| Sample { block: *block, owner: None, overlap: 0 })
            .collect();
        samples.sort_by_key(|sample| (sample.block.address, sample.block.id));
        SampleOwners { samples }
    }

    /// Offers an object's memory as the owner of the samples that it covers.
    pub(super) fn offer_extent(&mut self, node: u32, address: u64, bytes: u64) {
        self.each_covered(address, bytes, |sample, overlap| {
            if overlap > sample.overlap {
                sample.overlap = overlap;
                sample.owner = Some(node);
            }
        });
    }

    /// Offers memory that has no owner yet, or one that is `gone`.
    pub(super) fn offer_instead(&mut self, node: u32, address: u64, bytes: u64, gone: impl Fn(u32) -> bool) {
        self.each_covered(address, bytes, |sample, overlap| {
            if sample.owner.is_none_or(&gone) {
                sample.overlap = overlap;
                sample.owner = Some(node);
            }
        });
    }

    /// Each sample that the extent covers at least half of, with the bytes that it covers.
    fn each_covered(&mut self, address: u64, bytes: u64, mut offer: impl FnMut(&mut Sample, u64)) {
        if address == 0 || bytes == 0 {
            return;
        }
        let end = address.saturating_add(bytes);
        // Allocations do not overlap, so the samples are tried downwards from the last one that begins before
        // the end.
        let after = self.samples.partition_point(|sample| sample.block.address < end);
        for sample in self.samples.get_mut(..after).unwrap_or_default().iter_mut().rev() {
            let Block { address: start, size, .. } = sample.block;
            let overlap = end.min(start.saturating_add(size)).saturating_sub(address.max(start));
            if overlap == 0 {
                break;
            }
            if overlap.saturating_mul(2) >= size {
                offer(sample, overlap);
            }
        }
    }

    /// Each sample with its owner, by address.
    pub(super) fn owners(self) -> impl Iterator<Item = (Block, Option<u32>)> {
        self.samples.into_iter().map(|sample| (sample.block, sample.owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(blocks: &[Block], extents: &[(u32, u64, u64)]) -> Vec<(u64, Option<u32>)> {
        let mut sample_owners = SampleOwners::new(blocks);
        for (node, address, bytes) in extents {
            sample_owners.offer_extent(*node, *address, *bytes);
        }
        sample_owners.owners().map(|(block, owner)| (block.id, owner)).collect()
    }

    #[test]
    fn the_one_that_fills_it() {
        let blocks = [
            Block { id: 7, address: 1000, size: 100 },
            Block { id: 8, address: 2000, size: 1000 },
            Block { id: 9, address: 5000, size: 64 },
        ];
        // An aligned buffer begins a little later than its allocation.
        assert_eq!(
            owners(&blocks, &[(1, 1000, 100), (2, 2048, 900)]),
            [(7, Some(1)), (8, Some(2)), (9, None)]
        );
        // Small ones in an arena own nothing of it.
        assert_eq!(owners(&blocks, &[(1, 2000, 64), (2, 2064, 64)])[1], (8, None));
        // A header inside its own block loses against the buffer.
        assert_eq!(owners(&blocks, &[(1, 1000, 50), (2, 1040, 60)])[0], (7, Some(2)));
        assert_eq!(owners(&blocks, &[(1, 999, 1), (2, 1100, 900)])[0], (7, None));
        assert_eq!(owners(&blocks, &[(1, 0, 9000), (2, 1000, 0)])[0], (7, None));
        // One large buffer over several samples.
        assert_eq!(owners(&blocks, &[(1, 500, 9000)]), [(7, Some(1)), (8, Some(1)), (9, Some(1))]);
    }

    #[test]
    fn an_owner_that_is_gone_gives_way() {
        let mut owners = SampleOwners::new(&[Block { id: 7, address: 1000, size: 100 }]);
        let owner = |owners: &SampleOwners| owners.samples.first().and_then(|sample| sample.owner);
        owners.offer_extent(1, 1000, 100);
        owners.offer_instead(2, 1000, 100, |owner| owner != 1);
        assert_eq!(owner(&owners), Some(1));
        owners.offer_instead(2, 1000, 40, |owner| owner == 1);
        assert_eq!(owner(&owners), Some(1), "it covers too little");
        owners.offer_instead(2, 1000, 100, |owner| owner == 1);
        assert_eq!(owner(&owners), Some(2));
    }
}
