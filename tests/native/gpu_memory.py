"""Bytes of TensorFlow's allocators as the native module reads them: in use, at most, reserved."""

import os

# The allocator for the processor tells figures where oneDNN is in use. TensorFlow chooses that by the
# processor: on one of AMD's that has AVX2 at most it does not.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import _native
import tensorflow as tf
from tensorflow.python.eager import context


def say(when, kind="CPU"):
    print(when, *(_native.device_figures(kind) or [(0,) * 6])[0][2:5])


say("before")
print("looked", int(bool(context._context and context._context._initialized)))
kept = [tf.random.normal((1000, 1000)) for _ in range(3)]
say("without", "GPU")
say("three")
kept.pop()
say("two")
os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
say("as_needed")
