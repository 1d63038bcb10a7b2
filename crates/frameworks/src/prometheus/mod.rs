//! Prometheus' client: metrics with labels.

use nilometer_census::{Pack, PutElsewhere, Written};

pub(crate) static CENSUS: Pack = Pack {
    put_elsewhere: &[PutElsewhere {
        module: "prometheus_client.metrics",
        class: "MetricWrapperBase",
        attribute: "_metrics",
        how: Written::ChildrenPerLabel,
    }],
    ..Pack::EMPTY
};
