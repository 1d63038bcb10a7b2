//! The op of a kernel's frame.
//!
//! In: a frame's full name and path. Out: the op's registered name, or its family. TensorFlow names most
//! kernels after their op: `SaveV2::Compute`, `MatMulOp<...>::Compute`. [`super::op_names`] lists the common
//! exceptions. For a kernel that is not there, the class's name is used: close to its op's, and true of the
//! kernel.

use super::op_names::{FAMILIES, FUNCTORS, OPS_BY_CLASS};

/// The op whose kernel a frame is; a family in lower case if the kernel serves several.
pub(crate) fn of(name: &str, path: &[String]) -> Option<String> {
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
