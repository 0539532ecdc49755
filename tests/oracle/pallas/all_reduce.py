# SPDX-License-Identifier: Apache-2.0
"""An all-reduce through two slots, with a capacity semaphore and a loop in place of a grid."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np

devices = np.array(jax.devices())
mesh = Mesh(devices, ("ring",))
count = len(jax.devices())
SHAPE = (8, 128)


def wrap(place):
    return lax.rem(place + count, count)


def sum_kernel(x_ref, total_ref, slots_ref, arrived, copy_sem, send_sem, recv_sems, room):
    me = lax.axis_index("ring")
    left, right = wrap(me - 1), wrap(me + 1)
    gate = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(gate, device_id={"ring": left})
    pl.semaphore_signal(gate, device_id={"ring": right})
    pl.semaphore_wait(gate, 2)

    total_ref[...] = x_ref[...]
    pltpu.sync_copy(x_ref, slots_ref.at[0])

    def hop(step, carry):
        full = step % 2
        empty = 1 - full

        @pl.when(step > 0)
        def _():
            pl.semaphore_wait(room, 1)

        move = pltpu.async_remote_copy(slots_ref.at[full], slots_ref.at[empty], send_sem, recv_sems.at[empty],
                                       device_id=(right,))
        move.wait()

        @pl.when(step + 2 < count)
        def _():
            pl.semaphore_signal(room, 1, device_id=(left,))

        load = pltpu.async_copy(slots_ref.at[empty], arrived, copy_sem)
        load.wait()
        total_ref[...] += arrived[...]
        return carry

    lax.fori_loop(0, count - 1, hop, None)


def reduced(x):
    total, _ = pl.pallas_call(
        sum_kernel,
        out_shape=(jax.ShapeDtypeStruct(SHAPE, x.dtype), jax.ShapeDtypeStruct((2, *SHAPE), x.dtype)),
        in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
        out_specs=[pl.BlockSpec(memory_space=pltpu.VMEM), pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[
            pltpu.VMEM(SHAPE, jnp.float32),
            pltpu.SemaphoreType.DMA,
            pltpu.SemaphoreType.DMA(()),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.REGULAR,
        ],
        compiler_params=pltpu.CompilerParams(collective_id=1),
    )(x)
    return total


spread = functools.partial(jax.shard_map, mesh=mesh, in_specs=P(None, "ring"), out_specs=P(None, "ring"), check_vma=False)
print(jax.jit(spread(reduced))(jax.random.uniform(jax.random.key(1), (SHAPE[0], SHAPE[1] * count))))
