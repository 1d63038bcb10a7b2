"""Small trainings by Keras, and what of them can be counted exactly.

`fits` changes and ends them, `sizes` counts.

In: every call of `fit`. Out: facts in the capture.
Never: a `fit` changed whose data come batched.
"""
