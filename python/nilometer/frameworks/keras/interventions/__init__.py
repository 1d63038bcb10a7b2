"""Interventions in Keras: its `fit`, its callbacks, its data.

Each file says what it changes, how, and what it would prove, as those of `nilometer.interventions` do.
"""
