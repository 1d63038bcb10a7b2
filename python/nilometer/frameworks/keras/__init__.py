"""What is known of Keras 3, and of Keras 2 under both of its names: `keras` and `tf_keras`.

In: its modules, when the program has imported them. Out: marks, counts, interventions, guard, plan, fixes.
Never: an import of Keras.
"""
