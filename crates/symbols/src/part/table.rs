//! The table of parts of no framework: which frames mean what, and why that is certain.

use super::pack::{Rule, around, thing, work};

/// A library that is known by its file name alone.
pub(super) struct Library {
    /// The beginning of the file's name.
    pub(super) file: &'static str,
    pub(super) words: &'static str,
}

const NUMPY: &str = "NumPy array";
const PYTHON_COMPILES: &str = "Python: compiling source code";
const IMPORT: &str = "Python: importing modules";

pub(super) const RULES: &[Rule] = &[
    // oneDNN: compiled primitives, kept per shape.
    thing(
        "MklPrimitiveFactory",
        "oneDNN primitive cache",
        "its methods look up, make and keep primitives per shape",
    ),
    thing(
        "Mkl*PrimitiveFactory",
        "oneDNN primitive cache",
        "Get, Set and Create of a framework's cache of primitives",
    ),
    thing("primitive_cache_iface_t", "oneDNN primitive cache", "oneDNN's own cache, keyed by shape"),
    thing("primitive_cache_t", "oneDNN primitive cache", "as above"),
    thing("lru_cache_t", "oneDNN primitive cache", "the container of oneDNN's primitive cache"),
    thing(
        "^dnnl::impl::primitive_t::create_primitive_common",
        "oneDNN primitive",
        "makes one primitive, cached or not",
    ),
    thing(
        "^dnnl::impl::cpu::x64::jit_generator*",
        "oneDNN primitive: generated code",
        "buffers of the code generator",
    ),
    thing(
        "^Xbyak::*",
        "oneDNN primitive: generated code",
        "the assembler that oneDNN writes its kernels with",
    ),
    thing("^H5*", "HDF5 file", "the HDF5 library's own functions"),
    thing("^__pyx_*4h5py*", "HDF5 file", "h5py's compiled modules"),
    // Thread pools and profiling.
    thing("ThreadPoolTempl::ThreadPoolTempl", "thread pool", "makes its queues and threads"),
    thing("^tsl::thread::ThreadPool::ThreadPool", "thread pool", "makes a pool"),
    // NumPy.
    thing("^PyDataMem_*", NUMPY, "the data of an array"),
    thing("^PyArray_NewFromDescr_int", NUMPY, "makes an array"),
    thing("^npy_alloc_cache*", NUMPY, "NumPy's store of small blocks"),
    thing("^_npy_alloc_cache", NUMPY, "as above"),
    // gRPC.
    work("^grpc_core", "gRPC", "the library's namespace"),
    work("^grpc", "gRPC", "the library's namespace"),
    // Surroundings.
    around("^dnnl", "oneDNN: working memory", "none of the primitive cache's functions is on the stack"),
    around(
        "^Eigen::internal::TensorBlockScratchAllocator",
        "Eigen: working memory of a kernel",
        "a block that ends with the kernel",
    ),
    around("^Eigen::ThreadPoolDevice", "Eigen: working memory of a kernel", "allocates for an expression"),
    around("^google::protobuf", "protobuf messages", "the namespace"),
    around("^_dl_*", "loading shared libraries", "the dynamic loader"),
    around("^_sre_*", "Python: regular expressions", "the module's functions"),
    around("^_pickle_*", "Python: pickle", "the module's functions"),
    around("^marshal_loads*", "Python: loading bytecode", "a module's compiled code"),
    around("^_PyAST_*", PYTHON_COMPILES, "the compiler"),
    around("^_PyPegen_*", PYTHON_COMPILES, "the parser"),
    around("^_PyTokenizer_*", PYTHON_COMPILES, "the parser"),
    around("^Py_CompileString*", PYTHON_COMPILES, "the compiler"),
    around("^PyImport_*", IMPORT, "everything that a module does while it is imported"),
    around("^import_find_and_load", IMPORT, "as above"),
];

pub(super) const LIBRARIES: &[Library] = &[
    Library { file: "_multiarray_umath.", words: "NumPy" },
    Library { file: "libopenblas", words: "OpenBLAS" },
    Library { file: "libscipy_openblas", words: "OpenBLAS" },
    Library { file: "libhdf5", words: "HDF5 file" },
    Library { file: "libarrow", words: "Apache Arrow" },
    Library { file: "libmkl_", words: "Intel MKL" },
    Library { file: "libcrypto", words: "OpenSSL" },
    Library { file: "libssl", words: "OpenSSL" },
    Library { file: "libsqlite3", words: "SQLite" },
    Library { file: "libjpeg", words: "JPEG decoder" },
    Library { file: "libcudart", words: "CUDA" },
    Library { file: "libcudnn", words: "cuDNN" },
    Library { file: "libcublas", words: "cuBLAS" },
    Library { file: "libcuda.", words: "CUDA driver" },
    Library { file: "libnccl", words: "NCCL" },
];
