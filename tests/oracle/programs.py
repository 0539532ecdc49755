# SPDX-License-Identifier: Apache-2.0
"""Programs as JAX users write them, for 8 devices: each function gives a jitted function and its arguments.

Arguments come from draw(), which the tests compute again; what does not is written into the golden.
"""
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P


def mesh_of(sizes, names, t=AxisType.Auto):
    return jax.make_mesh(sizes, names, axis_types=(t,) * len(sizes))


M1 = mesh_of((8,), ('x',))
M2 = mesh_of((4, 2), ('x', 'y'))
M24 = mesh_of((2, 4), ('data', 'model'))
M3 = mesh_of((2, 2, 2), ('d', 't', 'p'))
E1 = mesh_of((8,), ('x',), AxisType.Explicit)
E24 = mesh_of((2, 4), ('data', 'model'), AxisType.Explicit)
E2 = mesh_of((4, 2), ('x', 'y'), AxisType.Explicit)
ns = lambda m, *s: NamedSharding(m, P(*s))
DRAWN = {}  # by bytes, dtype and shape: how an array was drawn


def draw(shape, dtype=np.float32, seed=0, lo=None, hi=None):
    """Element i of a float array is k/16 - 1, of an integer array lo + k mod (hi - lo), k = hash(i, seed) mod 33."""
    count = int(np.prod(shape, dtype=np.int64))
    i = np.arange(count, dtype=np.uint64)
    k = ((i * np.uint64(2654435761) + np.uint64(seed) * np.uint64(40503)) % np.uint64(4294967296)) >> np.uint64(16)
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        out, how = (k % np.uint64(2) == 0), {}
    elif np.issubdtype(dtype, np.integer):
        lo, hi = 0 if lo is None else lo, 16 if hi is None else hi
        out, how = lo + (k % np.uint64(hi - lo)).astype(np.int64), {'lo': lo, 'hi': hi}
    elif np.issubdtype(dtype, np.complexfloating):
        parts = (k % np.uint64(33)).astype(np.float64) / 16 - 1
        out, how = parts + 1j * parts[::-1], {}
    else:
        out, how = (k % np.uint64(33)).astype(np.float64) / 16 - 1, {}
    out = out.astype(dtype).reshape(shape)
    DRAWN[(out.tobytes(), dtype.name, out.shape)] = {'seed': seed, **how}
    return out


PROGS = {}
WIDE = ('t_s64', 't_f64')  # with 64 bits


def prog(f):
    PROGS[f.__name__] = f
    return f


def J(fn, m, args, specs, outs=None, **kw):
    ins = tuple(ns(m, *s) if not isinstance(s, (dict, list)) else s for s in specs)
    if outs is not None:
        kw['out_shardings'] = jax.tree.map(lambda p: NamedSharding(m, p), outs, is_leaf=lambda p: isinstance(p, P))
    return jax.jit(fn, in_shardings=ins, **kw), args


bf = jnp.bfloat16


# ---- types
@prog
def t_int4_weights():
    return J(lambda x, w: x @ w.astype(jnp.float32), M24, (draw((16, 32)), draw(
        (32, 64), np.int8, lo=-8, hi=8).astype(jnp.int4)), (('data', None), (None, 'model')))


@prog
def t_int4_transpose():
    return J(lambda w: jnp.concatenate([w.T, w.T], 0).astype(jnp.int32), M1, (draw(
        (32, 64), np.int8, lo=-8, hi=8).astype(jnp.int4),), (('x', None),))


@prog
def t_uint4():
    return J(lambda w, s: (w.astype(bf) - 8) * s, M24, (draw(
        (32, 64), np.int8, lo=0, hi=16).astype(jnp.uint4), draw((1, 64)).astype(bf)),
             (('data', 'model'), (None, 'model')))


@prog
def t_int2():
    return J(lambda w: w.astype(jnp.int8) + 1, M1, (draw((32, 64), np.int8, lo=-2, hi=2).astype(jnp.int2),),
             (('x', None),))


@prog
def t_int8_quant():

    def f(x, w):
        s = jnp.max(jnp.abs(x), -1, keepdims=True) / 127.
        q = jnp.round(x / s).astype(jnp.int8)
        return lax.dot(q, w, preferred_element_type=jnp.int32).astype(jnp.float32) * s

    return J(f, M24, (draw((16, 64)), draw((64, 32), np.int8, lo=-100, hi=100)), (('data', 'model'), ('model', None)))


def _f8(dt):
    return J(lambda x, w: lax.dot(x.astype(dt), w.astype(dt), preferred_element_type=jnp.float32), M24, (draw(
        (16, 64)), draw((64, 32))), (('data', 'model'), ('model', None)))


@prog
def t_f8e4m3fn():
    return _f8(jnp.float8_e4m3fn)


@prog
def t_f8e5m2():
    return _f8(jnp.float8_e5m2)


@prog
def t_f8e4m3b11fnuz():
    return _f8(jnp.float8_e4m3b11fnuz)


@prog
def t_f8e4m3fnuz():
    return _f8(jnp.float8_e4m3fnuz)


@prog
def t_f8e5m2fnuz():
    return _f8(jnp.float8_e5m2fnuz)


@prog
def t_f8e3m4():
    return _f8(jnp.float8_e3m4)


@prog
def t_f8e4m3():
    return _f8(jnp.float8_e4m3)


@prog
def t_f8e8m0fnu():
    return J(lambda x: jnp.exp2(jnp.floor(x)).astype(jnp.float8_e8m0fnu).astype(jnp.float32), M1, (draw((16, 64)),),
             (('x', None),))


@prog
def t_f4e2m1fn():
    return J(lambda x: x.astype(jnp.float4_e2m1fn).astype(jnp.float32), M1, (draw((16, 64)),), (('x', None),))


@prog
def t_complex_mul():
    return J(lambda x, y: (x * y + jnp.conj(x)) / (jnp.abs(y) + 1), M24, (draw(
        (16, 32), np.complex64), draw((16, 32), np.complex64, 1)), (('data', 'model'), ('data', None)))


@prog
def t_complex_dot():
    return J(lambda x, y: x @ y, M24, (draw((16, 32), np.complex64), draw((32, 16), np.complex64, 1)),
             (('data', 'model'), ('model', None)))


@prog
def t_complex_exp():
    return J(
        lambda x: jnp.exp(1j * x) * jnp.sqrt(x + 0j) + jnp.log(x + 2j) - jnp.tanh(x * 1j) + jnp.sin(x + 1j) * jnp.cos(
            x - 1j), M1, (draw((16, 32)),), (('x', None),))


