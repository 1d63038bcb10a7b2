//! Services: a program and its workers, those that were replaced among them, judged together as `nilometer report` judges them.
//!
//! In: the states of captures, and what each says of its run. Out: the same states, each program followed by its workers, with the verdict of
//! the job. What must not happen here: a rule of our own; workers of one run that count for another.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nilometer_report::{Service, Status};

use super::evaluate::{About, Evaluator};
use crate::capture_path;
use crate::serve::capture_list::files;

/// Captures of workers that have ended that are read, at even distances: reading one takes a moment.
const MAX_ENDED: usize = 8;

/// Captures of workers that have ended beside the capture of a program that runs.
pub(super) fn ended(program: &Path, known: &[PathBuf], began: Option<SystemTime>) -> Vec<PathBuf> {
    let Ok(program) = std::path::absolute(program) else { return Vec::new() };
    let Some((folder, began)) = program.parent().zip(began) else { return Vec::new() };
    let Some(template) = template(&program) else { return Vec::new() };
    let is_there = |pid: u32| Path::new(&format!("/proc/{pid}")).exists();
    let paths = files(folder).into_iter().map(|(name, _)| folder.join(name));
    let mut ended: Vec<PathBuf> = paths
        .filter(|path| {
            let pid = capture_path::pid_of(&template, path);
            let changed = path.metadata().and_then(|about| about.modified()).ok();
            pid.is_some_and(|pid| !is_there(pid))
                && !known.contains(path)
                && changed.is_some_and(|changed| changed >= began)
        })
        .collect();
    ended.sort();
    let count = ended.len().min(MAX_ENDED);
    (0..count).filter_map(|nth| ended.get(nth * ended.len() / count).cloned()).collect()
}

/// What the captures of all processes of a run are called, by the program's: `x.nilo`, or `x.4711.nilo`.
fn template(program: &Path) -> Option<PathBuf> {
    let name = program.file_stem()?.to_str()?;
    let number = name.rsplit_once('.').filter(|(_, pid)| pid.parse::<u32>().is_ok());
    let stem = number.map_or(name, |(stem, _)| stem);
    let ending = program.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    Some(program.with_file_name(format!("{stem}.{{pid}}{ending}")))
}

/// Puts each program before its workers, with the verdict on both.
pub(super) fn together(paths: &[PathBuf], statuses: &[Status], evaluator: &mut Evaluator) -> Vec<Status> {
    let about: Vec<Option<About>> = paths.iter().map(|path| evaluator.about(path)).collect();
    let program_of = |at: usize| {
        let own = about.get(at)?.as_ref().filter(|about| about.is_child)?;
        let run = own.run.as_ref()?;
        about.iter().position(|other| {
            other.as_ref().is_some_and(|other| !other.is_child && other.run.as_ref() == Some(run))
        })
    };
    let programs: Vec<Option<usize>> = (0..statuses.len()).map(program_of).collect();
    let mut out = Vec::with_capacity(statuses.len());
    for (at, status) in statuses.iter().enumerate() {
        if programs.get(at).copied().flatten().is_some() {
            continue;
        }
        let below: Vec<usize> =
            (0..statuses.len()).filter(|other| programs.get(*other) == Some(&Some(at))).collect();
        let workers: Vec<&Status> = below.iter().filter_map(|at| statuses.get(*at)).collect();
        let said = below.iter().filter_map(|at| about.get(*at)?.as_ref()?.said.clone()).collect();
        let job = paths.get(at).filter(|_| !below.is_empty()).and_then(|path| evaluator.job(path, said));
        match job {
            None => out.push(status.clone()),
            Some((job, lives)) => out.push(service(job, status, &workers, lives)),
        }
        out.extend(workers.into_iter().map(|worker| Status { worker_of: status.pid, ..worker.clone() }));
    }
    out
}

