"""multiprocessing by all three ways of starting, concurrent.futures, and subprocesses of several kinds."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys


def work(size: int) -> int:
    return len(b"".join(bytes(1000) for _ in range(size)))


def main() -> None:
    for how in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(how)
        with context.Pool(2) as pool:
            print(how, pool.map(work, range(20)))
        queue = context.Queue()
        process = context.Process(target=queue.put, args=(os.environ.get("LD_PRELOAD"),))
        process.start()
        print(queue.get(timeout=60))
        process.join()
        print(process.exitcode)
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, range(20))))
    shows = "import os, sys; print(sorted(n for n in os.environ if 'NILO' in n or n == 'LD_PRELOAD'))"
    print(subprocess.run([sys.executable, "-c", shows], capture_output=True, text=True).stdout)
    print(subprocess.run("env | grep -c -e NILO -e LD_PRELOAD", shell=True, capture_output=True).stdout)
    print(subprocess.run(["true"], preexec_fn=os.getpid).returncode)
    with open("/proc/self/maps") as maps:
        print(sum("nilometer-" in line and ".so" in line for line in maps))


if __name__ == "__main__":
    main()