@prog
def t_complex_parts():
    return J(lambda x: (x.real, x.imag, jnp.angle(x), x == x, x != 0), M1, (draw((16, 32), np.complex64),),
             (('x', None),))


@prog
def t_fft2():
    return J(lambda x: jnp.fft.fft2(x), M1, (draw((8, 16, 32), np.complex64),), (('x', None, None),))


@prog
def t_rfft():
    return J(lambda x: jnp.fft.irfft(jnp.fft.rfft(x, axis=1) * 2, axis=1), M1, (draw((8, 64)),), (('x', None),))


@prog
def t_fft_conv():
    return J(lambda x, k: jnp.fft.irfft(jnp.fft.rfft(x, 128) * jnp.fft.rfft(k, 128), 128)[:, :64], M24, (draw(
        (8, 64)), draw((64,))), (('data', None), (None,)))


@prog
def t_f16():
    return J(lambda x, w: jax.nn.gelu(x @ w), M24, (draw((16, 64), np.float16), draw((64, 32), np.float16)),
             (('data', None), (None, 'model')))


@prog
def t_bitcast():
    return J(lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32) & 0x7fffffff, jnp.float32), M1,
             (draw((16, 64)),), (('x', None),))


@prog
def t_bitcast_narrow():
    return J(lambda x: lax.bitcast_convert_type(x, jnp.uint8), M1, (draw((16, 64)),), (('x', None),))


@prog
def t_bitops():
    return J(lambda a, b: ((a << 3) | (b >> 2)) ^ (~a) & lax.population_count(b) + lax.clz(a), M1, (draw(
        (16, 64), np.uint32, hi=2**31), draw((16, 64), np.uint32, 1, hi=2**31)), (('x', None), ('x', None)))


@prog
def t_bool():
    return J(lambda a, b: (a & b, jnp.any(a, 1), jnp.all(b, 0), jnp.logical_xor(a, b)), M24, (draw(
        (16, 64), np.bool_), draw((16, 64), np.bool_, 1)), (('data', 'model'), ('data', 'model')))


@prog
def t_intdiv():
    return J(lambda a, b: (a // b, a % b, lax.rem(a, b), lax.div(a, b), jnp.sign(a)), M1, (draw(
        (16, 64), np.int32, lo=-100, hi=100), draw((16, 64), np.int32, 1, lo=1, hi=9)), (('x', None), ('x', None)))


@prog
def t_s64():
    return J(lambda a: jnp.cumsum(a * 10**10, 1), M1, (draw((16, 8), np.int64),), (('x', None),))


@prog
def t_f64():
    return J(lambda a, b: a @ b, M24, (draw((16, 8), np.float64), draw((8, 16), np.float64)),
             (('data', 'model'), ('model', None)))


@prog
def t_specials():
    return J(
        lambda x: (lax.erf_inv(jnp.tanh(x)), lax.lgamma(jnp.abs(x) + 1), lax.digamma(jnp.abs(x) + 1),
                   jnp.arctan2(x, x + 1), jnp.sinh(x), jnp.arcsinh(x), jnp.cbrt(x), jnp.expm1(x), jnp.log1p(jnp.abs(x)),
                   jnp.tan(x), lax.bessel_i0e(x), jnp.arccosh(jnp.abs(x) + 1), lax.igamma(jnp.abs(x) + 1, jnp.abs(x))),
        M1, (draw((16, 16)),), (('x', None),))


@prog
def t_nextafter():
    return J(
        lambda x: (jnp.nextafter(x, x + 1), jnp.round(x * 4), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
                   jnp.trunc(x), jnp.ceil(x), jnp.isfinite(x)), M1, (draw((16, 16)),), (('x', None),))


@prog
def t_reduce_precision():
    return J(lambda x: lax.reduce_precision(x, 5, 10), M1, (draw((16, 16)),), (('x', None),))


# ---- linear algebra
def spd(n, b=8):
    a = draw((b, n, n))
    return a @ a.swapaxes(1, 2) + n * np.eye(n, dtype=np.float32)


@prog
def l_cholesky():
    return J(lambda a: jnp.linalg.cholesky(a), M1, (spd(6),), (('x', None, None),))


@prog
def l_cho_solve():
    return J(lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), M1, (spd(6)[0], draw((6, 16))),
             ((None, None), (None, 'x')))


@prog
def l_triangular():
    return J(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), M1,
             (np.tril(spd(6)), draw((8, 6, 4))), (('x', None, None), ('x', None, None)))


@prog
def l_triangular_t():
    return J(
        lambda a, b: lax.linalg.triangular_solve(
            a, b, left_side=False, lower=False, transpose_a=True, unit_diagonal=True), M1,
        (np.triu(spd(6) / 20), draw((8, 4, 6))), (('x', None, None), ('x', None, None)))


@prog
def l_solve():
    return J(lambda a, b: jnp.linalg.solve(a, b), M1, (spd(6), draw((8, 6, 4))), (('x', None, None), ('x', None, None)))


@prog
def l_qr():
    return J(lambda a: jnp.linalg.qr(a), M1, (draw((8, 16, 8)),), (('x', None, None),))


@prog
def l_eigh():
    return J(lambda a: jnp.linalg.eigh(a)[0], M1, (spd(6),), (('x', None, None),))


@prog
def l_svd():
    return J(lambda a: jnp.linalg.svd(a, compute_uv=False), M1, (draw((8, 16, 8)),), (('x', None, None),))


@prog
def l_det():
    return J(lambda a: jnp.linalg.slogdet(a), M1, (spd(6),), (('x', None, None),))


@prog
def l_shampoo():

    def f(w, g):
        L = g @ g.T + jnp.eye(32)
        R = g.T @ g + jnp.eye(16)
        s = lambda m: jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(m), jnp.eye(m.shape[0]), lower=True)
        return w - 0.1 * s(L) @ g @ s(R)

    return J(f, M24, (draw((32, 16)), draw((32, 16), seed=3)), (('data', 'model'), ('data', 'model')))


@prog
def l_newton_schulz():

    def f(g):
        x = g / (jnp.linalg.norm(g) + 1e-7)

        def b(x, _):
            a = x @ x.T
            return 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x, None

        return lax.scan(b, x, None, length=5)[0]

    return J(f, M24, (draw((32, 64)),), (('data', 'model'),), P('data', 'model'))


@prog
def l_tridiag():
    return J(lambda dl, d, du, b: lax.linalg.tridiagonal_solve(dl, d, du, b), M1, (draw((16,)), draw(
        (16,)) + 8, draw((16,), seed=2), draw((16, 8))), ((None,), (None,), (None,), (None, 'x')))


