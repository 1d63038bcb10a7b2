"""Windows of a random walk, and what was drawn so far."""

import numpy as np

drawn = []
keep_drawn = True


def windows(seed, count=600, length=48):
    walks = np.cumsum(np.random.default_rng(seed).normal(size=(count, length + 1)), axis=1)
    if keep_drawn:
        drawn.append(walks)
    return walks[:, :-1, None].astype("float32"), walks[:, -1:].astype("float32")
