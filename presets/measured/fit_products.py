# SPDX-License-Identifier: Apache-2.0
"""Fits the rows [[product]] of presets/hardware/h200.toml, and with bf16's [program] sustained, to half of the points.

    python3 fit_products.py SHARDSCOPE [TYPE…] [--draws N]        (numpy, scipy; bf16 first, f32, f8e4m3fn)

The model is the program's: SHARDSCOPE is its binary, asked by `truth --points` what it predicts with the numbers that are
tried, some thousand times a row (minutes). Of each type it is fitted to the points of h200.csv and h200_cold.csv whose
source does not say "second half": the least mean of |log(predicted / measured)|, by Nelder and Mead's method from one or
more starts. Printed: the row, and the mean error of these points and of the others, below 10 GFLOP and from there on.
With --draws also the error of held-out points over that many random draws of half of them (of each two neighbours in size
one), both halves in turn: those say what the model is worth, since nothing was chosen by them.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import tempfile
import tomllib

import numpy
from scipy.optimize import minimize

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "../hardware/h200.toml")
LARGE = 1e10  # flops
PRODUCT = re.compile(r"matmul|matmul batch \d+|(batched|sliced)_matmul")
# Numbers of a row, where the search begins, and the most they may be; those of [program] below.
ROW = {"efficiency": (0.85, 1), "hbm_efficiency": (0.9, 1), "launch_s": (2.5e-6, 1), "wave_s": (3e-7, 1),
       "step_s": (3e-8, 1), "split_s": (2.7e-6, 1), "write_bytes_per_s": (7e12, 1e15),
       "cache_bytes_per_s": (1.8e13, 1e15), "mixing": (3, 20), "unaligned_share": (0.25, 1)}
PROGRAM = {"sustained": (0.82, 1), "sustained_from": (0.6, 0.95)}
BEGIN = ROW | PROGRAM
# What fp8 has of the row of bf16 as it stands in the chip's file: the same kernels, the same memory.
SHARED = ("hbm_efficiency", "wave_s", "step_s", "split_s")


class Points:
    def __init__(self, types):
        self.rows = []
        for name in ("h200.csv", "h200_cold.csv"):
            with open(os.path.join(HERE, name), newline="", encoding="utf-8") as file:
                self.rows += [row for row in csv.DictReader(file)
                              if row["dtype"] in types and PRODUCT.fullmatch(row["op"])]
        self.measured = numpy.array([float(row["measured_us"]) for row in self.rows]) * 1e-6
        self.fitted = numpy.array(["second half" not in row["source"] for row in self.rows])
        batches = [float(row["bytes"] or 1) if row["op"] == "batched_matmul" else
                   float(row["op"].split()[-1]) if "batch " in row["op"] else 1 for row in self.rows]
        self.flops = numpy.array([2 * b * float(r["m"]) * float(r["k"]) * float(r["n"])
                                  for b, r in zip(batches, self.rows)])


class Model:
    """The program, with numbers of one row of the chip's file changed."""

    def __init__(self, program, points, place, folder):
        self.program, self.points = program, points
        self.chip, self.table = os.path.join(folder, "trial.toml"), os.path.join(folder, "points.csv")
        with open(FILE, encoding="utf-8") as file:
            self.parts = re.split(r"(?m)^(?=\[)", file.read())
        self.row = [k for k, part in enumerate(self.parts) if part.startswith("[[product]]")][place]
        self.said = next(k for k, part in enumerate(self.parts) if part.startswith("[program]"))
        columns = list(dict.fromkeys(key for row in points.rows for key in row))
        with open(self.table, "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, columns)
            out.writeheader()
            for k, row in enumerate(points.rows):
                out.writerow(row | {"id": f"trial-{k}", "chip": self.chip})

    def predicted(self, values):
        parts = list(self.parts)
        for name, value in values.items():
            place, line = self.said if name in PROGRAM else self.row, f"{name} = {value:.9g}"
            parts[place], found = re.subn(rf"(?m)^{name} = .*$", line, parts[place])
            if not found:
                head, rest = parts[place].split("\n", 1)
                parts[place] = f"{head}\n{line}\n{rest}"
        with open(self.chip, "w", encoding="utf-8") as file:
            file.write("".join(parts))
        done = subprocess.run([self.program, "truth", "--quiet", "--json", "--points", self.table],
                              stdout=subprocess.PIPE, check=True)
        times = {p["id"]: p["predicted_s"] for p in json.loads(done.stdout)["points"] if p["chip"] == self.chip}
        return numpy.array([times[f"trial-{k}"] for k in range(len(self.points.rows))])

    def errors(self, values):
        return numpy.abs(self.predicted(values) / self.points.measured - 1)


def fit(model, chosen, names, given, starts, evaluations):
    begin = numpy.log([BEGIN[n][0] for n in names])
    most = numpy.array([BEGIN[n][1] for n in names])
    values = lambda x: given | dict(zip(names, numpy.minimum(numpy.exp(x), most)))

    def loss(x):
        beyond = numpy.maximum(numpy.exp(x) / most - 1, 0).sum()
        off = numpy.log(model.predicted(values(x))[chosen] / model.points.measured[chosen])
        return numpy.mean(numpy.abs(off)) + beyond

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


def by_size(off, flops):
    small = flops < LARGE
    mean = lambda x: f"{100 * x.mean():.1f} % of {len(x)}" if len(x) else "none"
    return f"below 10 GFLOP {mean(off[small])}, from there on {mean(off[~small])}"


def draws(model, names, given, count, evaluations):
    small, large = [], []
    flops = model.points.flops
    order = numpy.argsort(flops, kind="stable")
    for seed in range(count):
        random = numpy.random.default_rng(seed)
        first = numpy.zeros(len(order), bool)
        for k in range(0, len(order), 2):
            first[random.permutation(order[k:k + 2])[0]] = True
        for half in (first, ~first):
            off = model.errors(fit(model, half, names, given, 1, evaluations))
            small.append(100 * off[~half & (flops < LARGE)].mean())
            large.append(100 * off[~half & (flops >= LARGE)].mean())
    print(f"# {count} draws of half, held out: below 10 GFLOP {numpy.mean(small):.1f} % "
          f"({min(small):.1f} to {max(small):.1f}), from there on {numpy.mean(large):.1f} %")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", metavar="SHARDSCOPE")
    options.add_argument("types", nargs="*", default=["bf16", "f32", "f8e4m3fn"])
    options.add_argument("--draws", type=int, default=0)
    options.add_argument("--starts", type=int, default=1)
    options.add_argument("--evaluations", type=int, default=1500, help="at most, of each of two searches of a start")
    asked = options.parse_args()
    with open(FILE, "rb") as file:
        chip = tomllib.load(file)
    for place, row in enumerate(chip["product"]):
        if row["types"][0] not in asked.types:
            continue
        points = Points(row["types"])
        given = {n: chip["product"][0][n] for n in SHARED if n in chip["product"][0]} if "f8e4m3fn" in row["types"] else {}
        skip = set() if "bf16" in row["types"] else {"unaligned_share", *PROGRAM}
        names = [n for n in BEGIN if n not in skip and n not in (SHARED if given else ())]
        with tempfile.TemporaryDirectory() as folder:
            model = Model(asked.program, points, place, folder)
            v = fit(model, points.fitted, names, given, asked.starts, asked.evaluations)
            off, fitted = model.errors(v), points.fitted
            print(f"# {row['types'][0]}, fitted to {fitted.sum()}: {by_size(off[fitted], points.flops[fitted])}\n"
                  f"# not fitted to: {by_size(off[~fitted], points.flops[~fitted])}")
            for name, value in v.items():
                print(f"{name} = {value:.4g}")
            if asked.draws:
                draws(model, names, given, asked.draws, asked.evaluations)
        print(flush=True)


if __name__ == "__main__":
    main()
