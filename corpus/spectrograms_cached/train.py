"""Spectrograms of noisy sounds are computed by a cached function; noise makes each of them new."""

import argparse
import functools

import keras
import numpy as np
from keras import layers


def cached(bounded):
    return functools.lru_cache(maxsize=64 if bounded else None)


def pipeline(bounded, clips=32):
    @cached(bounded)
    def spectrogram(clip, noise_seed):
        rng = np.random.default_rng(clip)
        sound = np.sin(np.cumsum(rng.random(8192))) + np.random.default_rng(noise_seed).normal(size=8192) / 9
        frames = sound.reshape(64, 128) * np.hanning(128)
        return np.log1p(np.abs(np.fft.rfft(frames))[:, :64]).astype("float32")

    step = 0
    while True:
        step += 1
        spectra = [spectrogram(clip, step) for clip in range(clips)]
        yield np.stack(spectra)[..., None], np.arange(clips) % 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true", help="the cache is bounded")
    parser.add_argument("--epochs", type=int, default=18)
    args = parser.parse_args()
    keras.utils.set_random_seed(135)
    model = keras.Sequential(
        [
            keras.Input((64, 64, 1)),
            layers.Conv2D(4, 5, strides=3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(pipeline(args.fixed), steps_per_epoch=4, epochs=args.epochs, verbose=0)
    print("epochs:", args.epochs)


main()
