//! What would shrink a part of the peak.

pub(crate) const WEIGHTS: &str = "fewer or narrower layers";
pub(crate) const OPTIMIZER: &str = "an optimizer that keeps less: SGD, Adafactor, Lion";
pub(crate) const GRADIENTS: &str = "fewer trained layers";
pub(crate) const COPIES: &str = "tf.data or a PyDataset in place of arrays";
pub(crate) const ACTIVATIONS: &str = "a smaller batch, smaller inputs";
pub(crate) const FILES: &str = "fewer imports; the kernel can take these pages back";
pub(crate) const REST: &str = "fewer imports, and data that the program holds itself";
