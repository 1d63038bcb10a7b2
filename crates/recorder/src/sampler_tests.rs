//! Sampling, by its results: what comes out is right whatever means do.

use super::*;

#[test]
fn the_logarithm_is_right() {
    let mut x = 1.0_f64;
    while x > 1e-16 {
        assert!((ln(x) - x.ln()).abs() < 1e-9, "{x}: {} {}", ln(x), x.ln());
        x *= 0.9991;
    }
}

#[test]
fn distances_have_their_mean_and_their_spread() {
    let block = Block::default();
    let (mut sum, mut squares, mut beyond) = (0.0, 0.0, 0);
    let count = 200_000;
    for _ in 0..count {
        let distance = distance(block.random(), 4096) as f64;
        sum += distance;
        squares += distance * distance;
        beyond += i32::from(distance > 8192.0);
    }
    let mean = sum / f64::from(count);
    let deviation = (squares / f64::from(count) - mean * mean).sqrt();
    assert!((mean - 4096.0).abs() < 50.0, "{mean}");
    assert!((deviation - 4096.0).abs() < 60.0, "{deviation}");
    assert!((f64::from(beyond) / f64::from(count) - (-2.0_f64).exp()).abs() < 0.004, "{beyond}");
}

/// One allocation: its weight if it is a sample.
fn allocate(block: &Block, size: usize, means: &Means, mean: Option<u32>) -> f64 {
    if !block.count_down(size) {
        return 0.0;
    }
    let class = crate::tls::class(size);
    let Some(points) = block.hit(class, size, means) else { return 0.0 };
    let mean = block.toss(size, points, mean.unwrap_or_else(|| means.samples(class)));
    mean.map_or(0.0, |mean| size as f64 / (1.0 - (-(size as f64) / f64::from(mean)).exp()))
}

#[test]
fn estimates_are_unbiased_while_means_change() {
    let (means, block) = (Means::new(65536), Block::default());
    let (mut truth, mut estimate, mut variance) = (0.0, 0.0, 0.0);
    for round in 0..400_000_u64 {
        let size = match round % 5 {
            0 => 48,
            1 => 100_000,
            2 => 1 << 20,
            3 => 1000,
            _ => 5000,
        };
        let weight = allocate(&block, size, &means, None);
        truth += size as f64;
        estimate += weight;
        variance += weight * (weight - size as f64).max(0.0);
        if round % 777 == 0 {
            // Depends on what was sampled, as the governor does.
            let mean = [4096, 65536, 1 << 20, 1 << 26][(estimate as u64 % 4) as usize];
            means.of_samples[crate::tls::class(size)].store(mean, Relaxed);
            means.of_points[crate::tls::class(size)].store(mean >> (round % 7), Relaxed);
            means.generation.fetch_add(1, Relaxed);
        }
    }
    let deviation = variance.sqrt();
    assert!((estimate - truth).abs() < 4.5 * deviation, "{estimate} {truth} {deviation}");
    assert!(deviation / truth < 0.05, "{deviation} of {truth} tells too little");
}

#[test]
fn chances_are_right() {
    for size in [1, 16, 48, 1057, 8000, 65536, 262_143] {
        for mean in [1, 5, 16, 300, 4096, 65536, 1 << 20, 1 << 26] {
            let right = -(-(size as f64) / f64::from(mean)).exp_m1();
            let ours = chance(size, mean);
            assert!((ours / right - 1.0).abs() < 1e-8, "{size} {mean}: {ours} {right}");
        }
    }
}

#[test]
fn a_size_with_a_mean_of_its_own_is_estimated_rightly_too() {
    let (means, block) = (Means::new(65536), Block::default());
    means.of_points[12].store(6000, Relaxed);
    let (rounds, sizes) = (100_000, [4100_usize, 8000]);
    let (mut found, mut count) = ([0.0; 2], [0_u32; 2]);
    for round in 0..rounds {
        for (place, size) in sizes.into_iter().enumerate() {
            // As the watch does: it depends on what was found before.
            let mean = if count[place] % 3 == 1 { 1 } else { 9000 + round % 7 * 1000 };
            let own = (size == 8000).then_some(mean);
            let weight = allocate(&block, size, &means, own);
            found[place] += weight;
            count[place] += u32::from(weight > 0.0);
        }
    }
    for (place, size) in sizes.into_iter().enumerate() {
        let truth = f64::from(rounds) * size as f64;
        assert!((found[place] / truth - 1.0).abs() < 0.06, "{size}: {} {truth}", found[place]);
    }
    assert!(count[1] > 4 * count[0], "{count:?}");
}

#[test]
fn a_thread_that_rests_is_not_asked_again_and_begins_anew_when_it_is() {
    let (means, block) = (Means::new(4096), Block::default());
    block.rest(10, i64::MAX >> 1);
    assert!((0..100_000).all(|_| !block.count_down(1500)));
    block.draw(10, means.points(10));
    assert!((0..1000).any(|_| block.count_down(1500)));
}
