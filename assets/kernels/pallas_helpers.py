import argparse, functools, itertools, json, math, os, sys, zlib

os.environ["XLA_FLAGS"] = "%s --xla_force_host_platform_device_count=%d" % (
    os.environ.get("XLA_FLAGS", ""), math.prod(MESH.values()))
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, PartitionSpec

f32, bf16, f16 = jnp.float32, jnp.bfloat16, jnp.float16
LOGICAL = pl.DeviceIdType.LOGICAL


def semaphores(kind, *count):
    return kind if not count else kind((max(1, count[0]),))


def blocks(*extents, ins=(), outs=(), buffers=2):
    """A pipeline between hbm and vmem; blocks at the edges are as small as what is left."""
    specs = (*ins, *outs)
    steps = list(itertools.product(*map(range, extents)))

    def part(spec, step):
        ref, shape, index = spec
        at = index(*steps[step])
        return tuple((i * s, min(s, extent - i * s)) for i, s, extent in zip(at, shape, ref.shape))

    def run(body):
        def scoped(vmem, sems):
            visit = [[0] * len(steps) for _ in specs]
            for o, spec in enumerate(specs):
                for s in range(1, len(steps)):
                    visit[o][s] = visit[o][s - 1] + (spec[2](*steps[s]) != spec[2](*steps[s - 1]))

            def block(o, s):
                where = part(specs[o], s)
                return vmem[o][visit[o][s] % buffers].at[tuple(pl.ds(0, size) for _, size in where)]

            def copy(o, s):
                far = specs[o][0].at[tuple(pl.ds(first, size) for first, size in part(specs[o], s))]
                ends = (far, block(o, s)) if o < len(ins) else (block(o, s), far)
                return pltpu.make_async_copy(*ends, sems.at[o, visit[o][s] % buffers])

            def fetch(s):
                for o in range(len(ins)):
                    if s == 0 or visit[o][s] != visit[o][s - 1]:
                        copy(o, s).start()

            if steps and buffers > 1:
                fetch(0)
            for s, at in enumerate(steps):
                if buffers == 1:
                    fetch(s)
                elif s + 1 < len(steps):
                    fetch(s + 1)
                for o in range(len(ins)):
                    if s == 0 or visit[o][s] != visit[o][s - 1]:
                        copy(o, s).wait()
                body(*at, *(block(o, s) for o in range(len(specs))))
                for o in range(len(ins), len(specs)):
                    if s + 1 < len(steps) and visit[o][s] == visit[o][s + 1]:
                        continue
                    copy(o, s).start()
                    if buffers == 1:
                        copy(o, s).wait()
                    elif visit[o][s] > 0:
                        copy(o, visit[o].index(visit[o][s]) - 1).wait()
            for o in range(len(ins), len(specs)):
                if steps and buffers > 1:
                    copy(o, len(steps) - 1).wait()

        vmem = [[pltpu.VMEM(shape, ref.dtype) for _ in range(buffers)] for ref, shape, _ in specs]
        pl.run_scoped(scoped, vmem, pltpu.SemaphoreType.DMA((len(specs), buffers)))

    return run
