//! aiohttp: what an application keeps.

use nilometer_census::{Pack, PutElsewhere, Written};

pub(crate) static CENSUS: Pack = Pack {
    put_elsewhere: &[PutElsewhere {
        module: "aiohttp.web_app",
        class: "Application",
        attribute: "_state",
        how: Written::Items,
    }],
    ..Pack::EMPTY
};