# ---- sorting, indexing
@prog
def s_sort_desc():
    return J(lambda x: -jnp.sort(-x, 1), M1, (draw((16, 64)),), (('x', None),))


@prog
def s_lexsort():
    return J(lambda a, b: jnp.lexsort((a, b)), M1, (draw((64,), np.int32, hi=4), draw((64,), np.int32, 1, hi=4)),
             ((None,), (None,)))


@prog
def s_sort_sharded_dim():
    return J(lambda x: jnp.sort(x, 0), M1, (draw((64, 16)),), (('x', None),))


@prog
def s_argmax():
    return J(lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_topk_values():
    return J(lambda x: lax.top_k(x, 5)[0], M24, (draw((16, 256)),), (('data', 'model'),))


@prog
def s_approx_topk():
    return J(lambda x: lax.approx_max_k(x, 4), M1, (draw((16, 256)),), (('x', None),))


@prog
def s_searchsorted():
    return J(lambda a, v: jnp.searchsorted(a, v), M1, (np.sort(draw((64,))), draw((32,))), ((None,), ('x',)))


@prog
def s_unique():
    return J(lambda a: jnp.unique(a, size=16), M1, (draw((64,), np.int32),), ((None,),))


@prog
def s_median():
    return J(lambda a: (jnp.median(a, 1), jnp.percentile(a, 30, axis=1)), M1, (draw((16, 65)),), (('x', None),))


@prog
def s_take_along():
    return J(lambda x, i: jnp.take_along_axis(x, i, 1), M24, (draw((16, 64)), draw((16, 8), np.int32)),
             (('data', 'model'), ('data', None)))


@prog
def s_take_grad():
    return J(lambda x, i, g: jax.vjp(lambda x: jnp.take_along_axis(x, i, 1), x)[1](g)[0], M24, (draw(
        (16, 64)), draw((16, 8), np.int32), draw((16, 8))), (('data', 'model'), ('data', None), ('data', None)))


@prog
def s_embed_grad():
    return J(lambda t, i, g: jax.vjp(lambda t: t[i], t)[1](g)[0],
             M24, (draw((64, 32)), draw((8, 16), np.int32, hi=64), draw((8, 16, 32))),
             (('model', None), ('data', None), ('data', None, None)),
             keep_unused=True)


@prog
def s_scatter_max():
    return J(lambda x, i, u: (x.at[i].max(u), x.at[i].set(1.), x.at[i].multiply(u)), M1, (draw(
        (64, 16)), np.arange(24, dtype=np.int32) * 2, draw((24, 16))), (('x', None), (None,), (None, None)))


@prog
def s_scatter_nd():
    return J(lambda x, i, j, u: x.at[i, j].add(u), M24, (draw((16, 64)), draw((24,), np.int32), draw(
        (24,), np.int32, 1), draw((24,))), (('data', 'model'), (None,), (None,), (None,)))


@prog
def s_gather_nd():
    return J(lambda x, i, j: x[i, j], M24, (draw((16, 64)), draw((24,), np.int32), draw((24,), np.int32, 1)),
             (('data', 'model'), ('data',), ('data',)))


@prog
def s_segment_sum():
    return J(lambda d, s: jax.ops.segment_sum(d, s, num_segments=8), M1, (draw((64, 16)), draw((64,), np.int32, hi=8)),
             (('x', None), ('x',)))


@prog
def s_one_hot_dispatch():
    return J(lambda x, i: jnp.einsum('te,td->ed', jax.nn.one_hot(i, 8), x), M24, (draw(
        (64, 16)), draw((64,), np.int32, hi=8)), (('data', 'model'), ('data',)))


@prog
def s_roll2():
    return J(lambda x: jnp.roll(x, (3, -5), (0, 1)), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_flip():
    return J(lambda x: (x[::-1], x[:, ::-2]), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_dyn_slice():
    return J(lambda x, i: lax.dynamic_slice(x, (i, 0), (4, 32)), M24, (draw((16, 64)), np.int32(7)),
             (('data', 'model'), ()))


@prog
def s_dus_batch():
    return J(lambda c, u, p: jax.vmap(lambda c, u, p: lax.dynamic_update_slice(c, u, (p, 0)))(c, u, p), M24, (draw(
        (8, 32, 16)), draw((8, 1, 16)), draw((8,), np.int32)),
             (('data', 'model', None), ('data', None, None), ('data',)))


@prog
def s_where_mask():
    return J(lambda x: jnp.where(jnp.arange(64)[None] < jnp.arange(16)[:, None] * 4, x, -1e9), M24, (draw((16, 64)),),
             (('data', 'model'),))


@prog
def s_pad_neg():
    return J(lambda x: lax.pad(x, 0., ((1, 2, 1), (-1, 3, 0))), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_tile_repeat():
    return J(lambda x: (jnp.tile(x, (2, 1)), jnp.repeat(x, 2, 1)), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_split_stack():
    return J(lambda x: jnp.stack(jnp.split(x, 4, 1), 0), M24, (draw((16, 64)),), (('data', 'model'),))


@prog
def s_reshape_merge():
    return J(lambda x: x.reshape(64, 32), M24, (draw((8, 8, 32)),), (('data', 'model', None),))


@prog
def s_reshape_heads():
    return J(lambda x: x.reshape(4, 16, 8, 8).transpose(0, 2, 1, 3), M24, (draw((4, 16, 64)),),
             (('data', None, 'model'),))


@prog
def s_cumsum_rev():
    return J(lambda x: (lax.cumsum(x, 1, reverse=True), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)), M24, (draw(
        (16, 64)),), (('data', 'model'),))


@prog
def s_assoc_scan():
    return J(lambda a, b: lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b), axis=1), M24,
             (draw((8, 32)), draw((8, 32), seed=2)), (('data', 'model'), ('data', 'model')))


# ---- nn
@prog
def n_conv1d():
    return J(lambda x, k: lax.conv_general_dilated(x, k, (2,), 'SAME', dimension_numbers=('NWC', 'WIO', 'NWC')), M24,
             (draw((8, 32, 16)), draw((3, 16, 32))), (('data', None, None), (None, None, 'model')))


@prog
def n_conv_grad():
    return J(
        lambda x, k: jax.grad(lambda k: jnp.sum(
            lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))**2))(k), M1,
        (draw((8, 8, 8, 4)), draw((3, 3, 4, 8))), (('x', None, None, None), (None,) * 4))


@prog
def n_depthwise():
    return J(
        lambda x, k: lax.conv_general_dilated(
            x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'), feature_group_count=16), M24, (draw(
                (8, 8, 8, 16)), draw((3, 3, 1, 16))), (('data', None, None, 'model'), (None, None, None, 'model')))


