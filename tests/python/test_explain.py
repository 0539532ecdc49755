# SPDX-License-Identifier: Apache-2.0
"""Claims on explain, of programs that JAX lowered: JAX is not needed."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import shardscope as ss
from shardscope import _program, units
from shardscope.capture import from_text

PROGRAMS = Path(__file__).parent / "programs"
GATHER = """HloModule m, num_partitions=2
ENTRY e {
  x = f32[8,4] parameter(0), sharding={devices=[2,1]0,1}
  ROOT y = f32[8,4] negate(x), sharding={replicated}
}"""


def test_a_collective_says_axis_specs_source_line_and_rule(program):
    (only,) = program("step").collectives
    assert (only.opcode, only.axes, only.to_spec, only.op_name) == ("all-reduce", ("model",), "P('data', None)", "jit(step)/dot_general")
    assert only.source_line.startswith("functions.py:")
    assert only.sentence.startswith("all-reduce over model: its result from P('data', None)") and only.source_line in only.sentence
    assert "partial products are added up" in only.rule


def test_the_time_of_a_collective_is_that_of_the_run(program):
    r = program("step")
    assert r.collectives[0].time_s == pytest.approx(r.time.comm_s, rel=1e-6)
    assert r.time.total_s == pytest.approx(r.time.compute_s + r.time.exposed_comm_s + r.time.idle_s, rel=1e-6)


def test_rounds_of_a_loop_are_executions_of_one_collective(program):
    moved, added = program("layers").collectives  # as XLA partitions it
    assert (moved.opcode, added.opcode) == ("collective-permute", "all-reduce")
    assert added.executions == 6 and added.time_s > 0
    assert moved.executions is None  # the first device keeps what it has


def test_the_peak_names_its_buffers_and_whether_they_fit(program):
    peak = program("step").peak
    assert peak.peak_bytes == 5 * 32 * 2**20 and peak.fits
    assert [b.bytes for b in peak.peak] == [32 * 2**20] * 5
    assert str(peak) == "160.0 MiB, which fits h200"


def test_the_partition_is_proved(program):
    assert program("train").numerics.allclose and "of their size" in program("step").numerics.reference


def test_stages_are_the_module_as_texts_one_after_the_other(program):
    stages = program("step").stages
    assert list(stages) == ["module", "propagated", "partitioned", "jax"]
    assert "stablehlo.dot_general" in stages["module"] and "sharding=" in stages["propagated"]
    assert "all-reduce(" in stages["partitioned"] and "shard_map" in stages["jax"]


def test_why_names_what_is_there_when_a_name_is_wrong(program):
    assert program("step").why("all-reduce").startswith("all-reduce over model")
    with pytest.raises(KeyError, match="no collective 'all-gather.3' in step; there: all-reduce"):
        program("step").why("all-gather.3")


def test_text_and_page_say_the_same(program):
    r = program("train")
    text, page = str(r), r._repr_html_()
    for said in (r.collectives.summary(), str(r.peak), *(c.name for c in r.collectives)):
        assert said in text and said in page


def test_one_device_is_one(program):
    r = ss.explain("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }")
    assert "1 device," in str(r) and "1 device," in r._repr_html_() and "1 note<" in r._repr_html_()
    assert "8 devices, mesh data=2,model=4" in str(program("step"))


def test_a_page_needs_no_network_is_small_and_knows_light_and_dark(program, tmp_path):
    path = program("step").to_html(tmp_path / "r.html")
    page = path.read_text()
    assert path.stat().st_size <= 500_000
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//|url\((?!data:|&|#)|@import""", page)
    assert "prefers-color-scheme:dark" in page and "data-jp-theme-light=false" in page
    assert "<animate" in page


def test_a_page_is_made_without_a_fork_that_runs_python(program):
    forked = []
    os.register_at_fork(before=lambda: forked.append(1))  # where JAX warns of a deadlock
    assert "<iframe" in ss.explain(PROGRAMS / "step.mlir")._repr_html_()
    assert forked == []


def test_a_program_that_takes_too_long_or_too_much_is_no_success(program, tmp_path):
    page = ["render", "--db", program("step").workspace, "--run", "1", "--view", "ring", "-o", tmp_path / "ring.svg"]
    assert not _program.succeeds(page, seconds=0.001, bytes_of_memory=4 << 30)
    assert not _program.succeeds(["hlo", "run", PROGRAMS / "step.mlir"], seconds=60, bytes_of_memory=32 << 20)
    assert _program.succeeds(["presets"], seconds=60, bytes_of_memory=4 << 30)


def test_a_large_run_has_the_timeline_alone(program, monkeypatch):
    r = ss.explain(PROGRAMS / "step.mlir")
    monkeypatch.setattr("shardscope.player._MOST_EVENTS", 1)
    page = r._repr_html_()
    assert "<iframe" not in page and "<svg" in page and len(page) < 100_000


def test_the_program_runs_on_values_of_ones_own():
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    r = ss.explain(GATHER)
    assert r.collectives.counts == {"all-gather": 1}
    np.testing.assert_array_equal(r.execute(x)[0], -x)


def test_texts_are_told_apart_by_what_they_say():
    assert from_text("// a comment\n\n" + GATHER).ending == ".hlo"
    assert from_text((PROGRAMS / "step.mlir").read_text()).ending == ".mlir"
    assert from_text(PROGRAMS / "step.mlir").name == "step"


def test_refusals_are_exceptions_with_the_programs_sentence(monkeypatch):
    with pytest.raises(ss.RequestError, match="^unknown hardware 'h1000'; did you mean 'h100'"):
        ss.explain(GATHER, hardware="h1000")
    with pytest.raises(ValueError, match="^computation 'garbage' has no instructions; module:1:1$"):
        ss.explain("garbage {\n}")
    with pytest.raises(TypeError, match="got an int, expected a function"):
        ss.explain(3)
    monkeypatch.setenv("SHARDSCOPE", "/nowhere/shardscope")
    with pytest.raises(ss.ProgramNotFound, match="cannot run '/nowhere/shardscope', which SHARDSCOPE names"):
        ss.explain(GATHER)


def test_what_cannot_be_timed_is_still_explained(monkeypatch):
    r = ss.explain(GATHER, run_options={"collective": "nonsense"})
    assert r.collectives.counts == {"all-gather": 1} and r.collectives[0].time_s is None
    assert "not timed: " in str(r) and "not timed: " in r._repr_html_()
    with pytest.raises(ss.RequestError, match="nonsense"):
        r.time


def test_sizes_and_times_are_written_as_the_program_writes_them(program):
    assert units.format_seconds(0.00062218536) == "622 µs" and units.parse_seconds("622 µs") == pytest.approx(622e-6)
    assert units.format_bytes(units.parse_bytes("1.5 GiB")) == "1.5 GiB"


def test_any_command_answers_as_attributes():
    answer = ss.ask("sharding", mesh={"a": 4, "b": 2}, shape=(16, 4), spec="P('a','b')")
    assert answer.shard_shape == [4, 2] and answer.shards[3].device == 3
    with pytest.raises(AttributeError, match="no 'shape' in this answer; there: hlo_sharding,"):
        answer.shape
