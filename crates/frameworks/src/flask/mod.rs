//! Flask: what its contexts and its application keep, in the words by which programs ask for it.

use nilometer_census::{Pack, PutElsewhere, Written};

/// An attribute of a class of Flask's, or of one derived from it, that programs reach by this name.
const fn known_as(
    module: &'static str,
    class: &'static str,
    attribute: &'static str,
    name: &'static str,
) -> PutElsewhere {
    PutElsewhere { module, class, attribute, how: Written::KnownAs(name) }
}

pub(crate) static CENSUS: Pack = Pack {
    put_elsewhere: &[
        known_as("flask.ctx", "AppContext", "g", "flask.g"),
        known_as("flask.ctx", "AppContext", "app", "flask.current_app"),
        known_as("flask.app", "Flask", "extensions", "flask.current_app.extensions"),
        known_as("flask.app", "Flask", "config", "flask.current_app.config"),
    ],
    ..Pack::EMPTY
};