@prog
def n_space_train():
    """Kernels' gradients where the image's rows are cut: strided, dilated, one channel at a time, transposed."""
    how = dict(dimension_numbers=('NHWC', 'HWIO', 'NHWC'))

    def loss(k, x):
        h = jnp.tanh(lax.conv_general_dilated(x, k[0], (2, 2), 'SAME', **how))
        h = h + lax.conv_general_dilated(h, k[1], (1, 1), 'SAME', rhs_dilation=(2, 2), **how)
        h = h + lax.conv_general_dilated(h, k[2], (1, 1), 'SAME', feature_group_count=8, **how)
        return jnp.sum(lax.conv_transpose(h @ k[3], k[4], (2, 2), 'SAME')**2)

    kernels = [draw(s, seed=n) for n, s in enumerate([(3, 3, 4, 8), (3, 3, 8, 8), (3, 3, 1, 8), (8, 8), (4, 4, 8, 2)])]
    return J(lambda *a: jax.grad(lambda k: loss(k, a[5]))(list(a[:5])), M24, (*kernels, draw((4, 32, 8, 4), seed=9)),
             ((),) * 5 + (('data', 'model'),))


@prog
def n_convT():
    return J(lambda x, k: lax.conv_transpose(x, k, (2, 2), 'SAME'), M1, (draw((8, 4, 4, 4)), draw((3, 3, 4, 8))),
             (('x', None, None, None), (None,) * 4))


@prog
def n_maxpool():
    return J(
        lambda x: jax.grad(lambda x: jnp.sum(
            lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')**2))(x), M1, (draw(
                (8, 8, 8, 4)),), (('x', None, None, None),))


@prog
def n_avgpool():
    return J(lambda x: lax.reduce_window(x, 0., lax.add, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME'), M1, (draw((8, 8, 8, 4)),),
             (('x', None, None, None),))


@prog
def n_batchnorm():
    return J(lambda x, g, b: (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * g + b, M1, (draw(
        (8, 4, 4, 16)), draw((16,)), draw((16,))), (('x', None, None, None), (None,), (None,)))


@prog
def n_groupnorm():

    def f(x):
        y = x.reshape(8, 16, 4, 8)
        y = (y - y.mean((1, 3), keepdims=True)) / jnp.sqrt(y.var((1, 3), keepdims=True) + 1e-5)
        return y.reshape(8, 16, 32)

    return J(f, M24, (draw((8, 16, 32)),), (('data', None, 'model'),))


@prog
def n_lstm():

    def f(x, w, u, b):

        def c(s, xt):
            h, cc = s
            z = xt @ w + h @ u + b
            i, g, fg, o = jnp.split(z, 4, -1)
            cc = jax.nn.sigmoid(fg) * cc + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(cc)
            return (h, cc), h

        z = jnp.zeros((8, 16))
        return lax.scan(c, (z, z), x)[1]

    return J(f, M24, (draw((10, 8, 16)), draw((16, 64)), draw((16, 64), seed=3), draw((64,))),
             ((None, 'data', None), (None, 'model'), (None, 'model'), ('model',)))


@prog
def n_xent_int():

    def f(w, x, y):

        def loss(w):
            lg = x @ w
            return jnp.mean(jax.nn.logsumexp(lg, -1) - jnp.take_along_axis(lg, y[..., None], -1)[..., 0])

        return jax.value_and_grad(loss)(w)

    return J(f, M24, (draw((32, 64)), draw((4, 8, 32)), draw((4, 8), np.int32, hi=64)),
             ((None, 'model'), ('data', None, None), ('data', None)))


@prog
def n_xent_vmapped():

    def f(w, x, y):

        def loss(w):
            return -jnp.mean(jax.vmap(lambda l, t: jax.nn.log_softmax(l)[t])(x @ w, y))

        return jax.value_and_grad(loss)(w)

    return J(f, M24, (draw((32, 64)), draw((8, 32)), draw((8,), np.int32, hi=64)),
             ((None, 'model'), ('data', None), ('data',)))


@prog
def n_dpa():
    return J(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), M24,
             tuple(draw((4, 16, 4, 8), seed=s) for s in range(3)), (('data', None, 'model', None),) * 3)


@prog
def n_dpa_gqa():
    return J(lambda q, k, v: jax.nn.dot_product_attention(q, k, v), M24, (draw((4, 16, 8, 8)), draw(
        (4, 16, 2, 8)), draw((4, 16, 2, 8), seed=1)),
             (('data', None, 'model', None), ('data', None, None, None), ('data', None, None, None)))


@prog
def n_remat():

    @jax.checkpoint
    def l(x, w):
        return jnp.tanh(x @ w)

    return J(lambda x, w1, w2: jax.grad(lambda w: jnp.sum(l(l(x, w[0]), w[1])))((w1, w2)), M24, (draw(
        (16, 32)), draw((32, 32)), draw((32, 32), seed=1)), (('data', None), (None, 'model'), ('model', None)))


@prog
def n_remat_policy():
    l = jax.checkpoint(lambda x, w: jnp.tanh(x @ w), policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
    return J(lambda x, w1, w2: jax.grad(lambda w: jnp.sum(l(l(x, w[0]), w[1])))((w1, w2)), M24, (draw(
        (16, 32)), draw((32, 32)), draw((32, 32), seed=1)), (('data', None), (None, 'model'), ('model', None)))


@prog
def n_custom_vjp():

    @jax.custom_vjp
    def f(x):
        return jnp.clip(x, -1, 1)

    f.defvjp(lambda x: (f(x), x), lambda r, g: (jnp.where(jnp.abs(r) < 2, g, 0.),))
    return J(lambda x, w: jax.grad(lambda w: jnp.sum(f(x @ w)))(w), M24, (draw((16, 32)), draw((32, 32))),
             (('data', None), (None, 'model')))


@prog
def n_vmap_mlp():
    return J(lambda x, w: jax.vmap(lambda w: jnp.tanh(x @ w))(w), M24, (draw((16, 32)), draw((4, 32, 32))),
             (('data', None), ('model', None, None)))


@prog
def n_hessian():
    return J(lambda x, w: jax.jvp(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w)**2)), (w,), (w,))[1], M24, (draw(
        (16, 32)), draw((32, 32))), (('data', None), (None, 'model')))


@prog
def n_clip_norm():

    def f(g1, g2):
        n = jnp.sqrt(jnp.sum(g1**2) + jnp.sum(g2**2))
        s = jnp.minimum(1., 1. / n)
        return g1 * s, g2 * s

    return J(f, M24, (draw((16, 32)), draw((32, 32))), (('data', 'model'), ('model', None)))


