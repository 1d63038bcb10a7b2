"""A GAN on rings, with a loop of its own; what the generator draws is collected for a film."""

import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers

NOISE = 16


def dense(inputs, outputs):
    return keras.Sequential([layers.Input((inputs,)), layers.Dense(64, "leaky_relu"), layers.Dense(outputs)])


class Gan:
    def __init__(self):
        self.generator = dense(NOISE, 2)
        self.critic = dense(2, 1)
        self.entropy = keras.losses.BinaryCrossentropy(from_logits=True)
        self.optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
        self.optimizers[0].build(self.generator.trainable_variables)
        self.optimizers[1].build(self.critic.trainable_variables)

    @tf.function
    def play(self, real):
        noise = tf.random.normal((tf.shape(real)[0], NOISE))
        with tf.GradientTape() as of_generator, tf.GradientTape() as of_critic:
            fake = self.generator(noise, training=True)
            says_real, says_fake = self.critic(real, training=True), self.critic(fake, training=True)
            ones, zeros = tf.ones_like(says_real), tf.zeros_like(says_fake)
            critic_loss = self.entropy(ones, says_real) + self.entropy(zeros, says_fake)
            generator_loss = self.entropy(ones, says_fake)
        for optimizer, tape, loss, model in (
            (self.optimizers[0], of_generator, generator_loss, self.generator),
            (self.optimizers[1], of_critic, critic_loss, self.critic),
        ):
            optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return critic_loss, generator_loss, fake


def rings(count, rng):
    angle = rng.uniform(0, 2 * np.pi, count)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype("float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--fixed", action="store_true", help="the film has sixty frames at most")
    options = parser.parse_args()
    keras.utils.set_random_seed(111)
    rng = np.random.default_rng(111)
    gan = Gan()
    film = []
    for round_ in range(options.rounds):
        *losses, fake = gan.play(rings(1024, rng))
        if options.fixed and len(film) == 60:
            del film[0]
        film.append({"round": round_, "losses": [float(loss) for loss in losses], "points": fake.numpy()})
    print(f"a film of {len(film)} frames")


if __name__ == "__main__":
    main()
