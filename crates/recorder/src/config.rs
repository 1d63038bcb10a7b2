//! What the recorder was asked to do.
//!
//! In: the private variable. Out: numbers within bounds. What is not understood is as if it were not there.

/// What `_NILOMETER_RECORDER` says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// Mean bytes between samples to begin with.
    pub(crate) sample: u32,
    /// Share of the CPU time that recording may take.
    pub(crate) overhead: f64,
    /// Children are recorded too.
    pub(crate) children: bool,
    /// Nobody else takes the private variables out of the environment.
    pub(crate) alone: bool,
    /// Which run this is, for the captures of children.
    pub(crate) run: Option<String>,
    /// What `LD_PRELOAD` was.
    pub(crate) preload: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { sample: 512 << 10, overhead: 0.02, children: false, alone: false, run: None, preload: None }
    }
}

impl Config {
    pub(crate) fn read(text: &str) -> Self {
        let mut config = Self::default();
        let (settings, preload) = match text.strip_prefix("preload=") {
            Some(preload) => ("", Some(preload)),
            None => match text.split_once(",preload=") {
                Some((settings, preload)) => (settings, Some(preload)),
                None => (text, None),
            },
        };
        config.preload = preload.map(str::to_owned);
        for (key, value) in settings.split(',').filter_map(|setting| setting.split_once('=')) {
            match key {
                "sample" => {
                    let sample = value.parse().unwrap_or(u64::from(config.sample));
                    config.sample = sample.clamp(1024, 64 << 20) as u32;
                }
                "overhead" => {
                    let overhead = value.parse().ok().filter(|share: &f64| share.is_finite());
                    config.overhead = overhead.unwrap_or(config.overhead).clamp(0.0005, 0.5);
                }
                "children" => config.children = value == "1",
                "alone" => config.alone = value == "1",
                "run" => config.run = Some(value.to_owned()),
                _ => {}
            }
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_the_supervisor_says() {
        let config =
            Config::read("sample=65536,overhead=0.05,children=1,run=77,alone=1,new=x,preload=/a.so:/b,c.so");
        let expected = Config {
            sample: 65536,
            overhead: 0.05,
            children: true,
            alone: true,
            run: Some("77".to_owned()),
            preload: Some("/a.so:/b,c.so".to_owned()),
        };
        assert_eq!(config, expected);
        assert_eq!(Config::read("sample=1024,preload=").preload.as_deref(), Some(""));
        assert_eq!(Config::read("preload=x").preload.as_deref(), Some("x"));
    }

    #[test]
    fn nonsense_is_as_if_it_were_not_there() {
        assert_eq!(Config::read("sample=much,overhead=NaN,,=,x"), Config::default());
        assert_eq!(Config::read("sample=1,overhead=7").sample, 1024);
    }
}
