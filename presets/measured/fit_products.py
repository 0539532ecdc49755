# SPDX-License-Identifier: Apache-2.0
"""Fits the rows [[product]] of presets/hardware/h200.toml, and with bf16's [program] sustained, to half of the points.

    python3 fit_products.py [TYPE…] [--draws N]        (numpy, scipy; bf16 first, f32, f8e4m3fn)

The model is engine/hardware/cost.cpp's fastest_tiles and engine/measure/predict.cpp, written out here for whole tables at
once. Of each type it is fitted to the points of h200.csv and h200_cold.csv whose source does not say "second half": the
least mean of |log(predicted / measured)|, by Nelder and Mead's method from several starts. Printed: the row, and the mean
error of these points and of the others, below 10 GFLOP and from there on. With --draws also the error of held-out points
over that many random draws of half of them (of each two neighbours in size one), both halves in turn: those say what the
model is worth, since nothing was chosen by them.
"""
import argparse
import csv
import os
import tomllib

import numpy
from scipy.optimize import minimize

HERE = os.path.dirname(os.path.abspath(__file__))
CHIP = tomllib.load(open(os.path.join(HERE, "../hardware/h200.toml"), "rb"))
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f8e4m3fn": 1}
PARTS, LEAST_K, MOST_TOGETHER, WRITTEN, LARGE = (1, 2, 4, 8), 256, 4, 0.5, 1e10
HBM = CHIP["memory"]["hbm_bytes_per_s"]
# Numbers of a row, where the search begins, and the most they may be.
BEGIN = {"efficiency": (0.85, 1), "hbm_efficiency": (0.9, 1), "launch_s": (2.5e-6, 1), "wave_s": (3e-7, 1),
         "step_s": (3e-8, 1), "split_s": (2.7e-6, 1), "write_bytes_per_s": (7e12, 1e15),
         "cache_bytes_per_s": (1.8e13, 1e15), "mixing": (3, 20), "unaligned_share": (0.25, 1),
         "sustained": (0.82, 1), "sustained_from": (0.6, 0.95)}
# What fp8 has of the row of bf16 as it stands in the chip's file: the same kernels, the same memory.
SHARED = ("hbm_efficiency", "wave_s", "step_s", "split_s")


