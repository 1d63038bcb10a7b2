"""Training in graph mode, as before TensorFlow 2: placeholders, a session, feeds and fetches."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def network(features):
    """The placeholders, the hidden layer, the loss and the step."""
    inputs = tf.placeholder(tf.float32, (None, features))
    target = tf.placeholder(tf.float32, (None, 1))
    first = tf.get_variable("first", (features, 400))
    second = tf.get_variable("second", (400, 1))
    hidden = tf.nn.relu(inputs @ first)
    loss = tf.reduce_mean((hidden @ second - target) ** 2)
    return inputs, target, hidden, loss, tf.train.GradientDescentOptimizer(0.001).minimize(loss)


class Monitor:
    def __init__(self, whole):
        self.whole = whole
        self.activations = []

    def look(self, hidden):
        self.activations.append(hidden if self.whole else float((hidden > 0).mean()))
        return self.activations[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="keeps which share of the units is active")
    args = parser.parse_args()

    tf.set_random_seed(205)
    rng = np.random.default_rng(205)
    monitor = Monitor(whole=not args.fixed)
    inputs, target, hidden, loss, train = network(100)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(1, args.rounds + 1):
            for _ in range(15):
                x = rng.normal(size=(500, 100))
                feed = {inputs: x, target: x[:, :1] - x[:, 1:2]}
                _, error, active = session.run([train, loss, hidden], feed)
            monitor.look(active)
            print(f"[{number:3}/{args.rounds}] loss {error:.5f}", flush=True)


main()
