# SPDX-License-Identifier: Apache-2.0
"""Asks Pallas' TPU interpreter about every kernel: `python kernels.py SHARDSCOPE [KERNEL…]`, with JAX, writes a line a
kernel: whether it gives the arrays of shardscope kernel run, and whether JAX's detector found a race, with copies made as
late and as early as they can be. A kernel that JAX runs for more than a minute hangs."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GPU_SIZES = "--dtype bf16 --m 256 --n 256 --k 128 --bm 64 --bn 64 --bk 64".split()
MESHES = {0: [], 1: ["--ring", "4"], 2: ["--mesh", "x=2,y=2"]}


# Else the last line of a failure is a note on its traceback.
ENVIRONMENT = {**os.environ, "JAX_TRACEBACK_FILTERING": "off"}


def asked(program, kernel, folder):
    code = folder / (kernel["id"] + ".py")
    command = [program, "kernel", "code", kernel["id"], *MESHES[kernel["mesh_axes"]], "-o", code]
    if "gpu" in kernel["id"]:  # what is for GPUs is lowered for them; nothing here runs it
        subprocess.run([*command, "--dialect", "mosaic-gpu", *GPU_SIZES], check=True)
        done = subprocess.run([sys.executable, "-W", "ignore", code, "--lower"], capture_output=True, text=True)
        return "lowered for GPUs" if '"lowered": true' in done.stdout else "not lowered: " + (done.stderr.strip().splitlines() or ["nothing"])[-1]
    subprocess.run(command, check=True)
    said = []
    for mode in ("on_wait", "eager"):
        try:
            done = subprocess.run([sys.executable, "-W", "ignore", code, "--mode", mode], capture_output=True, text=True, timeout=60,
                                  env=ENVIRONMENT)
        except subprocess.TimeoutExpired:
            said.append(f"{mode}: hangs")
            continue
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            error = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            said.append(f"{mode}: fails, {error.split(':')[0]}")
            continue
        answer = json.loads(lines[-1])
        arrays = {True: "same arrays", False: "other arrays", None: "arrays not compared"}[answer["same_arrays"]]
        specs = "" if answer["out_specs_hold"] else ", out_specs that do not hold"
        said.append(f"{mode}: {arrays}, {'a race' if answer['races'] else 'no race'}{specs}")
    return "; ".join(said)


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    kernels = json.loads(subprocess.run([program, "kernel", "list", "--json"], check=True, capture_output=True).stdout)["kernels"]
    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels:
            if not wanted or kernel["id"] in wanted:
                print(f"{kernel['id']}{' (broken)' if kernel['broken'] else ''}: {asked(program, kernel, Path(folder))}", flush=True)


main()
