//! By which the page's policy names the one script and the one style that may run.
//!
//! In: a text. Out: its source expression in a content security policy. What must not happen here: use for secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// `sha256-` and the digest in base64, as a policy wants it.
pub(super) fn source(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn a_policy_gets_the_digest_of_the_standard() {
        assert_eq!(source("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
