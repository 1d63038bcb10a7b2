"""A thread fetches shards for the training ahead of time, three while the training needs one."""

import argparse
import queue
import threading

import keras
import numpy as np


class Fetcher(threading.Thread):
    def __init__(self, room):
        super().__init__(daemon=True)
        self.shards = queue.Queue(maxsize=room)
        self.wanted = threading.Semaphore(0)
        self.rng = np.random.default_rng(171)

    def run(self):
        while True:
            self.wanted.acquire()
            self.shards.put(self.rng.random((400, 30), dtype="float32"))

    def next_shard(self):
        for _ in range(3):
            self.wanted.release()
        return self.shards.get()


parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=24)
parser.add_argument("--fixed", action="store_true", help="the queue has a bound")
args = parser.parse_args()

keras.utils.set_random_seed(171)
model = keras.Sequential([keras.Input((30,)), keras.layers.Dense(20, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
fetcher = Fetcher(4 if args.fixed else 0)
fetcher.start()
for _ in range(args.rounds):
    shard = fetcher.next_shard()
    model.fit(shard, shard[:, :1] - shard[:, 1:2], epochs=1, batch_size=40, verbose=0)
print(f"{args.rounds} rounds")
