"""What is known of TensorFlow 2.

In: its modules, when the program has imported them. Out: marks, counts, interventions, fixes.
Never: an import of TensorFlow.
"""
