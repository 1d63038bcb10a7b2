//! Keras 2 and 3, on any backend: callbacks, datasets, metrics, models and layers in their roles.

mod advice;
mod causes;
mod phases;

use nilometer_census::Pack;
use nilometer_diagnose::pack;

pub(crate) static CENSUS: Pack = Pack { packages: &["keras", "tf_keras"], ..Pack::EMPTY };

pub(crate) static PROVE: nilometer_prove::pack::Pack =
    nilometer_prove::pack::Pack { advice: &advice::ADVICE };

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack {
    causes: &causes::CAUSES,
    phases: &phases::PHASES,
    copies: Some(phases::COPYING),
    ..pack::Pack::EMPTY
};
