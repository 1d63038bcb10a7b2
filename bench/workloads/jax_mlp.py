"""The MLP as a plain JAX loop: one jitted step per batch."""

import itertools
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(1)
x = rng.random((10_000, 200), dtype=np.float32)
y = (x[:, :20].sum(axis=1) > 10).astype("float32")
SIZES = [200, 512, 256, 1]
weights = [
    (jnp.asarray(rng.normal(0, 0.05, (n, m)), "float32"), jnp.zeros(m)) for n, m in itertools.pairwise(SIZES)
]


def loss_of(weights, inputs, wanted):
    for kernel, bias in weights[:-1]:
        inputs = jax.nn.relu(inputs @ kernel + bias)
    logits = (inputs @ weights[-1][0] + weights[-1][1])[:, 0]
    return jnp.mean(jnp.logaddexp(0.0, logits) - wanted * logits)


@jax.jit
def step(weights, inputs, wanted):
    loss, gradients = jax.value_and_grad(loss_of)(weights, inputs, wanted)
    return jax.tree.map(lambda one, by: one - 0.1 * by, weights, gradients), loss


began = time.process_time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 12):
    for at in range(0, len(x), 64):
        weights, loss = step(weights, x[at : at + 64], y[at : at + 64])
    loss.block_until_ready()
print(f"training {time.process_time() - began:.3f}")
