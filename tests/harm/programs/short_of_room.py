"""Grows beside a limit that a look at the heap would not fit under, and asks for one."""

import resource

import nilometer

kept: list[object] = [{number: [number]} for number in range(400_000)]
with open("/proc/self/status") as status:
    size = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (size + (16 << 20), resource.RLIM_INFINITY))
for number in range(30):
    kept.append(bytearray(200_000) if number < 10 else number)
    nilometer.cycle()
nilometer.census()
print("got on")
