"""What is wrapped in Keras: `keras3` and `keras2` say which functions, the others hold what they share.

In: one of its modules that was just imported. Out: marks and counts.
Never: a look at a module that has not been imported.
"""
