# SPDX-License-Identifier: Apache-2.0
"""Fits the rows link.op of permutes, and of gb200's all-to-alls, in presets/hardware to measured.csv.

    python3 fit_sends.py [CHIP…]        (numpy, scipy)

NCCL makes a permute of sends and receives: a message goes in parts of at most 16 MiB, each by a channel. A chip has
32 channels; each of its peers in the group has 32 / peers of them, one at least, and they are doubled until the parts
are small enough (NCCL 2.30, src/enqueue.cc). Up to 512 KiB another protocol carries the message. So the time is

    launch + bytes / min(channels · small rate, whole rate)            up to 512 KiB
    launch + more launch + bytes / min(channels · rate, whole rate)    above

An all-to-all sends a message to every peer at once; more peers than channels wait for one another, and so much of what
is sent as `hidden` says goes beside the launch:

    launch + max(0, bytes / rate as above + more launch − hidden)

with a channel's rate for chips that have two peers (rings) and one for those that have one (pairs, one-way
messages). The fit is the least sum of |log(predicted / measured)|. Printed: the row, the mean error of all points,
and of points held out, a sixth at a time, of fits to the others.
"""
import csv
import math
import os
import random
import sys

import numpy
from scipy.optimize import minimize

CHANNELS, PART, SMALL = 32, 16 << 20, 512 << 10
HERE = os.path.dirname(os.path.abspath(__file__))


