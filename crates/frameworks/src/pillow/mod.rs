//! Pillow: the pixels of a picture lie in C.

use nilometer_census::Pack;

pub(crate) static CENSUS: Pack = Pack { opaque: &[("ImagingCore", "")], ..Pack::EMPTY };
