"""What cannot be begins in words, and nothing is changed by it."""

import os

import door

assert "capture" in door.start(capture="/nowhere/x.nilo"), "there is none"
assert not door.to_recorder()
door.stop()
door.stop()
assert door.start() is None
assert door.start() is None, "into the same capture"
words = door.start(capture=__file__)
assert "another capture" in words, words
assert door.to_recorder()
door.stop()
print("done")
os._exit(0)
