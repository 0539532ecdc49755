# SPDX-License-Identifier: Apache-2.0
"""Programs as JAX prints them, with their arguments and JAX's own results as comments: make.py FOLDER [NAME…].

Needs JAX (made with 0.10.2) and no accelerator; jax_programs_test.cpp holds Shardscope's numbers against these.
"""
import os
import re
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg as jsl
from jax.sharding import NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
EXPLICIT = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,))
GRID = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
PROGRAMS = {}


def program(specs, *arguments, mesh=MESH):
    def keep(function):
        PROGRAMS[function.__name__] = (function, specs, arguments, mesh)
        return function

    return keep


def normal(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(np.float32).round(2)


def positive(*shape):
    a = normal(*shape)
    return (a @ np.swapaxes(a, -1, -2) + 4 * np.eye(shape[-1], dtype=np.float32)).astype(np.float32).round(2)


BATCH = P("x", None, None)


# ---- factorisations, systems of equations
@program([BATCH], positive(4, 3, 3))
def cholesky(a):
    return jnp.linalg.cholesky(a)


@program([P("x", None)], positive(4, 4))
def cholesky_of_one(a):
    return jnp.linalg.cholesky(a, upper=True)


@program([BATCH, BATCH], positive(4, 3, 3), normal(4, 3, 2))
def triangular_solve(a, b):
    solve = lax.linalg.triangular_solve
    return (
        solve(a, b, left_side=True, lower=True),
        solve(a, b, left_side=True, lower=False, transpose_a=True),
        solve(a, jnp.swapaxes(b, 1, 2), left_side=False, lower=True, unit_diagonal=True),
        solve(a, jnp.swapaxes(b, 1, 2), left_side=False, lower=False, transpose_a=True, conjugate_a=True),
    )


@program([BATCH, BATCH], normal(4, 3, 3), normal(4, 3, 2))
def solve(a, b):
    return jnp.linalg.solve(a, b)


@program([BATCH], normal(4, 3, 3))
def determinant_and_inverse(a):
    return jnp.linalg.det(a), jnp.linalg.inv(a)


@program([BATCH], normal(4, 4, 3))
def lu(a):
    return jax.vmap(jsl.lu)(a)


@program([BATCH], normal(4, 4, 3))
def qr(a):
    q, r = jnp.linalg.qr(a)
    return q, r, jnp.linalg.qr(a, mode="r")


@program([BATCH], normal(4, 3, 3))
def pivoted_qr(a):
    return jax.vmap(lambda m: jsl.qr(m, pivoting=True))(a)


@program([BATCH], positive(4, 3, 3))
def eigh(a):
    return jnp.linalg.eigh(a)


@program([BATCH], normal(4, 4, 3))
def svd(a):
    return jnp.linalg.svd(a, full_matrices=False)


@program([BATCH], normal(4, 3, 4))
def svd_full(a):
    return jnp.linalg.svd(a, full_matrices=True), jnp.linalg.svd(a, compute_uv=False)


@program([P(), P(), P(), P(None, "x")], normal(5), normal(5) + 4, normal(5, seed=1), normal(5, 4))
def tridiagonal_solve(dl, d, du, b):
    return lax.linalg.tridiagonal_solve(dl, d, du, b)


@program([BATCH], normal(4, 4, 4))
def hessenberg(a):
    return lax.linalg.hessenberg(a)


@program([BATCH], positive(4, 4, 4))
def tridiagonal(a):
    return lax.linalg.tridiagonal(a, lower=True)


@program([P("x", None)], positive(4, 4))
def schur(a):
    return jsl.schur(a)


# ---- places that follow from data
@program([P("x", None), P("x", None), P("x", None)], normal(4, 6), np.array([[0, 2], [5, 5], [1, 0], [3, 4]], np.int32), normal(4, 2))
def gradient_of_take_along_axis(x, i, g):
    return x.sum(), jax.vjp(lambda t: jnp.take_along_axis(t, i, 1), x)[1](g)[0]


@program([P("x", None), P("x")], normal(8, 6), np.arange(8, dtype=np.int32) % 6)
def gradient_of_cross_entropy(logits, labels):
    def loss(z):
        return -jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], 1).mean()

    return jax.value_and_grad(loss)(logits)


