//! A death: memory of a sample is given back.
//!
//! In: an address that the filter lets through. Out: the sample is out of the table, and its death in the capture unless
//! it was still young. What must not happen here: a death that is forgotten, or a wait: a signal handler may free.

use nilometer_capture::Sampling;

use crate::filter::FILTER;
use crate::losses::Loss;
use crate::packed_sample::PackedSample;
use crate::recorder::{Recorder, count};
use crate::reentry::ReentryGuard;
use crate::state::{self, Using};

/// This memory is about to be given back.
#[cold]
#[inline(never)]
pub(crate) fn consider(address: usize) {
    if let Some(recorder) = state::recorder()
        && let Some(lot) = take_out(&recorder, address)
    {
        crate::pools::gave_back(address);
        died(&recorder, lot.id());
    }
}

/// Ends a stale sample at an address that is handed out again. The caller holds the re-entrancy guard.
pub(crate) fn gone_unseen(recorder: &Recorder, address: usize) {
    if let Some(lot) = take_out(recorder, address) {
        let id = lot.id();
        count(&recorder.counts.deaths);
        let young = recorder.nursery.as_ref().is_some_and(|nursery| nursery.remove(&recorder.writer, id));
        if !young {
            append(recorder, id);
        }
    }
}

/// Takes a sample out of the table, to be [`put_back`] or [`died`]: while its memory may or may not be moved.
#[cold]
#[inline(never)]
pub(crate) fn lift(address: usize) -> Option<(Using, PackedSample)> {
    let recorder = state::recorder()?;
    take_out(&recorder, address).map(|lot| (recorder, lot))
}

/// The memory has stayed after all.
pub(crate) fn put_back(recorder: &Recorder, address: usize, lot: PackedSample) {
    if let Err(loss) = insert(recorder, address, lot) {
        recorder.counts.lost.count(loss);
        died(recorder, lot.id());
    }
}

/// Puts a sample into the table, where its death will find it, or says why it cannot be followed.
pub(crate) fn insert(recorder: &Recorder, address: usize, lot: PackedSample) -> Result<(), Loss> {
    if !recorder.table.insert(address as u64, lot.0) {
        return Err(Loss::TableFull);
    }
    if !FILTER.add_sample(address) {
        recorder.table.remove(address as u64);
        return Err(Loss::FilterBusy);
    }
    Ok(())
}

fn take_out(recorder: &Recorder, address: usize) -> Option<PackedSample> {
    FILTER.prefetch(address);
    recorder.watch.trials.remove(address as u64);
    if !FILTER.may_hold_sample(address) {
        return None;
    }
    let lot = PackedSample(recorder.table.remove(address as u64)?);
    FILTER.remove_sample(address);
    Some(lot)
}

/// The memory of this sample is gone, or will be in a moment.
pub(crate) fn died(recorder: &Recorder, id: u64) {
    count(&recorder.counts.deaths);
    if recorder.nursery.as_ref().is_some_and(|nursery| nursery.remove(&recorder.writer, id)) {
        return;
    }
    match ReentryGuard::begin() {
        Some(_quiet) => append(recorder, id),
        None if recorder.pending.push(id) => {}
        None => recorder.counts.lost.count(Loss::DeathsPending),
    }
}

/// Writes a death that waited; the caller is at work already.
pub(crate) fn write(recorder: &Recorder, id: u64) {
    append(recorder, id);
}

fn append(recorder: &Recorder, id: u64) {
    let writer = &recorder.writer;
    if !writer.append_sampling(writer.now(), &Sampling::Death { id }) {
        recorder.counts.lost.count(Loss::DeathsRefused);
    }
}
