"""What a program reads that `nilometer prove` or `nilometer fix` runs.

In: nothing. Out: the reason of an error. Never: a word to a program that `nilometer run` runs.
"""

from __future__ import annotations

OUTSIDE = "refused by nilometer prove: outside of the scratch folder"
