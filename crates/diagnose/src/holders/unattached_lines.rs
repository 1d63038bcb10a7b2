//! Lines whose memory no look met below a holder, where scans saw a container grow by just as much, or by things that the line's function
//! puts into it and that Python cannot see into (pictures, trees of a parser).
//!
//! In: findings with their source, what the scans said of containers. Out: the same, with the one container that fits as holder. What must not happen
//! here: a guess between several, a container of somebody else's code, one that was told already.

use super::HolderEvidence;
use super::function::function_adds_to;
use super::join::{of, sentence};

use super::scans::{Pace, Weighed};
use nilometer_model::{FileOwner, HolderPath};

use crate::cycles::Point;
use crate::lookup::Lookup;
use crate::report::{Finding, Site};
use crate::source_files::shown;

/// Bytes of a line and of a container that differ by no more than this share are alike.
const MAX_DIFFERENCE_RATIO: f64 = 0.15;
/// Cycles in which the container was watched at least.
const MIN_WATCHED_CYCLES: u64 = 6;

/// Elements per cycle that a line puts into a container at least.
const MIN_ELEMENTS_PER_CYCLE: f64 = 0.9;
/// Elements that are weighed whole: of these a line's other memory is no part.
const SEEN: &str = "int float bool complex str bytes NoneType tuple list dict set frozenset deque ndarray EagerTensor \
                    datetime Timestamp Series DataFrame slice x of more";
/// How the names of numbers begin that arrays are of.
const NUMBERS: [&str; 4] = ["float", "int", "uint", "bool"];

/// Adds the holder to each finding that has none and that just one container fits.
pub(crate) fn hold(
    held: &HolderEvidence,
    findings: &mut [Finding],
    series: &[Point],
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) {
    let known: Vec<String> =
        findings.iter().filter_map(|f| f.holder.as_ref()).map(|h| h.path.clone()).collect();
    let paces: Vec<(u64, Pace)> = held
        .rises
        .iter()
        .filter_map(|(id, rises)| Some((*id, Pace::of(rises, &held.scans, series)?)))
        .collect();
    let mut fits = |finding: &Finding, (id, pace): &(u64, Pace)| {
        let bytes = finding.bytes_per_cycle.estimate as f64;
        let holder = held.holder(*id)?;
        let alike =
            pace.weighed == Weighed::All && (pace.bytes - bytes).abs() <= MAX_DIFFERENCE_RATIO * bytes;
        let unseen = pace.bytes < bytes
            && pace.elements >= MIN_ELEMENTS_PER_CYCLE
            && !pace.slows
            && hides(&holder.elements);
        let owner = held.folders.owner_of(&holder.file);
        let users = owner == FileOwner::User;
        let own = HolderPath::of(&holder.path);
        let mut known = known.iter().map(|path| HolderPath::of(path));
        let told = known.any(|path| own.is_within(path) || path.is_within(own));
        if !users || told || pace.cycles < MIN_WATCHED_CYCLES || !alike && !unseen {
            return None;
        }
        let is_there =
            |site: &&Site| site.role == "made_at" && site.file == shown(&holder.file, owner, folder);
        let mut there = finding.sites.iter().filter(is_there);
        there.any(|site| alike || function_adds_to(site, &holder.path, folder, lookup)).then_some(*id)
    };
    let mut found: Vec<(usize, u64)> = Vec::new();
    for (at, finding) in findings.iter().enumerate() {
        if finding.holder.is_some() || finding.confidence != "certain" {
            continue;
        }
        let mut fitting = paces.iter().filter_map(|one| fits(finding, one));
        if let (Some(id), None) = (fitting.next(), fitting.next()) {
            found.push((at, id));
        }
    }
    for (at, id) in &found {
        let alone = found.iter().filter(|(_, other)| other == id).count() == 1;
        let (Some(finding), Some(holder)) = (findings.get_mut(*at), held.holder(*id).filter(|_| alone))
        else {
            continue;
        };
        "container-grows".clone_into(&mut finding.cause);
        finding.confidence = "likely";
        finding.sentence = sentence(holder);
        finding.holder = Some(of(holder));
    }
}

/// Whether something is among these elements that may hold memory which Python cannot see.
pub(super) fn hides(elements: &str) -> bool {
    let is_seen = |word: &str| {
        SEEN.split(' ').any(|seen| seen == word) || NUMBERS.iter().any(|number| word.starts_with(number))
    };
    let words = elements.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| !c.is_numeric())).any(|word| !is_seen(word))
}
