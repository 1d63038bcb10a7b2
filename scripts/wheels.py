"""Builds the wheel that is released: one for all Pythons, for machines with an old C library.

In: nothing. Out: a wheel in `dist/` whose tag auditwheel agreed to; `GLIBC` says for which C library it is.
What must not happen here: a wheel for this machine's own C library, or one without the recorder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLIBC = "2.28"  # Debian 10, RHEL 8, Ubuntu 18.10
TAG = f"manylinux_{GLIBC.replace('.', '_')}"
TARGET = "x86_64-unknown-linux-gnu"
BUILT = ROOT / "target" / "wheels-build"
RECORDER = ROOT / "python" / "nilometer" / "_recorder.so"
DIST = ROOT / "dist"


def run(*command: str) -> str:
    environment = {**os.environ, "CARGO_TARGET_DIR": str(BUILT)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    release = ("--release", "--locked")
    run("cargo-zigbuild", "zigbuild", *release, "-p", "nilometer-recorder", "--target", f"{TARGET}.{GLIBC}")
    shutil.copyfile(BUILT / TARGET / "release" / "libnilometer_recorder.so", RECORDER)
    try:
        run(
            "maturin",
            "build",
            *release,
            "--zig",
            "--target",
            TARGET,
            "--compatibility",
            TAG,
            "--out",
            str(DIST),
        )
    finally:
        RECORDER.unlink(missing_ok=True)
    (wheel,) = DIST.glob("*.whl")
    told = " ".join(run("auditwheel", "show", str(wheel)).split())
    if f'platform tag: "{TAG}_x86_64"' not in told:
        raise SystemExit(f"{wheel.name} is not for glibc {GLIBC}: {told}")
    print(wheel.relative_to(ROOT))


if __name__ == "__main__":
    main()
