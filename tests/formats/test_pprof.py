"""The profile read with Google's protobuf library, by the published numbers of profile.proto."""

from __future__ import annotations

import functools
import gzip
from typing import Any

import pytest
from forms import KEPT, STEPS, Forms

pytest.importorskip("google.protobuf")

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Fields of each message: name, number, type, repeated or not.
MESSAGES: dict[str, list[tuple[str, int, str, bool]]] = {
    "Profile": [
        ("sample_type", 1, "ValueType", True),
        ("sample", 2, "Sample", True),
        ("mapping", 3, "Mapping", True),
        ("location", 4, "Location", True),
        ("function", 5, "Function", True),
        ("string_table", 6, "string", True),
        ("drop_frames", 7, "int64", False),
        ("keep_frames", 8, "int64", False),
        ("time_nanos", 9, "int64", False),
        ("duration_nanos", 10, "int64", False),
        ("period_type", 11, "ValueType", False),
        ("period", 12, "int64", False),
        ("comment", 13, "int64", True),
        ("default_sample_type", 14, "int64", False),
    ],
    "ValueType": [("type", 1, "int64", False), ("unit", 2, "int64", False)],
    "Sample": [("location_id", 1, "uint64", True), ("value", 2, "int64", True), ("label", 3, "Label", True)],
    "Label": [
        ("key", 1, "int64", False),
        ("str", 2, "int64", False),
        ("num", 3, "int64", False),
        ("num_unit", 4, "int64", False),
    ],
    "Mapping": [("id", 1, "uint64", False), ("filename", 5, "int64", False)],
    "Location": [
        ("id", 1, "uint64", False),
        ("mapping_id", 2, "uint64", False),
        ("address", 3, "uint64", False),
        ("line", 4, "Line", True),
    ],
    "Line": [("function_id", 1, "uint64", False), ("line", 2, "int64", False)],
    "Function": [
        ("id", 1, "uint64", False),
        ("name", 2, "int64", False),
        ("system_name", 3, "int64", False),
        ("filename", 4, "int64", False),
        ("start_line", 5, "int64", False),
    ],
}


@functools.cache
def profile_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="perftools", syntax="proto3")
    field = descriptor_pb2.FieldDescriptorProto
    scalars = {"int64": field.TYPE_INT64, "uint64": field.TYPE_UINT64, "string": field.TYPE_STRING}
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind, repeated in fields:
            label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
            made = message.field.add(name=field_name, number=number, label=label)
            if kind in scalars:
                made.type = scalars[kind]
            else:
                made.type = field.TYPE_MESSAGE
                made.type_name = f".perftools.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("perftools.Profile"))


@pytest.fixture(scope="module")
def profile(forms: Forms) -> Any:
    # gzip checks the sum and the length.
    return profile_class().FromString(gzip.decompress(forms.of("pprof")))


def test_every_field_is_known_and_every_reference_leads_somewhere(profile: Any) -> None:
    assert profile.string_table[0] == ""
    functions = {function.id for function in profile.function}
    locations = {location.id for location in profile.location}
    assert 0 not in functions | locations
    assert all(line.function_id in functions for location in profile.location for line in location.line)
    assert all(set(sample.location_id) <= locations for sample in profile.sample)
    assert all(len(sample.value) == len(profile.sample_type) == 3 for sample in profile.sample)
    assert all(0 <= f.name < len(profile.string_table) for f in profile.function)
    again = profile_class().FromString(profile.SerializeToString())
    again.DiscardUnknownFields()
    assert again == profile, "no field but the published ones"


def test_the_leak_is_its_biggest_sample(profile: Any) -> None:
    text = profile.string_table
    names = [f"{text[kind.type]} {text[kind.unit]}" for kind in profile.sample_type]
    assert names == ["live bytes", "growth_per_step bytes", "samples count"]
    assert text[profile.default_sample_type] == "live"
    by_id = {function.id: function for function in profile.function}
    lines = {location.id: location.line[0] for location in profile.location}
    biggest = max(profile.sample, key=lambda sample: sample.value[0])
    stack = [text[by_id[lines[i].function_id].name] for i in biggest.location_id]
    assert stack.index("keep") < stack.index("<module>"), "the innermost is the first"
    assert biggest.value[0] == pytest.approx(KEPT * STEPS, rel=0.01)
    assert biggest.value[1] == pytest.approx(KEPT, rel=0.01)
    assert [(text[label.key], text[label.str]) for label in biggest.label] == [("phase", "work")]
    assert any("leak.py" in text[comment] for comment in profile.comment)
    assert profile.duration_nanos > 0 < profile.time_nanos
