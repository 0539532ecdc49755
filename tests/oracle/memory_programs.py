# SPDX-License-Identifier: Apache-2.0
"""What XLA's memory_analysis() says of further programs, on 8 virtual CPU devices.

memory_programs.py OUT [NAME…] writes OUT/NAME.mlir, the module as JAX lowers it, and OUT/bytes.json: of each its
arguments, results, temporaries and aliased bytes. They are of other kinds than those of programs.py.
"""
import json
import os
import sys

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

f32, bf16, f16, i32, s8 = jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.int8
f8 = jnp.float8_e4m3fn
PROGRAMS = []


def mesh(names, sizes):
    return Mesh(np.array(jax.devices()).reshape(sizes), names, axis_types=(AxisType.Auto,) * len(names))


M1 = mesh(('x',), (8,))
M24 = mesh(('dp', 'tp'), (2, 4))
M42 = mesh(('dp', 'tp'), (4, 2))


def add(name, on, function, arguments, donated=()):
    PROGRAMS.append((name, on, function, arguments, donated))


def A(shape, spec, dtype=f32):
    return shape, dtype, P(*spec)


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean)**2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * g + b


def attention(q, k, v):
    s = jnp.einsum('bqhd,bkhd->bhqk', q, k).astype(f32) * q.shape[-1]**-.5
    s = jnp.where(jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool)), s, -jnp.inf)
    return jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(s, -1).astype(v.dtype), v)


def block(heads):

    def f(x, g1, b1, wqkv, wo, g2, b2, w1, w2):
        b, s, _ = x.shape
        y = layer_norm(x, g1, b1) @ wqkv
        q, k, v = [t.reshape(b, s, heads, -1) for t in jnp.split(y, 3, -1)]
        x = x + attention(q, k, v).reshape(b, s, -1) @ wo
        return x + jax.nn.gelu(layer_norm(x, g2, b2) @ w1) @ w2

    return f


def weights(e, f, b, s, dt):
    n = (None,)
    return [
        A((b, s, e), ('dp', None, None), dt), A((e,), n, dt), A((e,), n, dt), A((e, 3 * e), (None, 'tp'), dt),
        A((e, e), ('tp', None), dt), A((e,), n, dt), A((e,), n, dt), A((e, f), (None, 'tp'), dt),
        A((f, e), ('tp', None), dt)
    ]


add('gpt_f32', M42, block(8), weights(128, 512, 8, 64, f32))
add('gpt_bf16', M42, block(8), weights(128, 512, 8, 64, bf16))
add('gpt_f16', M24, block(4), weights(64, 256, 4, 32, f16))


def cnn(x, k1, k2, w):
    d = ('NHWC', 'HWIO', 'NHWC')
    x = jax.nn.relu(lax.conv_general_dilated(x, k1, (1, 1), 'SAME', dimension_numbers=d))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    x = jax.nn.relu(lax.conv_general_dilated(x, k2, (2, 2), 'SAME', dimension_numbers=d))
    return x.mean((1, 2)) @ w


images = [
    A((16, 16, 16, 4), ('x', None, None, None)),
    A((3, 3, 4, 16), (None,) * 4),
    A((3, 3, 16, 32), (None,) * 4),
    A((32, 10), (None, None))
]
add('cnn', M1, cnn, images)
add('cnn_grad', M1, lambda *a: jax.grad(lambda *b: jnp.sum(cnn(*b)**2), argnums=(1, 2, 3))(*a), images)


def gru(h, xs, wz, uz, wh, uh):

    def f(h, x):
        z = jax.nn.sigmoid(x @ wz + h @ uz)
        n = jnp.tanh(x @ wh + (h * z) @ uh)
        h = (1 - z) * h + z * n
        return h, h

    return lax.scan(f, h, xs)


add('gru', M24, gru, [A((16, 64), ('dp', None)), A((12, 16, 32), (None, 'dp', None))] +
    [A((32, 64), (None, 'tp')), A((64, 64), (None, 'tp'))] * 2)
add(
    'hvp', M1, lambda w, x, v: jax.jvp(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w)**2)), (w,), (v,))[1],
    [A((32, 16), (None, None)), A((64, 32), ('x', None)), A((32, 16), (None, None))])
add('jacfwd', M1, lambda x: jax.vmap(jax.jacfwd(lambda v: jnp.cumsum(v) * jnp.sin(v)))(x), [A((16, 12), ('x', None))])
add('topk_rows', M1, lambda x: lax.top_k(x, 8), [A((64, 128), ('x', None))])
add('sort_grad', M1, lambda x: jax.grad(lambda x: jnp.sum(jnp.sort(x, 1)[:, :8]))(x), [A((32, 64), ('x', None))])
add('cumsum_cols', M24, lambda x: jnp.cumsum(x, 1) / jnp.arange(1, 65), [A((16, 64), ('dp', None))])
add('cummax', M1, lambda x: lax.cummax(x, 0), [A((128, 32), (None, 'x'))])
add('normal', M24, lambda x, k: x + 0.1 * jax.random.normal(jax.random.wrap_key_data(k), x.shape),
    [A((32, 64), ('dp', 'tp')), A((2,), (), jnp.uint32)])


