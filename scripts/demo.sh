#!/bin/sh
# Runs the main job on a leaking script and on its mended twin; captures go to a folder that is removed at the end.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
for script in leaky healthy; do
    printf '\n$ nilometer run examples/%s.py\n' "$script"
    nilometer run -o "$scratch/$script.nilo" "examples/$script.py"
done
