//! Measures how long naming takes: `cargo run --release -p nilometer-symbols --example speed -- LIBRARY
//! [ADDRESSES [RUNS]]`.
//!
//! The addresses are random, between the first and the last function of an object. That is the worst case:
//! each is in another function. Prints seconds per run, their median, and the process's peak resident memory.
#![allow(clippy::print_stdout, reason = "this is what the program is for")]

use nilometer_symbols::{Loaded, resolve};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "/proc/self/exe".to_owned());
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(5000);
    let runs: usize = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let end = std::fs::metadata(&path).map_or(0, |facts| facts.len());
    let object = [Loaded { path: &path, bias: 0, start: 0, end, identity: None }];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % end.max(1)
    };
    // Only addresses in functions count, so more are drawn until there are enough.
    let mut pcs: Vec<u64> = Vec::new();
    while pcs.len() < count {
        let drawn: Vec<u64> = (0..count.max(100)).map(|_| random()).collect();
        let symbols = resolve(&object, &drawn);
        let before = pcs.len();
        pcs.extend(drawn.iter().filter(|pc| symbols.get(**pc).is_some()));
        if pcs.len() == before {
            println!("no names: {:?}", symbols.problems());
            return;
        }
    }
    pcs.truncate(count);
    let mut seconds: Vec<f64> = (0..runs.max(1))
        .map(|_| {
            let begin = Instant::now();
            let symbols = resolve(&object, &pcs);
            let took = begin.elapsed().as_secs_f64();
            assert!(pcs.iter().all(|pc| symbols.get(*pc).is_some()));
            took
        })
        .collect();
    println!("{count} addresses, seconds per run: {seconds:.3?}");
    seconds.sort_by(f64::total_cmp);
    println!("median {:.3} s", seconds.get(seconds.len() / 2).copied().unwrap_or(0.0));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|line| line.starts_with("VmHWM") || line.starts_with("RssAnon")) {
        println!("{line}");
    }
}
