"""Whether the device is set up, which a test says, and how much memory it has."""

_initialized = False


class _get_device_properties:
    def __init__(self, device):
        self.total_memory = 1 << 30
