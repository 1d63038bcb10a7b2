//! Real stacks of TensorFlow 2.21 and Python 3.11, and the words for them.

#![cfg(feature = "tensorflow")]

use nilometer_symbols::part::{Part, Parts, part};

fn of(frames: &[&str]) -> Option<Part> {
    let frames: Vec<(&str, &str)> = frames.iter().map(|name| (*name, "libtensorflow_cc.so.2")).collect();
    part(&frames, nilometer_frameworks::SYMBOLS)
}

fn words(frames: &[&str]) -> Option<String> {
    of(frames).map(|part| part.words)
}

const EAGER: [&str; 4] = [
    "tensorflow::KernelAndDeviceOp::Run(tensorflow::ScopedStepContainer*, tensorflow::EagerKernelArgs const&, std::vector<int>*)",
    "tensorflow::EagerKernelExecute(tensorflow::EagerContext*, absl::lts_20250814::InlinedVector<tensorflow::TensorHandle*, 4ul> const&)",
    "tensorflow::EagerExecute(tensorflow::EagerOperation*, tensorflow::TensorHandle**, int*)",
    "TFE_Py_FastPathExecute_C(_object*)",
];

fn eager<'a>(inner: &[&'a str]) -> Vec<&'a str> {
    inner.iter().copied().chain(EAGER).collect()
}

#[test]
fn a_kernel_names_its_op() {
    let frames = eager(&[
        "tsl::port::AlignedMalloc(unsigned long, std::align_val_t)",
        "tensorflow::Tensor::Tensor(tsl::Allocator*, tensorflow::DataType, tensorflow::TensorShape const&)",
        "tensorflow::OpKernelContext::allocate_output(int, tensorflow::TensorShape const&, tensorflow::Tensor**)",
        "tensorflow::MklMatMulOp<Eigen::ThreadPoolDevice, float, false>::Compute(tensorflow::OpKernelContext*)",
        "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)",
    ]);
    let part = of(&frames);
    assert_eq!(part, Some(Part { words: "op MatMul (kernel)".into(), op: Some("MatMul".into()) }));
}

#[test]
fn ops_are_named_as_they_are_registered_or_by_family() {
    for (frame, op) in [
        ("tensorflow::SaveV2::Compute(tensorflow::OpKernelContext*)", "SaveV2"),
        (
            "tensorflow::BiasOp<Eigen::ThreadPoolDevice, float>::Compute(tensorflow::OpKernelContext*)",
            "BiasAdd",
        ),
        (
            "tensorflow::(anonymous namespace)::ReadVariableOp::Compute(tensorflow::OpKernelContext*)",
            "ReadVariableOp",
        ),
        ("tensorflow::data::IteratorGetNextOp::DoCompute(tensorflow::OpKernelContext*)", "IteratorGetNext"),
        ("tensorflow::CastOpBase::Compute(tensorflow::OpKernelContext*)", "Cast"),
        (
            "tensorflow::BinaryOp<Eigen::ThreadPoolDevice, tensorflow::functor::mul<float> >::Compute(tensorflow::OpKernelContext*)",
            "Mul",
        ),
        (
            "tensorflow::BinaryOp<Eigen::ThreadPoolDevice, tensorflow::functor::bitwise_or<int> >::Compute(tensorflow::OpKernelContext*)",
            "elementwise",
        ),
        (
            "tensorflow::MklConvOp<Eigen::ThreadPoolDevice, float, float, float, float, float, int, false, false, false, true>::Compute(tensorflow::OpKernelContext*)",
            "convolution",
        ),
        (
            "tensorflow::ReductionOp<Eigen::ThreadPoolDevice, float, int, Eigen::internal::SumReducer<float> >::Compute(tensorflow::OpKernelContext*)",
            "reduction",
        ),
    ] {
        assert_eq!(of(&[frame]).and_then(|part| part.op).as_deref(), Some(op), "{frame}");
    }
}

#[test]
fn devices_and_bases_are_no_ops() {
    for frame in [
        "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)",
        "tensorflow::AsyncOpKernel::Compute(tensorflow::OpKernelContext*)",
        "mine::MatMulOp::Compute(tensorflow::OpKernelContext*)",
    ] {
        assert_eq!(of(&[frame]), None, "{frame}");
    }
}

#[test]
fn tf_data_is_named_by_its_dataset() {
    let shuffle = "tensorflow::data::ShuffleDatasetOpBase::ShuffleDatasetBase::Iterator::GetNextInternal(tensorflow::data::IteratorContext*, std::vector<tensorflow::Tensor>*, bool*)";
    let slice = "tensorflow::data::TensorSliceDatasetOp::Dataset::Iterator::GetNextInternal(tensorflow::data::IteratorContext*, std::vector<tensorflow::Tensor>*, bool*)";
    let next = "tensorflow::data::IteratorGetNextOp::DoCompute(tensorflow::OpKernelContext*)";
    let memory = "tensorflow::data::(anonymous namespace)::MemoryDatasetOp::Dataset::MemoryIterator::GetNextInternal(int)";
    assert_eq!(words(&[shuffle, next]).as_deref(), Some("tf.data: shuffle buffer"));
    assert_eq!(
        words(&[slice, shuffle, next]).as_deref(),
        Some("tf.data: from_tensor_slices"),
        "the maker, not the holder"
    );
    assert_eq!(words(&[memory]).as_deref(), Some("tf.data: cache in memory"));
    let map = "tensorflow::data::ParallelMapDatasetOp::Dataset::Iterator::CallFunction(int)";
    let mul = "tensorflow::BinaryOp<Eigen::ThreadPoolDevice, tensorflow::functor::mul<float> >::Compute(tensorflow::OpKernelContext*)";
    let part = of(&[mul, map]);
    assert_eq!(part, Some(Part { words: "tf.data: parallel map".into(), op: Some("Mul".into()) }));
}

