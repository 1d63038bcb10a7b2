//! Objects that were unloaded: what was learned about their addresses must not be applied to what comes there next.
//!
//! Nobody tells when an object goes, so known ones are looked up again now and then.

use crate::{loader, modules, walk};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const EVERY: u32 = 256;

static WALKS: AtomicU32 = AtomicU32::new(1);

#[inline(always)]
pub(crate) fn notice() {
    let walks = WALKS.load(Relaxed);
    WALKS.store(walks.wrapping_add(1), Relaxed);
    if walks.is_multiple_of(EVERY) {
        look();
    }
}

#[cold]
#[inline(never)]
fn look() {
    if loader::is_exact() {
        modules::sweep(|start, end| walk::RULES.forget(start, end));
    }
}