@prog
def n_pmean_ema():
    return J(lambda e, w: e * 0.99 + w * 0.01, M24, (draw((16, 32)), draw((16, 32), seed=1)),
             (('data', 'model'), ('model', 'data')))


@prog
def n_softcap():
    return J(lambda q, k: 50 * jnp.tanh(jnp.einsum('bqhd,bkhd->bhqk', q, k) / 50), M24, (draw(
        (4, 16, 4, 8)), draw((4, 16, 4, 8))), (('data', None, 'model', None),) * 2)


@prog
def n_sliding():

    def f(q, k, v):
        s = jnp.einsum('bqhd,bkhd->bhqk', q, k)
        i = jnp.arange(16)
        m = (i[:, None] - i[None] < 4) & (i[:, None] >= i[None])
        return jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(jnp.where(m, s, -1e30)), v)

    return J(f, M24, tuple(draw((4, 16, 4, 8), seed=s) for s in range(3)), (('data', 'model', None, None),) * 3)


@prog
def n_moe_sort():

    def f(x, r, w):
        e = jnp.argmax(x @ r, -1)
        o = jnp.argsort(e)
        gs = jnp.bincount(e, length=4)
        y = lax.ragged_dot(x[o], w, gs.astype(jnp.int32))
        return y[jnp.argsort(o)]

    return J(f, M24, (draw((32, 16)), draw((16, 4)), draw((4, 16, 8))),
             (('data', None), (None, None), (None, None, 'model')))


@prog
def n_moe_capacity():

    def f(x, r, w1, w2):
        p = jax.nn.softmax(x @ r)
        e = jnp.argmax(p, -1)
        oh = jax.nn.one_hot(e, 4)
        pos = jnp.cumsum(oh, 0) * oh - 1
        disp = jax.nn.one_hot(pos.max(-1).astype(jnp.int32), 16)[:, None, :] * oh[:, :, None]
        xe = jnp.einsum('tec,td->ecd', disp, x)
        h = jax.nn.gelu(jnp.einsum('ecd,edf->ecf', xe, w1))
        y = jnp.einsum('ecf,efd->ecd', h, w2)
        return jnp.einsum('ecd,tec->td', y, disp)

    return J(f, M24, (draw((32, 16)), draw((16, 4)), draw((4, 16, 32)), draw((4, 32, 16))),
             (('data', None), (None, None), ('model', None, None), ('model', None, None)))


@prog
def n_mamba_scan():

    def f(x, a):

        def s(h, t):
            h = h * jnp.exp(-jnp.abs(a)) + t
            return h, h

        return lax.scan(s, jnp.zeros((8, 32)), x.transpose(1, 0, 2))[1]

    return J(f, M24, (draw((8, 16, 32)), draw((32,))), (('data', None, 'model'), ('model',)))


@prog
def n_flash_scan():

    def f(q, k, v):

        def s(c, kv):
            m, l, o = c
            kk, vv = kv
            t = jnp.einsum('bqd,bkd->bqk', q, kk)
            m2 = jnp.maximum(m, t.max(-1))
            p = jnp.exp(t - m2[..., None])
            a = jnp.exp(m - m2)
            return (m2, l * a + p.sum(-1), o * a[..., None] + jnp.einsum('bqk,bkd->bqd', p, vv)), None

        kb = k.reshape(4, 4, 8, 16).transpose(1, 0, 2, 3)
        vb = v.reshape(4, 4, 8, 16).transpose(1, 0, 2, 3)
        (m, l, o), _ = lax.scan(s, (jnp.full((4, 32), -jnp.inf), jnp.zeros((4, 32)), jnp.zeros((4, 32, 16))), (kb, vb))
        return o / l[..., None]

    return J(f, M24, tuple(draw((4, 32, 16), seed=s) for s in range(3)),
             (('data', 'model', None), ('data', None, None), ('data', None, None)))


# ---- control
@prog
def c_cond_grad():
    return J(
        lambda p, x, w: jax.grad(lambda w: jnp.sum(lax.cond(p, lambda a: jnp.tanh(a @ w), lambda a: a @ w * 2, x)))(w),
        M24, (np.array(True), draw((16, 32)), draw((32, 32))), ((), ('data', None), (None, 'model')))


@prog
def c_switch():
    return J(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x @ x.T @ x], x), M24, (np.int32(2), draw(
        (16, 32))), ((), ('data', 'model')))


@prog
def c_while_conv():
    return J(
        lambda x: lax.while_loop(lambda s: (s[0] < 10) & (jnp.abs(s[1]).max() > 1e-3), lambda s: (s[0] + 1, s[1] * 0.5),
                                 (0, x)), M24, (draw((16, 32)),), (('data', 'model'),))


@prog
def c_scan_carry():
    return J(lambda x, w: lax.scan(lambda c, w: (jnp.tanh(c @ w), c.sum()), x, w), M24, (draw(
        (16, 32)), draw((3, 32, 32))), (('data', None), (None, None, 'model')))


@prog
def c_scan_grad():
    return J(lambda x, w: jax.grad(lambda w: jnp.sum(lax.scan(lambda c, w: (jnp.tanh(c @ w), None), x, w)[0]))(w), M24,
             (draw((16, 32)), draw((3, 32, 32))), (('data', None), (None, 'model', None)))


@prog
def c_scan_unroll():
    return J(lambda x, w: lax.scan(lambda c, w: (jnp.tanh(c @ w), None), x, w, unroll=2)[0], M24, (draw(
        (16, 32)), draw((4, 32, 32))), (('data', None), (None, None, 'model')))


@prog
def c_map():
    return J(lambda x, w: lax.map(lambda a: jnp.tanh(a @ w), x), M24, (draw((6, 16, 32)), draw((32, 32))),
             ((None, 'data', None), (None, 'model')))


@prog
def c_nested_scan():
    return J(
        lambda x, w: lax.scan(lambda c, w: (lax.scan(lambda c, v: (jnp.tanh(c @ v), None), c, w)[0], None), x, w)[0],
        M24, (draw((16, 32)), draw((2, 3, 32, 32))), (('data', None), (None, None, None, 'model')))


@prog
def c_fori_ring():

    def f(x, w):

        def b(i, c):
            return c + lax.dynamic_slice_in_dim(x, i * 8, 8, 1) @ lax.dynamic_slice_in_dim(w, i * 8, 8, 0)

        return lax.fori_loop(0, 4, b, jnp.zeros((16, 16)))

    return J(f, M24, (draw((16, 32)), draw((32, 16))), (('data', None), (None, 'model')))


