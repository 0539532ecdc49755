# SPDX-License-Identifier: Apache-2.0
"""A product in tiles: a grid of three axes, blocks of both operands, sums in f32 scratch."""
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

M, K, N = 32, 48, 64
BM, BK, BN = 16, 16, 32


def tile_kernel(a_ref, b_ref, c_ref, sum_ref, *, last):
    depth = pl.program_id(2)

    @pl.when(depth == 0)
    def _start():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)

    @pl.when(depth == last)
    def _end():
        c_ref[...] = sum_ref[...].astype(c_ref.dtype)


def product(a, b):
    m, k = a.shape
    n = b.shape[1]
    return pl.pallas_call(
        functools.partial(tile_kernel, last=pl.cdiv(k, BK) - 1),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0,
            grid=(m // BM, n // BN, k // BK),
            in_specs=[pl.BlockSpec((BM, BK), lambda i, j, d: (i, d)), pl.BlockSpec((BK, BN), lambda i, j, d: (d, j))],
            out_specs=pl.BlockSpec((BM, BN), lambda i, j, d: (i, j)),
            scratch_shapes=[pltpu.VMEM((BM, BN), jnp.float32)],
        ),
        out_shape=jax.ShapeDtypeStruct((m, n), a.dtype),
    )(a, b)


left, right = jnp.ones((M, K), jnp.float32), jnp.ones((K, N), jnp.float32)
c = jax.jit(product)(left, right)
