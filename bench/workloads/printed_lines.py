"""Some 10,000 lines a second, most of one kind, each after a little work: what the watch of lines costs."""

import sys


def work(seed: int) -> int:
    total = 0
    for i in range(1100):
        total += i * seed % 7
    return total


for number in range(100_000):
    value = work(number)
    if number % 100 == 99:
        sys.stdout.write(f"epoch {number // 100 + 1}/1000 done\n")
    else:
        sys.stdout.write(f"step {number} loss {value / 3:.4f}\n")
    sys.stdout.flush()
