//! Causes of growth that users make with JAX. Ranks are among all causes of all packs.

mod retraced;

use nilometer_diagnose::pack::{Cause, RunCause};

pub(super) static CAUSES: [Cause; 4] = [
    Cause { rank: 11, name: "retraced-by-scalars", explain: retraced::by_scalars },
    Cause { rank: 21, name: "retraced-by-shapes", explain: retraced::by_shapes },
    Cause { rank: 31, name: "retraced-by-methods", explain: retraced::by_methods },
    Cause { rank: 41, name: "retraced-by-functions", explain: retraced::by_functions },
];

/// Of a growth that no place is known for.
pub(super) static OF_RUN: [RunCause; 1] = [RunCause { rank: 21, explain: retraced::of_run }];