@program([P("x"), P("x", None)], np.array([1, 4, 1, 0, 5, 5, 2, 1], np.int32), normal(8, 3))
def gradient_of_embedding(i, g):
    return jax.vjp(lambda table: table[i], jnp.ones((6, 3), jnp.float32))[1](g)[0]


@program([P("x", None), P("x")], normal(8, 6), np.array([1, 4, 1, 0, 5, 5, -1, 3], np.int32))
def one_of_each_row(x, i):
    return jax.value_and_grad(lambda t: (t[jnp.arange(8), i] ** 2).sum())(x)


@program([P("x", None), P()], normal(8, 4), np.array([1, 1, 6, 2, 1], np.int32))
def scatter_apply(x, i):
    return x.at[i].apply(lambda v: v * v + 1.0)


@program([P("x", None), P(), P()], normal(8, 4), np.array([1, 1, 6, 2, 9], np.int32), normal(5, 4))
def scatter_by_others(x, i, u):
    return x.at[i].set(u), x.at[i].multiply(u), x.at[i].min(u), x.at[i].max(u)


@program([P(None, "x"), P()], normal(6, 8), np.array([[0, 3], [1, 5], [9, 9]], np.int32))
def windows_that_reach_beyond(x, i):
    numbers = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
    updates = jnp.ones((3, 2, 3), x.dtype)
    return lax.scatter_add(x, i, updates, numbers, mode=lax.GatherScatterMode.FILL_OR_DROP)


# ---- orders
@program([P(None, "x"), P(None, "x")], np.array([[3, 1, 3, 2], [1, 1, 0, 0], [3, 1, 2, 2]], np.int32), normal(3, 4))
def sort_by_two_keys(a, b):
    return lax.sort((a, b, jnp.arange(12, dtype=jnp.int32).reshape(3, 4)), dimension=0, num_keys=2)


@program([P("x")], np.array([0, 7, -5, 3, -np.inf, np.inf, -3, 3], np.float32))
def sort_both_ways(a):
    return jnp.sort(a), jnp.argsort(a, descending=True)


@program([P("x", None)], normal(4, 16))
def approximate_top_k(a):
    return lax.approx_max_k(a, 3)


# ---- windows
@program([P("x", None, None, None)], normal(4, 6, 6, 2))
def gradient_of_max_pooling(x):
    pool = lambda t: lax.reduce_window(t, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.grad(lambda t: (pool(t) ** 2).sum())(x)


@program([P(None, "x")], normal(2, 16))
def gradient_of_overlapping_pooling(x):
    pool = lambda t: lax.reduce_window(t, -jnp.inf, lax.max, (1, 3), (1, 2), ((0, 0), (1, 1)))
    return pool(x), jax.grad(lambda t: (pool(t) ** 2).sum())(x)


@program([P("x", None)], normal(4, 8))
def window_of_two_arrays(x):
    def larger(a, b):
        first = a[0] >= b[0]
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])

    places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
    return lax.reduce_window((x, places), (-jnp.inf, -1), larger, (1, 3), (1, 2), ((0, 0), (1, 0)))


@program([P("x", None)], normal(8, 6))
def dilated_windows(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 1), ((0, 0), (2, 1)), base_dilation=(1, 2), window_dilation=(1, 3))


@program([P("x", None)], normal(4, 8))
def cumulative_sums(x):
    return jnp.cumsum(x, 1), lax.cumsum(x, 1, reverse=True), lax.cummax(x, 1)


# ---- rows of a table that is cut by rows, each by other devices than look them up
TOKENS = np.array([[1, 4, 1, 0], [5, 5, 2, 1], [7, 3, 0, 6], [2, 2, 6, 4]], np.int32)


def looked_up(table, tokens, *spec):
    rows = jnp.take(table, tokens, axis=0, mode="clip")
    return lax.with_sharding_constraint(rows, NamedSharding(GRID, P(*spec)))


