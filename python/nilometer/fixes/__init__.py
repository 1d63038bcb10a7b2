"""Fixes: changes of a program's source for causes whose change is mechanical.

In: what a report says of a leak, and the program's own files. Out: patched texts, several ways for one
cause where only a run can tell which is right, or a sentence why there is none.
Never: a file written, code of the program run, or a word of it re-formatted: all edits are made at
positions in the source, and the rest stays as it is, byte by byte.

One fix per file; each has `propose(case)`, which gives a list of proposals or raises `Refused`. Files
that begin with `_` are what they stand on; `words` has the sentences. Whether a proposal is right is not
known here: `nilometer fix` runs the program with it and shows it only if its growth ends and it prints what
it printed.
"""
