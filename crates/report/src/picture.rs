//! The curve as a small picture: PNG, for formats that show no vector graphics.
//!
//! Live memory is a filled area, anonymous memory a line above it; no text, since titles stand beside the picture.

use nilometer_diagnose::Report;

/// A picture.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) png: Vec<u8>,
}

const WIDTH_PIXELS: usize = 480;
const HEIGHT_PIXELS: usize = 160;

/// Palette entries.
const BACKGROUND: u8 = 0;
const FILL: u8 = 1;
const LINE: u8 = 2;
const PALETTE: [[u8; 3]; 3] = [[255, 255, 255], [158, 197, 232], [214, 96, 44]];

/// Live and anonymous memory over time; none without readings.
pub(crate) fn curve(report: &Report) -> Option<Picture> {
    let points = &report.timeline;
    let end = points.last()?.seconds;
    let most = points.iter().flat_map(|p| [p.live_bytes, p.anonymous_bytes]).flatten().max()?;
    let mut pixels = vec![[BACKGROUND; WIDTH_PIXELS]; HEIGHT_PIXELS];
    let row = |bytes: u64| {
        ((1.0 - bytes as f64 / most.max(1) as f64) * (HEIGHT_PIXELS - 1) as f64).round() as usize
    };
    let mut last = None;
    for column in 0..WIDTH_PIXELS {
        let seconds = end * column as f64 / (WIDTH_PIXELS - 1) as f64;
        let at = points.partition_point(|p| p.seconds < seconds).min(points.len() - 1);
        let point = points.get(at)?;
        if let Some(live) = point.live_bytes {
            for line in pixels.iter_mut().skip(row(live)) {
                line[column] = FILL;
            }
        }
        if let Some(y) = point.anonymous_bytes.map(row) {
            let from = last.unwrap_or(y);
            for line in pixels.iter_mut().take(y.max(from) + 1).skip(y.min(from)) {
                line[column] = LINE;
            }
            last = Some(y);
        }
    }
    Some(Picture { width: WIDTH_PIXELS, height: HEIGHT_PIXELS, png: png(&pixels)? })
}

fn png(pixels: &[[u8; WIDTH_PIXELS]]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, WIDTH_PIXELS as u32, HEIGHT_PIXELS as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    // Palette entries are no quantities: differences between neighbours compress no better, and readers expect none.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_palette(PALETTE.as_flattened());
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels.as_flattened()).ok()?;
    writer.finish().ok()?;
    Some(out)
}