# ---- random
@prog
def r_normal():
    return J(lambda k: jax.random.normal(jax.random.wrap_key_data(k), (16, 64)), M24, (np.array([0, 7], np.uint32),),
             ((None,),), P('data', 'model'))


@prog
def r_split():
    return J(
        lambda k: jax.random.split(jax.random.wrap_key_data(k), 8).__class__ and jax.random.key_data(
            jax.random.split(jax.random.wrap_key_data(k), 8)), M1, (np.array([0, 7], np.uint32),), ((None,),))


@prog
def r_rbg():
    return J(lambda k: jax.random.uniform(jax.random.wrap_key_data(k, impl='rbg'), (16, 64)), M24,
             (np.array([0, 7, 1, 2], np.uint32),), ((None,),), P('data', 'model'))


@prog
def r_gumbel():
    return J(lambda k, x: jnp.argmax(x + jax.random.gumbel(jax.random.wrap_key_data(k), x.shape), -1), M24,
             (np.array([0, 7], np.uint32), draw((16, 64))), ((None,), ('data', 'model')))


@prog
def r_dropout_scan():

    def f(k, x, w):

        def s(c, w):
            x, k = c
            k, s = jax.random.split(k)
            return (jnp.where(jax.random.bernoulli(s, 0.9, x.shape), jnp.tanh(x @ w), 0), k), None

        return lax.scan(s, (x, jax.random.wrap_key_data(k)), w)[0][0]

    return J(f, M24, (np.array([0, 7], np.uint32), draw((16, 32)), draw((3, 32, 32))),
             ((None,), ('data', None), (None, None, 'model')))


# ---- shard_map
def S(f, m, ins, outs, args, **kw):
    g = jax.shard_map(f, mesh=m, in_specs=ins, out_specs=outs, **kw)
    return jax.jit(g, in_shardings=tuple(NamedSharding(m, p) for p in ins)), args


@prog
def m_allgather():
    return S(lambda x: lax.all_gather(x, 'x', tiled=True), M1, (P('x'),), P(None), (draw((16, 8)),), check_vma=False)


@prog
def m_allgather_untiled():
    return S(lambda x: lax.all_gather(x, 'y'),
             M2, (P('x', 'y'),),
             P(None, 'x', None), (draw((16, 8)),),
             check_vma=False)


@prog
def m_psum_scatter():
    return S(lambda x: lax.psum_scatter(x, 'y', scatter_dimension=1, tiled=True),
             M2, (P('x'),),
             P('x', 'y'), (draw((16, 8)),),
             check_vma=False)


@prog
def m_all_to_all():
    return S(lambda x: lax.all_to_all(x, 'x', 1, 0, tiled=True), M1, (P('x'),), P(None, 'x'), (draw((16, 32)),))


@prog
def m_all_to_all_untiled():
    return S(lambda x: lax.all_to_all(x, 'x', 1, 0), M1, (P('x'),), P(None, 'x'), (draw((16, 8, 4)),))


@prog
def m_ppermute():
    return S(lambda x: lax.ppermute(x, 'x', [(i, (i + 1) % 4) for i in range(4)]), M2, (P('x', 'y'),), P('x', 'y'),
             (draw((16, 8)),))


@prog
def m_ppermute_partial():
    return S(lambda x: lax.ppermute(x, 'x', [(0, 1), (1, 2)]), M1, (P('x'),), P('x'), (draw((16, 8)),))


@prog
def m_pmax():
    return S(lambda x: (lax.pmax(x, 'x'), lax.pmin(x, ('x', 'y')), lax.pmean(x, 'y')), M2, (P('x', 'y'),),
             (P(None, 'y'), P(), P('x')), (draw((16, 8)),))


@prog
def m_axis_index():
    return S(lambda x: x + lax.axis_index('x') * 10 + lax.axis_index('y'), M2, (P('x', 'y'),), P('x', 'y'), (draw(
        (16, 8)),))


@prog
def m_vma_grad():
    f = jax.shard_map(lambda x, w: lax.psum(jnp.tanh(x @ w), 'model'),
                      mesh=M24,
                      in_specs=(P('data', 'model'), P('model', None)),
                      out_specs=P('data', None))
    return J(lambda x, w: jax.grad(lambda w: jnp.sum(f(x, w)**2))(w), M24, (draw((16, 32)), draw((32, 32))),
             (('data', 'model'), ('model', None)))


@prog
def m_pvary():
    return S(
        lambda x, w: lax.fori_loop(0, 3, lambda i, c: c + lax.ppermute(c, 'x', [(k, (k + 1) % 8) for k in range(8)]),
                                   lax.pcast(w, 'x', to='varying') if hasattr(lax, 'pcast') else lax.pvary(w, 'x')) + x,
        M1, (P('x'), P()), P('x'), (draw((16, 8)), draw((2, 8))))


@prog
def m_partial_auto():

    def f(x, w):
        return lax.psum(jnp.tanh(x) @ w, 'model')

    g = jax.shard_map(f, mesh=M24, in_specs=(P(None, 'model'), P('model', None)), out_specs=P(), axis_names={'model'})
    return J(lambda x, w: jax.nn.relu(g(x, w)), M24, (draw((16, 32)), draw((32, 64))),
             (('data', 'model'), ('model', None)))


@prog
def m_partial_ag():
    g = jax.shard_map(lambda x: lax.all_gather(x, 'model', axis=1, tiled=True) * 2,
                      mesh=M24,
                      in_specs=(P(None, 'model'),),
                      out_specs=P(),
                      axis_names={'model'},
                      check_vma=False)
    return J(lambda x: g(x) + 1, M24, (draw((16, 32)),), (('data', 'model'),))


@prog
def m_partial_pipeline():
    """Stages by hand, batch and heads by themselves: the other axes spread through loops inside of the region."""

    def pipe(w1, w2, x):
        r = lax.axis_index('p')

        def stage(h):
            return lax.scan(lambda h, w: (h + jnp.tanh(h @ w[0]) @ w[1], None), h, (w1, w2))[0]

        def tick(c, t):
            buf, out = c
            h = stage(jnp.where(r == 0, lax.dynamic_index_in_dim(x, jnp.clip(t, 0, 1), keepdims=False), buf))
            out = lax.dynamic_update_index_in_dim(out, h, jnp.clip(t - 1, 0, 1), 0)
            return (lax.ppermute(h, 'p', [(0, 1), (1, 0)]), out), None

        return lax.scan(tick, (jnp.zeros_like(x[0]), jnp.zeros_like(x)), jnp.arange(3))[0][1][None]

    g = jax.shard_map(pipe, mesh=M3, in_specs=(P('p'), P('p'), P()), out_specs=P('p'), axis_names={'p'}, check_vma=False)
    return J(lambda w1, w2, x: jax.grad(lambda w: jnp.sum(g(*w, x)[-1]**2))((w1, w2)), M3,
             (draw((4, 8, 16)), draw((4, 16, 8), seed=1), draw((2, 4, 4, 8), seed=2)),
             (('p', None, 't'), ('p', 't'), (None, 'd')))


