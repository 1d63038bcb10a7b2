//! Known faults of TensorFlow: what a cause rests on, in which version it was measured, and where it is talked about.
//!
//! What must not happen here: a version that was not measured. `tests/hooks/test_faults.py` measures each again on the installed one.

use nilometer_diagnose::pack::Fault;

pub(super) static FAULTS: [Fault; 3] = [
    Fault {
        causes: &[
            "models-in-a-loop",
            "recompiled-per-round",
            "clear-session-in-the-loop",
            "eager-toggled",
            "tf-gradient-registry",
        ],
        package: "tensorflow",
        versions: &["2.21"],
        what: "nothing is taken out of its gradient registry",
        thread: "https://github.com/tensorflow/tensorflow/issues/97697",
    },
    Fault {
        causes: &["tf-keeps-py-functions"],
        package: "tensorflow",
        versions: &["2.21"],
        what: "nothing is taken out of its list of Python functions",
        thread: "https://github.com/tensorflow/tensorflow/issues/57690",
    },
    Fault {
        causes: &["random-ops-seeded"],
        package: "tensorflow",
        versions: &["2.21"],
        what: "a seeded draw outside of a function leaves its kernel",
        thread: "https://github.com/tensorflow/tensorflow/issues/37252",
    },
];
