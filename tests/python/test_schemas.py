# SPDX-License-Identifier: Apache-2.0
"""Every command that answers in JSON has a schema, and its answers fit it."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import schema_writers
import schemas

import shardscope as ss
from shardscope import _program


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return schemas.workspace(_program.program(), tmp_path_factory.mktemp("schemas"))


@pytest.mark.parametrize("command", schemas.QUESTIONS)
def test_answers_fit_their_schema(command, names):
    schema = json.loads(schemas.file_of(command).read_text())
    for question, answer in schemas.answers(_program.program(), command, names):
        assert schemas.problems(schema, answer) == [], question


def types_in(schema, key=""):
    """(key, types) of everything that a schema describes."""
    kinds = schema.get("type", [])
    yield key, {kinds} if isinstance(kinds, str) else set(kinds)
    for name, each in schema.get("properties", {}).items():
        yield from types_in(each, name)
    for inner, of in (("items", key), ("additionalProperties", "")):
        if inner in schema:
            yield from types_in(schema[inner], of)


@pytest.mark.parametrize("command", schemas.QUESTIONS)
def test_a_schema_claims_no_more_than_the_writers_do(command):
    schema = json.loads(schemas.file_of(command).read_text())
    for key, kinds in types_in(schema):
        assert kinds != {"null"}, f"{key}: ask for something that has it"
        assert not kinds or "null" in kinds or key not in schema_writers.nullable(), f"{key} may be null"


def test_writers_are_read():
    assert {"run_id", "simulated_s", "residual_s", "by", "reason", "price"} <= schema_writers.nullable()
    assert {"label", "warnings", "memory", "device_order"} <= schema_writers.optional()
    assert not {"strategies", "devices", "instructions"} & schema_writers.nullable()


def test_the_program_prints_the_schemas_that_are_kept():
    for command in schemas.QUESTIONS:
        assert _program.run(["schema", *command.split()]) == schemas.file_of(command).read_text()
    with pytest.raises(ss.RequestError, match="no command 'rendr'; schema; did you mean render"):
        _program.run(["schema", "rendr"])


def test_what_has_no_answer_of_its_own_tells_its_text_and_its_files(names):
    for command in schemas.TEXTS:
        for question, answer in schemas.answers(_program.program(), command, names):
            assert answer["text"] or answer["files"], question
            assert all(Path(file).stat().st_size > 0 for file in answer["files"]), question


def test_every_command_with_json_has_a_schema():
    def has_json(words):
        shown = subprocess.run([_program.program(), *words, "--help"], capture_output=True, text=True).stdout
        commands = re.findall(r"^  ([a-z-]+) ", shown.partition("\nSubcommands:\n")[2], re.MULTILINE)
        found = {" ".join(words)} if re.search(r"^  --json", shown, re.MULTILINE) else set()
        return found.union(*(has_json([*words, command]) for command in commands))

    assert has_json([]) == set(schemas.QUESTIONS) | {"serve"}  # asked in test_serve.py


def test_a_key_that_goes_or_changes_its_type_is_a_problem():
    schema = schemas.schema_of([{"a": 1, "b": ["x"]}, {"a": 2.5, "b": [], "c": None}])
    assert schemas.problems(schema, {"a": 1, "b": ["y"], "new": {}}) == []
    assert schemas.problems(schema, {"b": [1]}) == ["$: no 'a'", "$.b[0]: expected string, got integer"]
