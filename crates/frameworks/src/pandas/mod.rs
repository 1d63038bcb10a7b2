//! pandas: tables, columns, and the hash tables of indexes.

mod sizes;

use nilometer_census::{Bulk, BulkBytes, Family, Pack};

pub(crate) static CENSUS: Pack = Pack {
    families: &[Family { names: &[sizes::HASH_TABLE], module: "", reader: &sizes::HashTable }],
    bulk: &[Bulk {
        module: "pandas",
        classes: &["DataFrame", "Series"],
        bytes: BulkBytes::ArraysBelow("pandas."),
    }],
    ..Pack::EMPTY
};
