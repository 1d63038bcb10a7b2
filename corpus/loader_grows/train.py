"""A loader in a process of its own prepares pictures for a consumer that measures them."""

import argparse
import multiprocessing

import numpy as np


def prepare(outbox, sheets, remember):
    """Cuts thumbnails from sheets; the sheets that were cut are remembered."""
    rng = np.random.default_rng(212)
    cut = {}
    for number in range(sheets):
        sheet = rng.integers(0, 255, (1500, 800), dtype=np.uint8)
        cut[number] = sheet
        if remember is not None:
            cut.pop(number - remember, None)
        outbox.put(sheet.reshape(100, -1)[:, :1000].copy())
    outbox.put(None)


def measure(thumbnails):
    spread = 0.0
    for _ in range(50):
        spread = float(np.sort(thumbnails.astype(float), axis=1).std())
    return spread


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sheets", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="the loader remembers three sheets")
    args = parser.parse_args()

    context = multiprocessing.get_context("spawn")
    inbox = context.Queue(maxsize=2)
    remember = 3 if args.fixed else None
    loader = context.Process(target=prepare, args=(inbox, args.sheets, remember), name="loader")
    loader.start()
    number = 0
    while (thumbnails := inbox.get()) is not None:
        number += 1
        print(f"sheet {number}/{args.sheets}: {measure(thumbnails):.3f}", flush=True)
    loader.join()


if __name__ == "__main__":
    main()