#[test]
fn caches_and_libraries_are_things() {
    let cache = "tensorflow::MklPrimitiveFactory<float>::SetOp(std::__cxx11::basic_string<char> const&, tensorflow::MklPrimitive*)";
    let kernel =
        "tensorflow::MklConvOp<Eigen::ThreadPoolDevice, float>::Compute(tensorflow::OpKernelContext*)";
    let part = of(&eager(&["dnnl::impl::malloc(unsigned long, int)", cache, kernel]));
    assert_eq!(part, Some(Part { words: "oneDNN primitive cache".into(), op: Some("convolution".into()) }));
    assert_eq!(
        words(&eager(&["dnnl::impl::malloc(unsigned long, int)", kernel])).as_deref(),
        Some("op convolution (kernel)"),
        "working memory of a kernel is the kernel's"
    );
    assert_eq!(
        words(&["tensorflow::EagerContext::AddKernelToCache(tsl::Fprint128, tsl::core::RefCountPtr<tensorflow::KernelAndDevice>)"]).as_deref(),
        Some("eager kernel cache")
    );
    assert_eq!(
        words(&[
            "tensorflow::FunctionDef::CopyFrom(tensorflow::FunctionDef const&)",
            "tensorflow::FunctionLibraryDefinition::AddFunctionDef(tensorflow::FunctionDef const&)",
            "tensorflow::EagerContext::AddFunctionDef(tensorflow::FunctionDef const&)",
            "TFE_ContextAddFunction",
        ])
        .as_deref(),
        Some("function library")
    );
}

#[test]
fn the_work_nearest_to_the_memory_counts() {
    let remapper = "tensorflow::grappler::Remapper::Optimize(tensorflow::grappler::Cluster*, tensorflow::grappler::GrapplerItem const&, tensorflow::GraphDef*)";
    let init = "tensorflow::KernelAndDeviceFunc::InstantiateFunc(bool, tensorflow::NodeDef const&, tensorflow::GraphCollector*)";
    let cache = "tensorflow::(anonymous namespace)::GetOrCreateKernelAndDevice(tensorflow::EagerOperation*)";
    let pass = "tensorflow::EncapsulateSubgraphsPass::Run(tensorflow::GraphOptimizationPassOptions const&)";
    assert_eq!(
        words(&[remapper, init, cache]).as_deref(),
        Some("traced function: graph optimisation (Grappler)")
    );
    assert_eq!(
        words(&[pass, init, cache]).as_deref(),
        Some("traced function: graph passes before the first run")
    );
    assert_eq!(words(&[init, cache]).as_deref(), Some("traced function: made ready to run"));
    assert_eq!(
        words(&["tensorflow::Graph::AddNode(int)", "TF_FinishOperation"]).as_deref(),
        Some("graph of a traced function (tf.function)")
    );
    let llvm = "llvm::PassManager<llvm::Module, llvm::AnalysisManager<llvm::Module> >::run(llvm::Module&)";
    assert_eq!(
        words(&[llvm, "xla::cpu::IrCompiler::RunIrPasses(llvm::Module&)"]).as_deref(),
        Some("XLA compilation")
    );
    assert_eq!(words(&[llvm]).as_deref(), Some("compiler (LLVM)"));
}

#[test]
fn python_numpy_and_libraries() {
    let import = ["_PyEval_EvalFrameDefault", "PyImport_ImportModuleLevelObject", "Py_RunMain"];
    assert_eq!(words(&import).as_deref(), Some("Python: importing modules"));
    assert_eq!(
        words(&["default_malloc", "PyDataMem_UserNEW", "PyArray_NewFromDescr_int", "Py_RunMain"]).as_deref(),
        Some("NumPy array")
    );
    assert_eq!(
        words(&["_PyArena_New", "Py_CompileStringObject", "PyImport_ImportModuleLevelObject"]).as_deref(),
        Some("Python: compiling source code")
    );
    let hdf5 = part(
        &[("", "/env/h5py.libs/libhdf5-346dbb74.so.320.0.0"), ("Py_RunMain", "/usr/bin/python3")],
        nilometer_frameworks::SYMBOLS,
    );
    assert_eq!(hdf5.map(|part| part.words).as_deref(), Some("HDF5 file"));
}

#[test]
fn what_nobody_knows_has_no_part() {
    assert_eq!(of(&[]), None);
    assert_eq!(of(&["", "bytes_repeat", "_PyEval_EvalFrameDefault", "Py_RunMain", "main"]), None);
    assert_eq!(of(&["leak_some(int)", "std::thread::_Invoker<int>::operator()()"]), None);
    assert_eq!(of(&["H", "PyArraySomething", "mine::Graph::run()", "(((", "<", "::"]), None);
}

#[test]
fn remembering_changes_nothing() {
    let mut parts = Parts::new(nilometer_frameworks::SYMBOLS);
    let frames = [("tensorflow::SaveV2::Compute(tensorflow::OpKernelContext*)", ""), ("", "libhdf5.so")];
    let first = parts.part(&frames);
    assert_eq!(first, parts.part(&frames));
    assert_eq!(first, part(&frames, nilometer_frameworks::SYMBOLS));
}
