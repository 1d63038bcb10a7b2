"""The JSON schema knows every kind of cycle that the code can say."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_word_of_the_code_is_in_the_schema() -> None:
    code = (ROOT / "crates/capture/src/cycle_unit.rs").read_text()
    words = set(re.findall(r'=> "(\w+)"', code)) - {"evaluate", "on_batch", "turn"} | {"window"}
    schema = json.loads((ROOT / "docs/report.schema.json").read_text())
    assert words == set(schema["$defs"]["cycle_kind"]["enum"])