def points(types):
    out = []
    for name in ("h200.csv", "h200_cold.csv"):
        with open(os.path.join(HERE, name), newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                op, several = row["op"], int(float(row["bytes"] or 1))
                if row["dtype"] not in types or not (op == "matmul" or op.startswith("matmul batch") or
                                                      op in ("batched_matmul", "sliced_matmul")):
                    continue
                batch = int(op.split()[-1]) if op.startswith("matmul batch") else several if op[0] == "b" else 1
                slices = several if op[0] == "s" else 1
                out.append(dict(type=row["dtype"], batch=batch, slices=slices, m=int(row["m"]),
                                k=int(row["k"]) // slices, n=int(row["n"]), us=float(row["measured_us"]),
                                between=float(row.get("between_us") or 0), written="cold L2" in row["note"],
                                fitted="second half" not in row["source"]))
    return out


class Table:
    """Of points and of a row's tiles and parts of k whatever does not depend on the numbers."""

    def __init__(self, given, row):
        of = lambda f: numpy.array([float(f(p)) for p in given])[:, None]
        tiles = [tuple(map(int, t.split("x"))) + (parts,) for t in row["tiles"] for parts in PARTS]
        self.tile_m, self.tile_n, self.tile_k, self.parts = (numpy.array(x, float)[None, :] for x in zip(*tiles))
        self.units, self.unit_elements = row["units"], row.get("unit_elements", 0)
        element, batch = of(lambda p: BYTES[p["type"]]), of(lambda p: p["batch"])
        m, k, n = of(lambda p: p["m"]), of(lambda p: p["k"]), of(lambda p: p["n"])
        self.slices = of(lambda p: p["slices"])
        self.peak = of(lambda p: CHIP["compute"]["peak_flops_per_s"][p["type"]])
        touched, wide = numpy.where(self.slices > 1, 2, 1), numpy.maximum(element, 2)
        sides, result = element * batch * k * (m + n), touched * wide * batch * m * n
        written = of(lambda p: p["written"]) * numpy.minimum(sides, WRITTEN * CHIP["memory"]["fast_bytes"])
        self.bytes = sides + result + numpy.where(self.slices > 1, 0, written)
        self.unaligned = ((k * element) % 16 != 0) | ((n * element) % 16 != 0)
        m_tiles, n_tiles = numpy.ceil(m / self.tile_m), numpy.ceil(n / self.tile_n)
        self.waves = numpy.ceil(batch * m_tiles * n_tiles * self.parts / self.units)
        self.deep = numpy.ceil(numpy.ceil(k / self.parts) / self.tile_k) * self.tile_k
        self.area = self.tile_m * self.tile_n
        self.together = numpy.clip(numpy.floor(self.unit_elements / self.area), 1, MOST_TOGETHER)
        self.through_cache = batch * (n_tiles * m + m_tiles * n) * k * element + result
        self.written_in_wave = touched * self.units * self.area * wide
        self.joined = self.parts * 4 * batch * m * n
        self.too_short = (self.parts > 1) & (self.deep < LEAST_K)
        self.vector = (numpy.minimum(m, n) <= 1)[:, 0]
        self.vector_s = numpy.maximum(self.bytes / (HBM * CHIP["memory"]["hbm_efficiency"]), 0)
        self.us = numpy.array([p["us"] for p in given])
        self.flops = (2 * batch * m * k * n * self.slices)[:, 0]
        self.between = of(lambda p: p["between"]) * 1e-6
        self.heats = (self.between > 0) & (element <= 2)

    def only(self, places):
        out, count = object.__new__(Table), len(self.us)
        for key, value in self.__dict__.items():
            cut = isinstance(value, numpy.ndarray) and len(value) == count
            out.__dict__[key] = value[places] if cut else value
        return out

    def predicted_us(self, v):
        rate = self.peak * v["efficiency"] * numpy.where(self.unaligned, v.get("unaligned_share", 1), 1) / self.units
        wave = 2 * self.area * self.deep / rate + self.written_in_wave / v["write_bytes_per_s"]
        waits = v["wave_s"] + self.deep / self.tile_k * v["step_s"]
        memory = HBM * v["hbm_efficiency"]
        compute = self.waves * wave + numpy.ceil(self.waves / self.together) * waits
        compute = compute + numpy.where(self.parts > 1, v["split_s"] + self.joined / memory, 0)
        traffic = numpy.maximum(self.bytes / memory, self.through_cache / v["cache_bytes_per_s"])
        longer = numpy.maximum(compute, traffic)
        both = longer * (1 + (numpy.minimum(compute, traffic) / longer)**v["mixing"])**(1 / v["mixing"])
        both = numpy.where(self.too_short, numpy.inf, both)
        best = numpy.argmin(both, 1)[:, None]
        at = lambda of: numpy.take_along_axis(numpy.broadcast_to(of, both.shape), best, 1)
        takes = numpy.where(self.vector[:, None], self.vector_s, at(both))
        seconds = CHIP["program"]["alone_launch_s"] + self.slices * (takes + v["launch_s"])
        computes = (at(compute) >= at(traffic)) & ~self.vector[:, None]
        arithmetic = numpy.where(self.heats & computes, self.slices * takes, 0)
        slow, begins = v.get("sustained", 1), v.get("sustained_from", 0)
        above = numpy.clip((arithmetic / (seconds + self.between) - begins) / (1 - begins), 0, 1)
        return (seconds + arithmetic * (1 / slow - 1) * above)[:, 0] * 1e6

    def errors(self, v):
        return numpy.abs(self.predicted_us(v) / self.us - 1)


def fit(table, names, given, starts, evaluations=3500):
    begin = numpy.log([BEGIN[n][0] for n in names])
    most = numpy.array([BEGIN[n][1] for n in names])
    values = lambda x: given | dict(zip(names, numpy.minimum(numpy.exp(x), most)))

    def loss(x):
        beyond = numpy.maximum(numpy.exp(x) / most - 1, 0).sum()
        return numpy.mean(numpy.abs(numpy.log(table.predicted_us(values(x)) / table.us))) + beyond

    best, random = None, numpy.random.default_rng(1)
    for start in range(starts):
        x = begin if start == 0 else begin + random.normal(0, 0.3, len(begin))
        for _ in range(2):  # from where the simplex shrank once more
            found = minimize(loss, x, method="Nelder-Mead", options={"maxfev": evaluations, "maxiter": evaluations,
                                                                     "xatol": 1e-4, "fatol": 1e-6, "adaptive": True})
            x = found.x
        if best is None or found.fun < best.fun:
            best = found
    return {n: float(f"{v:.4g}") for n, v in values(best.x).items()}


def by_size(table, v):
    off, small = 100 * table.errors(v), table.flops < LARGE
    mean = lambda x: f"{x.mean():.1f} % of {len(x)}" if len(x) else "none"
    return f"below 10 GFLOP {mean(off[small])}, from there on {mean(off[~small])}"


def draws(table, names, given, count):
    small, large = [], []
    order = numpy.argsort(table.flops, kind="stable")
    for seed in range(count):
        random = numpy.random.default_rng(seed)
        first = numpy.zeros(len(order), bool)
        for k in range(0, len(order), 2):
            first[random.permutation(order[k:k + 2])[0]] = True
        for half in (first, ~first):
            v, held = fit(table.only(half), names, given, 1), table.only(~half)
            off = 100 * held.errors(v)
            small.append(off[held.flops < LARGE].mean())
            large.append(off[held.flops >= LARGE].mean())
    print(f"# {count} draws of half, held out: below 10 GFLOP {numpy.mean(small):.1f} % "
          f"({min(small):.1f} to {max(small):.1f}), from there on {numpy.mean(large):.1f} %")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("types", nargs="*", default=["bf16", "f32", "f8e4m3fn"])
    options.add_argument("--draws", type=int, default=0)
    options.add_argument("--starts", type=int, default=4)
    asked = options.parse_args()
    for row in CHIP["product"]:
        if row["types"][0] not in asked.types:
            continue
        measured = points(row["types"])
        table = Table(measured, row)
        fitted = numpy.array([p["fitted"] for p in measured])
        given = {n: CHIP["product"][0].get(n, 0) for n in SHARED} if "f8e4m3fn" in row["types"] else {}
        skip = set() if "bf16" in row["types"] else {"unaligned_share", "sustained", "sustained_from"}
        names = [n for n in BEGIN if n not in skip and n not in given]
        v = fit(table.only(fitted), names, given, asked.starts)
        print(f"# {row['types'][0]}, fitted to {fitted.sum()}: {by_size(table.only(fitted), v)}\n"
              f"# not fitted to: {by_size(table.only(~fitted), v)}")
        for name, value in v.items():
            print(f"{name} = {value:.4g}")
        if asked.draws:
            draws(table, names, given, asked.draws)
        print(flush=True)


if __name__ == "__main__":
    main()
