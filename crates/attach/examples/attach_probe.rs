//! Runs a script in a process: `attach_probe PID SCRIPT COUNT PAUSE_MS`. Prints one line of results per run.
//! For `bench/attach.py`, which counts; each run of the script appends to the file `out` beside it.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the benchmark may fail loudly")]

use std::path::Path;
use std::time::{Duration, Instant};

use nilometer_attach::Target;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pid: u32 = words[0].parse().unwrap();
    let script = Path::new(&words[1]);
    let count: u64 = words[2].parse().unwrap();
    let pause = Duration::from_millis(words[3].parse().unwrap());
    let patience = Duration::from_secs(20);
    let out = script.with_file_name("out");
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    for _ in 0..count {
        std::thread::sleep(pause);
        let begun = Instant::now();
        let before = size(&out);
        let target = match Target::inspect(pid) {
            Ok(target) => target,
            Err(refusal) => {
                println!("refused {refusal}");
                return;
            }
        };
        let posted = match target.post(script) {
            Ok(posted) => posted,
            Err(refusal) => {
                println!("refused {refusal}");
                continue;
            }
        };
        let (mut woken, mut stood, mut wakes) = ("none".to_owned(), Duration::ZERO, 0);
        let mut next = Instant::now() + Duration::from_millis(20);
        while posted.is_taken() == Some(false) && begun.elapsed() < patience {
            if Instant::now() >= next {
                match target.wake(&posted) {
                    Ok((how, long)) => (woken, stood) = (format!("{how:?}"), stood.max(long)),
                    Err(refusal) => woken = format!("{refusal}"),
                }
                wakes += 1;
                next = Instant::now() + Duration::from_millis(20 << wakes.min(6));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let took = begun.elapsed();
        let taken = posted.is_taken();
        if taken == Some(false) {
            posted.withdraw();
        } else {
            // If the text were cleared before Python reads it, it would not run.
            let until = Instant::now() + patience;
            while size(&out) == before && Instant::now() < until {
                std::thread::sleep(Duration::from_micros(200));
            }
            posted.clear();
        }
        println!(
            "taken={taken:?} stop_us={} wake_us={} wakes={wakes} took_us={} woken={woken}",
            posted.pause().as_micros(),
            stood.as_micros(),
            took.as_micros()
        );
    }
}
