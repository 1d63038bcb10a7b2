//! PyTorch: tensors with their storages and autograd graphs, modules.

mod autograd;
mod sizes;

use nilometer_census::{Family, Pack, PutElsewhere, Written};

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
