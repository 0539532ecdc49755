import argparse, functools, itertools, json, math, os, sys, zlib

if sys.argv[1:]:  # on a machine without GPUs
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "%s --xla_force_host_platform_device_count=%d" % (
        os.environ.get("XLA_FLAGS", ""), math.prod(MESH.values()))
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.sharding import Mesh, PartitionSpec
import numpy as np

f32, bf16, f16 = jnp.float32, jnp.bfloat16, jnp.float16
LOGICAL = pl.DeviceIdType.LOGICAL


def semaphores(count):
    """That GPUs signal each other; each GPU has its own ones under the same index."""
    return pl.get_global(plgpu.SemaphoreType.REGULAR((count,)))


def layout(columns, type):
    """How wgmma wants rows of so many columns in shared memory."""
    swizzle = plgpu.find_swizzle(columns * jnp.dtype(type).itemsize * 8)
    return plgpu.TilingTransform((8, swizzle // jnp.dtype(type).itemsize)), plgpu.SwizzleTransform(swizzle)


class PeerCopy:
    """A store into a peer's memory, through tiles of shared memory: TMA reads them here and writes them there."""

    def __init__(self, source, target, device):
        self.source, self.target, self.device = source, target, device

    def start(self):
        rows, columns = self.source.shape
        tile = (math.gcd(rows, 64), math.gcd(columns, 64))
        there = plgpu.remote_ref(self.target, self.device, device_id_type=LOGICAL)

        @functools.partial(pl.run_scoped, tiles=plgpu.SMEM((2, *tile), self.source.dtype), loaded=plgpu.Barrier())
        def _(tiles, loaded):
            for step, (i, j) in enumerate(itertools.product(range(rows // tile[0]), range(columns // tile[1]))):
                part = pl.ds(i * tile[0], tile[0]), pl.ds(j * tile[1], tile[1])
                if step > 1:  # the store that read this tile has read it
                    plgpu.wait_smem_to_gmem(1, wait_read_only=True)
                plgpu.copy_gmem_to_smem(self.source.at[part], tiles.at[step % 2], loaded)
                plgpu.barrier_wait(loaded)
                plgpu.copy_smem_to_gmem(tiles.at[step % 2], there.at[part])
            plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    def wait(self):
        """Until all of it is written there, so that whoever is signalled may read it."""
        plgpu.wait_smem_to_gmem(0, wait_read_only=False)


def make_async_peer_copy(source, target, sem, device_id, device_id_type=LOGICAL):
    return PeerCopy(source, target, device_id)


def tiled_product(left, right, result, tile):
    """result = left · right: blocks come by TMA while those before them are multiplied by wgmma, sums are f32."""
    (m, k), n = left.shape, right.shape[1]
    tm, tk, tn = tile
    assert m % tm == 0 and k % tk == 0 and n % tn == 0 and tm % 64 == 0, "wgmma takes whole tiles, their rows by 64"

    def one(i, j):
        def with_sums(sums):
            def step(indices, a_block, b_block):
                plgpu.wgmma(sums, a_block, b_block)
                plgpu.wgmma_wait(0)

            plgpu.emit_pipeline(
                step, grid=(k // tk,), max_concurrent_steps=2,
                in_specs=[plgpu.BlockSpec((tm, tk), lambda l: (i, l), transforms=layout(tk, left.dtype)),
                          plgpu.BlockSpec((tk, tn), lambda l: (l, j), transforms=layout(tn, right.dtype))])(left, right)
            return sums[...]

        done = pl.run_scoped(with_sums, plgpu.ACC((tm, tn), f32))

        @functools.partial(pl.run_scoped, block=plgpu.SMEM((tm, tn), result.dtype, transforms=layout(tn, result.dtype)))
        def _(block):
            block[...] = done.astype(result.dtype)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(block, result.at[pl.ds(i * tm, tm), pl.ds(j * tn, tn)])
            plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    for i, j in itertools.product(range(m // tm), range(n // tn)):
        one(i, j)
