//! JAX, on XLA: arrays.

mod sizes;

use nilometer_census::{Family, Pack};

pub(crate) static CENSUS: Pack = Pack {
    families: &[Family {
        names: &["ArrayImpl", "jaxlib._jax.ArrayImpl", "jaxlib.xla_extension.ArrayImpl"],
        module: "jax",
        reader: &sizes::Array,
    }],
    ..Pack::EMPTY
};
