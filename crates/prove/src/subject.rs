//! Whose growth the experiments are about: the program's own memory, or what a framework has in use on a device.
//!
//! In: the report of the first run. Out: the subject of all runs. What must not happen here: a device chosen while the program itself leaks:
//! its own memory is what ends it.

use nilometer_diagnose::Report;

/// What all runs of one proof are measured by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The program's own memory.
    #[default]
    Program,
    /// What tensors of this framework have in use on this device.
    Device {
        /// As reports name it: `GPU 0`.
        name: String,
        /// As reports name it: `PyTorch`.
        framework: &'static str,
    },
}

impl Subject {
    /// The device that makes the verdict a leak, if one does and it grows by the program's own cycles.
    pub fn of(report: &Report) -> Self {
        match report.device_that_leaks() {
            Some((device, growth)) if growth.unit == report.cycles.unit => {
                Self::Device { name: device.name.clone(), framework: device.framework }
            }
            _ => Self::Program,
        }
    }

    /// The name of the device, if it is one.
    pub fn device(&self) -> Option<&str> {
        match self {
            Self::Program => None,
            Self::Device { name, .. } => Some(name),
        }
    }
}
