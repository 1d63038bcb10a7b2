//! What a run said of its fits: facts of its capture, which `python/nilometer/plan` writes.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One `fit` that was ended after a few steps. Bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Fit {
    /// The batch that the program asks for; none where its data come batched.
    pub own: Option<u64>,
    /// The batch that it ran with.
    pub batch: Option<u64>,
    /// Samples to train with.
    pub samples: Option<u64>,
    /// What makes the batches, where that is not `fit`.
    pub batched: Option<String>,
    /// The highest resident memory from its begin to the end of its first step: the pipeline is made, functions are traced.
    pub making: u64,
    /// The highest resident memory from there to its end.
    pub peak: u64,
    /// Pages of files and shared memory at its end.
    pub files: u64,
    /// Steps that it took.
    pub steps: u64,
    /// It has a GPU.
    pub gpu: bool,
    /// What Keras computes with.
    pub backend: String,
    /// Weights, also those that are not trained.
    pub weights: u64,
    /// Weights that are trained: each has a gradient of its size.
    pub gradients: u64,
    /// What the optimizer keeps.
    pub slots: u64,
    /// Copies of the data that `fit` keeps.
    pub copies: u64,
}

/// The program outside of its fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct Outside {
    peak: u64,
    /// The kernel counts peaks anew when it is asked to.
    reset: bool,
}

/// All that one run said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Its fits, in order.
    pub fits: Vec<Fit>,
    /// The highest resident memory outside of its fits; none where the program was ended before it could say.
    pub outside: Option<u64>,
    /// Peaks could not be told apart.
    pub blurred: bool,
}

impl Told {
    /// Reads facts.
    pub fn of(facts: &BTreeMap<String, String>) -> Self {
        let fits = (1..).map_while(|number| facts.get(&format!("plan.fit.{number}")));
        let outside: Option<Outside> =
            facts.get("plan.outside").and_then(|text| serde_json::from_str(text).ok());
        Self {
            fits: fits.filter_map(|text| serde_json::from_str(text).ok()).collect(),
            outside: outside.map(|outside| outside.peak),
            blurred: outside.is_some_and(|outside| !outside.reset),
        }
    }

    /// The fit that takes the most.
    pub fn largest(&self) -> Option<&Fit> {
        self.fits.iter().max_by_key(|fit| fit.peak)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_in_order_and_the_largest_fit_is_found() {
        let fit = |peak: u64| {
            format!(
                r#"{{"own":32,"batch":4,"samples":100,"batched":null,"making":3,"peak":{peak},"files":1,"steps":3,"gpu":false,
                "backend":"tensorflow","weights":8,"gradients":8,"slots":16,"copies":0}}"#
            )
        };
        let facts = [("plan.fit.1", fit(5)), ("plan.fit.2", fit(9)), ("plan.fit.3", fit(7))];
        let mut facts: BTreeMap<_, _> = facts.map(|(key, text)| (key.to_owned(), text)).into();
        facts.insert("plan.outside".to_owned(), r#"{"peak":4,"reset":true}"#.to_owned());
        let told = Told::of(&facts);
        assert_eq!((told.fits.len(), told.outside, told.blurred), (3, Some(4), false));
        assert_eq!(told.largest().unwrap().peak, 9);
        assert_eq!(Told::of(&BTreeMap::new()), Told::default());
    }
}
