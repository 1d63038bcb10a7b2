"""Nothing but the import that every training program begins with."""

import tensorflow  # noqa: F401
