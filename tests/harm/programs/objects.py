"""Python objects of all sizes: made, resized, kept and dropped, in several threads, with deep recursion."""

import gc
import random
import sys
import threading


def turn(seed: int, results: list[int]) -> None:
    rng = random.Random(seed)
    kept: dict[int, object] = {}
    for number in range(15_000):
        key = rng.randrange(500)
        kind = rng.randrange(5)
        if kind == 0:
            kept[key] = bytes(rng.randrange(3000))
        elif kind == 1:
            kept[key] = list(range(rng.randrange(200)))
        elif kind == 2:
            kept[key] = f"{number}:{key}" * rng.randrange(30)
        elif kind == 3:
            kept[key] = {str(n): (n, float(n)) for n in range(rng.randrange(20))}
        else:
            kept.pop(key, None)
    results.append(hash(str(sorted((key, len(value)) for key, value in kept.items()))))


def deep(depth: int) -> int:
    return len(bytearray(depth + 1)) if depth == 0 else deep(depth - 1)


results: list[int] = []
threads = [threading.Thread(target=turn, args=(seed, results)) for seed in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(results))
sys.setrecursionlimit(5000)
print(deep(4000))
try:
    deep(10**6)
except RecursionError:
    print("too deep")
generators = (len([n] * 1000) for n in range(1000))
print(sum(generators), gc.collect() >= 0, sys.getallocatedblocks() > 1000)
