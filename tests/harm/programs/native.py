"""Calls functions of the C parts and prints what they return: `native.py LIBRARY FUNCTION(ARG,...) ...`.

An argument in quotes is a path in the folder of the libraries.
"""

import ctypes
import os
import sys

FOLDER = os.environ["HARM_LIBRARY"]


def argument(word: str) -> object:
    if word.startswith("'"):
        return os.path.join(FOLDER, word.strip("'")).encode()
    return ctypes.c_size_t(int(word)) if int(word) > 2**31 else int(word)


library = ctypes.CDLL(os.path.join(FOLDER, f"lib{sys.argv[1]}.so"))
for call in sys.argv[2:]:
    name, _, rest = call.partition("(")
    words = [word for word in rest.rstrip(")").split(",") if word]
    print(name, getattr(library, name)(*map(argument, words)), flush=True)
