"""A stand-in of PyTorch with one device: tests say what is in use on it."""
