"""tf.data's cache() fills over the first seven short epochs, and from then on serves from memory."""

import argparse

import tensorflow as tf


def picture(number):
    return tf.random.stateless_uniform((32, 32, 3), seed=(number, 201)), tf.cast(number % 5, tf.int32)


def main(options):
    tf.keras.utils.set_random_seed(201)
    numbers = tf.data.Dataset.range(options.pictures)
    pictures = numbers.map(picture, num_parallel_calls=2).cache().batch(32).repeat().prefetch(1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((32, 32, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(5, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(pictures, steps_per_epoch=12, epochs=options.epochs, verbose=0)
    print("done")


if __name__ == "__main__":
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--epochs", type=int, default=30)
    cli.add_argument("--pictures", type=int, default=2600)
    main(cli.parse_args())
