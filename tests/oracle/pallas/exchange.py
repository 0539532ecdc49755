# SPDX-License-Identifier: Apache-2.0
"""A grid of 2 by 2: arrays go round the columns, device ids by axis, scratch in its own scope, sums of values."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((2, 2), ("row", "col"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
SIZE = (8, 128)
BOTH, OWN = True, False


def exchange_kernel(first_ref, second_ref, out_ref, *, scale_by_hops):
    col = lax.axis_index("col")
    other = {"col": lax.rem(col + 1, lax.axis_size("col"))}
    gate = pltpu.get_barrier_semaphore()

    def with_scratch(given, come, send, recv):
        own = first_ref[...] + second_ref[...]
        given[...] = own
        come[...] = jnp.zeros(SIZE, jnp.float32)
        pl.semaphore_signal(gate, 1, device_id=other, device_id_type=pl.DeviceIdType.MESH)
        pl.semaphore_wait(gate, 1)
        hop = pltpu.make_async_remote_copy(given, come, send, recv.at[0, 1], device_id=other,
                                           device_id_type=pl.DeviceIdType.MESH)
        hop.start()
        hop.wait_send()
        hop.wait_recv()
        out_ref[...] = own + come[...]
        if scale_by_hops:
            @pl.loop(0, 2)
            def _(step):
                @pl.when(jnp.logical_and(step == 1, ~(col > 1)))
                def _():
                    out_ref[...] += own

    pl.run_scoped(with_scratch, pltpu.VMEM(SIZE, jnp.float32), come=pltpu.VMEM(SIZE, jnp.float32),
                  send=pltpu.SemaphoreType.DMA, recv=pltpu.SemaphoreType.DMA((1, 2)))


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P("row", "col"), P("row", "col")), out_specs=P("row", "col"), check_vma=False)
def exchanged(first, second):
    def kernel(*refs):
        exchange_kernel(*refs, scale_by_hops=BOTH and not OWN)

    vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
    return pl.pallas_call(kernel, in_specs=[vmem] * 2, out_specs=vmem,
                          out_shape=jax.ShapeDtypeStruct(first.shape, first.dtype),
                          compiler_params=pltpu.CompilerParams(collective_id=2))(first, second)


big = (2 * SIZE[0], 2 * SIZE[1])
print(exchanged(jnp.ones(big), jnp.zeros(big)).shape)
