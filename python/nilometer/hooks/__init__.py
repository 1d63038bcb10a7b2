"""The hooks: marks set when the program's framework does something, without a change to the program.

One file per framework (`keras3`, `tf_keras`, `tensorflow`, `multiprocessing`) says which functions are
wrapped; `finder` puts them in place when their module is imported; `callbacks`, `trainers` and `models` hold
the wrappers that frameworks share; `marks` knows what the current thread is in the middle of.
"""
