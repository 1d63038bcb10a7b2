"""Interventions in TensorFlow: its functions, pipelines and kernels.

Each file says what it changes, how, and what it would prove, as those of `nilometer.interventions` do.
"""
