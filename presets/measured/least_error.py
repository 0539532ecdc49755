# SPDX-License-Identifier: Apache-2.0
"""How near any model can come to the measured collectives of measured.csv.

    python3 least_error.py [CHIP…]

Of each kind and size of group the times that never fall with the bytes and are nearest to these very points, in mean of
|time / measured − 1|: no model of kind, group and bytes whose times grow with the bytes is nearer, and one that has not
seen the points is further off. Where points of growing size go up and down, this is how much they scatter.
"""
import csv
import os
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all")
CLASSES = (("below 1 MiB", 0, 1 << 20), ("1 to 64 MiB", 1 << 20, 64 << 20), ("64 MiB and more", 64 << 20, 1 << 62))


def least(measured):
    """The least sum over them, in order of their bytes: each time is one that was measured, none less than before."""
    times = sorted(set(measured))
    sums = [0.0] * len(times)
    for value in measured:
        so_far = float("inf")
        for k, time in enumerate(times):
            so_far = min(so_far, sums[k])
            sums[k] = so_far + abs(time / value - 1)
    return min(sums)


def main(chips):
    points = defaultdict(list)
    with open(os.path.join(HERE, "measured.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["op"] in KINDS and (not chips or row["chip"] in chips):
                points[row["chip"], row["op"], row["topology"]].append((float(row["bytes"]), float(row["measured_us"])))
    for chip, kind in sorted({key[:2] for key in points}):
        for words, low, high in CLASSES:
            groups = [[us for size, us in sorted(of) if low <= size < high]
                      for key, of in points.items() if key[:2] == (chip, kind)]
            groups = [group for group in groups if group]
            count = sum(map(len, groups))
            if count:
                print(f"{chip:6} {kind + ', ' + words:32} {count:4} points {100 * sum(map(least, groups)) / count:5.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:])
