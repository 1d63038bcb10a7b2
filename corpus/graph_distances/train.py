"""A linear model in graph mode; each round asks for the distance of its weights from a drawn anchor."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FEATURES, ROWS = 20_000, 64


def network():
    """The placeholders, the weights and the step."""
    inputs = tf.placeholder(tf.float32, (None, FEATURES))
    target = tf.placeholder(tf.float32, (None, 1))
    weights = tf.get_variable("weights", (FEATURES, 1))
    loss = tf.reduce_mean((inputs @ weights - target) ** 2)
    return inputs, target, weights, tf.train.GradientDescentOptimizer(1e-5).minimize(loss)


class Anew:
    """Asks with operations of its own each time."""

    def __init__(self, weights):
        self.weights = weights

    def of(self, session, anchor):
        return session.run(tf.norm(self.weights - tf.constant(anchor)))


class Once:
    """Asks with one operation, which is fed."""

    def __init__(self, weights):
        self.anchor = tf.placeholder(tf.float32, (FEATURES, 1))
        self.distance = tf.norm(weights - self.anchor)

    def of(self, session, anchor):
        return session.run(self.distance, {self.anchor: anchor})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="builds the operations of the distance once")
    args = parser.parse_args()

    rng = np.random.default_rng(417)
    inputs, target, weights, train = network()
    distances = (Once if args.fixed else Anew)(weights)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(1, args.rounds + 1):
            for _ in range(12):
                x = rng.random((ROWS, FEATURES), "float32") - 0.5
                session.run(train, {inputs: x, target: x[:, :1] - x[:, 1:2]})
            distance = distances.of(session, rng.random((FEATURES, 1), "float32"))
            print(f"round {number}: {distance:.4f} from the anchor", flush=True)


main()
