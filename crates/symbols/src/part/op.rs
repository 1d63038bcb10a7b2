//! The op of a kernel's frame.
//!
//! In: a frame's full name and path. Out: the op's registered name, or its family. TensorFlow names most
//! kernels after their op: `SaveV2::Compute`, `MatMulOp<...>::Compute`. The tables list the common
//! exceptions. For a kernel in neither, the class's name is used: close to its op's, and true of the kernel.

/// Kernels whose class is not the op's name plus `Op`.
const OPS_BY_CLASS: &[(&str, &str)] = &[
    ("ArgOp", "_Arg"),
    ("RetvalOp", "_Retval"),
    ("AvgPoolingOp", "AvgPool"),
    ("AvgPoolingGradOp", "AvgPoolGrad"),
    ("MaxPoolingOp", "MaxPool"),
    ("MaxPoolingV2Op", "MaxPoolV2"),
    ("MaxPoolingGradOp", "MaxPoolGrad"),
    ("MaxPoolingWithArgmaxOp", "MaxPoolWithArgmax"),
    ("BiasOp", "BiasAdd"),
    ("BiasGradOp", "BiasAddGrad"),
    ("ConstantOp", "Const"),
    ("NoOp", "NoOp"),
    ("SwitchNOp", "_SwitchN"),
    ("Conv3DCustomBackpropFilterOp", "Conv3DBackpropFilterV2"),
    ("Conv3DCustomBackpropInputOp", "Conv3DBackpropInputV2"),
    ("AdjustContrastOpv2", "AdjustContrastv2"),
    ("MaxPoolingGradGradOp", "MaxPoolGradGrad"),
    ("MaxPoolingGradWithArgmaxOp", "MaxPoolGradWithArgmax"),
    ("DilationOp", "Dilation2D"),
    ("ToSingleElementOp", "DatasetToSingleElement"),
    ("TensorArrayPackOrGatherOp", "TensorArrayGather"),
    ("TensorArrayUnpackOrScatterOp", "TensorArrayScatter"),
    ("StatefulSampleDistortedBoundingBoxOp", "SampleDistortedBoundingBox"),
    ("ClipOp", "ClipByValue"),
    ("Conv2DCustomBackpropFilterOp", "Conv2DBackpropFilter"),
    ("Conv2DCustomBackpropInputOp", "Conv2DBackpropInput"),
    ("EigenConcatBaseOp", "Concat"),
    ("ConcatBaseOp", "Concat"),
    ("FusedBatchNormOpV3", "FusedBatchNormV3"),
    ("FusedBatchNormGradOpV3", "FusedBatchNormGradV3"),
    ("FusedConv2DOp", "_FusedConv2D"),
    ("FusedMatMulOp", "_FusedMatMul"),
    ("ResizeBilinearOpGrad", "ResizeBilinearGrad"),
    ("ResizeNearestNeighborOpGrad", "ResizeNearestNeighborGrad"),
    ("ResizeBicubicOpGrad", "ResizeBicubicGrad"),
    ("SoftmaxXentWithLogitsOp", "SoftmaxCrossEntropyWithLogits"),
    ("SparseSoftmaxXentWithLogitsOp", "SparseSoftmaxCrossEntropyWithLogits"),
    ("SplitOpCPU", "Split"),
    ("SplitVOpCPU", "SplitV"),
    ("WhereCPUOp", "Where"),
    ("DynamicStitchOpImplCPU", "DynamicStitch"),
    ("ReadVariablesOp", "_ReadVariablesOp"),
    ("IteratorHandleOp", "IteratorV2"),
    ("SummaryTensorOpV2", "TensorSummaryV2"),
    ("SummaryTensorOp", "TensorSummary"),
    ("SummaryImageOp", "ImageSummary"),
    ("SummaryAudioOp", "AudioSummary"),
    ("XlaRunOp", "_XlaRun"),
    ("XlaCompileOp", "_XlaCompile"),
    ("PyFuncOp", "PyFunc"),
    // Registered with `Op` in their own name.
    ("ReadVariableOp", "ReadVariableOp"),
    ("AssignVariableOp", "AssignVariableOp"),
    ("AssignUpdateVariableOp", "assignment to a variable"),
    ("VarHandleOp", "VarHandleOp"),
    ("DestroyResourceOp", "DestroyResourceOp"),
    ("VarIsInitializedOp", "VarIsInitializedOp"),
];

