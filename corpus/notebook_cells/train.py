"""Builds a notebook whose analysis was run again and again, and executes it in a kernel."""

import argparse
import sys
import time

import nbformat
from nbclient import NotebookClient

IMPORTS = """\
import numpy as np
rng = np.random.default_rng(211)
results = []"""

ANALYSIS = """\
signal = rng.normal(size=(400, 1000))
spectrum = np.abs(np.fft.rfft(signal, axis=1))
for _ in range(28):
    smooth = np.abs(np.fft.rfft(signal, axis=1)) + np.sort(signal, axis=1)[:, :501]
results.append(spectrum)
print(len(results), spectrum.mean().round(2))"""


def notebook(rounds, fixed):
    analysis = ANALYSIS.replace("results.append(spectrum)", "results.append(spectrum.mean())")
    cells = [IMPORTS, *[analysis if fixed else ANALYSIS] * rounds]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="a result is the mean of a spectrum")
    args = parser.parse_args()

    began = time.monotonic()
    book = notebook(args.rounds, args.fixed)
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    for cell in book.cells[1:]:
        # What one cell prints may come in several pieces.
        print("".join(output.text for output in cell.outputs), end="")
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


main()
