"""What `nilometer fix` asks for: a report on stdin, patches on stdout, as JSON.

In: `{"folder", "words", "report"}`. Out: `{"attempts", "refused"}`.
Never: anything of the program imported; it is started so that its folder is not on the path.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Reads, proposes, writes."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from nilometer.fixes._engine import attempts

    asked = json.loads(sys.stdin.buffer.read())
    answer = attempts(Path(asked["folder"]), asked["words"], asked["report"])
    sys.stdout.write(json.dumps(answer))


main()
