"""Parquet by DuckDB, OpenMetrics by Prometheus' own parser, lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from forms import KEPT, STEPS, Forms


@pytest.fixture(scope="module")
def table(forms: Forms) -> Path:
    path = forms.folder / "leak.parquet"
    path.write_bytes(forms.of("parquet"))
    return path


def test_duckdb_asks_the_table(table: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    asked = duckdb.sql(
        f"""select site_file, site_line, site_function, phase, count(distinct cycle), sum(born_bytes),
                   any_value(site_bytes_per_cycle)
            from '{table}' where born_bytes > 1000000 group by all order by 6 desc"""
    ).fetchall()
    (file, line, function, phase, cycles, born, growth), *rest = asked
    assert (file, line, function, phase, cycles) == ("leak.py", 8, "keep", "work", STEPS)
    assert born == pytest.approx(KEPT * STEPS, rel=0.01)
    assert growth == pytest.approx(KEPT, rel=0.01)
    assert [row[2] for row in rest] == ["replace"]
    every = duckdb.sql(f"select distinct cycle from '{table}' where cycle is not null order by 1").fetchall()
    assert [cycle for (cycle,) in every] == list(range(1, STEPS + 1))
    (verdicts,) = duckdb.sql(f"select list(distinct verdict) from '{table}'").fetchall()
    assert verdicts == (["leak"],)
    metadata = duckdb.sql(f"select key, value from parquet_kv_metadata('{table}')").fetchall()
    assert (b"nilometer.schema", b"nilometer.table/1") in metadata


def test_pyarrow_reads_the_table_too(table: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    read = parquet.read_table(table)
    read.validate(full=True)
    assert sum(b for b in read["born_bytes"].to_pylist() if b) > KEPT * STEPS
    assert read["holder"].null_count + len(read["holder"].drop_null()) == read.num_rows


def test_a_table_of_a_run_without_samples(forms: Forms) -> None:
    duckdb = pytest.importorskip("duckdb")
    done = forms.run("run", "-q", "-f", "--no-recorder", "-o", "unsampled.nilo", "leak.py")
    assert done.returncode == 0
    path = forms.folder / "unsampled.parquet"
    path.write_bytes(forms.of("parquet", capture="unsampled.nilo"))
    assert duckdb.sql(f"select count(*) from '{path}'").fetchall() == [(0,)]


def test_prometheus_parses_the_metrics(forms: Forms) -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    families = {f.name: f for f in parser.text_string_to_metric_families(forms.of("openmetrics").decode())}
    verdict = {s.labels["nilometer_verdict"]: s.value for s in families["nilometer_verdict"].samples}
    assert verdict == {"leak": 1, "no_leak": 0, "undecided": 0}
    growth = {s.labels["bound"]: s.value for s in families["nilometer_growth_bytes"].samples}
    assert growth["low"] <= growth["estimate"] <= growth["high"]
    assert growth["estimate"] == pytest.approx(KEPT, rel=0.05)
    (finding,) = families["nilometer_finding_bytes"].samples
    assert (finding.labels["file"], finding.labels["line"]) == ("leak.py", "8")
    (cycles,) = families["nilometer_cycles"].samples
    assert (cycles.name, cycles.value) == ("nilometer_cycles_total", STEPS)


def test_lines_are_a_run_its_cycles_and_its_findings(forms: Forms) -> None:
    rows = [json.loads(line) for line in forms.of("jsonl").splitlines()]
    assert [row["type"] for row in rows] == ["run"] + ["cycle"] * STEPS + ["finding"]
    report = json.loads(forms.of("json"))
    assert rows[-1] == {**report["findings"][0], "type": "finding"}
    assert [row["cycle"] for row in rows[1:-1]] == list(range(1, STEPS + 1))
    assert rows[0]["verdict"] == report["verdict"] == "leak"


def test_more_names_than_a_byte_can_tell_apart(forms: Forms) -> None:
    duckdb = pytest.importorskip("duckdb")
    made = "\n".join(f"def make_{i}(): return bytearray(1 << 18)" for i in range(300))
    kept = "kept = [globals()[f'make_{i}']() for i in range(300)]"
    program = f"import nilometer\n{made}\n{kept}\nnilometer.cycle()\n"
    (forms.folder / "wide.py").write_text(program, encoding="utf-8")
    words = ["run", "-q", "-f", "--sample", "64K", "--max-overhead", "50", "-o", "wide.nilo", "wide.py"]
    assert forms.run(*words).returncode == 0
    path = forms.folder / "wide.parquet"
    path.write_bytes(forms.of("parquet", capture="wide.nilo"))
    asked = duckdb.sql(
        f"""select site_function, site_line, sum(born_bytes) from '{path}'
            where site_function like 'make_%' group by all"""
    ).fetchall()
    assert len(asked) > 256
    assert all(int(function.removeprefix("make_")) + 2 == line for function, line, _ in asked)
    assert all(born == pytest.approx(1 << 18, rel=0.05) for _, _, born in asked)
