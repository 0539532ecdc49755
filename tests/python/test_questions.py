# SPDX-License-Identifier: Apache-2.0
"""Claims on compare, expect, cheapest, run, profile and the pytest plugin."""

import csv
from pathlib import Path

import pytest

import shardscope as ss
from shardscope.capture import dtensor
from shardscope.capture import dtensor_recording as recording

PROGRAMS = Path(__file__).parent / "programs"


def test_compare_ranks_by_time_and_says_what_the_gap_is_made_of():
    both = ss.compare({"reduce": PROGRAMS / "step.mlir", "small": PROGRAMS / "train.mlir"}, hardware="h200", check="off")
    assert both.best == "small" and list(both) == ["small", "reduce"]
    assert both.verdict.startswith("small takes ") and "less exposed communication" in both.verdict
    assert "all-reduce" in both._repr_html_() and str(both).count("\n") == 3


def test_compare_lists_what_the_program_refuses():
    both = ss.compare({"good": PROGRAMS / "relayout.mlir", "bad": "HloModule m {\n"}, check="off")
    assert list(both) == ["good"] and "expected" in both.refused["bad"] and "refused: " in str(both)


def test_expect_returns_what_holds(program):
    r = program("step")
    assert ss.expect(r, collectives={"all-reduce": 1}, max_bytes="32 MiB", max_peak="160 MiB", max_time="1 ms", no_rematerialization=True) is r


def test_expect_says_why_a_collective_is_there(program):
    with pytest.raises(AssertionError) as failed:
        ss.expect(program("step"), collectives={})
    assert "expected 0 all-reduce, got 1:" in str(failed.value) and "all-reduce over model: its result" in str(failed.value)
    assert failed.value.explanation is program("step")


@pytest.mark.parametrize(
    "claims, said",
    [
        ({"collectives": {"all-reduce": 1, "all-gather": 2}}, "expected 2 all-gather, got 0"),
        ({"max_bytes": "31 MiB"}, "expected at most 31 MiB of data, got 32.0 MiB; the largest:"),
        ({"max_peak": 100 * 2**20}, "expected at most 100.0 MiB alive at once, got 160.0 MiB:"),
        ({"max_time": "10 us"}, "expected at most 10 us, got \\d+ µs: compute"),
    ],
)
def test_expect_says_what_was_expected_and_what_is_there(program, claims, said):
    with pytest.raises(AssertionError, match=said):
        ss.expect(program("step"), **claims)


def test_a_reshard_is_explained_from_specs_alone():
    assert ss.cheapest(("x", None), (None, "x"), (64, 32), {"x": 4, "y": 2}).collectives.counts == {"all-to-all": 1}
    assert ss.cheapest(("x",), (), (64, 32), "x=8", dtype="bfloat16").collectives.counts == {"all-gather": 1}
    ways = ss.cheapest(("x", "y"), ("y", "x"), (64, 32), {"x": 2, "y": 4}, hardware="h100")
    assert ways.best.proved and ways.best.time_s <= min(ways.xla.time_s, ways.shardy.time_s, ways.dtensor.time_s)


def test_strategies_are_listed_and_run():
    assert {"wang.os", "cannon.os", "summa.os"} <= {each.id for each in ss.strategies()}
    r = ss.run("wang.os", mesh={"row": 2, "col": 4}, m=64, k=64, n=64)
    assert r.numerics.allclose and "<iframe" in r._repr_html_() and str(r).startswith("wang.os: ")
    with pytest.raises(ss.RequestError, match="m must be divisible by rows, got m=7, rows=2"):
        ss.run("wang.os", mesh={"row": 2, "col": 4}, m=7, k=64, n=64)


def test_redistributions_of_dtensor_become_collectives():
    recorded = """
    torch.mm(dt: f32[64, 128]|S(0)R, dt: f32[128, 256]|S(0)R)
      redistribute_input(1, S(0)R -> RR)
    aten::sum(dt: f32[64, 256]|PS(0))
      redistribute_input(0, PS(0) -> RS(0))
    """
    moves = dtensor.parse_debug_mode(recorded.splitlines())
    assert [(move.shape, move.of) for move in moves] == [((128, 256), "torch.mm"), ((64, 256), "aten::sum")]
    captured = dtensor.module_of(moves, {"x": 2, "y": 4}, "f")
    r = ss.explain(captured.text)
    assert r.collectives.counts == {"all-gather": 1, "all-reduce": 1}
    assert [(c.axes, c.op_name) for c in r.collectives] == [(("x",), "torch.mm"), (("x",), "aten::sum")]
    assert r.time.comm_s > 0 and captured.notes == (dtensor.NOTE,)


def test_a_recorded_step_of_dtensor_is_one_devices_program():
    """A step of two layers and its gradients on a mesh of 2 x 4, as PyTorch 2.15's DebugMode wrote it."""
    lines = (PROGRAMS / "dtensor_step.txt").read_text().splitlines()
    assert recording.is_numbered(lines)
    captured = recording.module_of_calls(recording.parse_calls(lines), {"dp": 2, "tp": 4}, {"1": [0], "5": [1]}, "step")
    r = ss.explain(captured.text)
    assert r.collectives.counts == {"all-gather": 1, "all-reduce": 3}
    assert [(c.axes, c.op_name) for c in r.collectives if c.opcode == "all-reduce"] == [
        (("tp",), "redistribute, S(0)P(sum)->S(0)R"),
        (("dp",), "redistribute, P(sum)S(1)->RS(1)"),
        (("dp",), "redistribute, P(sum)S(0)->RS(0)"),
    ]
    assert captured.text.count(" dot(") == 5 and r.time.compute_s > 0
    assert captured.notes[1:] == ("timed as one pass over memory, not computed: threshold_backward", "on CPU PyTorch gathers and cuts where it exchanges parts (all-to-all) on a GPU")


def test_the_plugin_keeps_what_was_found(pytester):
    pytester.makepyfile(f"def test_it(expect): expect({str(PROGRAMS / 'step.mlir')!r}, collectives={{}})")
    result = pytester.runpytest("--shardscope-html=found.html", "--junitxml=found.xml", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    page = (pytester.path / "found.html").read_text()
    assert "1 of 1 claims do not hold" in page and "expected 0 all-reduce, got 1" in page and "<svg" in page
    assert "all-reduce over model" in (pytester.path / "found.xml").read_text()


def test_redistributions_take_the_steps_that_pytorch_takes():
    """All 135 pairs of placements on a mesh of 2 x 4, as PyTorch 2.9.1 redistributes a [64,128] tensor."""
    with open(PROGRAMS / "dtensor_redistribute.csv") as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("from")]
    for row in rows:
        source, target = (tuple(dtensor.Placement(p[0], int(p[1]) if p[1:] else None) for p in pair) for pair in (row[:2], row[2:4]))
        steps = [f"{change.kind} over {'xy'[change.axis]}" for change in dtensor.changes_of(dtensor.Redistribution((64, 128), source, target)) if change.kind]
        assert steps == [step.split(" of ")[0].strip() for step in ",".join(row[4:]).split(";") if step.strip()], row
    assert len(rows) == 135
