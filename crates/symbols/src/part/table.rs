//! The table of parts: which frames mean what, and why that is certain.
//!
//! If two entries match a frame, the higher one counts, so special ones come first. `why` is for the person
//! who changes an entry: the fact in the frame's code that makes the words true.

/// How much a frame says about the memory below it; the smaller rank wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// What the memory is.
    Thing,
    /// The work that the memory was made for.
    Work,
    /// The op whose kernel was running.
    Op,
    /// What went on around it.
    Around,
    /// Only whose code it was.
    Library,
}

/// One entry.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) rank: Rank,
    /// See [`super::pattern`].
    pub(super) frame: &'static str,
    pub(super) words: &'static str,
    #[expect(dead_code, reason = "read by whoever changes the table")]
    pub(super) why: &'static str,
}

/// A library that is known by its file name alone.
pub(super) struct Library {
    /// The beginning of the file's name.
    pub(super) file: &'static str,
    pub(super) words: &'static str,
}

const fn thing(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Thing, frame, words, why }
}

const fn work(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Work, frame, words, why }
}

const fn around(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Around, frame, words, why }
}

const TRACED: &str = "graph of a traced function (tf.function)";
const PREPARED: &str = "traced function: made ready to run";
const OPTIMISED: &str = "traced function: graph optimisation (Grappler)";
const PASSES: &str = "traced function: graph passes before the first run";
const CHECKPOINT: &str = "checkpoint or saved weights";
const SUMMARY: &str = "TensorBoard summary writer";
const XLA: &str = "XLA compilation";
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
        "Get, Set and Create of TensorFlow's cache of primitives",
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
    // TensorFlow's pools and caches.
    thing(
        "BFCAllocator::Extend",
        "TensorFlow's memory pool: reserved",
        "asks the system for a region; which tensors use it is decided later",
    ),
    thing("EagerContext::AddKernelToCache", "eager kernel cache", "inserts a kernel by its signature"),
    thing("EagerContext::GetCachedKernel", "eager kernel cache", "looks a kernel up"),
    thing("FunctionLibraryDefinition", "function library", "holds every traced function by name"),
    thing("EagerContext::AddFunctionDef*", "function library", "registers a traced function"),
    thing("EagerContext::AddFunctionRecord", "function library", "registers a traced function"),
    thing("DeviceCompilationCache", "XLA compilation cache", "keeps compiled clusters by signature"),
    thing("lookup::MutableHashTable*", "lookup table", "entries of a table"),
    thing("lookup::MutableDenseHashTable", "lookup table", "entries of a table"),
    thing("lookup::HashTable", "lookup table", "entries of a table"),
    thing("lookup::InitializableLookupTable", "lookup table", "fills a table"),
    thing("TensorList", "list of tensors (loop state)", "the tensors that a while loop piles up"),
    thing("TensorArray", "list of tensors (loop state)", "the older form of it"),
    thing(
        "PropagatorState::FrameState",
        "loop in a traced function: its iterations",
        "tensors between ops of a loop",
    ),
    // tf.data, by dataset: these classes make the elements or hold them.
    work("ShuffleDatasetOpBase", "tf.data: shuffle buffer", "its iterator fills and holds the buffer"),
    work("ShuffleDatasetOp", "tf.data: shuffle buffer", "as above"),
    work("ShuffleAndRepeatDatasetOp", "tf.data: shuffle buffer", "as above"),
    work("GlobalShuffleDatasetOp", "tf.data: global shuffle", "draws from a permutation"),
    work("MemoryDatasetOp", "tf.data: cache in memory", "the elements kept by cache()"),
    work("MemoryCache", "tf.data: cache in memory", "the elements kept by cache()"),
    work("CacheDatasetOp", "tf.data: cache", "cache(), in memory or in a file"),
    work("PrefetchDatasetOp", "tf.data: prefetch buffer", "its thread fills and holds the buffer"),
    work("PaddedBatchDatasetOp", "tf.data: padded batches", "copies elements into a batch"),
    work("ParallelBatchDatasetOp", "tf.data: batches", "copies elements into a batch"),
    work("BatchDatasetOp", "tf.data: batches", "copies elements into a batch"),
    work("MapAndBatchDatasetOp", "tf.data: map and batch", "results of the function, in a batch"),
    work("ParallelMapDatasetOp", "tf.data: parallel map", "calls the function and holds its results"),
    work("MapDatasetOp", "tf.data: map", "calls the function"),
    thing(
        "ParallelInterleaveDatasetOp",
        "tf.data: parallel interleave",
        "holds the elements of its inner datasets",
    ),
    work("InterleaveDatasetOp", "tf.data: interleave", "holds its inner iterators"),
    work("FlatMapDatasetOp", "tf.data: flat_map", "holds its inner iterator"),
    work("FilterDatasetOp", "tf.data: filter", "calls the predicate"),
    work("ParallelFilterDatasetOp", "tf.data: filter", "calls the predicate"),
    work("GeneratorDatasetOp", "tf.data: from_generator", "calls the Python generator"),
    work("TensorSliceDatasetOp", "tf.data: from_tensor_slices", "cuts elements from the tensors given"),
    work("TensorDatasetOp", "tf.data: from_tensors", "hands out the tensors given"),
    work("TFRecordDatasetOp", "tf.data: TFRecord reader", "reads records"),
    work("TextLineDatasetOp", "tf.data: text line reader", "reads lines"),
    work("FixedLengthRecordDatasetOp", "tf.data: record reader", "reads records"),
    work("CSVDatasetOp", "tf.data: CSV reader", "reads rows"),
    work("ParseExampleDatasetOp", "tf.data: parsing examples", "turns records into tensors"),
    work("GroupByWindowDatasetOp", "tf.data: group_by_window", "holds its windows"),
    work("WindowDatasetOp", "tf.data: window", "holds its windows"),
    work("SnapshotDatasetV2Op", "tf.data: snapshot", "reads or writes a snapshot"),
    work("RangeDatasetOp", "tf.data: range", "makes one number at a time"),
    work("RandomDatasetOp", "tf.data: random numbers", "makes one number at a time"),
    work("ZipDatasetOp", "tf.data: zip", "puts elements together"),
    work("UnbatchDatasetOp", "tf.data: unbatch", "cuts batches apart"),
    work("ScanDatasetOp", "tf.data: scan", "calls the function and holds its state"),
    thing(
        "^tensorflow::data::model",
        "tf.data: its model for autotuning",
        "nodes and timings of the pipeline",
    ),
    work(
        "^tensorflow::data::FinalizeDataset",
        "tf.data: preparing the pipeline",
        "rewrites the dataset before the first element",
    ),
    work(
        "^tensorflow::data::RewriteDataset",
        "tf.data: preparing the pipeline",
        "optimises the dataset's graph",
    ),
    work("*DatasetOp::MakeDataset", "tf.data: dataset being made", "the op that makes the dataset object"),
    // Variables, tables and iterators by name.
    thing("VarHandleOp", "resource variable", "makes the variable's handle"),
    thing("^tensorflow::Var", "resource variable", "the variable itself"),
    thing("ResourceMgr", "resource manager (variables, tables, iterators)", "keeps resources by name"),
    thing("ManagedStackTrace", "Python stacks kept with graph nodes", "one per op of a traced graph"),
    thing(
        "^tensorflow::StackTrace::Capture",
        "Python stacks kept with graph nodes",
        "takes the stack when an op is made",
    ),
    // Files.
    thing("^tensorflow::BundleWriter", CHECKPOINT, "writes a TensorFlow checkpoint"),
    thing("^tensorflow::BundleReader", CHECKPOINT, "reads a TensorFlow checkpoint"),
    thing("^tensorflow::SaveV2", CHECKPOINT, "the op that writes a checkpoint"),
    thing("^tensorflow::RestoreV2*", CHECKPOINT, "the op that reads a checkpoint"),
    thing("^tensorflow::checkpoint", CHECKPOINT, "readers and writers of the older format"),
    thing("^tensorflow::EventsWriter", SUMMARY, "writes event files"),
    thing("^tensorflow::SummaryFileWriter", SUMMARY, "queues and writes summaries"),
    thing("^H5*", "HDF5 file", "the HDF5 library's own functions"),
    thing("^__pyx_*4h5py*", "HDF5 file", "h5py's compiled modules"),
    // Thread pools and profiling.
    thing("ThreadPoolTempl::ThreadPoolTempl", "thread pool", "makes its queues and threads"),
    thing("^tsl::thread::ThreadPool::ThreadPool", "thread pool", "makes a pool"),
    thing("^tsl::profiler", "TensorFlow profiler", "collects events while a profile is taken"),
    thing("^tensorflow::profiler", "TensorFlow profiler", "as above"),
    // NumPy.
    thing("^PyDataMem_*", NUMPY, "the data of an array"),
    thing("^PyArray_NewFromDescr_int", NUMPY, "makes an array"),
    thing("^npy_alloc_cache*", NUMPY, "NumPy's store of small blocks"),
    thing("^_npy_alloc_cache", NUMPY, "as above"),
    // Compilers.
    work("^xla::cpu::*Compiler*", XLA, "compiles a cluster for the CPU"),
    work("^xla::cpu::ParallelFusionEmitter", XLA, "as above"),
    work("^xla::*Compiler", XLA, "compiles a cluster"),
    work("^xla::HloPassPipeline", XLA, "passes over a cluster"),
    work("^xla::LocalService", XLA, "compiles on request"),
    work("^xla::LocalClient", XLA, "compiles on request"),
    work("^tensorflow::XlaCompiler", XLA, "turns a graph into a cluster"),
    work("^tensorflow::DeviceCompiler", XLA, "compiles a function for a device"),
    work("^tensorflow::XlaCompilationCache", XLA, "as above, in older versions"),
    // From a traced function to one that runs, innermost work first by the stack itself.
    work("^tensorflow::grappler", OPTIMISED, "Grappler's namespace"),
    work("^mlir::tfg", OPTIMISED, "Grappler's newer passes"),
    work("*Pass::Run", PASSES, "one of TensorFlow's graph passes"),
    work("*Pass::RunPass", PASSES, "as above"),
    work("^tensorflow::OptimizationPassRegistry", PASSES, "runs the passes"),
    work("^tensorflow::Placer", PASSES, "puts ops on devices"),
    work("^tensorflow::Partition", PASSES, "splits the graph by device"),
    work("^tensorflow::GraphOptimizer", PREPARED, "optimises a function's graph at its first run"),
    work("^tensorflow::InstantiateFunction", PREPARED, "makes a graph of a function"),
    work("^tensorflow::FunctionDefToBodyHelper", PREPARED, "makes a graph of a function"),
    work("FunctionLibraryRuntimeImpl::CreateItem", PREPARED, "makes a function's executor"),
    work(
        "FunctionLibraryRuntimeImpl::Instantiate",
        PREPARED,
        "makes a handle for a function and its arguments' types",
    ),
    work("ProcessFunctionLibraryRuntime::Instantiate*", PREPARED, "as above, over all devices"),
    work("ProcessFunctionLibraryRuntime::CloneGraph*", PREPARED, "as above"),
    work("KernelAndDeviceFunc::Init*", PREPARED, "as above, when called eagerly"),
    work("KernelAndDeviceFunc::Instantiate*", PREPARED, "as above"),
    work("^tensorflow::OptimizeFunctionGraph*", PREPARED, "as above"),
    work("^tensorflow::NewLocalExecutor", PREPARED, "makes a function's executor"),
    work("ExecutorImpl::Initialize", PREPARED, "makes a function's executor"),
    work("^tensorflow::CreateOpKernel", "kernels being made", "constructs a kernel from its node"),
    work(
        "^tensorflow::GetOrCreateKernelAndDevice",
        "eager kernel cache",
        "makes the kernel that is then cached",
    ),
    // Tracing.
    work("^TF_FinishOperation*", TRACED, "adds an op to a graph"),
    work("^TF_NewOperation*", TRACED, "begins an op of a graph"),
    work("^TF_GraphToFunction*", TRACED, "ends a trace"),
    work("^TF_GraphCopyFunction", TRACED, "copies a traced function into a graph"),
    work("^TF_NewGraph", TRACED, "makes the graph of a trace"),
    work("^TF_SetHandleShapeAndType", TRACED, "notes the shapes of a variable in a graph"),
    work("^TF_Operation*", TRACED, "reads an op of a graph"),
    work("^PyGraph*", TRACED, "Python's object for a graph"),
    work("^PyOperation", TRACED, "Python's object for an op of a graph"),
    work("^tensorflow::saved_model", "saved model", "loads or stores one"),
    work("^TF_GraphImport*", "loading a saved graph", "imports a graph definition"),
    work("^tensorflow::GraphConstructor", "graph built from its definition", "imports or instantiates"),
    work("^tensorflow::ShapeRefiner", "shapes of a graph being built", "one context per op"),
    work("^tensorflow::GraphDef", "protobuf: graph definition", "the message"),
    work("^tensorflow::NodeDef", "protobuf: graph definition", "the message"),
    work("^tensorflow::FunctionDef", "protobuf: function definition", "the message"),
    work("^TFE_ContextGetFunctionDef", "protobuf: function definition", "handed to Python as bytes"),
    work("^tensorflow::SavedModel*", "saved model", "loads or stores one"),
    around("GradientTape", "gradient tape", "records ops or computes gradients"),
    around("^TFE_Py_Tape*", "gradient tape", "the same, from Python"),
    work(
        "^tensorflow::PyFuncOp",
        "Python function called from a graph",
        "tf.py_function and tf.numpy_function",
    ),
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
    around("^tensorflow::CapturedFunction", "tf.data: user's function", "runs it"),
    around("^tensorflow::data", "tf.data", "the namespace"),
    around("PropagatorState", "running a traced function", "passes tensors between ops"),
    around("ExecutorState", "running a traced function", "runs ops"),
    around("SingleThreadedExecutorImpl", "running a traced function", "runs ops"),
    around("FunctionLibraryRuntimeImpl", "running a traced function", "calls it"),
    around("ProcessFunctionLibraryRuntime", "running a traced function", "calls it"),
    around("^tensorflow::TensorHandle", "eager tensor", "the object behind one"),
    around("^ConvertToEagerTensor*", "eager tensor", "made from a Python value"),
    around("^EagerTensor*", "eager tensor", "the Python object"),
    around("^TFE_Py_*", "eager execution", "the calls that Python makes"),
    around("^TFE_*", "eager execution", "the calls that Python makes"),
    around("^tensorflow::Eager*", "eager execution", "the namespace's classes"),
    around("^tensorflow::KernelAndDevice*", "eager execution", "runs one kernel"),
    around("^mlir", "compiler (MLIR)", "the namespace"),
    around("^llvm", "compiler (LLVM)", "the namespace"),
    around("^xla", "XLA", "the namespace"),
    around("^google::protobuf", "protobuf messages", "the namespace"),
    around("OpRegistry", "TensorFlow: registering ops and kernels", "at import"),
    around("KernelDefBuilder", "TensorFlow: registering ops and kernels", "at import"),
    around("OpDefBuilder", "TensorFlow: registering ops and kernels", "at import"),
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
