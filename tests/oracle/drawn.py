# SPDX-License-Identifier: Apache-2.0
"""Programs drawn at random, computed by JAX and by the program: drawn.py SHARDSCOPE [SEED [COUNT]].

Says which differ and keeps their modules as drawn_SEED.mlir here; exit status 1 when one does. Whole numbers must be
equal, floats within roundings.
"""
import os
import random
import subprocess
import sys
import tempfile

os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

SIZES = [1, 2, 3, 4, 5, 8]
MOST_ELEMENTS = 4096
LETTERS = 'abcdefgh'


def subscripts(draw, a, b):
    """Subscripts of an einsum of two arrays: dimensions of one size are often the same letter."""
    left = draw.sample(LETTERS, a.ndim)
    size, right = dict(zip(left, a.shape)), []
    for n in b.shape:
        same = [x for x in left if size[x] == n and x not in right]
        new = [x for x in LETTERS if x not in left and x not in right]
        right.append(draw.choice(same) if same and draw.random() < .7 else draw.choice(new))
    out = [x for x in dict.fromkeys(left + right) if draw.random() < (.9 if (x in left) != (x in right) else .5)]
    draw.shuffle(out)
    return f'{"".join(left)},{"".join(right)}->{"".join(out[:4])}'


def product(draw, values, a, b):
    """A product, often added to another one or to an array of its shape."""
    made = jnp.einsum(subscripts(draw, a, b), a, b)
    others = [v for v in values if v.shape == made.shape]
    return made + draw.choice(others) if others and draw.random() < .7 else made


WAYS = ['mk,kn->mn', 'm,mn->mn', 'm,n->mn', 'mk,mkn->mn', 'mn,n->mn', 'kmn,k->mn', 'nk,mk->mn', 'bmk,kn->mn']


def sum_of_products(draw, a, b):
    """Products that are other matrices each, of one shape."""
    size = {x: draw.choice(SIZES) for x in 'bkmn'}

    def one(way):
        left, right = (tuple(size[x] for x in part) for part in way.split('->')[0].split(','))
        return jnp.einsum(way, jnp.resize(a, left), jnp.resize(b, right))

    return sum(one(way) for way in draw.sample(WAYS, draw.randint(2, 3)))


def step(draw, values):
    a, b, kind = draw.choice(values), draw.choice(values), draw.randrange(15)
    axis = draw.randrange(a.ndim) if a.ndim else 0
    if kind < 2:
        return sum_of_products(draw, a, b)
    if kind < 5 or a.ndim == 0:
        return product(draw, values, a, b)
    return [
        lambda: jnp.transpose(a, draw.sample(range(a.ndim), a.ndim)),
        lambda: a.sum(axis) if draw.random() < .6 else a.max(axis),
        lambda: jnp.broadcast_to(a, (draw.choice(SIZES),) + a.shape),
        lambda: a.reshape(-1),
        lambda: jnp.concatenate([a, lax.rev(a, (axis,))], axis),
        lambda: jnp.cumsum(a, axis),
        lambda: jnp.take(a, jnp.array([0, -1, 0][:draw.randint(1, 3)]), axis=axis),
        lambda: jnp.zeros_like(a).at[::2].add(a[::2] * 3),
        lambda: jnp.where(a > 0, a, -2 * a) + jnp.sort(a, axis=axis),
        lambda: lax.pad(a, jnp.zeros((), a.dtype), [(draw.randint(0, 2), draw.randint(0, 2), draw.randint(0, 1))] * a.ndim),
    ][kind - 5]()


def program(seed):
    """A function of a few arrays, and the arrays."""
    draw = random.Random(seed)
    dtype = draw.choice([np.float32, np.int32])
    numbers = np.random.RandomState(seed)
    shapes = [tuple(draw.choice(SIZES) for _ in range(draw.randint(1, 3))) for _ in range(draw.randint(2, 3))]
    arrays = [numbers.randint(-3, 4, s).astype(dtype) for s in shapes]

    def f(*given):
        again, values = random.Random(seed + 1), list(given)
        for _ in range(again.randint(4, 9)):
            made = step(again, values)
            if 0 < made.size <= MOST_ELEMENTS and made.ndim <= 5:
                values.append(made)
        return tuple(values[-3:])

    return f, arrays


def differs(shardscope, seed, folder):
    f, arrays = program(seed)
    lowered = jax.jit(f, keep_unused=True).lower(*arrays)
    wanted = [np.asarray(x) for x in lowered.compile()(*arrays)]
    module = f'{folder}/module.mlir'
    with open(module, 'w') as out:
        out.write(lowered.as_text())
    arguments = []
    for k, array in enumerate(arrays):
        np.save(f'{folder}/{k}.npy', array)
        arguments += ['--arg', f'{k}={folder}/{k}.npy']
    run = subprocess.run([shardscope, 'hlo', 'run', module, '--out', folder, '--quiet', *arguments],
                         capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip()
    for k, want in enumerate(wanted):
        got = np.load(f'{folder}/result{k}.npy')
        close = np.array_equal(want, got) if want.dtype == np.int32 else np.allclose(want, got, 1e-4, 1e-4 * max(1, np.abs(want).max()))
        if not close:
            return f'result {k}: {np.abs(want.astype(float) - got).max()} off'
    return None


def main(shardscope, seed=0, count=200):
    wrong = 0
    for n in range(int(seed), int(seed) + int(count)):
        with tempfile.TemporaryDirectory() as folder:
            what = differs(shardscope, n, folder)
            if what:
                wrong += 1
                os.replace(f'{folder}/module.mlir', f'drawn_{n}.mlir')
                print(f'seed {n}: {what}', flush=True)
    print(f'{wrong} of {count} drawn programs differ from JAX')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
