"""Bytes of TensorFlow's allocators as the hook reads them: in use, at most, reserved."""

import os

# The allocator for the processor tells figures where oneDNN is in use. TensorFlow chooses that by the
# processor: on one of AMD's that has AVX2 at most it does not.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import tensorflow as tf
from nilometer.hooks import gpu_memory
from tensorflow.python.eager import context

eager = vars(context)


def say(when):
    print(when, gpu_memory.in_use(eager), gpu_memory.peak(eager), gpu_memory.reserved(eager))


say("before")
print("looked", int(bool(context._context and context._context._initialized)))
kept = [tf.random.normal((1000, 1000)) for _ in range(3)]
say("without")
gpu_memory._KIND = "CPU"
say("three")
kept.pop()
say("two")
os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
say("as_needed")