/// Kernels that serve several ops; the name does not say which. `*` stands for any ending.
const FAMILIES: &[(&str, &str)] = &[
    ("MklConv*", "convolution"),
    ("MklFusedConv*", "convolution"),
    ("MklQuantizedConv*", "convolution"),
    ("MklFusedMatMul*", "matrix product"),
    ("MklAvgPooling*", "average pooling"),
    ("MklMaxPooling*", "maximum pooling"),
    ("MklEltwise*", "activation"),
    ("BaseBatchMatMul*", "batch matrix product"),
    ("BatchMatMulMkl*", "batch matrix product"),
    ("ReductionOp", "reduction"),
    ("SegmentReductionOp", "reduction by segments"),
    ("UnsortedSegmentReductionOp", "reduction by segments"),
    ("SparseSegmentReduction*", "reduction by segments"),
    ("ScanOp", "cumulative sum or product"),
    ("UnaryElementWiseOp", "elementwise"),
    ("BinaryElementWiseOp", "elementwise"),
    ("UnaryOpsComposition", "elementwise"),
    ("SimpleBinaryOp", "elementwise"),
    ("UnaryOp", "elementwise"),
    ("BinaryOp", "elementwise"),
    ("UnaryVariantOp", "elementwise on a variant"),
    ("DenseUpdateOp", "assignment to a variable"),
    ("PhiloxRandomOp", "random numbers"),
    ("StatefulRandomOp*", "random numbers"),
    ("StatelessRandomOp*", "random numbers"),
    ("LinearAlgebraOp", "linear algebra"),
    ("LookupTableOp", "lookup table"),
    ("AnonymousLookupTableOp", "lookup table"),
    ("TensorScatterOp", "scatter"),
    ("Pooling3DOp", "pooling in 3D"),
    ("QueueOp", "queue"),
    ("ResourceHandle*", "handle of a resource"),
    ("AnonymousResourceOp", "handle of a resource"),
    ("XlaLocalLaunchBase", "XLA launch"),
];

/// The op that the functor of an elementwise kernel computes.
const FUNCTORS: &[(&str, &str)] = &[
    ("add", "AddV2"),
    ("sub", "Sub"),
    ("mul", "Mul"),
    ("div", "RealDiv"),
    ("div_no_nan", "DivNoNan"),
    ("maximum", "Maximum"),
    ("minimum", "Minimum"),
    ("pow", "Pow"),
    ("squared_difference", "SquaredDifference"),
    ("equal_to", "Equal"),
    ("not_equal_to", "NotEqual"),
    ("greater", "Greater"),
    ("greater_equal", "GreaterEqual"),
    ("less", "Less"),
    ("less_equal", "LessEqual"),
    ("logical_and", "LogicalAnd"),
    ("logical_or", "LogicalOr"),
    ("logical_not", "LogicalNot"),
    ("abs", "Abs"),
    ("neg", "Neg"),
    ("exp", "Exp"),
    ("log", "Log"),
    ("log1p", "Log1p"),
    ("sqrt", "Sqrt"),
    ("rsqrt", "Rsqrt"),
    ("square", "Square"),
    ("sigmoid", "Sigmoid"),
    ("sigmoid_grad", "SigmoidGrad"),
    ("tanh", "Tanh"),
    ("tanh_grad", "TanhGrad"),
    ("erf", "Erf"),
    ("floor", "Floor"),
    ("sign", "Sign"),
];

/// The op whose kernel a frame is; a family in lower case if the kernel serves several.
pub(super) fn of(name: &str, path: &[String]) -> Option<String> {
    let class = kernel(name, path)?;
    if matches!(class, "BinaryOp" | "UnaryOp" | "SimpleBinaryOp") {
        let functor =
            name.split("tensorflow::functor::").nth(1).and_then(|rest| rest.split(['<', ',', '>']).next());
        let known = FUNCTORS.iter().find(|(known, _)| Some(*known) == functor);
        if let Some((_, op)) = known {
            return Some((*op).to_owned());
        }
    }
    if let Some((_, op)) = OPS_BY_CLASS.iter().find(|(known, _)| *known == class) {
        return Some((*op).to_owned());
    }
    let family =
        |known: &str| known.strip_suffix('*').map_or(class == known, |begin| class.starts_with(begin));
    if let Some((_, words)) = FAMILIES.iter().find(|(known, _)| family(known)) {
        return Some((*words).to_owned());
    }
    let plain = class.strip_prefix("MklNative").or_else(|| class.strip_prefix("Mkl")).unwrap_or(class);
    let plain = CLASS_SUFFIXES.iter().find_map(|end| plain.strip_suffix(end)).unwrap_or(plain);
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// Suffixes of a kernel's class behind the op's name; the longer first.
const CLASS_SUFFIXES: [&str; 7] = ["OpKernel", "OpBase", "BaseOp", "CPUOp", "OpCpu", "Kernel", "Op"];
/// Methods with a kernel's own code. A device's `Compute` is different: it takes the kernel first.
const COMPUTE_METHODS: [&str; 3] = ["Compute", "ComputeAsync", "DoCompute"];
/// Base classes that only call a kernel's own code, one frame further in.
const BASE_CLASSES: [&str; 8] = [
    "OpKernel",
    "AsyncOpKernel",
    "XlaOpKernel",
    "HybridAsyncOpKernel",
    "UnaryDatasetOpKernel",
    "QueueOpKernel",
    "ReaderOpKernel",
    "ResourceOpKernel",
];

/// The class of a kernel that is computing: `tensorflow::…::Class::Compute(tensorflow::OpKernelContext*…)`.
fn kernel<'a>(name: &str, path: &'a [String]) -> Option<&'a str> {
    if path.first().map(String::as_str) != Some("tensorflow") {
        return None;
    }
    let at = path.iter().rposition(|part| COMPUTE_METHODS.contains(&part.as_str()))?;
    let class = path.get(at.checked_sub(1)?)?.as_str();
    let computes = name.contains("Compute(tensorflow::OpKernelContext*")
        || name.contains("ComputeAsync(tensorflow::OpKernelContext*");
    // Functors, which kernels are made of, have a `Compute`, too.
    let piece = path.get(1).is_some_and(|part| part == "functor");
    (computes && !piece && !BASE_CLASSES.contains(&class)).then_some(class)
}