def moe(x, r, w1, w2, capacity=16):
    experts = r.shape[1]
    g, e = lax.top_k(jax.nn.softmax(x @ r), 1)
    e = e[:, 0]
    oh = jax.nn.one_hot(e, experts, dtype=i32)
    at = (jnp.cumsum(oh, 0) * oh).sum(1) - 1
    buf = jnp.zeros((experts, capacity, x.shape[1]), x.dtype).at[e, at].set(x, mode='drop')
    h = jnp.einsum('ecf,efd->ecd', jax.nn.silu(jnp.einsum('ecd,edf->ecf', buf, w1)), w2)
    return h.at[e, at].get(mode='fill', fill_value=0) * g


add('moe_scatter', M24, moe, [
    A((64, 32), ('dp', None)),
    A((32, 8), (None, None)),
    A((8, 32, 64), ('tp', None, None)),
    A((8, 64, 32), ('tp', None, None))
])


def adamw(w, m, v, g):
    m, v = .9 * m + .1 * g, .999 * v + .001 * g * g
    return w - 1e-3 * (m / (jnp.sqrt(v) + 1e-8) + .01 * w), m, v


add('adamw_donated', M1, adamw, [A((256, 64), ('x', None))] * 4, (0, 1, 2))
add(
    'scan_remat_grad', M24, lambda ws, x: jax.grad(lambda ws: jnp.sum(
        lax.scan(jax.checkpoint(lambda c, w: (jnp.tanh(c @ w[0]) @ w[1] + c, None)), x, ws)[0]**2))(ws),
    [A((5, 2, 64, 64), (None, None, None, 'tp')), A((32, 64), ('dp', None))])
add('f8_mm', M24, lambda x, w: lax.dot(x, w, preferred_element_type=f32),
    [A((64, 128), ('dp', None), f8), A((128, 64), (None, 'tp'), f8)])
add('f16_softmax', M1, lambda x: jax.nn.softmax(x, -1), [A((64, 128), ('x', None), f16)])
add('bf16_mlp', M24, lambda x, a, b: jax.nn.silu(x @ a) @ b,
    [A((64, 128), ('dp', None), bf16), A((128, 512), (None, 'tp'), bf16), A((512, 128), ('tp', None), bf16)])
add('fft_local', M1, lambda x: jnp.fft.ifft(jnp.fft.fft(x) * jnp.exp(-jnp.arange(64) / 8.)).real,
    [A((32, 64), ('x', None))])
add(
    'int8_conv', M1, lambda x, k: lax.conv_general_dilated(
        x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'), preferred_element_type=i32),
    [A((8, 8, 8, 4), ('x', None, None, None), s8), A((3, 3, 4, 8), (None,) * 4, s8)])
add(
    'xent_smooth', M24, lambda x, w, y: -jnp.mean(
        jnp.sum(jax.nn.log_softmax(x @ w) * (0.9 * jax.nn.one_hot(y, 256) + .1 / 256), -1)),
    [A((64, 32), ('dp', None)), A((32, 256), (None, 'tp')), A((64,), ('dp',), i32)])
add(
    'smap_a2a', M1,
    jax.shard_map(lambda x: lax.all_to_all(jnp.sin(x), 'x', 1, 0, tiled=True),
                  mesh=M1,
                  in_specs=P('x', None),
                  out_specs=P(None, 'x')), [A((64, 64), ('x', None))])


def main(out, names):
    said = {}
    for name, on, function, arguments, donated in PROGRAMS:
        if names and name not in names:
            continue
        shardings = tuple(NamedSharding(on, spec) for _, _, spec in arguments)
        jitted = jax.jit(function, in_shardings=shardings, donate_argnums=donated)
        lowered = jitted.lower(*[jax.ShapeDtypeStruct(shape, dtype) for shape, dtype, _ in arguments])
        with open(f'{out}/{name}.mlir', 'w') as file:
            file.write(lowered.as_text())
        m = lowered.compile().memory_analysis()
        said[name] = {
            'arguments': m.argument_size_in_bytes,
            'results': m.output_size_in_bytes,
            'temporaries': m.temp_size_in_bytes,
            'aliased': m.alias_size_in_bytes
        }
    with open(f'{out}/bytes.json', 'w') as file:
        json.dump(said, file, indent=1)
        file.write('\n')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
