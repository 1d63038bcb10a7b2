"""One place for everything that plots may want after the run."""

RESIDUALS = []
SCALARS = {}


def remember(residuals):
    RESIDUALS.append(residuals)


def note(name, value):
    SCALARS.setdefault(name, []).append(float(value))
