//! scikit-learn: the nodes of a tree lie in C.

use nilometer_census::Pack;

pub(crate) static CENSUS: Pack = Pack { opaque: &[("Tree", "sklearn.")], ..Pack::EMPTY };
