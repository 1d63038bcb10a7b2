"""Forked readers share one long list of records; each reads a part of it per round."""

import argparse
import multiprocessing
import random

FIELDS = 6


def records(count):
    draw = random.Random(213)
    return [tuple(draw.random() for _ in range(FIELDS)) for _ in range(count)]


def read(shared, part, orders, answers, keep):
    """Reading writes: each record's reference count, and so its page becomes the reader's own."""
    notes = []
    while (turn := orders.get()) is not None:
        window = shared[part + turn * 2 :: 64]
        total = sum(record[turn % FIELDS] for record in window)
        if keep:
            notes.append([list(record) for record in window])
        answers.put((part, total))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="the readers keep nothing of what they read")
    args = parser.parse_args()

    shared = records(400_000)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    orders = [context.Queue() for _ in range(2)]
    readers = [
        context.Process(target=read, args=(shared, part, order, answers, not args.fixed))
        for part, order in enumerate(orders)
    ]
    for reader in readers:
        reader.start()
    for turn in range(args.rounds):
        for order in orders:
            order.put(turn)
        total = sum(found for _, found in sorted(answers.get() for _ in readers))
        check = sum(sorted(record[turn % FIELDS] for record in shared))
        print(f"round {turn + 1}/{args.rounds}: {total:.3f} of {check:.1f}", flush=True)
    for order in orders:
        order.put(None)
    for reader in readers:
        reader.join()


main()
