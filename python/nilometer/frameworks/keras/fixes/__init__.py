"""Fixes for causes of this framework: one file each, with `propose(case)`, as those of `nilometer.fixes`."""
