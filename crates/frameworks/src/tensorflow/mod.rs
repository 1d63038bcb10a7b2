//! TensorFlow: eager tensors, variables, the context, and what else it keeps in C++.

mod sizes;

use nilometer_census::{Bulk, BulkBytes, Family, Pack};

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
