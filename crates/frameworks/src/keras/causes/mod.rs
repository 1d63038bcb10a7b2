//! Causes of growth that Keras makes. Ranks are among all causes of all packs.

mod classes_registered;

use nilometer_diagnose::pack::Cause;

pub(super) static CAUSES: [Cause; 1] =
    [Cause { rank: 200, name: "classes-registered", explain: classes_registered::explain }];
