"""A loop of plain Python that makes and drops small objects: the worst case for tools that see every one."""


class Point:
    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y


def turn(seed: int) -> float:
    points = [Point(float(i), float(i * seed % 7)) for i in range(1000)]
    by_y: dict[float, list[Point]] = {}
    for point in points:
        by_y.setdefault(point.y, []).append(point)
    names = [f"{point.x:.0f}:{point.y:.0f}" for point in points]
    return sum(len(group) for group in by_y.values()) + len(",".join(names))


# Some data that stays, as in any real program; without it the peak would be that of the bare interpreter.
kept = [Point(float(i), float(-i)) for i in range(300_000)]
print(sum(turn(seed) for seed in range(13_000)) + len(kept))
