"""How long the page of a big capture takes: 10,000 stacks, 2,000 cycles. Prints; judges nothing.

python tests/page/page_bench.py
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import synthetic
from browser import Browser, find_browser
from pages import Pages

ROUNDS = 7
MEASURES = {
    "verdict and curve painted": "performance.getEntriesByName('first-contentful-paint')[0].startTime",
    "page whole": "performance.getEntriesByName('whole')[0].startTime",
}


def main() -> None:
    path = find_browser()
    if path is None:
        raise SystemExit("no Chromium on this machine: install one, or name it in CHROMIUM")
    with tempfile.TemporaryDirectory() as folder, Browser(path) as browser:
        pages = Pages(Path(folder))
        big = pages.of("big", synthetic.report(cycles=2000), synthetic.profile(10_000, 64, 60))
        print(f"page of {big.stat().st_size / (1 << 20):.1f} MiB, {ROUNDS} rounds, median and worst in ms")
        taken: dict[str, list[float]] = {name: [] for name in MEASURES}
        for _ in range(ROUNDS):
            page = browser.open(big)
            page.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
            page.wait("performance.getEntriesByName('whole').length > 0")
            for name, expression in MEASURES.items():
                taken[name].append(page.read(expression))
            page.close()
        for name, times in taken.items():
            print(f"{name:28} {statistics.median(times):6.0f} {max(times):6.0f}")


if __name__ == "__main__":
    main()
