# SPDX-License-Identifier: Apache-2.0
"""Prints the rows link.op of TPUs from tpu.csv.

    python3 fit_tpu.py

tpu-v4: MeshSlice's authors published formulas, one for each axis of their slice and kind, and no raw points: base +
(n - 1) · (a shard / rate + step), as the note of each value says. A row is such a formula.
"""
import csv
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
FORMULA = re.compile(r"base (\d+) us \+ \(n-1\)\(shard/bw ([\d.]+) GB/s \+ (\d+) us\)")


def main():
    with open(os.path.join(HERE, "tpu.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    seen = {}
    for row in rows:
        found = FORMULA.search(row["note"])
        if not found:
            continue
        base, rate, step = (float(v) for v in found.groups())
        kind = row["op"].replace("send-recv", "collective-permute")
        axis = int(row["topology"].rsplit(" ", 1)[1])
        # A send-recv names its message, others the whole array.
        shard = float(row["bytes"]) / (1 if row["op"] == "send-recv" else int(row["devices"]))
        by_formula = base + (int(row["devices"]) - 1) * (shard / rate / 1e3 + step)
        seen.setdefault((kind, axis), (base, rate, step, []))[3].append(by_formula / float(row["measured_us"]) - 1)
    for (kind, axis), (base, rate, step, off) in seen.items():
        print(f"# tpu-v4: {len(off)} values, {100 * max(map(abs, off)):.2g} % off at most\n[[link.op]]\n"
              f"kind = \"{kind}\"\naxis = {axis}\nlaunch_s = {base * 1e-6:g}\nstep_s = {step * 1e-6:g}\n"
              f"bytes_per_s = {rate * 1e9:.5g}\n")


if __name__ == "__main__":
    main()
