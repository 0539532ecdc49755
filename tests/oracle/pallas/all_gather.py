# SPDX-License-Identifier: Apache-2.0
"""An all-gather of a person's own: three dimensions, a grid of hops, a barrier with both neighbours."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import NamedSharding, PartitionSpec as P

ring = jax.device_count()
mesh = jax.make_mesh((ring,), ("i",))
rows, width = 8, 128


def enter(before, after):
    gate = pltpu.get_barrier_semaphore()
    for other in (before, after):
        pltpu.semaphore_signal(gate, inc=1, device_id=(other,), device_id_type=pl.DeviceIdType.MESH)
    pltpu.semaphore_wait(gate, 2)


def gather_kernel(shard_ref, whole_ref, copy_sem, send_sem, arrival_sems):
    """Hands on the shard that came last, one hop a grid step."""
    hop = pl.program_id(0)
    here = lax.axis_index("i")
    after = lax.rem(here + 1, ring)
    before = lax.rem(here - 1 + ring, ring)
    slot = lax.rem(here - hop + ring, ring)

    @pl.when(hop == 0)
    def _():
        enter(before, after)
        mine = pltpu.make_async_copy(shard_ref, whole_ref.at[here], copy_sem)
        mine.start()
        mine.wait()

    onwards = pltpu.make_async_remote_copy(
        src_ref=whole_ref.at[slot],
        dst_ref=whole_ref.at[slot],
        send_sem=send_sem,
        recv_sem=arrival_sems.at[hop],
        device_id=(after,),
        device_id_type=pl.DeviceIdType.MESH,
    )
    onwards.start()
    onwards.wait()


gather = pl.pallas_call(
    gather_kernel,
    grid=(ring - 1,),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    out_shape=jax.ShapeDtypeStruct((ring, rows, width), jnp.float32),
    scratch_shapes=[pltpu.SemaphoreType.DMA] * 2 + [pltpu.SemaphoreType.DMA((ring - 1,))],
    compiler_params=pltpu.CompilerParams(collective_id=0),
)

x = jax.random.normal(jax.random.key(0), (rows * ring, width))
x = jax.device_put(x, NamedSharding(mesh, P("i", None)))
result = jax.jit(jax.shard_map(gather, mesh=mesh, in_specs=P("i", None), out_specs=P(), check_vma=False))(x)
