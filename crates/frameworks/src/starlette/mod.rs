//! Starlette, and with it FastAPI: what an application keeps in its state.

use nilometer_census::{Pack, PutElsewhere, Written};

pub(crate) static CENSUS: Pack = Pack {
    put_elsewhere: &[PutElsewhere {
        module: "starlette.datastructures",
        class: "State",
        attribute: "_state",
        how: Written::Attributes,
    }],
    ..Pack::EMPTY
};
