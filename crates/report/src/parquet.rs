//! A table for fleets of runs: one row per cycle of birth, site and holder, to be asked with SQL over many files.
//!
//! A row says how much of what a site made in those cycles lives at the end. A cycle without such memory has one row
//! without a site, so that the curve is whole.

use std::collections::BTreeMap;

use nilometer_diagnose::{Frame, ProfileStack};

use crate::columns::{Column, Values, parquet_file};
use crate::markdown::verdict_words;
use crate::render_input::RenderInput;

/// What tells a row from others: the bin of birth, the phase, and the site as kind, file, line and function.
type Key<'a> = (u32, &'a str, Option<(&'static str, &'a str, u32, &'a str)>);

#[derive(Default)]
struct Sum {
    bytes: i64,
    growth: i64,
    holder: Option<String>,
}

/// One file.
pub fn parquet(material: &RenderInput) -> Vec<u8> {
    let rows = rows(material);
    let report = material.report;
    let keys = || rows.keys();
    let cycle = |bin: u32| material.profile.and_then(|p| p.cycles.get(bin as usize)).copied();
    let levels = |bin: u32| {
        let cycle = cycle(bin)?;
        material.cycles.iter().find(|row| row.cycle == cycle)
    };
    let site = |pick: fn(&(&'static str, &str, u32, &str)) -> String| {
        Values::Text(keys().map(|(.., site)| site.as_ref().map(pick)).collect())
    };
    let whole = |values: Vec<Option<u64>>| {
        Values::Whole(values.into_iter().map(|v| v.map(u64::cast_signed)).collect())
    };
    let said = |text: &str| Values::Text(keys().map(|_| Some(text.to_owned())).collect());
    let columns = [
        Column { name: "program", values: said(&report.program.name) },
        Column { name: "began", values: Values::Real(keys().map(|_| Some(material.began)).collect()) },
        Column { name: "verdict", values: said(&verdict_words(report.verdict).replace(' ', "_")) },
        Column { name: "unit", values: said(report.cycles.unit) },
        Column { name: "cycle", values: whole(keys().map(|(bin, ..)| cycle(*bin)).collect()) },
        Column {
            name: "seconds",
            values: Values::Real(keys().map(|(bin, ..)| Some(material.bin_end(*bin))).collect()),
        },
        Column {
            name: "live_bytes",
            values: whole(keys().map(|(bin, ..)| levels(*bin)?.live_bytes).collect()),
        },
        Column {
            name: "anonymous_bytes",
            values: whole(keys().map(|(bin, ..)| levels(*bin)?.anonymous_bytes).collect()),
        },
        Column {
            name: "phase",
            values: Values::Text(
                keys().map(|(_, phase, _)| (!phase.is_empty()).then(|| (*phase).to_owned())).collect(),
            ),
        },
        Column { name: "site_kind", values: site(|site| site.0.to_owned()) },
        Column { name: "site_file", values: site(|site| site.1.to_owned()) },
        Column {
            name: "site_line",
            values: whole(
                keys().map(|(.., site)| site.filter(|s| s.2 > 0).map(|s| u64::from(s.2))).collect(),
            ),
        },
        Column { name: "site_function", values: site(|site| site.3.to_owned()) },
        Column { name: "holder", values: Values::Text(rows.values().map(|s| s.holder.clone()).collect()) },
        Column { name: "born_bytes", values: Values::Whole(rows.values().map(|s| Some(s.bytes)).collect()) },
        Column {
            name: "site_bytes_per_cycle",
            values: Values::Whole(rows.values().map(|s| Some(s.growth)).collect()),
        },
    ];
    let metadata =
        [("nilometer.schema", "nilometer.table/1".to_owned()), ("nilometer.reason", report.reason.clone())];
    parquet_file(&columns, rows.len(), &metadata)
}

fn rows<'a>(material: &'a RenderInput) -> BTreeMap<Key<'a>, Sum> {
    let mut growth: BTreeMap<_, i64> = BTreeMap::new();
    for stack in material.stacks() {
        *growth.entry((phase(stack), site(material, stack))).or_default() += stack.bytes_per_cycle;
    }
    let mut out: BTreeMap<Key, Sum> = BTreeMap::new();
    for stack in material.stacks() {
        let (phase, site) = (phase(stack), site(material, stack));
        for (bin, bytes) in &stack.births {
            let sum = out.entry((*bin, phase, site)).or_default();
            sum.bytes += bytes;
            sum.growth = growth.get(&(phase, site)).copied().unwrap_or(0);
            sum.holder = site.and_then(|(_, file, line, _)| holder(material, file, line));
        }
    }
    for bin in 0..material.profile.map_or(0, |profile| profile.cycles.len()) as u32 {
        if out.range((bin, "", None)..).next().is_none_or(|(key, _)| key.0 != bin) {
            out.insert((bin, "", None), Sum::default());
        }
    }
    out
}

fn phase(stack: &ProfileStack) -> &str {
    stack.phase.as_deref().unwrap_or_default()
}

/// The user's innermost line, else the innermost frame that has a name.
fn site<'a>(
    material: &'a RenderInput,
    stack: &'a ProfileStack,
) -> Option<(&'static str, &'a str, u32, &'a str)> {
    let innermost = |wanted: fn(&&Frame) -> bool| material.frames(stack).rev().find(wanted);
    let frame = innermost(|f| f.kind == "user")
        .or_else(|| innermost(|f| f.kind == "library" || f.kind == "standard"))
        .or_else(|| innermost(|f| !f.function.is_empty()))?;
    Some((frame.kind, &frame.file, frame.line, &frame.function))
}

/// Who keeps what a line made, where a finding says so.
fn holder(material: &RenderInput, file: &str, line: u32) -> Option<String> {
    let made_here = |finding: &&nilometer_diagnose::Finding| {
        finding.sites.iter().any(|site| site.file == file && site.line == line)
    };
    let finding = material.report.findings.iter().find(made_here)?;
    finding.holder.as_ref().map(|holder| holder.path.clone())
}
