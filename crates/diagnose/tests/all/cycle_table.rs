//! The table of cycles; on a small world.

use crate::world::{MIB, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record};
use nilometer_diagnose::cycle_table;

#[test]
fn every_cycle_has_its_levels_and_the_counts_known_by_then() {
    let mut w = started();
    let probe = |value| Record::Observation(Observation::Probe { name: "func_graphs".to_owned(), value });
    for epoch in 1..=6 {
        if epoch != 3 {
            w.say(&probe(epoch * 10));
        }
        w.takes(MIB).cycle(Epoch);
    }
    w.ends(0);
    let rows = cycle_table(&w.capture());
    assert_eq!(rows.iter().map(|r| r.cycle).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let counts: Vec<u64> = rows.iter().map(|r| r.counts["func_graphs"]).collect();
    assert_eq!(counts, [10, 20, 20, 40, 50, 60]);
    let live: Vec<u64> = rows.iter().map(|r| r.live_bytes.unwrap()).collect();
    assert!(live.windows(2).all(|w| w[1] - w[0] == MIB as u64), "{live:?}");
    assert!(rows.iter().all(|r| r.free_bytes.is_none() && r.file_bytes == Some(300 << 20)));
    assert!(rows[5].seconds > 6.0 && rows[0].seconds < 2.0);
}
