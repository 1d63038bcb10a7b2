"""Records are read so fast that a turn takes a microsecond; the author marks the turns himself."""

import argparse
import math

import nilometer

parser = argparse.ArgumentParser()
parser.add_argument("--turns", type=int, default=3000)
parser.add_argument("--fixed", action="store_true", help="keeps how long the records are")
args = parser.parse_args()

records = []
for turn in range(args.turns):
    record = bytearray(2960 + turn % 80)
    records.append(len(record) if args.fixed else record)
    nilometer.cycle()

# What is done with them takes longer than to read them.
total = sum(math.sqrt(number) for number in range(20_000_000))
print(f"{len(records)} records, checked by {total:.0f}")
