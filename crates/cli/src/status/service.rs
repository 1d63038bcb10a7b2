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
mod tests {
    use super::*;
    use nilometer_diagnose::{Bytes, Verdict};

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
