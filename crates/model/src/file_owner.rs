//! Whose code a file is.

/// Who wrote a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileOwner {
    /// The user, or the user's team.
    User,
    /// Somebody whose package was installed, or a framework wherever it lies.
    Library,
    /// Python itself, or a program that made the code at run time.
    Python,
    /// This tool.
    Ours,
    /// No file is known.
    #[default]
    Unknown,
}

impl FileOwner {
    /// Its word in reports: what is neither the user's nor a library's is nobody's to change.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Library => "library",
            Self::Python | Self::Ours | Self::Unknown => "standard",
        }
    }
}
