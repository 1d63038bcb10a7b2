"""The guard of trainings by Keras: follows fits, saves them and goes on with them.

In: every call of `fit`. Out: a checkpoint, or training that goes on from one.
Never: a callback put among the program's own.
"""
