//! Keras 2 and 3, on any backend: callbacks, datasets, metrics, models and layers in their roles.

use nilometer_census::Pack;

pub(crate) static CENSUS: Pack = Pack { packages: &["keras", "tf_keras"], ..Pack::EMPTY };
