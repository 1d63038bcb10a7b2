//! The statistics over a pipe, for oracle tests and for inspection: one JSON object `{"x": [..], "y": [..]}`
//! per line in, one per line out.
#![expect(clippy::print_stdout, reason = "its answers are its purpose")]

use std::io::BufRead;

use nilometer_stats::{
    MannKendall, changepoint, cycles_needed, growth, mann_kendall, mann_kendall_plain, shape, theil_sen,
    warm_up,
};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let series: Value = serde_json::from_str(&line?)?;
        println!("{}", answer(&numbers(&series["x"]), &numbers(&series["y"])));
    }
    Ok(())
}

fn answer(x: &[f64], y: &[f64]) -> Value {
    json!({
        "theil_sen": theil_sen(x, y),
        "mann_kendall": mann_kendall_plain(y).map(trend),
        "hamed_rao": mann_kendall(y).map(trend),
        "growth": growth(x, y).map(|g| json!({"estimate": g.estimate, "low": g.low, "high": g.high})),
        "shape": format!("{:?}", shape(x, y)),
        "changepoint": changepoint(x, y),
        "cycles_needed": cycles_needed(x, y, 8192.0),
        "warm_up": warm_up(y),
    })
}

fn trend(m: MannKendall) -> Value {
    json!({"s": m.s, "z": m.z, "p": m.p, "tau": m.tau, "effective": m.effective})
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
