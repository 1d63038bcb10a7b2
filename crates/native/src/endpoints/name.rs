//! The name of an endpoint: `POST /score`.
//!
//! In: a method, and a route or the path that was asked for. Out: a name in which numbers and ids of a path are `*`. Pure. What must not
//! happen here: what somebody was asked for in a name, such as a query or a key.

/// Letters of a route or path that count.
const MAX_LENGTH: usize = 120;
/// Segments of a path that are longer say whom or what, not which kind.
const MAX_WORD: usize = 32;
/// Hexadecimal segments from this length on are ids.
const MIN_HEX: usize = 8;
/// Stands for what changes.
const CHANGING: char = '*';

/// What is asked for to see whether the service lives, wherever it lies.
const HEALTH: [&str; 10] = [
    "health",
    "healthz",
    "healthcheck",
    "health-check",
    "health_check",
    "_health",
    "readyz",
    "livez",
    "readiness",
    "liveness",
];
/// The same, where it is all of the path.
const HEALTH_ALONE: [&str; 14] = [
    "ready",
    "live",
    "alive",
    "ping",
    "metrics",
    "favicon.ico",
    "robots.txt",
    "startup",
    "startupz",
    "-/healthy",
    "-/ready",
    "health/live",
    "health/ready",
    "health/startup",
];

/// What gRPC has for the same; its standard names the service, and its methods `Check` and `Watch`.
const HEALTH_OF_GRPC: &str = "/grpc.health.v1.Health/";

/// Whether this asks only whether the service lives, or what any browser and collector asks for by itself.
pub(crate) fn is_health_check(method: &str, path: &str) -> bool {
    if method == "gRPC" {
        return path.starts_with(HEALTH_OF_GRPC);
    }
    if !["GET", "HEAD"].iter().any(|reads| method.eq_ignore_ascii_case(reads)) {
        return false;
    }
    let path = path.split('?').next().unwrap_or_default().trim_matches(['/', '^', '$']);
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_one_of = |names: &[&str], name: &str| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    is_one_of(&HEALTH, last) || is_one_of(&HEALTH_ALONE, path)
}

/// By the route that a framework found; Django's begin without a slash.
pub(crate) fn of_route(method: &str, route: &str) -> String {
    let slash = if route.starts_with(['/', '(', '^']) { "" } else { "/" };
    named(method, &format!("{slash}{route}"))
}

/// By the path that was asked for.
pub(crate) fn of_path(method: &str, path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let segments: Vec<String> = path.split('/').map(masked).collect();
    named(method, &segments.join("/"))
}

/// By a name that the program or a queue of tasks gave.
pub(crate) fn of_word(word: &str) -> String {
    let length = word.floor_char_boundary(MAX_LENGTH);
    let cut = if length < word.len() { "…" } else { "" };
    let mut name = word.get(..length).unwrap_or_default().to_owned() + cut;
    name.retain(|letter| !letter.is_control());
    name
}

fn named(method: &str, place: &str) -> String {
    let place = if place.is_empty() { "/" } else { place };
    of_word(&format!("{method} {place}"))
}

/// A segment without its numbers; nothing of it where it is an id.
fn masked(segment: &str) -> String {
    let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
    let is_hex = segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_strange = |letter: char| matches!(letter, '%' | '@' | '=' | ':' | '+') || !letter.is_ascii();
    let is_id = has_digit && is_hex && segment.len() >= MIN_HEX
        || segment.len() > MAX_WORD
        || segment.chars().any(is_strange);
    if is_id {
        return CHANGING.to_string();
    }
    if is_version(segment) {
        return segment.to_owned();
    }
    let mut out = String::with_capacity(segment.len());
    for letter in segment.chars() {
        match letter {
            '0'..='9' if out.ends_with(CHANGING) => {}
            '0'..='9' => out.push(CHANGING),
            _ => out.push(letter),
        }
    }
    out
}

/// `v1`, `v12`: a part of the name.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix(['v', 'V']).is_some_and(|number| {
        (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_what_changes() {
        for (path, name) in [
            ("", "GET /"),
            ("/", "GET /"),
            ("/score", "GET /score"),
            ("/items/17?page=2", "GET /items/*"),
            ("/api/v2/users/3f2a9c10-1b2c-4d5e-8f90-a1b2c3d4e5f6/cart", "GET /api/v2/users/*/cart"),
            ("/report-2024-11.pdf", "GET /report-*-*.pdf"),
            ("/deadbeef", "GET /deadbeef"),
            ("/dead1eef", "GET /*"),
            ("/users/anna@example.com", "GET /users/*"),
            ("/reset/aGVsbG8gd29ybGQgdGhpcyBpcyBsb25nIGFuZCBzZWNyZXQ", "GET /reset/*"),
            ("/a%20b/c", "GET /*/c"),
            ("/grüße/c", "GET /*/c"),
        ] {
            assert_eq!(of_path("GET", path), name, "{path}");
        }
        assert!(of_path("GET", &"/ab".repeat(500)).len() < 140);
    }

    #[test]
    fn a_route_as_it_is_written() {
        assert_eq!(of_route("POST", "/items/<int:id>"), "POST /items/<int:id>");
        assert_eq!(of_route("GET", "items/<int:pk>/"), "GET /items/<int:pk>/");
        assert_eq!(of_route("GET", "/items/{item_id}"), "GET /items/{item_id}");
        assert_eq!(of_route("GET", "(no route)"), "GET (no route)");
        assert_eq!(of_route("GET", ""), "GET /");
    }

    #[test]
    fn a_health_check_is_none_of_the_requests() {
        for path in
            ["/health", "/healthz/", "/api/v1/health", "/ready", "/metrics", "/favicon.ico", "/Ping?x=1"]
        {
            assert!(is_health_check("GET", path), "{path}");
        }
        for path in ["/", "/healthy-food", "/video/live", "/users/ready", "/health/report", "/api/metrics"] {
            assert!(!is_health_check("GET", path), "{path}");
        }
        assert!(is_health_check("HEAD", "healthz"));
        assert!(!is_health_check("POST", "/health"));
        assert!(is_health_check("gRPC", "/grpc.health.v1.Health/Check"));
        assert!(is_health_check("gRPC", "/grpc.health.v1.Health/Watch"));
        assert!(!is_health_check("gRPC", "/shop.v1.Health/Check"));
        assert!(!is_health_check("gRPC", "/health"));
    }
}
