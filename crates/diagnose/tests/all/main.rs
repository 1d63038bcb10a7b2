//! Every test of the diagnosis, in one program: small worlds, and what is made of them.
//!
//! One program links once. `world` builds a world; each other module is one subject.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "evidence of real runs lies in files")]

mod world;

mod atlas;
mod causes;
mod causes_kernels;
mod causes_models;
mod causes_retraced;
mod causes_torch;
mod cells;
mod choice;
mod coarse_samples;
mod counted;
mod cycle_table;
mod cycles;
mod diff;
mod ended;
mod endpoints;
mod evidence;
mod fills;
mod garbage;
mod gpu;
mod gpu_others;
mod healthy;
mod held;
mod held_by_scans;
mod held_or_garbage;
mod held_under_two_names;
mod holders;
mod in_flight;
mod job;
mod job_healthy;
mod job_recycled;
mod job_served;
mod made_at;
mod names;
mod numbers;
mod objects;
mod phases;
mod probes;
mod profile;
mod replay;
mod retention;
mod shapes;
mod shared_memory;
mod sites;
mod teeth;
mod verdicts;
mod warnings;
