"""Teaches Keras on JAX to hear a tone in noise; a generator mixes clips and noises for fit()."""

import os
import sys

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

RATE, LENGTH, CLIPS, NOISES = 4000, 1024, 300, 200


def spectrum(wave):
    frames = np.lib.stride_tricks.sliding_window_view(wave, 128)[::64]
    return np.log1p(np.abs(np.fft.rfft(frames * np.hanning(128), axis=1))).astype("float32")


def mixtures(clips, tones, noises, batch, remembered=None):
    rng = np.random.default_rng(325)
    known = {}

    def mixed(clip, noise):
        if (clip, noise) in known:
            return known[clip, noise]
        made = spectrum(clips[clip] + 0.5 * noises[noise])
        if remembered is None or len(known) < remembered:
            known[clip, noise] = made
        return made

    while True:
        chosen = rng.integers(0, (len(clips), len(noises)), (batch, 2))
        yield np.stack([mixed(int(clip), int(noise)) for clip, noise in chosen]), tones[chosen[:, 0]]


def main(epochs=26):
    rng = np.random.default_rng(326)
    keras.utils.set_random_seed(325)
    tones = rng.uniform(200, 1600, CLIPS)
    seconds = np.arange(LENGTH) / RATE
    clips = np.sin(2 * np.pi * tones[:, None] * seconds)
    noises = rng.normal(size=(NOISES, LENGTH)).cumsum(axis=1) / 30
    source = mixtures(
        clips,
        (tones[:, None] / 2000).astype("float32"),
        noises,
        batch=24,
        remembered=100 if "--fixed" in sys.argv else None,
    )
    frames, bins = next(source)[0].shape[1:]
    model = keras.Sequential(
        [
            keras.Input((frames, bins)),
            keras.layers.Conv1D(24, 3, activation="relu"),
            keras.layers.GRU(24),
            keras.layers.Dense(1),
        ]
    )
    model.compile(loss="huber", optimizer=keras.optimizers.RMSprop(2e-3))
    model.fit(source, steps_per_epoch=20, epochs=epochs, verbose=2)


if __name__ == "__main__":
    main()
