"""Calls that cross the end of a chunk of frames, again and again, on several threads; errors and generators.

Prints what came out, and to stderr how many pages the calls of one thread alone had the kernel fill.
"""

import resource
import sys
import threading

sys.setrecursionlimit(5000)


def leaf(a, b, c, d):
    e, f, g, h = a + 1, b + 2, c + 3, d + 4
    return e + f + g + h


def numbers(n):
    for i in range(n):
        yield leaf(i, i, i, i)


def dive(depth, calls):
    if depth:
        return dive(depth - 1, calls)
    total = 0
    for i in range(calls):
        total += leaf(i, 1, 2, 3)
        if i % 50 == 0:
            try:
                raise ValueError(total)
            except ValueError as error:
                total = error.args[0] + sum(numbers(3))
    return total


def work(to, calls):
    return sum(dive(depth, calls) for depth in range(to))


work(300, 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(work(300, 500))
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, file=sys.stderr)

results = []
threads = [threading.Thread(target=lambda: results.append(work(400, 100))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results)
