# SPDX-License-Identifier: Apache-2.0
"""Claims on what JAX hands over; skipped where it is not installed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardscope as ss
from shardscope import _program

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "oracle"))
import functions


def counts(*question, **options):
    return ss.explain(*question, check="off", **options).collectives.counts


@pytest.fixture(scope="module")
def devices():
    if len(jax.devices()) < 8:
        pytest.skip("needs XLA_FLAGS=--xla_force_host_platform_device_count=8 before JAX starts")
    return jax.make_mesh((2, 4), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)


@pytest.mark.parametrize("name", functions.FUNCTIONS)
def test_recorded_programs_are_what_jax_lowers(name, program):
    assert counts(functions.captured(name).text) == program(name).collectives.counts


def test_every_form_of_a_function_gives_the_same_collectives(devices):
    args = [ss.array(a.shape, a.dtype, a.sharding.spec, devices) for a in functions.arguments()["step"]]
    lowered = jax.jit(functions.step).lower(*args)
    exported = jax.export.export(jax.jit(functions.step), platforms=["cpu"])(*args)
    for form in ((functions.step, *args), (jax.jit(functions.step), *args), (lowered,), (exported,), (lowered.as_text(),)):
        assert counts(*form) == {"all-reduce": 1}


def test_a_compiled_module_is_explained_as_it_is(devices):
    args = [ss.array((64, 128), "float32", P("data", None), devices), ss.array((128, 256), "float32", P(None, "model"), devices), ss.array((256, 128), "float32", P("model", None), devices)]
    r = ss.explain(jax.jit(functions.step).lower(*args).compile())
    assert r.collectives.counts == {"all-reduce": 1} and r.collectives[0].op_name == "jit(step)/dot_general"
    assert r.collectives[0].source_line.rpartition("/")[2].startswith("functions.py:") and r.peak.peak_bytes > 0


def test_shapes_and_a_mesh_without_devices_suffice():
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in functions.arguments()["step"]]
    specs = (P("data", None), P(None, "model"), P("model", None))
    assert counts(functions.step, *shapes, mesh="data=2,model=4", specs=specs) == {"all-reduce": 1}
    assert counts(functions.step, *shapes, mesh={"x": 8}, specs=(P("x"), P(), P())) == {}


def test_shard_map_and_arrays_with_values(devices):
    f = jax.shard_map(lambda x, w: jax.lax.psum(x @ w, "model"), mesh=devices, in_specs=(P(None, "model"), P("model", None)), out_specs=P())
    x, w = jnp.ones((16, 64)), jnp.ones((64, 32))
    assert counts(f, x, w) == {"all-reduce": 1}
    placed = jax.device_put(x, NamedSharding(devices, P("data", None)))
    assert counts(lambda x: x.sum(0), placed) == {"all-reduce": 1}


def test_a_line_of_the_users_source_is_shown():
    r = ss.explain(functions.step, *functions.arguments()["step"])
    assert r.collectives[0].source == "return jax.nn.relu(x @ w1) @ w2" and r.collectives[0].source in str(r)


def test_sweep_ranks_shardings_and_lists_what_jax_refuses():
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in functions.arguments()["step"]]
    specs = {"tp": (P("data", None), P(None, "model"), P("model", None)), "fsdp": (P(("data", "model"), None), P("data", "model"), P("data", "model")), "no": (P("pod"), P(), P())}
    swept = ss.sweep(functions.step, *shapes, mesh=functions.MESH, specs=specs, hardware="h200", check="off")
    assert swept.best == "tp" and list(swept.refused) == ["no"] and "pod" in swept.refused["no"]


def test_the_profile_of_a_run_stands_beside_the_simulated_one(devices):
    f = jax.jit(functions.step)
    x = [jax.device_put(jnp.ones((512, 512)), NamedSharding(devices, spec)) for spec in (P("data", None), P(None, "model"), P("model", None))]
    jax.block_until_ready(f(*x))
    with ss.profile("run") as p:
        for _ in range(3):
            jax.block_until_ready(f(*x))
    both = p.beside()
    assert both.hardware == "cpu-host" and "simulated on cpu-host" in str(both)  # the one that the profile names
    assert both.step_s > both.compute_s > 0 and both.simulated_s > 0
    assert both.step_s == pytest.approx(both.device_s + both.host_gap_s) and both.device_s == pytest.approx(both.compute_s + both.exposed_comm_s + both.exposed_copy_s)
    assert "all-reduce" in {each.name for each in both.instructions} and str(both) and both._repr_html_()
    assert p.beside(hardware="h200").hardware == "h200"
    compiled = ss.explain(f.lower(*x).compile())
    assert p.beside(compiled).attributed == pytest.approx(both.attributed)


def test_the_module_that_ran_is_simulated_and_not_the_largest(devices):
    def small(x):
        return x @ x
    def large(x):
        return jnp.tanh(x @ x @ x @ x) + jnp.sort(x)
    x = jnp.ones((256, 256))
    jax.block_until_ready([jax.jit(f)(x) for f in (small, large)])
    with ss.profile("run") as p:
        for _ in range(3):
            jax.block_until_ready(jax.jit(small)(x))
    assert {each.module for each in p.beside().instructions} == {"jit_small"}
    with pytest.raises(ss.RequestError, match="module; <lambda>; ") as refused:
        p.beside(ss.explain(lambda y: y + 1, x))
    assert "--hlo" not in str(refused.value) and "shardscope-" not in str(refused.value)


def test_partitioned_programs_give_what_jax_gives(devices):
    x = np.arange(64 * 8, dtype=np.float32).reshape(64, 8) % 7
    def f(x):
        return jnp.sum(x, 0) * 2
    r = ss.explain(f, jax.device_put(x, NamedSharding(devices, P("data", None))))
    np.testing.assert_array_equal(r.execute(x)[0], f(x))


def test_execute_takes_what_explain_takes():
    def f(p, unused, key, scale=1.0):
        return p["x"] @ p["w"] * scale, jax.random.uniform(key, (4,))
    p, args = {"x": jnp.arange(16.0).reshape(4, 4), "w": jnp.eye(4)}, (jnp.ones(3), jax.random.key(1))
    r = ss.explain(f, p, *args, scale=3.0)
    for scale in (2, 2.0, np.float64(2)):
        product, drawn = r.execute(p, *args, scale=scale)
        np.testing.assert_array_equal(product, 2 * p["x"])
        np.testing.assert_array_equal(drawn, f(p, *args)[1])
    with pytest.raises(ss.RequestError, match=r"^f takes 4 arrays, got 2; it takes p\['w'\] f32\[4,4\], p\['x'\] f32\[4,4\], key u32\[2\], scale f32\[\]$"):
        r.execute(p)


@pytest.mark.parametrize("form", ("function", "compiled", "exported"))
def test_arguments_that_nothing_depends_on_may_be_given(form):
    x, f = jnp.arange(4.0), jax.jit(lambda x, unused, y: x * y)
    forms = {"function": lambda: ss.explain(f, x, 0, x), "compiled": lambda: ss.explain(f.lower(x, 0, x).compile()), "exported": lambda: ss.explain(jax.export.export(f)(x, 0, x))}
    r = forms[form]()
    for values in ((x, 0, x), (np.arange(4.0), x)):
        np.testing.assert_array_equal(r.execute(*values)[0], x * x)


def test_a_callback_into_python_has_no_result_here():
    f = jax.jit(lambda x: jax.pure_callback(lambda a: np.asarray(a), jax.ShapeDtypeStruct(x.shape, x.dtype), x))
    with pytest.raises(ss.RequestError, match=r"^1 of 1 results not known: result f32\[4\]; .*callback"):
        ss.explain(f, jnp.ones(4)).execute(jnp.ones(4))


def test_the_measuring_script_writes_each_point_at_once(tmp_path):
    script, points = tmp_path / "measure.py", tmp_path / "points.csv"
    _program.run(["calibrate", "--hardware", "cpu-host", "--script", str(script), "--with", "jax"])
    words = [sys.executable, script, "--chip", "cpu-host", "--out", points, "--quick", "--seconds", "0.01"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as measuring:
        for _ in range(2):
            measuring.stdout.readline()
        measuring.send_signal(signal.SIGINT)
        said = measuring.stdout.read()
    rows = points.read_text().splitlines()
    assert measuring.returncode == 130 and len(rows) > 2 and f"interrupted: {len(rows) - 1} points in {points}" in said
    assert "matmul" in _program.run(["calibrate", "--hardware", "cpu-host", "--points", str(points), "--holdout", "0"])


def test_every_program_of_the_oracle_is_explained(devices):
    import programs

    for name, make in programs.PROGS.items():
        if name in programs.WIDE:
            continue
        f, args = make()
        _, mesh, f = f if isinstance(f, tuple) else ("", None, f)  # those of explicit mode name their mesh
        r = ss.explain(f, *args, mesh=mesh, check="off")
        assert len(r._repr_html_()) <= 500_000 and str(r), name
