#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures products, elementwise work and collectives of the devices that JAX finds, as points for
`shardscope calibrate --points`. Needs JAX.

    python3 measure_jax.py --chip tpu-v5e --out points.csv

Each operation runs many times in one jitted loop, each round on what the round before gave, and the time of a
round is the difference of a long and a short loop over their rounds: no launch by the host is in it. The median
of several such differences is kept; what differs by less than the clock can tell is left out, and said. A point is
written as soon as it is measured: after Ctrl-C the file holds all points so far.
"""
import argparse, csv, statistics, time

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

COLUMNS = "id,source,chip,devices,topology,op,m,k,n,bytes,dtype,measured_us,note".split(",")
TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16}


def product(m, k, n, dtype):
    """A product, all of it: the next round reads one of its elements, behind a barrier."""
    a = jnp.full((m, k), 0.5, dtype)
    b = jnp.full((k, n), 1 / k, dtype)

    def round(_, state):
        left, right = state
        y = lax.optimization_barrier(jnp.dot(left, right))
        return left.at[0, 0].set(y[0, 0]), right
    return round, (a, b)


def addition(count, dtype):
    x = jnp.ones((count,), dtype)
    return lambda _, v: v * 0.5 + 0.25, x


def collectives(devices):
    """By name what a round does with a device's block, and how many bytes of the whole array an element is."""
    n = len(devices)
    ring = [(i, (i + 1) % n) for i in range(n)]
    return {
        "all-reduce": (lambda x: lax.psum(x, "d") / n, 1),
        "all-gather": (lambda x: lax.all_gather(x, "d", tiled=True)[:x.shape[0]] * 1.0, n),
        "reduce-scatter": (lambda x: jnp.tile(lax.psum_scatter(x, "d", tiled=True), n) / n, 1),
        "all-to-all": (lambda x: lax.all_to_all(x, "d", 0, 0, tiled=True), 1),
        "collective-permute ring shift": (lambda x: lax.ppermute(x, "d", ring), 1),
    }


class Clock:
    def __init__(self, seconds):
        self.seconds = seconds

    def once(self, loop, state, rounds):
        begin = time.perf_counter()
        jax.block_until_ready(loop(rounds, state))
        return time.perf_counter() - begin

    def of(self, round, state):
        """Seconds a round; None: too short for this clock."""
        return self.of_loop(jax.jit(lambda rounds, s: lax.fori_loop(0, rounds, round, s)), state)

    def of_loop(self, loop, state):
        self.once(loop, state, 2)
        guess = max(1e-7, self.once(loop, state, 10) / 10)
        more = max(4, min(20000, int(self.seconds / 7 / guess)))
        took = sorted((self.once(loop, state, 2 * more) - self.once(loop, state, more)) / more for _ in range(7))
        return statistics.median(took) if took[1] > 0 else None


def products(quick):
    sizes = [256, 512, 1024] if quick else [256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192]
    out = [(s, s, s) for s in sizes]
    return out if quick else out + [(1024, 3072, 12288), (4096, 4096, 2048), (8192, 8192, 1024), (16, 8192, 8192),
                                    (128, 12288, 12288), (4096, 1920, 7680)]


class Points:
    """Rows of the file, each written at once."""

    def __init__(self, file, chip, devices):
        self.file, self.chip, self.devices, self.count, self.short = file, chip, devices, 0, set()
        self.source = f"measured {time.strftime('%Y-%m')}, {len(devices)} × {devices[0].device_kind}, JAX {jax.__version__}"
        self.writer = csv.DictWriter(file, COLUMNS)
        self.writer.writeheader()

    def add(self, seconds, **columns):
        if seconds is None:
            self.short.add(columns["op"])
            return
        self.count += 1
        row = dict(id=f"{self.chip}-{self.count:03d}", source=self.source, chip=self.chip, note="a round of a jitted loop")
        self.writer.writerow({**row, **columns, "measured_us": f"{1e6 * seconds:.6g}"})
        self.file.flush()
        print(f"{columns['op']:32} {1e6 * seconds:12.3f} us", flush=True)

    def told(self, path):
        return f"{self.count} points in {path}" + (f"; too short to tell: {', '.join(sorted(self.short))}" if self.short else "")


def measure(clock, points, quick):
    devices, add = points.devices, points.add
    for name, dtype in TYPES.items():
        for m, k, n in products(quick):
            add(clock.of(*product(m, k, n, dtype)), devices=1, topology="one device", op="matmul", m=m, k=k, n=n,
                dtype=name)
    for e in range(16, 22 if quick else 29, 2):
        seconds = clock.of(*addition(1 << e, jnp.float32))
        add(seconds, devices=1, topology="one device", op="copy", bytes=8 << e, dtype="f32")
    if len(devices) > 1:
        mesh = Mesh(devices, ("d",))
        for op, (body, whole) in collectives(devices).items():
            for e in range(12, 18 if quick else 27):  # half of them are held out of the fit, which needs six
                count = (1 << e) // 4 // len(devices) * len(devices)
                step = jax.shard_map(body, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False)
                x = jax.device_put(jnp.ones((count * len(devices),), jnp.float32), jax.NamedSharding(mesh, P("d")))
                add(clock.of(lambda _, v, step=step: step(v), x), devices=len(devices),
                    topology=f"{len(devices)} devices", op=op, bytes=4 * count * whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", required=True, help="as the hardware file is called")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each point")
    parser.add_argument("--quick", action="store_true", help="few and small points, for a try")
    args = parser.parse_args()
    with open(args.out, "w", newline="") as file:
        points = Points(file, args.chip, jax.devices())
        try:
            measure(Clock(args.seconds), points, args.quick)
        except KeyboardInterrupt:
            print(f"interrupted: {points.told(args.out)}")
            raise SystemExit(130)
    print(points.told(args.out))


if __name__ == "__main__":
    main()
