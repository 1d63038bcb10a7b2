"""JAX's arrays: bytes and shapes read without a call, beside what JAX says."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from scan_door import forget, grown, run_checks, scan, sizes


def owned(thing: object) -> int:
    """Bytes of its buffers."""
    return sum(size for _, size, _ in sizes(thing)["buffers"])


def check_arrays_are_read() -> None:
    shapes = [(), (1,), (7,), (2000, 7), (3, 7000, 2), (1, 2, 3, 4, 5, 6, 7, 8), (0, 5)]
    for kind in ("float32", "int8", "int32", "bool", "bfloat16", "complex64"):
        for shape in shapes:
            array = jnp.zeros(shape, kind)
            assert owned(array) == array.nbytes, (kind, shape, sizes(array))
            assert not sizes(array)["opaque"]
            if kind != "bfloat16":  # numpy has no number for it
                one = f"({shape[0]},)" if len(shape) == 1 else str(shape)
                assert sizes(array)["words"] == f"ArrayImpl {one} {kind}", sizes(array)


def check_computed_ones() -> None:
    double = jax.jit(lambda x: x * 2)
    array = double(jnp.ones((300, 400)))
    assert owned(array) == 480_000


def check_growing_lists() -> None:
    kept: list[Any] = []
    forget()
    for number in range(4):
        kept.append(jnp.full((200, 500), number, "float32"))
        result = scan()
    one = grown(kept, result)
    assert 400_000 <= one["bytes"] <= 402_000, one
    assert one["elements"] == "1 x ArrayImpl (200, 500) float32"
    assert not one["native"], one


run_checks(globals())