@prog
def m_partial_experts():
    """Experts by hand, the batch by itself."""

    def experts(x, w1, w2):
        return jnp.einsum('ebtf,efd->ebtd', jax.nn.relu(jnp.einsum('ebtd,edf->ebtf', x, w1)), w2)

    g = jax.shard_map(experts, mesh=M24, in_specs=(P('model'),) * 3, out_specs=P('model'), axis_names={'model'})

    def f(x, wg, w1, w2):
        p = jax.nn.softmax(x @ wg)
        return jnp.sum(g(jnp.einsum('btd,bte->ebtd', x, jax.nn.one_hot(jnp.argmax(p, -1), 4) * p), w1, w2), 0)

    return J(f, M24, (draw((4, 4, 8)), draw((8, 4), seed=1), draw((4, 8, 16), seed=2), draw((4, 16, 8), seed=3)),
             (('data',), (), ('model',), ('model',)))


@prog
def m_partial_kinds():
    """XLA's partitioner leaves two of a region's collectives on tiles, the others it gathers for."""

    def f(x):
        moved = lax.ppermute(x, 'model', [(k, (k + 1) % 4) for k in range(4)])
        summed = lax.psum(x, 'model')
        turned = lax.all_to_all(x, 'model', 1, 2, tiled=True)
        parted = lax.psum_scatter(summed, 'model', scatter_dimension=1, tiled=True)
        return moved, summed, turned, parted

    g = jax.shard_map(f, mesh=M24, in_specs=P(None, 'model'), axis_names={'model'}, check_vma=False,
                      out_specs=(P(None, 'model'), P(), P(None, None, 'model'), P(None, 'model')))
    return J(g, M24, (draw((4, 16, 8)),), (('data', 'model'),))


@prog
def m_nested():

    def inner(x):
        return lax.psum(x, 'y')

    def outer(x):
        return jax.shard_map(
            inner, mesh=jax.sharding.get_abstract_mesh(), in_specs=P(
                None, 'y'), out_specs=P(), axis_names={'y'})(x) * lax.axis_index('x')

    return J(jax.shard_map(outer, mesh=M2, in_specs=P('x'), out_specs=P('x'), axis_names={'x'}), M2, (draw((16, 8)),),
             (('x', 'y'),))


@prog
def m_ragged_a2a():

    def f(x, o):
        n = lax.axis_size('x')
        i = lax.axis_index('x')
        s = jnp.full((8,), 2, jnp.int32)
        io = jnp.arange(8, dtype=jnp.int32) * 2
        oo = jnp.full((8,), i * 2, jnp.int32)
        return lax.ragged_all_to_all(x, o, io, s, oo, s, axis_name='x')

    return S(f, M1, (P('x'), P('x')), P('x'), (draw((128, 4)), np.zeros((128, 4), np.float32)), check_vma=False)


@prog
def m_collective_matmul():

    def f(x, w):
        n = lax.axis_size('model')
        i = lax.axis_index('model')
        b = x.shape[0]
        acc = jnp.zeros((b * n, w.shape[1]), x.dtype)
        for s in range(n):
            acc = lax.dynamic_update_slice(acc, x @ w, (((i + s) % n) * b, 0))
            if s < n - 1:
                x = lax.ppermute(x, 'model', [(k, (k - 1) % n) for k in range(n)])
        return acc

    return S(f,
             M24, (P('model', 'data'), P('data', None)),
             P('data', None), (draw((16, 32)), draw((32, 16))),
             check_vma=False)


@prog
def m_halo():

    def f(x):
        l = lax.ppermute(x[-1:], 'x', [(i, i + 1) for i in range(7)])
        r = lax.ppermute(x[:1], 'x', [(i + 1, i) for i in range(7)])
        y = jnp.concatenate([l, x, r])
        return y[:-2] + y[1:-1] + y[2:]

    return S(f, M1, (P('x'),), P('x'), (draw((32, 8)),))


@prog
def m_pipeline_grad():

    def f(x, w):

        def l(w, x):
            c = x
            for _ in range(8):
                c = lax.ppermute(jnp.tanh(c @ w[0]), 'x', [(k, (k + 1) % 8) for k in range(8)])
            return jnp.sum(c**2)

        return jax.grad(l)(w, x)

    return S(f, M1, (P(), P('x')), P('x'), (draw((4, 16)), draw((8, 16, 16))), check_vma=False)


# ---- explicit mode
def X(fn, m, args, specs, **kw):
    with jax.set_mesh(m):
        a = tuple(jax.device_put(v, NamedSharding(m, P(*s))) for v, s in zip(args, specs))
    return ('explicit', m, jax.jit(fn, **kw)), a


@prog
def x_dot():
    return X(lambda a, b: a @ b, E24, (draw((16, 32)), draw((32, 64))), (('data', None), (None, 'model')))


@prog
def x_dot_out():
    return X(lambda a, b: jnp.dot(a, b, out_sharding=P('data', None)), E24, (draw((16, 32)), draw((32, 64))),
             (('data', 'model'), ('model', None)))


@prog
def x_unreduced():
    return X(
        lambda a, b: jax.sharding.reshard(
            jnp.einsum('ij,jk->ik', a, b, out_sharding=P('data', None, unreduced={'model'})), P('data', None)), E24,
        (draw((16, 32)), draw((32, 64))), (('data', 'model'), ('model', None)))


@prog
def x_reshard():
    return X(lambda a: jax.sharding.reshard(jnp.sin(a), P('model', 'data')), E24, (draw((16, 32)),),
             (('data', 'model'),))


@prog
def x_mlp():

    def f(x, a, b):
        return jnp.dot(jax.nn.relu(x @ a), b, out_sharding=P('data', 'model'))

    return X(f, E24, (draw((16, 32)), draw((32, 64)), draw((64, 32))),
             (('data', None), (None, 'model'), ('model', None)))


@prog
def x_grad():

    def f(x, a):
        return jax.grad(lambda a: jnp.sum(jnp.tanh(jnp.dot(x, a, out_sharding=P('data', 'model')))))(a)

    return X(f, E24, (draw((16, 32)), draw((32, 64))), (('data', None), (None, 'model')))


