"""Which files of frameworks' folders `prove`, `guard`, `plan` and `fix` ask for, and what else they ask.

In: the name of an intervention; a program that is tried, guarded, planned or mended. Out: files.
Never: anything that a program needs which `nilometer run` runs.
"""

from __future__ import annotations

_KERAS = "frameworks.keras.interventions"
_TENSORFLOW = "frameworks.tensorflow.interventions"
# intervention -> file whose `install(argument)` puts it in; the others lie in `interventions`.
INTERVENTIONS = {
    "callback": f"{_KERAS}.callback",
    "callbacks": f"{_KERAS}.callbacks",
    "clear-session": f"{_KERAS}.clear_session",
    "repeated-batch": f"{_KERAS}.repeated_batch",
    "validation": f"{_KERAS}.validation",
    "workers-0": f"{_KERAS}.workers_0",
    "eager": f"{_TENSORFLOW}.eager",
    "fixed-shape": f"{_TENSORFLOW}.fixed_shape",
    "graph": f"{_TENSORFLOW}.graph",
    "no-onednn": f"{_TENSORFLOW}.no_onednn",
    "plain-pipeline": f"{_TENSORFLOW}.plain_pipeline",
    "purge-graphs": f"{_TENSORFLOW}.purge_graphs",
    "relaxed-shapes": f"{_TENSORFLOW}.relaxed_shapes",
    "tensor-scalars": f"{_TENSORFLOW}.tensor_scalars",
}
# Files whose `install(limits)` ends a training after enough epochs.
STOPS = (f"{_KERAS}._stop",)
# Files whose `install()` makes known what a training is given: nobody else may have a name for it.
ROOTS = (f"{_KERAS}._roots",)
# Files whose `install(say)` says what there would be to change.
SURVEYS = (f"{_KERAS}._survey", f"{_TENSORFLOW}._survey")
# Packages whose callbacks hold functions that the program gave them.
CALLBACKS = ("keras", "tf_keras")
# Variables by which frameworks see no device.
NO_DEVICES = {"CUDA_VISIBLE_DEVICES": "-1", "HIP_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}

# Files whose `install(policy, before)` guards trainings, and those whose `install()` lets workers leave.
GUARDS = ("frameworks.keras.guard.fits",)
WORKERS = ("frameworks.celery.guard", "frameworks.uvicorn.guard")

# Files whose `install(divisor, batch, steps)` measures small trainings.
PLANS = ("frameworks.keras.plan.fits",)

# Files whose `propose(case)` mends a cause; the more telling first.
FIXES = ("frameworks.tensorflow.fixes.tensor_argument", "frameworks.keras.fixes.one_model")
# Words in the name of a type that holds numbers, and functions that take a list of numbers for one of these.
TENSORS = ("EagerTensor", "Tensor", "ArrayImpl", "Variable")
TAKES_NUMBERS = ("tf.reduce_", "tf.stack", "tf.convert_to_tensor", "keras.ops.")
