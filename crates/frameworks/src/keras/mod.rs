//! Keras 2 and 3, on any backend: callbacks, datasets, metrics, models and layers in their roles.

mod causes;

use nilometer_census::Pack;
use nilometer_diagnose::pack;

pub(crate) static CENSUS: Pack = Pack { packages: &["keras", "tf_keras"], ..Pack::EMPTY };

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack { causes: &causes::CAUSES, ..pack::Pack::EMPTY };
