# SPDX-License-Identifier: Apache-2.0
"""Claims on execute: what is given, what is refused, what a sentence names. JAX is not needed."""

import numpy as np
import pytest

import shardscope as ss

SCALED = """HloModule scaled, num_partitions=2
ENTRY e {
  x = f32[8,4] parameter(0), sharding={devices=[2,1]0,1}
  by = f32[] parameter(1)
  all = f32[8,4] broadcast(by), dimensions={}
  ROOT y = f32[8,4] multiply(x, all), sharding={replicated}
}"""
CALLS_OUT = """HloModule calls
ENTRY e {
  x = f32[4] parameter(0)
  n = f32[4] negate(x)
  c = f32[4] custom-call(x), custom_call_target="xla_ffi_python_cpu_callback"
  ROOT both = (f32[4], f32[4]) tuple(n, c)
}"""
X = np.arange(32, dtype=np.float32).reshape(8, 4)


@pytest.fixture(scope="module")
def scaled():
    return ss.explain(SCALED)


@pytest.mark.parametrize("values, got", [((), 0), ((X,), 1), ((X, 2.0, 3.0), 3)])
def test_too_few_or_too_many_arrays_are_refused_and_those_that_are_expected_named(scaled, values, got):
    with pytest.raises(ss.RequestError, match=rf"^module takes 2 arrays, got {got}; it takes x f32\[8,4\], by f32\[\]$"):
        scaled.execute(*values)


def test_a_number_of_python_takes_the_type_of_its_parameter(scaled):
    for two in (2, 2.0, np.float32(2)):
        np.testing.assert_array_equal(scaled.execute(X, two)[0], 2 * X)
    with pytest.raises(ss.RequestError, match=r"^expected f32\[8,4\].*got .*; argument x$"):
        scaled.execute(2.0, 2.0)  # a number is no array of its copies


def test_trees_are_flattened_by_their_keys(scaled):
    for tree in (({"a": X, "b": 2},), ((X, (2.0,)),), ([X, 2.0],)):
        np.testing.assert_array_equal(scaled.execute(*tree)[0], 2 * X)
    np.testing.assert_array_equal(scaled.execute(np.float32(X.tolist()), 2)[0], 2 * X)


def test_a_sentence_names_the_argument_and_no_file_of_ours(scaled):
    with pytest.raises(ss.RequestError, match=r"^expected f32\[8,4\] or f32\[2,8,4\], got f32\[2,2\]; argument x$|^expected f32\[8,4\], got f32\[2,2\]; argument x$"):
        scaled.execute(np.ones((2, 2), np.float32), 1.0)


def test_a_result_that_nobody_can_compute_is_refused_and_named():
    with pytest.raises(ss.RequestError, match=r"^1 of 2 results not known: result\{1\} f32\[4\]; it depends on %?c: .*xla_ffi_python_cpu_callback.*"):
        ss.explain(CALLS_OUT).execute(np.ones(4, np.float32))


def test_what_cannot_be_timed_is_executed_all_the_same():
    r = ss.explain(SCALED, run_options={"collective": "nonsense"})
    np.testing.assert_array_equal(r.execute(X, 3)[0], 3 * X)
