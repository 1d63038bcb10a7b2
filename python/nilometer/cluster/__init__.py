"""Runs of `nilometer prove` on a cluster: `__main__` is started as a file, `words` has its sentences."""
