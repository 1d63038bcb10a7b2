//! The atlas of verdicts: every small world of every theme, with what is said of it, as one text that people review.
//!
//! In: the worlds of the folder beside this file. Out: one snapshot, a line per world, and how many were judged against their truth.
//! What must not happen here: an assertion about one world; a change of a rule shows as a difference of the snapshot.
#![allow(clippy::unwrap_used, reason = "tests")]

mod world;

#[path = "atlas/births.rs"]
mod births;
#[path = "atlas/caches.rs"]
mod caches;
#[path = "atlas/children.rs"]
mod children;
#[path = "atlas/early.rs"]
mod early;
#[path = "atlas/full.rs"]
mod full;
#[path = "atlas/garbage.rs"]
mod garbage;
#[path = "atlas/growth.rs"]
mod growth;
#[path = "atlas/holders.rs"]
mod holders;
#[path = "atlas/noise.rs"]
mod noise;
#[path = "atlas/numbers.rs"]
mod numbers;
#[path = "atlas/passing.rs"]
mod passing;
#[path = "atlas/sites.rs"]
mod sites;
#[path = "atlas/start_up.rs"]
mod start_up;
#[path = "atlas/table.rs"]
mod table;
#[path = "atlas/teeth.rs"]
mod teeth;
#[path = "atlas/time.rs"]
mod time;
#[path = "atlas/unseen.rs"]
mod unseen;

use table::{Titled, atlas};

/// Themes, in the order of the snapshot.
const THEMES: [Titled; 17] = [
    ("growth", growth::worlds),
    ("start-up", start_up::worlds),
    ("onset", start_up::onsets),
    ("caches and steps", caches::worlds),
    ("noise", noise::worlds),
    ("garbage", garbage::worlds),
    ("teeth", teeth::worlds),
    ("time", time::worlds),
    ("sites", sites::worlds),
    ("births", births::worlds),
    ("holders", holders::worlds),
    ("holders of a growth that counters do not show", unseen::worlds),
    ("containers with a bound", full::worlds),
    ("numbers", numbers::worlds),
    ("in flight", passing::worlds),
    ("early", early::worlds),
    ("children", children::worlds),
];

#[test]
fn the_atlas_of_verdicts() {
    insta::assert_snapshot!("atlas", atlas(&THEMES));
}
