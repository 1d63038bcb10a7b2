"""Records are read so fast that a turn takes a microsecond; the author marks the turns himself."""

import argparse
import math

import nilometer


def read(turns, records):
    length = 0
    for turn in range(turns):
        record = bytearray(2960 + turn % 80)
        length += len(record)
        if records is not None:
            records.append(record)
        nilometer.cycle()
    return length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=3000)
    parser.add_argument("--fixed", action="store_true", help="keeps how long all records are together")
    args = parser.parse_args()

    records = None if args.fixed else []
    length = read(args.turns, records)
    # What is done with them takes longer than to read them.
    check = sum(math.sqrt(number) for number in range(40_000_000))
    print(f"{length} bytes read, checked by {check:.0f}; {len(records or [])} records kept")


main()
