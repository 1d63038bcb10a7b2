"""Notebooks without a leak, as lists of cells. None of them may be accused."""

from __future__ import annotations

_SMOOTH = "def smooth(size):\n    return np.cumsum(np.ones(size))"

HEALTHY: dict[str, list[str]] = {
    "every cell makes an array of its own": [
        "import numpy as np",
        *(f"table_{nth} = np.ones({300_000 + 1000 * nth})" for nth in range(14)),
    ],
    "every cell shows another array": [
        "import numpy as np",
        *(f"np.ones({300_000 + 1000 * nth}) * {nth}" for nth in range(12)),
    ],
    "one cell makes the same name anew": [
        "import numpy as np",
        _SMOOTH,
        *["table = smooth(400_000)"] * 12,
    ],
    "a loop reads files": [
        "import numpy as np, time\ntables = []\nfor nth in range(24):\n    print('read file', nth)\n"
        "    tables.append(np.ones(200_000))\n    time.sleep(0.02)",
        "total = sum(table.sum() for table in tables)",
    ],
    "tables are made of tables": [
        "import pandas as pd, numpy as np\ndf = pd.DataFrame({'a': np.arange(300_000), 'b': 1.0})",
        "df['c'] = df.a * 2",
        "df2 = df[df.a > 100]",
        "df2.head()",
        "df3 = df2.groupby('b').sum()",
        "df3",
        "df2.describe()",
        "df = df.assign(d=df.c + 1)",
        "big = pd.concat([df] * 4)",
        "big.memory_usage().sum()",
    ],
    "figures that are closed": [
        "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt",
        *["fig, ax = plt.subplots()\nax.plot(range(100))\nfig.savefig('x.png')\nplt.close(fig)"] * 10,
    ],
    "a cache with a bound": [
        "import functools\n@functools.lru_cache(maxsize=4)\ndef made(nth):\n    return bytearray(1 << 20)",
        "count = 0",
        *["count += 1\nlen(made(count));"] * 14,
    ],
    "a cell that fails, again and again": [
        "import numpy as np\ndef fails(x):\n    big = np.ones(500_000)\n    return 1 / x",
        *["fails(0)"] * 12,
    ],
    "a round of cells": [
        "import numpy as np",
        *["table = np.ones(300_000)", "other = table * 2", "print(other.sum())"] * 9,
    ],
    "losses are noted": [
        "import numpy as np\nlosses = []",
        *["for _ in range(5):\n    losses.append(float(np.ones(1000).mean()))\nlosses[-1]"] * 12,
    ],
    "an await": ["import asyncio", *["await asyncio.sleep(0)\ntext = 'x' * 1_000_000"] * 12],
    "a class that is made anew": [
        "import numpy as np",
        *["class Model:\n    def __init__(self):\n        self.w = np.ones(200_000)\nmodel = Model()"] * 12,
    ],
}
