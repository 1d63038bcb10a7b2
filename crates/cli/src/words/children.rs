//! What is said of children that have captures of their own.

/// The fact of a child whose capture has no place; a loss.
pub(crate) const TAKEN: &str =
    "a child was not recorded, as an older capture has the name of its own: -o gives them all another";

/// A child that the job's report blames; `leak` is its verdict, `capture` its name as one would type it.
pub(crate) fn blamed(pid: u32, role: &str, leak: Option<&str>, capture: &str) -> String {
    let leak = leak.map_or(String::new(), |leak| format!("{leak}\n    "));
    format!("Child {pid} ({role}): {leak}nilometer report {capture}\n")
}

/// One line for those that nobody has to look at; none where there are none. `together`: the job's report judges their lives as one.
pub(crate) fn harmless(no_leak: usize, undecided: usize, together: bool) -> String {
    let count = no_leak + undecided;
    let it = if count == 1 { "it" } else { "them" };
    let said = match (no_leak, undecided) {
        (0, 0) => return String::new(),
        _ if together => "their lives are judged together".to_owned(),
        (_, 0) => format!("no leak in {it}"),
        (0, _) => "undecided".to_owned(),
        _ => format!("no leak in {no_leak}, undecided in {undecided}"),
    };
    let who =
        if count == 1 { "a forked child was".to_owned() } else { format!("{count} forked children were") };
    format!("Children: {who} recorded: {said}\n")
}
