//! When interventions in trainings of Keras are worth a try.

use nilometer_prove::pack::{Advice, Worth};

/// Files of its own, and of TensorFlow, that call the program's data code.
const LOADERS: [&str; 4] = ["script_ops", "data_adapter", "dataset_ops", "data_utils"];

pub(super) const ADVICE: [Advice; 4] = [
    Advice {
        rank: 10,
        name: "validation",
        worth: |case| {
            let worth = || Worth { base: 36.0, pointed: case.in_phase("validation") };
            case.survey.validates.then(worth)
        },
    },
    Advice {
        rank: 20,
        name: "repeated-batch",
        worth: |case| {
            let worth = || Worth { base: 38.0, pointed: case.through(&LOADERS) };
            case.survey.streams.then(worth)
        },
    },
    Advice {
        rank: 90,
        name: "clear-session",
        worth: |case| case.makes_models().then_some(Worth::plain(25.0)),
    },
    Advice { rank: 100, name: "workers-0", worth: |case| case.survey.workers.then_some(Worth::plain(24.0)) },
];
