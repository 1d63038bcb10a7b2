//! Takes out of a report what its owner may not want to show: folders, arguments, lines of source, what was lost where.
//!
//! In: all that is known. Out: the same with names of files, functions and containers only. What must not happen here: a
//! new field of the report that carries a path and is forgotten; a test walks all strings.

use nilometer_diagnose::{Finding, Holder, Profile, Report, Site};

/// The report without paths, arguments and source.
pub fn redact(report: &mut Report, profile: Option<&mut Profile>) {
    let program = &mut report.program;
    program.argv.truncate(1);
    base(&mut program.name);
    program.argv.iter_mut().for_each(base);
    for component in &mut report.components {
        component.made_at.iter_mut().for_each(site);
        component.prove = None; // it repeats the command line
    }
    report.findings.iter_mut().for_each(finding);
    // A route says what the service is for.
    let endpoints = report.growth.iter_mut().flat_map(|growth| &mut growth.endpoints);
    let names = endpoints.flat_map(|one| std::iter::once(&mut one.name).chain(&mut one.together_with));
    for (at, name) in names.enumerate() {
        *name = format!("endpoint {}", at + 1);
    }
    report.next_steps.clear(); // they repeat the command line
    for warning in &mut report.warnings {
        warning.called_at.iter_mut().for_each(site);
        without_paths(&mut warning.sentence); // a layer may have any name
    }
    let cycles = &mut report.cycles;
    let own = (cycles.kind, &mut cycles.found_by);
    let found = cycles.alternatives.iter_mut().map(|other| (other.kind, &mut other.found_by));
    for how in found.chain([own]).filter(|(kind, _)| *kind == "loop").filter_map(|(_, how)| how.as_mut()) {
        without_paths(how); // where the loop stands
    }
    // The role of a process may be its whole command.
    let roles = report.processes.iter_mut().map(|process| &mut process.role);
    for role in roles.chain(report.job.culprit.iter_mut().map(|culprit| &mut culprit.role)) {
        *role = role.split_whitespace().map(last).collect::<Vec<_>>().join(" ");
    }
    if report.job.culprit.is_some() {
        without_paths(&mut report.reason); // it names that process
    }
    for text in report.losses.iter_mut().chain(&mut report.recorder) {
        without_paths(text);
    }
    for traced in &mut report.retraced {
        base(&mut traced.file);
        base(&mut traced.caller_file);
        without_paths(&mut traced.why);
    }
    for one in report.objects.iter_mut().flat_map(|objects| &mut objects.types) {
        without_paths(&mut one.name);
    }
    report.holders.iter_mut().for_each(|held| holder(&mut held.holder));
    for frame in profile.into_iter().flat_map(|profile| &mut profile.frames) {
        base(&mut frame.file);
    }
}

fn finding(finding: &mut Finding) {
    if let Some(change) = &mut finding.change {
        for text in finding.sites.iter().filter_map(|site| site.text.as_deref()) {
            without_code(change, text);
        }
        without_paths(change);
    }
    finding.sites.iter_mut().for_each(site);
    finding.stack.iter_mut().for_each(|frame| base(&mut frame.file));
    finding.prove = None; // it repeats the command line
    without_paths(&mut finding.sentence);
    for holder in finding.holder.iter_mut().chain(&mut finding.also_held_by) {
        self::holder(holder);
    }
}

/// A change may show the line that it is about, without its comment.
fn without_code(change: &mut String, line: &str) {
    for code in [line, line.split(" #").next().unwrap_or(line).trim()] {
        if !code.is_empty() {
            *change = change
                .replace(&format!(" instead of `{code}`"), "")
                .replace(&format!("`{code}`"), "that line");
        }
    }
}

fn holder(holder: &mut Holder) {
    without_paths(&mut holder.path);
    without_paths(&mut holder.elements);
    holder.file.iter_mut().for_each(base);
}

fn site(site: &mut Site) {
    base(&mut site.file);
    site.text = None;
}

/// Only the name of a file.
fn base(path: &mut String) {
    if let Some(at) = path.rfind('/') {
        path.drain(..=at);
    }
}

fn last(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Of words with a slash only what stands behind the last one; brackets and quotes before the first stay.
fn without_paths(text: &mut String) {
    if text.contains('/') {
        let word = |word: &str| {
            let before = word.find(|c: char| c.is_alphanumeric() || c == '/').unwrap_or(0);
            let (before, rest) = word.split_at(before);
            format!("{before}{}", last(rest))
        };
        *text = text.split(' ').map(word).collect::<Vec<_>>().join(" ");
    }
}
