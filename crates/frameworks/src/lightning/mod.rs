//! Lightning: callbacks and modules in the roles of a training.

use nilometer_census::Pack;

pub(crate) static CENSUS: Pack = Pack { packages: &["lightning", "pytorch_lightning"], ..Pack::EMPTY };