@program([P("y"), P("x")], normal(8, 4), TOKENS, mesh=GRID)
def many_rows_for_cut_columns(table, tokens):
    return looked_up(table, tokens, "x", None, "y")


@program([P("y"), P("x")], normal(8, 4), TOKENS, mesh=GRID)
def many_rows_of_cut_columns(table, tokens):
    return looked_up(table, tokens, None, None, "y")


@program([P("y"), P("x")], normal(64, 4), TOKENS, mesh=GRID)
def rows_of_a_large_table_for_cut_columns(table, tokens):
    return looked_up(table, tokens, "x", None, "y")


@program([P("y"), P("x")], normal(64, 4), TOKENS, mesh=GRID)
def rows_of_a_large_table_of_cut_columns(table, tokens):
    return looked_up(table, tokens, None, None, "y")


# ---- manual regions, sums that are left to be added up later
PARTS = P(None, None, unreduced={"x"})


@program([P(None, "x"), P("x", None)], normal(3, 8), normal(8, 4), mesh=EXPLICIT)
def sums_left_to_a_region(a, b):
    parts = jnp.einsum("ij,jk->ik", a, b, out_sharding=PARTS)
    scatter = lambda t: lax.psum_scatter(t, "x", scatter_dimension=1, tiled=True)
    return jax.shard_map(scatter, in_specs=PARTS, out_specs=P(None, "x"))(parts.T.T + parts)


@program([P(None, "x"), P("x", None)], normal(3, 8), normal(8, 4), mesh=EXPLICIT)
def sums_of_parts(a, b):
    product = lambda t: jnp.einsum("ij,jk->ik", t, b, out_sharding=PARTS)
    return jax.sharding.reshard((product(a) + product(a * a)).T, P(None, None))


@program([P("x", None)], normal(8, 4), mesh=EXPLICIT)
def parts_out_of_a_region(a):
    parts = jax.shard_map(lambda t: lax.pcast(t[:1] - t[1:], "x", to="unreduced"), in_specs=P("x", None), out_specs=PARTS)(a)
    return jax.sharding.reshard(parts + parts, P(None, "x"))


@program([P()], normal(2, 4), mesh=EXPLICIT)
def a_whole_as_parts(a):
    return jax.shard_map(lambda t: lax.psum(t, "x"), in_specs=PARTS, out_specs=P())(jax.sharding.reshard(a, PARTS))


@program([])
def a_region_of_nothing():
    return jax.shard_map(lambda: 2 * lax.axis_index("x")[None], mesh=MESH, in_specs=(), out_specs=P("x"))()


def text_of(array):
    array = np.asarray(array)
    if array.dtype == np.bool_:
        array = array.astype(np.int32)
    body = np.array2string(array, separator=",", threshold=sys.maxsize, floatmode="unique", max_line_width=10**9)
    return re.sub(r"\s+", "", body)


def write(name, folder):
    function, specs, arguments, mesh = PROGRAMS[name]
    jax.sharding.set_mesh(mesh)
    shardings = tuple(NamedSharding(mesh, spec) for spec in specs)
    placed = [jax.device_put(a, s) for a, s in zip(arguments, shardings)]
    jitted = jax.jit(function, in_shardings=shardings, keep_unused=True)
    lines = ["// " + name + ", by JAX " + jax.__version__]
    lines += [f"// argument {k} = {text_of(a)}" for k, a in enumerate(arguments)]
    lines += [f"// result {k} = {text_of(r)}" for k, r in enumerate(jax.tree.leaves(jitted(*placed)))]
    module = re.sub(r"(sdy\.mesh @\S+ = <[^\n]*?>) \{stablehlo\.mesh[^\n]*", r"\1", jitted.lower(*placed).as_text())
    with open(os.path.join(folder, name + ".mlir"), "w") as out:
        out.write("\n".join(lines) + "\n" + module)


for each in sys.argv[2:] or PROGRAMS:
    write(each, sys.argv[1])