def points(chip):
    out = []
    with open(os.path.join(HERE, "measured.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["chip"] == chip and row["op"].startswith("collective-permute"):
                out.append((float(row["bytes"]), int(row["devices"]), "ring" in row["op"],
                            float(row["measured_us"]) * 1e-6))
    return out


def channels(size, ranks):
    peers = 1 << max(ranks - 1, 0).bit_length()
    out = max(1, CHANNELS // peers)
    while size / out > PART and out <= CHANNELS // 2:
        out *= 2
    return out


def seconds(values, size, ranks, ring):
    launch, small, more, rate, one_peer, whole = values
    if size <= SMALL:
        return launch + size / min(channels(size, ranks) * small, whole)
    by_channels = channels(size, ranks) * (rate if ring else one_peer)
    return launch + more + size / min(by_channels, whole)


def fit(given, patterns):
    largest = max(given)
    def values(x):
        v = list(numpy.exp(x))
        return v if patterns else v[:4] + [v[3]] + v[4:]
    def loss(x):
        return sum(abs(math.log(seconds(values(x), *p[:3]) / p[3])) for p in given)
    best = None
    for rate in (15e9, 20e9, 30e9):
        for small in (4e9, 6e9):
            start = [12e-6, small, 8e-6, rate] + ([1.5 * rate] if patterns else []) + [largest[0] / largest[3]]
            found = minimize(loss, numpy.log(start), method="Nelder-Mead",
                             options={"maxiter": 6000, "xatol": 1e-5, "fatol": 1e-6})
            if best is None or found.fun < best.fun:
                best = found
    return [float(f"{v:.4g}") for v in values(best.x)]


def error(values, given):
    return [abs(seconds(values, *p[:3]) / p[3] - 1) for p in given]


def exchange_seconds(shared, launch, whole, size, ranks):
    small, rate, more, beside = shared
    message, waiting = size / ranks, -(-ranks // CHANNELS)
    each = channels(message, ranks) * (small if message <= SMALL else rate) / waiting
    sent = max(message / each, size * (ranks - 1) / ranks / whole) + (more if message > SMALL else 0)
    return launch + max(0, sent - max(0, launch - beside))


def exchange_groups(given):
    """Of each group the launch, the median of its smallest messages, and the rate of its largest."""
    out, rates = {}, {}
    for ranks in sorted({p[1] for p in given}):
        mine = sorted(p for p in given if p[1] == ranks)
        small = [p[2] for p in mine if p[0] / ranks < 16 << 10] or [min(p[2] for p in mine)]
        large = [p[0] * (ranks - 1) / ranks / p[2] for p in mine[-2:] if p[0] > 256 << 20]
        out[ranks], rates[ranks] = float(numpy.median(small)), large
    usual = float(numpy.median([r for of in rates.values() for r in of]))
    return {n: (launch, float(numpy.median(rates[n])) if rates[n] else usual) for n, launch in out.items()}


def fit_exchanges(given):
    groups = exchange_groups(given)
    def loss(x):
        return sum(abs(math.log(exchange_seconds(numpy.exp(x), *groups[p[1]], p[0], p[1]) / p[2])) for p in given)
    found = minimize(loss, numpy.log([5e9, 22e9, 15e-6, 20e-6]), method="Nelder-Mead",
                     options={"maxiter": 600, "xatol": 1e-4, "fatol": 1e-4})
    return [float(f"{v:.4g}") for v in numpy.exp(found.x)], groups


def exchanges(chip):
    given = []
    with open(os.path.join(HERE, "measured.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["chip"] == chip and row["op"] == "all-to-all":
                given.append((float(row["bytes"]), int(row["topology"].split()[-1]), float(row["measured_us"]) * 1e-6))
    off = lambda shared, groups, of: [abs(exchange_seconds(shared, *groups[p[1]], p[0], p[1]) / p[2] - 1) for p in of]
    shared, groups = fit_exchanges(given)
    order = list(range(len(given)))
    random.Random(1).shuffle(order)
    held = []
    for k in range(6):
        out = set(order[k::6])
        found, of = fit_exchanges([p for i, p in enumerate(given) if i not in out])
        held += off(found, of, [p for i, p in enumerate(given) if i in out and p[1] in of])
    small, rate, more, beside = shared
    print(f"# {chip}: {len(given)} points of all-to-all, {100 * numpy.mean(off(shared, groups, given)):.1f} % off, "
          f"held out {100 * numpy.mean(held):.1f} %")
    usual = [float(numpy.median([g[k] for g in groups.values()])) for k in (0, 1)]
    for ranks, (launch, whole) in list(groups.items()) + [(None, usual)]:
        print("[[link.op]]\nkind = \"all-to-all\"\n" + (f"group = {ranks}\n" if ranks else "") +
              f"launch_s = {launch:.4g}\nstep_s = 0\nbytes_per_s = {whole:.4g}\n"
              f"parts = {{ channels = {CHANNELS}, bytes = {PART}, bytes_per_s = {rate:.4g}, "
              f"hidden_s = {max(0, launch - beside):.4g}, launch_s = {more:.4g}, small_bytes = {SMALL}, "
              f"small_bytes_per_s = {small:.4g} }}\n")


def main(chips):
    for chip in chips:
        given = points(chip)
        differ = {p[2] for p in given if p[0] > SMALL} == {True, False} and chip != "gb200"
        values = fit(given, differ)
        order = list(range(len(given)))
        random.Random(1).shuffle(order)
        held = []
        for k in range(6):
            out = set(order[k::6])
            found = fit([p for i, p in enumerate(given) if i not in out], differ)
            held += error(found, [p for i, p in enumerate(given) if i in out])
        launch, small, more, rate, one_peer, whole = values
        one = f"one_peer_bytes_per_s = {one_peer:.4g}, " if differ else ""
        print(f"# {chip}: {len(given)} points, {100 * numpy.mean(error(values, given)):.1f} % off, "
              f"held out {100 * numpy.mean(held):.1f} %\n[[link.op]]\nkind = \"collective-permute\"\n"
              f"launch_s = {launch:.4g}\nstep_s = 0\nbytes_per_s = {whole:.4g}\n"
              f"parts = {{ channels = {CHANNELS}, bytes = {PART}, bytes_per_s = {rate:.4g}, {one}launch_s = {more:.4g}, "
              f"small_bytes = {SMALL}, small_bytes_per_s = {small:.4g} }}\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["h100", "b200", "gb200"])
    if "gb200" in (sys.argv[1:] or ["gb200"]):
        exchanges("gb200")