/// The program's row. `lives`: what the job says of workers that replace each other.
fn service(job: Status, own: &Status, workers: &[&Status], lives: Option<Service>) -> Status {
    let serving = workers.iter().max_by_key(|worker| worker.cycles);
    let unit = serving.map_or_else(|| own.unit.clone(), |worker| worker.unit.clone());
    let same = workers.iter().filter(|worker| worker.unit == unit);
    let running = workers.iter().filter(|worker| worker.running).count() as u64;
    let leaks = workers.iter().filter(|worker| worker.verdict == job.verdict && worker.unit == unit);
    let most = leaks.filter_map(|worker| worker.growth).max_by_key(|growth| growth.estimate);
    let service = Service {
        workers: running,
        ended: workers.len() as u64 - running,
        cycles: same.map(|worker| worker.cycles).sum(),
        growth: lives.filter(|lives| lives.unit == unit).and_then(|lives| lives.growth).or(most),
        unit,
    };
    Status { running: own.running, service: Some(service), ..job }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use std::time::Duration;

    use super::*;
    use nilometer_diagnose::{Bytes, Verdict};

    /// No process has such a number: Linux has at most 2^22.
    const NOBODY: u32 = 5_000_000;

    #[test]
    fn of_many_workers_that_ended_those_at_even_distances_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |pid: u32| folder.path().join(format!("x.{pid}.nilo"));
        let program = folder.path().join("x.nilo");
        for pid in (NOBODY..NOBODY + 20).chain([std::process::id()]) {
            std::fs::write(path(pid), b"").unwrap();
        }
        for other in ["x.nilo", "x.y.nilo", "z.5000003.nilo"] {
            std::fs::write(folder.path().join(other), b"").unwrap();
        }
        let now = SystemTime::now();
        let before = Some(now - Duration::from_mins(1));
        let pids = |known: &[PathBuf], began| -> Vec<u32> {
            let found = ended(&program, known, began).into_iter();
            found.map(|found| (0..20).find(|nth| path(NOBODY + nth) == found).unwrap()).collect()
        };
        assert_eq!(pids(&[], before), [0, 2, 5, 7, 10, 12, 15, 17]);
        // Those that are known already need no place, and a few are all read.
        let known: Vec<PathBuf> = (NOBODY + 3..NOBODY + 20).map(path).collect();
        assert_eq!(pids(&known, before), [0, 1, 2]);
        // What nobody has written to since the program began is of an earlier run.
        assert!(pids(&[], Some(now + Duration::from_mins(1))).is_empty());
        assert!(pids(&[], None).is_empty());
    }

    #[test]
    fn workers_stand_below_the_program_of_their_own_run() {
        let mut evaluator = Evaluator::new();
        let mut know = |name: &str, run: Option<&str>, is_child| {
            let path = PathBuf::from(format!("/nowhere/{name}.nilo"));
            let about = About { run: run.map(str::to_owned), is_child, said: None };
            evaluator.know(&path, about);
            path
        };
        let paths = [
            know("worker of b", Some("b"), true),
            know("a", Some("a"), false),
            know("b", Some("b"), false),
            know("worker of a", Some("a"), true),
            know("worker of c", Some("c"), true),
            know("worker of an old run", None, true),
        ];
        let of = |pid| Status { pid: Some(pid), ..Status::default() };
        let statuses: Vec<Status> = (0..6).map(of).collect();
        let rows = together(&paths, &statuses, &mut evaluator);
        let told: Vec<_> = rows.iter().map(|row| (row.pid.unwrap(), row.worker_of)).collect();
        // A worker whose program is not among the captures is a row of its own.
        let expected = [(1, None), (3, Some(1)), (2, None), (0, Some(2)), (4, None), (5, None)];
        assert_eq!(told, expected);
    }

    #[test]
    fn captures_of_one_run_have_one_template() {
        for (name, template_of_it) in [
            ("/d/x.nilo", "/d/x.{pid}.nilo"),
            ("/d/x.4711.nilo", "/d/x.{pid}.nilo"),
            ("/d/x.y.nilo", "/d/x.y.{pid}.nilo"),
        ] {
            assert_eq!(template(Path::new(name)), Some(template_of_it.into()), "{name}");
        }
    }

    #[test]
    fn a_service_has_what_its_workers_serve_and_the_growth_of_the_one_that_leaks_most() {
        let growth = |estimate| Some(Bytes { estimate, low: estimate, high: estimate });
        let worker = |cycles, estimate, running| Status {
            verdict: Some(Verdict::Leak),
            unit: "request".to_owned(),
            cycles,
            growth: growth(estimate),
            running,
            ..Status::default()
        };
        let workers = [worker(700, 2000, true), worker(300, 3000, false)];
        let job = Status { verdict: Some(Verdict::Leak), ..Status::default() };
        let own = Status { running: true, unit: "window".to_owned(), ..Status::default() };
        let told = |lives| service(job.clone(), &own, &workers.iter().collect::<Vec<_>>(), lives).service;
        let expected =
            Service { workers: 1, ended: 1, unit: "request".to_owned(), cycles: 1000, growth: growth(3000) };
        assert_eq!(told(None), Some(expected.clone()));
        let lives = Service { unit: "request".to_owned(), growth: growth(2500), ..Service::default() };
        assert_eq!(told(Some(lives)), Some(Service { growth: growth(2500), ..expected }));
    }
}
