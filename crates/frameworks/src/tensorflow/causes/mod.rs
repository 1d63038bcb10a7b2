//! Causes of growth that TensorFlow makes, or that its users make with it. Ranks are among all causes of all packs.

mod gradient_registry;
mod graph_grows;
mod kept_datasets;
mod kept_tapes;
mod kept_tensors;
mod kernel_cache;
mod kernels_per_shape;
mod py_functions;
mod random_seeded;
mod retraced;
mod scalars_cached;
mod train_steps;

use nilometer_diagnose::pack::{Cause, RunCause};

pub(super) use gradient_registry::{MODELS, hold};

pub(super) static CAUSES: [Cause; 23] = [
    Cause { rank: 10, name: "retraced-by-scalars", explain: retraced::by_scalars },
    Cause { rank: 20, name: "retraced-by-shapes", explain: retraced::by_shapes },
    Cause { rank: 30, name: "retraced-by-methods", explain: retraced::by_methods },
    Cause { rank: 40, name: "retraced-by-functions", explain: retraced::by_functions },
    Cause { rank: 50, name: "saving-makes-variables", explain: kernel_cache::by_saving },
    Cause { rank: 60, name: "random-ops-seeded", explain: random_seeded::explain },
    Cause { rank: 70, name: "metrics-in-a-loop", explain: kernel_cache::by_metrics },
    Cause { rank: 80, name: "kernel-cache", explain: kernel_cache::explain },
    Cause { rank: 90, name: "kernels-per-shape", explain: kernels_per_shape::explain },
    Cause { rank: 100, name: "scalars-cached", explain: scalars_cached::explain },
    Cause { rank: 105, name: "graph-grows", explain: graph_grows::explain },
    Cause { rank: 110, name: "models-in-a-loop", explain: gradient_registry::by_models },
    Cause { rank: 120, name: "clear-session-in-the-loop", explain: train_steps::by_clearing },
    Cause { rank: 130, name: "eager-toggled", explain: train_steps::by_switching },
    Cause { rank: 140, name: "recompiled-per-round", explain: train_steps::by_compiling },
    Cause { rank: 150, name: "tf-gradient-registry", explain: train_steps::by_functions },
    Cause { rank: 160, name: "tf-gradient-registry", explain: gradient_registry::explain },
    Cause { rank: 170, name: "tf-keeps-py-functions", explain: py_functions::explain },
    Cause { rank: 240, name: "tapes-kept", explain: kept_tapes::explain },
    Cause { rank: 360, name: "datasets-kept", explain: kept_datasets::explain },
    Cause { rank: 370, name: "datasets-kept", explain: kept_datasets::by_count },
    Cause { rank: 470, name: "tensors-kept", explain: kept_tensors::explain },
    Cause { rank: 540, name: "kernel-cache", explain: kernel_cache::by_operation },
];

/// Of a growth that no place is known for.
pub(super) static OF_RUN: [RunCause; 3] = [
    RunCause { rank: 20, explain: retraced::of_run },
    RunCause { rank: 30, explain: gradient_registry::of_run },
    RunCause { rank: 60, explain: kernel_cache::of_run },
];
