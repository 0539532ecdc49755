# SPDX-License-Identifier: Apache-2.0
"""Runs kernels that people wrote under Pallas' interpreter, on the numbers that shardscope kernel run gives to inputs:
`python read_kernels.py FILE.py…`, with JAX, writes a line an output: file, output, a checksum for each of 4 devices."""

import os
import sys
import zlib

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

MASK = (1 << 64) - 1
written = {}
plain_call = pl.pallas_call


def bits(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def filled(device, place, shape):
    stream = bits((bits(0) + device * 1000003 + place) & MASK)
    count = int(np.prod(shape))
    return np.array([(bits((stream + i) & MASK) >> 33) % 3 - 1.0 for i in range(count)], np.float32).reshape(shape)


def place_of_device():
    """The device by its places on the axes that shard_map has in scope, 0 outside of it."""
    device = 0
    for name, size in jax.sharding.get_abstract_mesh().shape.items():
        device = device * size + jax.lax.axis_index(name)
    return device


def patched(kernel, **options):
    options["interpret"] = pltpu.InterpretParams(detect_races=True, dma_execution_mode="on_wait")
    call = plain_call(kernel, **options)

    def run(*arrays):
        devices = int(np.prod(list(jax.sharding.get_abstract_mesh().shape.values()) or [1]))
        mine = [jnp.asarray(np.stack([filled(d, place, a.shape) for d in range(devices)]), a.dtype)[place_of_device()]
                for place, a in enumerate(arrays)]
        results = call(*mine)

        def keep(device, *outs):
            for place, out in enumerate(outs):
                written[place, int(device)] = zlib.crc32(np.asarray(out, np.float32).tobytes())

        jax.debug.callback(keep, place_of_device(), *jax.tree.leaves(results))
        return results

    return run


def main():
    pl.pallas_call = patched
    for path in sys.argv[1:]:
        written.clear()
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})  # noqa: S102
        jax.effects_barrier()
        for output in sorted({place for place, _ in written}):
            sums = [str(crc) for (place, _), crc in sorted(written.items()) if place == output]
            print(os.path.basename(path), output, *sums, flush=True)


main()
