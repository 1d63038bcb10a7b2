"""Keeps three kinds of memory per round, each on a line of its own, and makes garbage beside it."""

import os

keep = []


class Point:
    __slots__ = ("x",)


def one_block():
    keep.append(bytearray(1 << 20))


def a_thousand_blocks():
    for _ in range(1000):
        keep.append(bytes(1024 - 33))


def small_objects():
    for _ in range(20000):
        keep.append(Point())


def garbage():
    rows = [bytes(3000) for _ in range(500)]
    table = {number: str(number) for number in range(5000)}
    return len(rows) + len(table)


for _ in range(20):
    one_block()
    a_thousand_blocks()
    small_objects()
    garbage()
# Not taken down, so that all of it is alive at the end.
os._exit(0)
