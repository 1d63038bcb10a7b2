//! The atlas of verdicts: every small world of every theme, with what is said of it, as one text that people review.
//!
//! In: the worlds of the folder beside this file. Out: one snapshot, a line per world, and how many were judged against their truth.
//! What must not happen here: an assertion about one world; a change of a rule shows as a difference of the snapshot.

mod births;
mod caches;
mod children;
mod early;
mod full;
mod garbage;
mod growth;
mod holders;
mod noise;
mod numbers;
mod passing;
mod recycled;
mod sites;
mod start_up;
mod table;
mod teeth;
mod time;
mod unseen;
mod waiting;

use table::{Titled, atlas};

/// Themes, in the order of the snapshot.
const THEMES: [Titled; 19] = [
    ("growth", growth::worlds),
    ("start-up", start_up::worlds),
    ("onset", start_up::onsets),
    ("caches and steps", caches::worlds),
    ("noise", noise::worlds),
    ("garbage", garbage::worlds),
    ("garbage that waits", waiting::worlds),
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
    ("workers that are replaced", recycled::worlds),
];

#[test]
fn the_atlas_of_verdicts() {
    insta::assert_snapshot!("atlas", atlas(&THEMES));
}
