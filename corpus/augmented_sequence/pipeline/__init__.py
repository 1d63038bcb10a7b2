"""Input of the training."""
