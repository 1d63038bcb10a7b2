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
    /// What `LD_PRELOAD` was; paths need not be text.
    pub(crate) preload: Option<Vec<u8>>,
}

impl Default for Config {
    fn default() -> Self {
        Self { sample: 512 << 10, overhead: 0.02, children: false, alone: false, run: None, preload: None }
    }
}

impl Config {
    pub(crate) fn read(text: &[u8]) -> Self {
        const PRELOAD: &[u8] = b"preload=";
        let mut config = Self::default();
        // The last of them, up to the end: it may hold commas.
        let at = text.windows(PRELOAD.len()).position(|word| word == PRELOAD);
        let (settings, preload) = text.split_at(at.unwrap_or(text.len()));
        config.preload = preload.strip_prefix(PRELOAD).map(<[u8]>::to_vec);
        let settings = String::from_utf8_lossy(settings);
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
        let config = Config::read(
            b"sample=65536,overhead=0.05,children=1,run=77,alone=1,new=x,preload=/a.so:/b,c\xff.so",
        );
        let expected = Config {
            sample: 65536,
            overhead: 0.05,
            children: true,
            alone: true,
            run: Some("77".to_owned()),
            preload: Some(b"/a.so:/b,c\xff.so".to_vec()),
        };
        assert_eq!(config, expected);
        assert_eq!(Config::read(b"sample=1024,preload=").preload.as_deref(), Some(&b""[..]));
        assert_eq!(Config::read(b"preload=x").preload.as_deref(), Some(&b"x"[..]));
    }

    #[test]
    fn nonsense_is_as_if_it_were_not_there() {
        assert_eq!(Config::read(b"sample=much,overhead=NaN,,=,x"), Config::default());
        assert_eq!(Config::read(b"sample=1,overhead=7").sample, 1024);
    }
}
