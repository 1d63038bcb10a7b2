//! Folded stacks: one line per stack, frames from the outermost on, then its weight. Flame graph tools read it.
//!
//! A semicolon parts frames and the last blank parts the weight, so no label may have a semicolon or a line break.

use crate::render_input::{RenderInput, Weight, label};

/// `outer (a.py:1);inner (b.py:2) 4096`, the heaviest first.
pub fn collapsed(material: &RenderInput, weight: Weight) -> String {
    let mut lines: Vec<(u64, String)> = Vec::new();
    for stack in material.stacks() {
        let bytes = weight.of(stack);
        if bytes > 0 {
            let frames = material.frames(stack).map(|frame| label(frame).replace(';', ","));
            let line = frames.collect::<Vec<_>>().join(";").replace(['\n', '\r'], " ");
            lines.push((bytes, line));
        }
    }
    lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut out = String::new();
    for (bytes, line) in lines {
        out += &format!("{line} {bytes}\n");
    }
    out
}
