//! Apache Arrow, by `pyarrow`: tables, batches, columns, arrays, buffers.

mod sizes;

use nilometer_census::{Family, Pack, Reader};
use nilometer_diagnose::pack;

use sizes::Form;

const fn family(names: &'static [&'static str], reader: &'static dyn Reader) -> Family {
    Family { names, module: "", reader }
}

pub(crate) static CENSUS: Pack = Pack {
    families: &[
        family(&["pyarrow.lib.Table"], &Form::Table),
        family(&["pyarrow.lib.RecordBatch"], &Form::Batch),
        family(&["pyarrow.lib.ChunkedArray"], &Form::Chunked),
        family(&["pyarrow.lib.Array"], &Form::Array),
        family(&["pyarrow.lib.Buffer"], &Form::Buffer),
    ],
    opaque_modules: &["pyarrow.lib."],
    ..Pack::EMPTY
};

pub(crate) static DIAGNOSE: pack::Pack = pack::Pack { libraries: &["libarrow"], ..pack::Pack::EMPTY };
