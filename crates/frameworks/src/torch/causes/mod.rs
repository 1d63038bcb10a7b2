//! Causes of growth that users make with PyTorch. Ranks are among all causes of all packs.

mod hooks_registered;
mod kept_graphs;
mod kept_modules;
mod memory;

use nilometer_diagnose::Finding;
use nilometer_diagnose::pack::Cause;

pub(super) use memory::is_made;

pub(super) static CAUSES: [Cause; 4] = [
    Cause { rank: 379, name: "models-kept", explain: kept_modules::explain },
    Cause { rank: 390, name: "hooks-registered", explain: hooks_registered::explain },
    Cause { rank: 400, name: "graphs-kept", explain: kept_graphs::of_holder },
    Cause { rank: 550, name: "graphs-kept", explain: kept_graphs::explain },
];

pub(super) static GATHER: [fn(&mut Vec<Finding>, f64); 2] =
    [kept_graphs::gather, kept_modules::gather_parameters];
