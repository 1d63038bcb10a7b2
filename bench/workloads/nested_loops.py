"""Hot loops, one inside the other, the outermost the program's cycle: what the watch of loops costs."""


def cell(row: int, column: int) -> int:
    total = 0
    for i in range(20):
        total += i ^ row
        if total > column:
            total -= column
    return total


total = 0
for _round in range(60):
    for row in range(300):
        for column in range(300):
            total += cell(row, column)
            while total > 1 << 20:
                total >>= 1
print(total)
