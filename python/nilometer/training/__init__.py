"""What the callbacks in `nilometer.keras`, `nilometer.lightning` and `nilometer.transformers` share.

In: a training that begins, ends epochs, and ends. Out: two metrics, a verdict, and what the user asked for
when memory leaks.
Never: an import of a framework or a tracker; a training that fails because of a callback of ours.
"""