@prog
def x_reshape():
    return X(
        lambda a: a.reshape(4, 4, 32, out_sharding=P('data', None, 'model'))
        if False else lax.reshape(a, (4, 4, 32), out_sharding=P('data', None, 'model')), E24, (draw((16, 32)),),
        (('data', 'model'),))


@prog
def x_scan():
    return X(lambda x, w: lax.scan(lambda c, w: (jnp.tanh(jnp.dot(c, w, out_sharding=P('data', None))), None), x, w)[0],
             E24, (draw((16, 32)), draw((3, 32, 32))), (('data', None), (None, 'model', None)))


@prog
def x_embed():
    return X(lambda t, i: t.at[i].get(out_sharding=P('data', None, None)), E24, (draw((64, 32)), draw(
        (8, 16), np.int32)), (('model', None), ('data', None)))


@prog
def x_shard_map():
    return X(
        lambda x: jax.shard_map(lambda a: lax.psum(a, 'model'), in_specs=P('data', 'model'), out_specs=P('data', None))
        (x) * 2, E24, (draw((16, 32)),), (('data', 'model'),))


@prog
def x_auto_axes():
    from jax.sharding import auto_axes
    return X(
        lambda x, w: auto_axes(lambda x, w: jnp.tanh(x @ w), axes=('data', 'model'), out_sharding=P('data', 'model'))
        (x, w), E24, (draw((16, 32)), draw((32, 64))), (('data', None), (None, 'model')))


# ---- misc
@prog
def z_donate():
    return J(lambda x, g: x - 0.1 * g,
             M24, (draw((16, 32)), draw((16, 32), seed=1)), (('data', 'model'), ('data', 'model')),
             P('data', 'model'),
             donate_argnums=(0,))


@prog
def z_named():

    @jax.named_call
    def f(x):
        return jnp.tanh(x)

    return J(lambda x: f(x) + 1, M24, (draw((16, 32)),), (('data', 'model'),))


@prog
def z_jit_nested():
    g = jax.jit(lambda x, w: jnp.tanh(x @ w))
    return J(lambda x, w: g(g(x, w), w) + g(x, w), M24, (draw((16, 32)), draw((32, 32))),
             (('data', None), (None, 'model')))


@prog
def z_wsc_unconstrained():
    return J(lambda x, w: lax.with_sharding_constraint(x @ w, NamedSharding(M24, P(P.UNCONSTRAINED, 'model'))), M24,
             (draw((16, 32)), draw((32, 64))), (('data', None), (None, None)))


@prog
def z_wsc_grad():
    return J(
        lambda x, w: jax.grad(lambda w: jnp.sum(
            lax.with_sharding_constraint(jnp.tanh(x @ w), NamedSharding(M24, P('data', 'model')))))(w), M24, (draw(
                (16, 32)), draw((32, 64))), (('data', None), ('data', 'model')))


@prog
def z_uneven():
    return J(lambda x, w: lax.with_sharding_constraint(x @ w, NamedSharding(M24, P('data', 'model'))), M24, (draw(
        (10, 32)), draw((32, 30))), ((None, None), (None, None)))


@prog
def z_const():
    c = draw((32, 32))
    return J(lambda x: x @ c, M24, (draw((16, 32)),), (('data', None),))


@prog
def z_tuple_tree():
    return J(lambda t: {
        'a': t['a'] @ t['b'],
        'c': (t['a'], t['a'].sum())
    }, M24, ({
        'a': draw((16, 32)),
        'b': draw((32, 16))
    },), ({
        'a': ns(M24, 'data', None),
        'b': ns(M24, None, 'model')
    },))


@prog
def z_scalar():
    return J(lambda x: x * 2 + 1, M24, (np.float32(3),), ((),))


@prog
def z_empty():
    return J(lambda x: (x, jnp.zeros((0, 4))), M24, (draw((16, 32)),), (('data', None),))


@prog
def z_einsum4():
    return J(lambda a, b: jnp.einsum('abij,bcjk->acik', a, b), M3, (draw((4, 4, 8, 8)), draw((4, 4, 8, 8), seed=1)),
             (('d', 't', None, 'p'), ('t', 'd', 'p', None)))


@prog
def z_dot_kinds():
    return J(
        lambda a, b:
        (jnp.vdot(a[0], b[:, 0]), jnp.outer(a[0], b[0]), jnp.kron(a[:2, :2], b[:2, :2]), jnp.tensordot(a, b, 1)), M24,
        (draw((16, 32)), draw((32, 16))), (('data', 'model'), ('model', None)))


@prog
def z_precision():
    return J(lambda a, b: jnp.dot(a, b, precision='highest'), M24, (draw((16, 32)), draw((32, 16))),
             (('data', 'model'), ('model', None)))


@prog
def z_dot_algorithm():
    return J(lambda a, b: lax.dot(a, b, precision=lax.DotAlgorithmPreset.F32_F32_F32), M24, (draw(
        (16, 32)), draw((32, 16))), (('data', 'model'), ('model', None)))


@prog
def z_barrier():
    return J(lambda a, b: lax.optimization_barrier((a @ b, a + 1)), M24, (draw((16, 32)), draw((32, 16))),
             (('data', None), (None, 'model')))


@prog
def z_checkify_cond():
    return J(lambda x: jnp.where(jnp.any(jnp.isnan(x)), 0., x.sum()), M24, (draw((16, 32)),), (('data', 'model'),))


@prog
def z_mesh_order():
    m = Mesh(np.array(jax.devices())[[0, 2, 1, 3, 4, 6, 5, 7]].reshape(2, 4), ('data', 'model'),
             axis_types=(AxisType.Auto,) * 2)
    return J(lambda a, b: a @ b, m, (draw((16, 32)), draw((32, 16))), (('data', 'model'), ('model', None)))


@prog
def z_subaxis():
    return J(
        lambda a: lax.with_sharding_constraint(a.reshape(2, 4, 32), NamedSharding(M1, P(None, None, None))).reshape(
            8, 32) * 2, M1, (draw((8, 32)),), (('x', None),))


@prog
def z_memory_kind():
    s = NamedSharding(M24, P('data', 'model'), memory_kind='pinned_host')
    return J(lambda x: jax.device_put(x * 2, s), M24, (draw((16, 32)),), (('data', 'model'),))


@prog
def z_io_callback():
    return J(lambda x: jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct((16, 32), np.float32), x) + 1, M24,
             (draw((16, 32)),), ((None, None),))


@prog
def z_debug_print():

    def f(x):
        jax.debug.print("x {}", x.sum())
        return x * 2

    return J(f, M24, (draw((16, 32)),), (('data', None),))
