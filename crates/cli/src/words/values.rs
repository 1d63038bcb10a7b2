//! What is wrong with a word on the command line, by what would be right.

pub(crate) fn size() -> String {
    "a size is a number, alone or with K, M or G behind it, such as 512K".to_owned()
}

/// Of the mean distance of samples; `least` in bytes.
pub(crate) fn sample(least: u64) -> String {
    format!("the least is {least} bytes (1K)")
}

/// Of how much of a capture is kept.
pub(crate) fn keep() -> String {
    "a size from 4M to 1G, or all".to_owned()
}

pub(crate) fn share() -> String {
    "a share is a number of percent, such as 2 or 2%".to_owned()
}

/// `most` in percent.
pub(crate) fn share_range(most: f64) -> String {
    format!("a share is more than 0 and at most {most} percent")
}

pub(crate) fn package() -> String {
    "a package, as `import` names it: acme_train".to_owned()
}

pub(crate) fn jobs() -> String {
    "a number from 1 to 64".to_owned()
}

pub(crate) fn time() -> String {
    "a time, as 90s, 10m or 1h".to_owned()
}

pub(crate) fn time_range() -> String {
    "a time from 1 second to 11 days, as 90s, 10m or 1h".to_owned()
}

/// `wrong` is what is wrong with it as a size.
pub(crate) fn reserve(wrong: &str) -> String {
    format!("auto, or a size: {wrong}")
}

pub(crate) fn address() -> String {
    "an address is a number and a port, such as 127.0.0.1:9464 or [::1]:9464".to_owned()
}

pub(crate) fn endpoint() -> String {
    "an endpoint is http://HOST:PORT, such as http://localhost:4318".to_owned()
}

pub(crate) fn no_tls() -> String {
    "https is not supported; send to a collector on this machine, which can pass it on".to_owned()
}
