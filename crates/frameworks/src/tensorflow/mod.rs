//! TensorFlow: eager tensors, variables, the context, and what else it keeps in C++.

mod advice;
mod causes;
mod device;
mod faults;
mod parts;
mod phases;
mod sizes;

use nilometer_census::{Bulk, BulkBytes, Family, Pack};
use nilometer_diagnose::pack;
use nilometer_symbols::part;

pub(crate) static CENSUS: Pack = Pack {
    families: &[
        Family {
            names: &["EagerTensor", "tensorflow.python.framework.ops.EagerTensor"],
            module: "tensorflow.",
            reader: &sizes::EagerTensor,
        },
        Family { names: &["Context"], module: "tensorflow.python.eager", reader: &sizes::Context },
        Family { names: &["BaseResourceVariable"], module: "tensorflow.", reader: &sizes::Variable },
    ],
    bulk: &[Bulk {
        module: "tensorflow.python.framework.ops",
        classes: &["EagerTensor"],
        bytes: BulkBytes::Own(sizes::tensor_bytes),
    }],
    values: &["EagerTensor"],
    opaque: &[
        ("Tape", "tensorflow"),
        ("OwnedIterator", "tensorflow."),
        ("DatasetV2", "tensorflow."),
        ("ConcreteFunction", "tensorflow."),
        ("AtomicFunction", "tensorflow."),
        ("FuncGraph", "tensorflow."),
        ("SummaryWriter", "tensorflow."),
        ("CapturableResource", "tensorflow."),
        ("BaseSession", "tensorflow."),
    ],
    packages: &["tensorflow"],
    ..Pack::EMPTY
};

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack {
    causes: &causes::CAUSES,
    run_causes: &causes::OF_RUN,
    hold: Some(causes::hold),
    models: Some(causes::MODELS),
    faults: &faults::FAULTS,
    libraries: &["tensorflow", "_pywrap"],
    code: Some("tensorflow"),
    device: Some(device::DEVICE),
    phases: &phases::PHASES,
    pool: Some(phases::POOL),
    ..pack::Pack::EMPTY
};

pub(crate) static PROVE: nilometer_prove::pack::Pack =
    nilometer_prove::pack::Pack { advice: &advice::ADVICE };

pub(crate) static SYMBOLS: part::Pack = part::Pack { rules: parts::RULES, op: Some(parts::op) };
