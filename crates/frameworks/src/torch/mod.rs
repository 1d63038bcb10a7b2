//! PyTorch: tensors with their storages and autograd graphs, modules.

mod autograd;
mod causes;
mod device;
mod sizes;

use nilometer_census::{Family, Pack, PutElsewhere, Written};
use nilometer_diagnose::pack::{self, NativePart, WITH_GRAPH};

/// A module keeps what is assigned to its attributes in a dict of each kind.
const fn of_module(attribute: &'static str) -> PutElsewhere {
    PutElsewhere { module: "torch.nn.modules.module", class: "Module", attribute, how: Written::Attributes }
}

pub(crate) static CENSUS: Pack = Pack {
    families: &[Family {
        names: &["torch._C.TensorBase", "torch._C._TensorBase"],
        module: "",
        reader: &sizes::AnyTensor,
    }],
    opaque: &[("UntypedStorage", "torch.")],
    packages: &["torch"],
    put_elsewhere: &[of_module("_modules"), of_module("_parameters"), of_module("_buffers")],
    ..Pack::EMPTY
};

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack {
    causes: &causes::CAUSES,
    gather: &causes::GATHER,
    native_parts: &[NativePart { elements: WITH_GRAPH, is_made: causes::is_made, is_beside: false }],
    libraries: &["libtorch", "libc10", "libtriton"],
    code: Some("libtorch"),
    device: Some(device::DEVICE),
    // It lets no tensor go that C++ owns once Python is finalizing.
    leaves_garbage: Some("framework.torch"),
    ..pack::Pack::EMPTY
};
