//! Functions that a framework traces or compiles again and again, as causes ask about them.
//!
//! In: such a function, with what differed between two traces. Out: what the difference speaks for, the line of the call. What must not
//! happen here: what helps, which is the framework's to say.

use super::{Explanation, MAX_TRACE_BYTES, Run};
use crate::report::{Retraced, Site};

/// What the difference between two traces speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// Texts among the arguments.
    Texts,
    /// Python's numbers among the arguments.
    Scalars,
    /// Shapes of arguments.
    Shapes,
    /// Methods of new objects.
    Methods,
    /// New functions.
    Functions,
}

impl Differs {
    /// What it is of a function; `None` where that is not known.
    pub fn of(function: &Retraced) -> Option<Self> {
        let why = function.why.as_str();
        let of_argument = is_argument(function);
        Some(match () {
            () if of_argument && why.contains("(a Python str)") => Self::Texts,
            () if of_argument && why.contains("(a Python ") => Self::Scalars,
            () if of_argument && why.contains("shape") => Self::Shapes,
            () if of_argument && is_another(why, &["method", "Function"]) => Self::Methods,
            () if why.contains("argument 'self' was another ") => Self::Methods,
            () if of_argument && is_another(why, &["function", "partial"]) => Self::Functions,
            () if why.contains("method of a new object") => Self::Methods,
            () if ["new function object", "new lambda", "wrapped by tf.function", "wrapped anew"]
                .iter()
                .any(|w| why.contains(w)) =>
            {
                Self::Functions
            }
            () => return None,
        })
    }

    /// The cause of that name.
    pub fn cause(self) -> &'static str {
        match self {
            Self::Texts | Self::Scalars => "retraced-by-scalars",
            Self::Shapes => "retraced-by-shapes",
            Self::Methods => "retraced-by-methods",
            Self::Functions => "retraced-by-functions",
        }
    }
}

/// Whether an argument was another object of one of these types.
fn is_another(why: &str, types: &[&str]) -> bool {
    why.split("; ")
        .any(|said| said.split_once(" was another ").is_some_and(|(_, kind)| types.contains(&kind)))
}

/// Whether it was an argument that differed, and not the function.
pub fn is_argument(function: &Retraced) -> bool {
    function.why.starts_with("argument ")
}

/// The function's name without what it is defined in.
pub fn short(function: &Retraced) -> &str {
    function.function.rsplit("<locals>.").next().unwrap_or(&function.function)
}

/// The line of the program that called the function when it was traced.
pub fn called_at(function: &Retraced) -> Option<Site> {
    (function.caller_line > 0).then(|| Site {
        role: "made_at",
        file: function.caller_file.clone(),
        line: u32::try_from(function.caller_line).unwrap_or(0),
        function: String::new(),
        bytes_per_cycle: 0,
        text: None,
        inside: None,
    })
}

/// For a run whose traces pile up unexplained: the first function of which it is known what differed, its cause, and what its traces may weigh per
/// cycle, `left` bytes at most.
pub fn most_traced(
    run: Run,
    left: f64,
    said: impl Fn(&Retraced, Differs) -> Explanation,
) -> Option<(&'static str, Explanation, f64)> {
    run.retraced.iter().find_map(|function| {
        let differs = Differs::of(function)?;
        let bytes = left.min(function.per_cycle * MAX_TRACE_BYTES);
        Some((differs.cause(), said(function, differs), bytes))
    })
}
