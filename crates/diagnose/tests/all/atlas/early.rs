//! Runs that are one cycle too short for the counters, where samples and holders say the same.
//!
//! In: the steps of seven epochs, what a list of the user's holds of them. Out: rows. What must not happen here: eight epochs.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::sites::{LIBRARY, OWN};
use super::table::{Theme, Truth};
use crate::world::recorder::Made;
use crate::world::{KIB, started};

/// Few epochs, the last of which a look at the heap follows.
#[derive(Clone, Copy)]
struct Short<'s> {
    epochs: u64,
    stack: &'s [&'s str],
    /// Who holds the memory; nobody is seen to where it is empty.
    path: &'s str,
    mean: u64,
    /// What else an epoch keeps.
    beside: i64,
}

const SHORT: Short =
    Short { epochs: 7, stack: OWN, path: "fit(): callbacks[0].saved[*]", mean: 16 << 10, beside: 0 };

impl Short<'_> {
    fn makes(self, kib: impl Fn(u64) -> u64) -> Report {
        let mut w = started();
        w.fact("cwd", "/job").records(self.mean, 5);
        let stack = w.stack(self.stack);
        let mut made: Vec<Made> = Vec::new();
        for epoch in 1..=self.epochs {
            made.push(w.makes(stack, 8 << 10, kib(epoch) / 8));
            w.takes(self.beside).objects(100).cycle(Epoch);
        }
        if !self.path.is_empty() {
            let all: Vec<&Made> = made.iter().collect();
            w.looks(&[(self.path, "Keep", &all)]);
        }
        w.report_with_names()
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for epochs in [5, 6, 7, 8] {
        let name = format!(
            "{epochs} epochs of 1 MiB in a list of the user's: about MIN_EVEN_POINTS of first_cycles.rs"
        );
        theme.world(name, Truth::Leak(1024 * KIB), Short { epochs, ..SHORT }.makes(|_| 1024));
    }
    for percent in [0, 15, 25, 35, 60] {
        let kib = |epoch: u64| if epoch == 5 { 1000 - 10 * percent } else { 1000 };
        let name =
            format!("7 epochs of 1 MB in a list, one of which keeps {percent} % less: about EVEN_RATIO");
        theme.world(name, Truth::Either, SHORT.makes(kib));
    }
    for percent in [20_u64, 40, 55, 65, 80, 100, 130, 160] {
        let kib = 10 * percent;
        let beside = (1000 - kib.cast_signed()) * KIB;
        let name = format!("7 epochs of 1 MB, {percent} % of which a list keeps: about HELD_RATIO");
        theme.world(name, Truth::Either, Short { beside, ..SHORT }.makes(|_| kib));
    }
    for (name, short) in [
        ("nobody looked", Short { path: "", ..SHORT }),
        ("a slot of the user's", Short { path: "__main__.latest", ..SHORT }),
        ("a library's line, in a list of the user's", Short { stack: LIBRARY, ..SHORT }),
        ("a library's line, and nobody looked", Short { stack: LIBRARY, path: "", ..SHORT }),
        ("native code, and nobody looked", Short { stack: &["start_thread", "x::Run"], path: "", ..SHORT }),
    ] {
        theme.world(format!("7 epochs of 1 MiB: {name}"), Truth::Leak(1024 * KIB), short.makes(|_| 1024));
    }
    for samples in [1, 4, 10, 20, 30, 60, 200] {
        let mean = (1000 << 10) / samples;
        let name = format!(
            "7 epochs of 1 MB in a list, some {samples} samples in each: about MAX_SAMPLING_ERROR_RATIO"
        );
        theme.world(name, Truth::Leak(1000 * KIB), Short { mean, ..SHORT }.makes(|_| 1000));
    }
    for kib in [8_u64, 24, 40, 56, 64, 72, 200] {
        let truth = if kib < 64 { Truth::Either } else { Truth::Leak(kib.cast_signed() * KIB) };
        let name = format!("7 epochs of {kib} KiB in a list: about MIN_RISE_BYTES");
        theme.world(name, truth, Short { mean: 2 << 10, ..SHORT }.makes(|_| kib));
    }
}
