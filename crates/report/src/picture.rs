//! The curve as a small picture: PNG, for formats that show no vector graphics.
//!
//! Live memory is a filled area, anonymous memory a line above it; no text, since titles stand beside the picture.

use nilometer_diagnose::Report;

use crate::checksum::{GZIP, adler, stored};

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
    Some(Picture { width: WIDTH_PIXELS, height: HEIGHT_PIXELS, png: png(&pixels) })
}

fn png(pixels: &[[u8; WIDTH_PIXELS]]) -> Vec<u8> {
    let mut out = vec![0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
    let mut header = Vec::new();
    header.extend((WIDTH_PIXELS as u32).to_be_bytes());
    header.extend((HEIGHT_PIXELS as u32).to_be_bytes());
    header.extend([8, 3, 0, 0, 0]); // eight bits a pixel, by palette
    chunk(&mut out, *b"IHDR", &header);
    chunk(&mut out, *b"PLTE", PALETTE.as_flattened());
    let mut raw = Vec::with_capacity(pixels.len() * (WIDTH_PIXELS + 1));
    for line in pixels {
        raw.push(0); // no filter
        raw.extend(line);
    }
    let mut data = vec![0x78, 0x01];
    data.extend(stored(&raw));
    data.extend(adler(&raw).to_be_bytes());
    chunk(&mut out, *b"IDAT", &data);
    chunk(&mut out, *b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let from = out.len();
    out.extend(name);
    out.extend(data);
    let sum = GZIP.sum(out.get(from..).unwrap_or_default());
    out.extend(sum.to_be_bytes());
}
