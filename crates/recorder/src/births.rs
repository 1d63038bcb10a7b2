//! A birth: an allocation that holds a sample point, with its stack, into the capture.
//!
//! In: memory that the program is about to get. Out: a sample in the table and in the capture, or nothing. What must not
//! happen here: a sample in the table that the capture does not know, or the other way round.

use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{Birth, Sampling, Source};
use nilometer_unwind::{Registers, here};

use crate::deferred_call::{self, REST_BYTES};
use crate::filter::FILTER;
use crate::floats::Floats;
use crate::losses::Loss;
use crate::packed_sample::PackedSample;
use crate::recorder::{Recorder, count};
use crate::reentry::ReentryGuard;
use crate::sampler::chance;
use crate::state;
use crate::tls::{Block, block, class};

/// What is new.
#[derive(Clone, Copy, Debug)]
pub(crate) struct New {
    pub(crate) address: usize,
    pub(crate) size: usize,
    pub(crate) source: Source,
}

/// The countdown of this thread has reached its end at this allocation; address 0 if there was no memory.
#[cold]
#[inline(never)]
pub(crate) fn consider(new: New) {
    let _theirs = Floats::begin();
    considered(new);
}

#[inline(never)]
fn considered(new: New) {
    let block = block();
    let class = class(new.size);
    if new.source == Source::Python {
        block.note_python();
    }
    let stratum = block.stratum(class);
    let Some(recorder) = state::recorder() else {
        if state::is_decided() {
            block.rest(class, if deferred_call::look() { REST_BYTES } else { state::rest_bytes() });
        }
        return;
    };
    if block.busy.load(Relaxed)
        || block.left_out.load(Relaxed)
        || new.address == 0
        || (new.source == Source::Mapping && block.arena.load(Relaxed))
    {
        block.draw(class, recorder.pace.means.points(stratum));
        return;
    }
    let pace = &recorder.pace;
    let key = recorder.watch.key(block, new.size, new.source);
    if let Some(key) = key {
        recorder.watch.prefetch(new.address, key);
    }
    let Some(points) = block.hit(class, new.size, &pace.means) else { return };
    let bytes = new.size as f64 / chance(new.size, points);
    pace.met(stratum, bytes);
    let own = key.and_then(|key| recorder.watch.mean(key));
    let of_all = pace.means.samples(stratum);
    let mean = own.map_or(of_all, |own| own.min(of_all));
    match block.toss(new.size, points, mean) {
        Some(mean) => take(&recorder, block, new, mean, own.map_or(Some(stratum), |_| None), &here()),
        None => crate::pace::account_trial(&recorder),
    }
    if let Some(key) = key {
        recorder.watch.begin(new.address, key, bytes);
    }
}

/// A pool of tensors has taken this memory to hand it out. Each of them is a sample, which stands for itself alone: what
/// the pool reserves is known to the byte.
#[cold]
#[inline(never)]
pub(crate) fn reserved(address: usize, size: usize) {
    let new = New { address, size, source: Source::Region };
    if let Some(recorder) = state::recorder() {
        let _theirs = Floats::begin();
        let block = block();
        take(&recorder, block, new, 1, Some(block.stratum(class(size))), &here());
    }
}

/// Records the sample and adds its time to the budget.
#[inline(never)]
fn take(
    recorder: &Recorder,
    block: &'static Block,
    new: New,
    mean: u32,
    stratum: Option<usize>,
    from: &Registers,
) {
    let Some(_quiet) = ReentryGuard::begin() else { return recorder.counts.lost.count(Loss::Reentrant) };
    let begun = recorder.writer.now();
    if let Err(loss) = record(recorder, block, new, mean, from, begun) {
        recorder.counts.lost.count(loss);
    }
    recorder.pending.drain(|id| crate::deaths::write(recorder, id));
    crate::pace::account(recorder, stratum, begun);
}

fn record(
    recorder: &Recorder,
    block: &Block,
    new: New,
    mean: u32,
    from: &Registers,
    at_ns: u64,
) -> Result<(), Loss> {
    let stack = stack(recorder, block, from, at_ns)?;
    let id = recorder.next_id();
    let birth = Birth {
        id,
        stack,
        size: new.size as u64,
        mean: u64::from(mean),
        address: new.address as u64,
        thread: u64::from(block.thread()),
        source: new.source,
    };
    if new.source == Source::Mapping {
        recorder.mappings.insert(&birth).then_some(()).ok_or(Loss::MappingsFull)?;
    } else {
        if FILTER.may_hold(new.address) {
            // The free of the old sample was missed, or an allocator calls our hooks for itself.
            crate::deaths::gone_unseen(recorder, new.address);
        }
        crate::deaths::insert(recorder, new.address, PackedSample::new(id, birth.size))?;
    }
    if write(recorder, at_ns, &birth) {
        count(&recorder.counts.births);
        return Ok(());
    }
    if new.source == Source::Mapping {
        recorder.mappings.forget(id);
    } else {
        FILTER.remove_sample(new.address);
        recorder.table.remove(birth.address);
    }
    Err(Loss::CaptureRefused)
}

pub(crate) fn write(recorder: &Recorder, at_ns: u64, birth: &Birth) -> bool {
    match &recorder.nursery {
        Some(nursery) => nursery.put(&recorder.writer, at_ns, birth),
        None => recorder.writer.append_sampling(at_ns, &Sampling::Birth(*birth)),
    }
}

/// The innermost node of the stack of the calling function.
fn stack(recorder: &Recorder, block: &Block, from: &Registers, at_ns: u64) -> Result<u64, Loss> {
    let mut room = recorder.scratch.take().ok_or(Loss::ScratchFull)?;
    let (walked, python) = recorder.frames.walk(from, block.thread(), &mut room);
    if walked.cut {
        count(&recorder.counts.cut);
    }
    let crate::scratch::Room { items, hashes, .. } = &mut *room;
    // While `python` lives, the interpreter does not end under the frames.
    let python = python.as_ref().map(|python| &python.python);
    let items = items.get(..walked.items).unwrap_or_default();
    let node = recorder.stacks.node(items, hashes, python, at_ns, &recorder.writer)?;
    if node == 0 && !items.is_empty() {
        recorder.counts.lost.count(Loss::StacksFull);
    }
    Ok(node)
}
