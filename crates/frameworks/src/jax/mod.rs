//! JAX, on XLA: arrays.

mod causes;
mod device;
mod native_parts;
mod sizes;

use nilometer_census::{Family, Pack};
use nilometer_diagnose::pack::{self, NativePart};

pub(crate) static CENSUS: Pack = Pack {
    families: &[Family {
        names: &["ArrayImpl", "jaxlib._jax.ArrayImpl", "jaxlib.xla_extension.ArrayImpl"],
        module: "jax",
        reader: &sizes::Array,
    }],
    ..Pack::EMPTY
};

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack {
    causes: &causes::CAUSES,
    run_causes: &causes::OF_RUN,
    native_parts: &[NativePart {
        elements: "ArrayImpl",
        is_made: native_parts::is_of_xla_thread,
        is_beside: true,
    }],
    libraries: &["jaxlib", "libjax", "xla_", "libxla", "pjrt"],
    code: Some("jaxlib"),
    device: Some(device::DEVICE),
    ..pack::Pack::EMPTY
};
