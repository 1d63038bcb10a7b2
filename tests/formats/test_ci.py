"""Forms for continuous integration: SARIF, JUnit, GitHub's annotations and summary, the exit code of diff."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
from forms import KEPT, Forms

ROOT = Path(__file__).resolve().parents[2]

# As much of SARIF 2.1.0 as code scanning asks for. Unknown properties are mistakes in the real schema too.
TEXT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}
LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "message": TEXT,
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}, "kind": {"type": "string"}},
            },
        },
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "pattern": r"^(file:///)?[A-Za-z0-9/._~%-]+$"}},
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"startLine": {"type": "integer", "minimum": 1}, "snippet": TEXT},
                },
            },
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["message"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "stacks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["frames"],
                "additionalProperties": False,
                "properties": {
                    "message": TEXT,
                    "frames": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"location": LOCATION},
                        },
                    },
                },
            },
        },
        "properties": {"type": "object"},
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "semanticVersion": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": TEXT,
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {"type": "object", "required": ["executionSuccessful"]},
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                    "properties": {"type": "object"},
                },
            },
        },
    },
}


def test_sarif_is_what_code_scanning_reads(forms: Forms) -> None:
    document = json.loads(forms.of("sarif"))
    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("leak.py", 8)
    mended = json.loads(forms.of("sarif", capture="mended.nilo"))
    jsonschema.validate(mended, SARIF)
    assert mended["runs"][0]["results"] == []


def test_junit_fails_where_memory_leaks(forms: Forms) -> None:
    for capture, failures in (("leak.nilo", 1), ("mended.nilo", 0)):
        root = ElementTree.fromstring(forms.of("junit", capture=capture))
        (suite,) = root
        (case,) = suite
        assert (root.tag, suite.tag, case.tag) == ("testsuites", "testsuite", "testcase")
        for element in (root, suite):
            assert (element.get("tests"), element.get("failures")) == ("1", str(failures))
        assert float(case.get("time") or "") > 0
        assert len(case.findall("failure")) == failures
    failure = ElementTree.fromstring(forms.of("junit")).find(".//failure")
    assert failure is not None
    assert "leak.py:8: the global kept keeps" in (failure.text or "")


def test_github_gets_annotations_and_a_summary(forms: Forms) -> None:
    summary = forms.folder / "summary.md"
    summary.write_text("# Before\n", encoding="utf-8")
    done = forms.run("report", "leak.nilo", "--format", "github", env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert done.returncode == 0
    first, second = done.stdout.decode().splitlines()
    assert first.startswith("::error title=Nilometer::Memory of leak.py leaks: +2.0 MiB per step")
    assert second.startswith("::error file=leak.py,line=8,title=")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n### Memory of `leak.py`: leak"), "what others wrote stays"
    unwritable = forms.run(
        "report", "leak.nilo", "--format", "github", env={"GITHUB_STEP_SUMMARY": "/no/such/folder/summary"}
    )
    assert (unwritable.returncode, unwritable.stdout) == (0, done.stdout)
    assert unwritable.stderr.startswith(b"warning: ")


def test_diff_has_its_schema_and_its_exit_code(forms: Forms) -> None:
    schema = json.loads((ROOT / "docs" / "diff.schema.json").read_text(encoding="utf-8"))
    mended = forms.run("diff", "leak.nilo", "mended.nilo", "--format", "json", "--fail-on-growth")
    assert mended.returncode == 0
    told = json.loads(mended.stdout)
    jsonschema.validate(told, schema)
    assert told["growth"]["change"] == "shrank"
    assert abs(told["growth"]["difference"] + KEPT) < KEPT / 10
    worse = forms.run("diff", "mended.nilo", "leak.nilo", "--format", "json", "--fail-on-growth")
    jsonschema.validate(json.loads(worse.stdout), schema)
    assert worse.returncode == 1
    for words, code in (((), 0), (("--fail-on-growth=1M",), 1), (("--fail-on-growth=3M",), 0)):
        assert forms.run("diff", "mended.nilo", "leak.nilo", *words).returncode == code, words
    missing = forms.run("diff", "leak.nilo", "nothing.nilo", "--fail-on-growth")
    assert missing.returncode == 2
    assert missing.stderr.startswith(b"error: ")
