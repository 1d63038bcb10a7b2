//! Runs a program with the recorder and prints what it left: `cargo run --example record -- SETTINGS PROGRAM ARGS...`.
//!
//! SETTINGS is what `_NILOMETER_RECORDER` says, e.g. `sample=65536,overhead=0.02`. The library is taken from beside
//! this example's folder.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for the one who works on the recorder")]

#[path = "../tests/recorded/mod.rs"]
mod recorded;

use recorded::{Recording, weight};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (settings, program) = arguments.split_first().unwrap();
    let mut command = std::process::Command::new(&program[0]);
    command.args(&program[1..]);
    let recording = Recording::of(&mut command, settings);
    println!("{:?}, capture of {} bytes", recording.status, recording.bytes);
    print!("{}", recording.output);
    for loss in &recording.losses {
        println!("loss: {loss}");
    }
    for fact in &recording.facts {
        println!("{fact:?}");
    }
    println!("{:?}", recording.kinds);
    println!("{:?}", recording.counts.last());
    let mut cuts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for birth in &recording.births {
        let stack = recording.stack(birth.stack);
        let cut = stack.iter().find(|frame| frame.starts_with("cut"));
        *cuts.entry(cut.cloned().unwrap_or_default()).or_default() += 1;
        if cut.is_some() && std::env::var_os("SHOW_CUT").is_some() {
            println!("{stack:#?}");
        }
    }
    println!("{cuts:?}");
    let mut sites: std::collections::HashMap<Vec<String>, (f64, usize)> = std::collections::HashMap::new();
    for birth in recording.live() {
        let site = sites.entry(recording.stack(birth.stack)).or_default();
        site.0 += weight(birth);
        site.1 += 1;
    }
    let mut sites: Vec<_> = sites.into_iter().collect();
    sites.sort_by(|one, other| other.1.0.total_cmp(&one.1.0));
    let (total, count) = sites.iter().fold((0.0, 0), |sum, (_, site)| (sum.0 + site.0, sum.1 + site.1));
    println!("live: {:.0} KiB in {count} samples at {} sites", total / 1024.0, sites.len());
    for (stack, (bytes, count)) in sites.iter().take(8) {
        println!("{:>10.0} KiB  {count} samples", bytes / 1024.0);
        stack.iter().rev().take(12).for_each(|frame| println!("                {frame}"));
    }
}
