//! What to do about an error: a field of its own beside the words of `error`.

use crate::error::{CreateError, JoinError, OpenError};

const RECORD: &str = "start the program with `nilometer run`";
const COPY_AGAIN: &str = "copy it again from where it was made, or record again";

impl CreateError {
    /// What to do next.
    pub fn hint(&self) -> String {
        let fixed = match self {
            Self::Exists { .. } => "choose another name, or allow it to be overwritten",
            Self::IsFolder { path } => {
                return format!("name a file in it, such as {}", path.join("run.nilo").display());
            }
            Self::NotOurs { .. } => "choose another name, or remove it yourself",
            Self::NoFolder { .. } => "make it first, or choose another",
            Self::ReadOnly { .. } => "choose a folder that you can write to",
            Self::NoSpace { .. } => "free some space, or choose a folder on another disk",
            Self::FileSizeLimit { .. } => "raise it with `ulimit -f`",
            Self::Other { .. } => "choose another place for the capture",
        };
        fixed.to_owned()
    }
}

impl JoinError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } | Self::NotACapture { .. } => RECORD,
            Self::OtherVersion { .. } => "use one version inside and outside of the program",
            Self::Other { .. } => "check that you can write to the capture",
        }
    }
}

impl OpenError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "check the name",
            Self::IsFolder { .. } => "name the capture file in it",
            Self::NotPermitted { .. } => "ask its owner, or change it with `chmod`",
            Self::Empty { .. } => "record again with `nilometer run`",
            Self::NotACapture { .. } => "name a file that `nilometer run` made (.nilo)",
            Self::Truncated { .. } | Self::Damaged { .. } => COPY_AGAIN,
            Self::Newer { .. } => "update nilometer",
            Self::Other { .. } => "check the disk it is on, or copy it elsewhere",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_happened_and_its_hint_what_to_do() {
        let path = std::path::PathBuf::from("x");
        let open = OpenError::Missing { path: path.clone() };
        assert_eq!((open.to_string(), open.hint()), ("there is no file x".to_owned(), "check the name"));
        let create = CreateError::IsFolder { path };
        assert_eq!(create.to_string(), "x is a folder");
        assert_eq!(create.hint(), "name a file in it, such as x/run.nilo");
    }
}
