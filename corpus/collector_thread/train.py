"""Forecasts are handed to a thread that is to average them, so that the training need not wait."""

import argparse
import queue
import threading

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--fixed", action="store_true", help="the thread keeps a running sum")
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()


def average_all(inbox, answer):
    arrived = []
    while (forecast := inbox.get()) is not None:
        arrived.append(forecast)
        inbox.task_done()
    answer.put(np.mean(arrived, axis=0))


def average_as_they_come(inbox, answer):
    total, count = 0.0, 0
    while (forecast := inbox.get()) is not None:
        total, count = total + forecast, count + 1
        inbox.task_done()
    answer.put(total / count)


class HandsOver(keras.callbacks.Callback):
    def __init__(self, inbox, days):
        super().__init__()
        self.inbox = inbox
        self.days = days

    def on_epoch_end(self, epoch, logs=None):
        self.inbox.put(self.model.predict(self.days, batch_size=1000, verbose=0))
        self.inbox.join()


keras.utils.set_random_seed(153)
rng = np.random.default_rng(153)
days = rng.random((4000, 28), dtype="float32")
model = keras.Sequential([keras.Input((28,)), keras.layers.Dense(24, "tanh"), keras.layers.Dense(48)])
model.compile("adam", "mse")

inbox, answer = queue.Queue(), queue.Queue()
work = average_as_they_come if args.fixed else average_all
thread = threading.Thread(target=work, args=(inbox, answer), name="averages")
thread.start()
target = np.repeat(days.mean(axis=1, keepdims=True), 48, axis=1)
model.fit(days, target, epochs=args.epochs, batch_size=200, callbacks=[HandsOver(inbox, days)], verbose=0)
inbox.put(None)
thread.join()
print("averaged:", answer.get().shape)
