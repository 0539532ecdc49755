#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures products, softmax, layer norm, GELU, copies and launches of one NVIDIA GPU as points for
`shardscope calibrate --points`. Needs PyTorch with CUDA.

    python3 measure_gpu.py --chip h200 --title "one H200 141 GB" --out h200.csv --log h200.json

measured_us is from one CUDA event to the next around one host-launched operation, median of many: the
operation with its launch as a stream sees it. The stream is kept busy, so that the host is always ahead, and
256 MiB are read before each repetition, so that operands come from memory and not from the cache. Operands are
random, f32 is multiplied without TF32. Beside it: the 10th and 90th percentile, kernel_us (the operation's
kernels alone by CUPTI, median of 15, a cooler chip), warm_us (one of 20 in a CUDA graph, one after the other,
operands in the cache where they fit; copies there are the copy engine's), the SM clock and the highest power.
between_us is how long those 256 MiB take: what a card does between two products, which is how far they heat it.
Rows without clocks took less time than it takes to look. Nothing of the card's settings is changed.
"""
import argparse, csv, json, random, statistics, subprocess, threading, time

import torch
import torch.nn.functional as F

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "s8": torch.int8}


def products():
    """(element type, batch, m, k, n)"""
    squares = [(1, s, s, s) for s in (256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)]
    teaching = [(1, 64, 384, 1536), (1, 32, 384, 384), (1, 64, 96, 1536), (1, 1024, 3072, 12288),
                (1, 512, 3072, 3072), (1, 1024, 768, 12288), (1, 256, 3072, 12288), (1, 2048, 2048, 1024)]
    megatron = [(1, 4096, 1920, 1920), (1, 4096, 1920, 7680), (1, 8192, 3072, 12288), (1, 4096, 4096, 2048),
                (1, 4096, 8192, 4096), (1, 8192, 8192, 1024), (1, 8192, 1024, 8192), (1, 2048, 5120, 13824)]
    gpt3 = [(1, 2048, 12288, 12288), (1, 2048, 12288, 36864), (1, 2048, 12288, 6144), (1, 2048, 6144, 12288),
            (1, 16384, 12288, 1536), (1, 16384, 1536, 12288), (1, 16384, 3072, 12288)]
    skinny = [(1, 1, 12288, 12288), (1, 8, 12288, 12288), (1, 16, 4096, 4096),
              (1, 16, 12288, 49152), (1, 32, 8192, 8192), (1, 64, 12288, 12288), (1, 128, 12288, 12288),
              (1, 256, 12288, 12288), (1, 512, 12288, 12288),
              (1, 65536, 1024, 128), (1, 16384, 128, 16384), (1, 128, 65536, 128), (1, 128, 16384, 4096),
              (1, 65536, 4096, 64), (1, 8192, 64, 8192), (1, 12288, 12288, 16)]
    odd = [(1, 1000, 1000, 1000), (1, 1023, 1025, 1027), (1, 3000, 5000, 7000), (1, 4095, 4097, 4099),
           (1, 4096, 4097, 4096),
           (1, 4104, 4104, 4104), (1, 8200, 8200, 8200), (1, 1234, 5678, 910), (1, 2050, 8192, 3330)]
    waves = [(1, s, 4096, s) for s in (2304, 2560, 2816, 3328, 3584, 3840, 4352, 5120)]
    batches = [(8, 512, 512, 512), (4, 2048, 2048, 2048), (96, 2048, 128, 2048), (96, 2048, 2048, 128),
               (256, 128, 128, 128), (32, 1024, 64, 1024), (16, 16, 4096, 4096)]
    bf16 = squares + teaching + megatron + gpt3 + skinny + odd + waves + batches
    f16 = squares[::2] + [teaching[3], megatron[2], gpt3[2], gpt3[5], skinny[3], skinny[6], odd[2], odd[5], batches[2]]
    f32 = squares + teaching[:5] + [megatron[1], megatron[5], gpt3[2], skinny[0], skinny[3], skinny[6], skinny[10],
                                    odd[1], odd[2], odd[5], waves[1], batches[1], batches[2]]
    s8 = [squares[i] for i in (1, 3, 5, 7, 9, 11)] + [teaching[3], gpt3[2], gpt3[5], skinny[5], skinny[8]]
    f8 = [squares[i] for i in (5, 7, 9, 11)] + [gpt3[2]]
    sizes = {"bf16": bf16, "f16": f16, "f32": f32, "s8": s8, "f8e4m3fn": f8}
    return [(t, *s) for t in sizes for s in dict.fromkeys(sizes[t])]


def rows():
    """(op, rows, row length, type): as the published points of other chips have them, and some more."""
    out = []
    for op in ("softmax", "layernorm"):
        out += [(op, 4096, n, "f16") for n in (32, 64, 256, 1024, 4096, 12288, 32768)]
        out += [(op, m, 4096, "f16") for m in (32, 128, 512, 2048, 16384)]
        out += [(op, 4096, n, "f32") for n in (1024, 8192)]
    out += [("gelu", 1 << e, 1, "f16") for e in range(10, 30, 2)] + [("gelu", 1 << e, 1, "f32") for e in (20, 26)]
    return out


COPIES = [(1 << e) for e in range(12, 33, 2)]  # bytes of one array


# Two products with GELU between them, one after the other: no point of a fit but a check of what it gives.
MLPS = [(64, 384, 1536, "bf16"), (256, 1024, 4096, "bf16"), (1024, 3072, 12288, "bf16"), (2048, 4096, 16384, "bf16"),
        (16, 8192, 28672, "bf16"), (4096, 1920, 7680, "bf16"), (2048, 12288, 6144, "bf16"),
        (16384, 12288, 6144, "bf16"),
        (64, 384, 1536, "f32"), (1024, 3072, 12288, "f32")]


class Clocks(threading.Thread):
    """SM clock and power, twenty times a second."""
    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.ends = [], False
        try:
            import pynvml
            pynvml.nvmlInit()
            self.nvml, self.card = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
        except Exception as e:
            print("no clocks:", e)
            self.nvml = None

    def run(self):
        while self.nvml and not self.ends:
            self.seen.append((time.time(), self.nvml.nvmlDeviceGetClockInfo(self.card, 1),
                              self.nvml.nvmlDeviceGetPowerUsage(self.card) / 1000))
            time.sleep(0.05)

    def during(self, start, end):
        inside = [s for s in self.seen if start <= s[0] <= end]
        if not inside:
            return "", ""
        return statistics.median(s[1] for s in inside), round(max(s[2] for s in inside))


def values(t, *shape):
    if t == "s8":
        return torch.randint(-127, 128, shape, dtype=torch.int8, device="cuda")
    return torch.randn(shape, device="cuda", dtype=TYPES.get(t, torch.bfloat16))


def operation(kind, *what):
    """A function that runs it once, and what belongs into the point's columns."""
    if kind == "product":
        t, batch, m, k, n = what
        lead = () if batch == 1 else (batch,)
        a = values(t, *lead, m, k)
        columns = dict(op="matmul" if batch == 1 else f"matmul batch {batch}", m=m, k=k, n=n, bytes="", dtype=t)
        if t == "s8":
            b = values(t, n, k).t()
            return (lambda: torch._int_mm(a, b)), columns
        if t == "f8e4m3fn":
            a, b = a.to(torch.float8_e4m3fn), values("bf16", n, k).to(torch.float8_e4m3fn).t()
            one = torch.ones((), device="cuda")
            return (lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16)), columns
        b = values(t, *lead, k, n)
        c = torch.empty((*lead, m, n), device="cuda", dtype=TYPES[t])
        return (lambda: torch.matmul(a, b, out=c)), columns
    if kind == "rows":
        op, m, n, t = what
        x = values(t, m) if op == "gelu" else values(t, m, n)
        columns = dict(op=op, m=m, k="", n="" if op == "gelu" else n, bytes=2 * x.numel() * x.element_size(), dtype=t)
        if op == "softmax":
            y = torch.empty_like(x)
            return (lambda: torch.softmax(x, -1, out=y)), columns
        if op == "layernorm":
            w, bias = values(t, n), values(t, n)
            return (lambda: F.layer_norm(x, (n,), w, bias)), columns
        return (lambda: F.gelu(x)), columns
    if kind == "copy":
        x = values("bf16", what[0] // 2)
        y = torch.empty_like(x)
        return (lambda: y.copy_(x)), dict(op="copy", m="", k="", n="", bytes=2 * what[0], dtype="bf16")
    if kind == "mlp":
        m, h, f, t = what
        x, w1, w2 = values(t, m, h), values(t, h, f), values(t, f, h)
        y, z = torch.empty((m, f), device="cuda", dtype=TYPES[t]), torch.empty((m, h), device="cuda", dtype=TYPES[t])

        def run():
            torch.matmul(x, w1, out=y)
            torch.matmul(F.gelu(y), w2, out=z)
        return run, dict(op="mlp", m=m, k=h, n=f, bytes="", dtype=t)
    if kind == "empty":
        return (lambda: torch.cuda._sleep(0)), dict(op="empty kernel", m="", k="", n="", bytes="", dtype="")
    return (lambda: None), dict(op="nothing", m="", k="", n="", bytes="", dtype="")


class Bench:
    def __init__(self, seconds):
        self.seconds = seconds
        self.swept = torch.ones(64 << 20, device="cuda")  # 256 MiB
        self.sink = torch.empty((), device="cuda")

    def sweep(self):
        torch.sum(self.swept, dim=0, out=self.sink)

    def bracketed(self, run, times):
        events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(times)]
        torch.cuda._sleep(2_000_000)
        for start, end in events:
            self.sweep()
            start.record()
            run()
            end.record()
        torch.cuda.synchronize()
        return sorted(1000 * s.elapsed_time(e) for s, e in events)

    def alone(self, run, times):
        from torch.profiler import profile, ProfilerActivity
        with profile(activities=[ProfilerActivity.CUDA]) as prof:
            for _ in range(times):
                self.sweep()
                run()
            torch.cuda.synchronize()
        kernels = [e for e in prof.profiler.kineto_results.events()
                   if e.device_type() == torch.autograd.DeviceType.CUDA]
        kernels.sort(key=lambda e: e.start_ns())
        sums, names = [], []
        for e in kernels:
            if "reduce_kernel" in e.name() and "sum_functor" in e.name():
                sums.append(0)
            elif sums and not e.name().startswith("Memset"):
                sums[-1] += e.duration_ns() / 1000
                if len(sums) == 1:
                    names.append(e.name()[:90])
        sums = [s for s in sums if s > 0]
        return (statistics.median(sums) if sums else ""), names

    def warm(self, run, took_us):
        inner = 20 if took_us < 2000 else 4
        graph = torch.cuda.CUDAGraph()
        run()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            for _ in range(inner):
                run()
        out = []
        for _ in range(7):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            out.append(1000 * start.elapsed_time(end) / inner)
        return statistics.median(out)

    def point(self, run):
        for _ in range(3):
            run()
        torch.cuda.synchronize()
        guess = statistics.median(self.bracketed(run, 5))
        # The clock and the power settle first.
        self.bracketed(run, max(3, min(300, int(0.5 * self.seconds * 1e6 / (guess + 90)))))
        times = max(11, min(400, int(self.seconds * 1e6 / (guess + 90))))
        begin = time.time()
        took = self.bracketed(run, times)
        end = time.time()
        median = statistics.median(took)
        out = dict(measured_us=median, p10_us=took[len(took) // 10], p90_us=took[len(took) * 9 // 10], times=times,
                   begin=begin, end=end, kernel_us="", warm_us="")
        try:
            out["warm_us"] = self.warm(run, median)
        except Exception as e:
            out["warm_error"] = repr(e)[:200]
        return out


def launches():
    """Empty kernels by the host's clock: one after the other on a stream, and each waited for."""
    out = {}
    for name, count, waits in (("back_to_back_us", 2000, False), ("launch_and_wait_us", 1000, True)):
        runs = []
        for _ in range(9):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(count):
                torch.cuda._sleep(0)
                if waits:
                    torch.cuda.synchronize()
            torch.cuda.synchronize()
            runs.append(1e6 * (time.perf_counter() - start) / count)
        out[name] = statistics.median(runs)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", required=True)
    parser.add_argument("--title", default="one GPU")
    parser.add_argument("--out", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--seconds", type=float, default=0.35, help="timed for each point")
    parser.add_argument("--deadline", type=float, default=400, help="seconds after which no point is begun")
    parser.add_argument("--few", type=int, default=0, help="so many points alone, for a try")
    args = parser.parse_args()
    started = time.time()
    torch.set_float32_matmul_precision("highest")
    torch.manual_seed(1)
    torch.cuda.init()
    clocks = Clocks()
    clocks.start()
    bench = Bench(args.seconds)
    between_us = statistics.median(bench.bracketed(bench.sweep, 50))
    a, b = values("f32", 1024, 1024), values("f32", 1024, 1024)
    exact = a.double() @ b.double()
    f32_error = float((torch.matmul(a, b).double() - exact).norm() / exact.norm())  # 3e-4 were TF32
    points = ([("product", *p) for p in products()] + [("rows", *r) for r in rows()] + [("copy", c) for c in COPIES] +
            [("mlp", *x) for x in MLPS] + [("empty",), ("nothing",)])
    random.Random(1).shuffle(points)
    again = [t for t in points if t[0] != "nothing"][:15]  # once more at the end: how far two runs lie apart
    if args.few:
        points, again = points[:args.few], []
    results, failed = [], []
    try:
        for done, what in enumerate(points + again):
            if time.time() - started > args.deadline:
                failed.append((what, "no time"))
                continue
            try:
                run, columns = operation(*what)
                got = bench.point(run)
                results.append(dict(what=list(what), second=done >= len(points), **columns, **got))
                del run
            except Exception as e:
                failed.append((what, repr(e)[:300]))
            if done % 20 == 19:
                torch.cuda.empty_cache()
    except KeyboardInterrupt:  # what was measured is written
        failed.append(("the rest", "interrupted"))
    empty = launches()
    # Last, as a profiler that was on once may cost every launch after it.
    try:
        for r in results:
            if time.time() - started > args.deadline + 90:
                break
            if r["second"] or r["op"] == "nothing":
                continue
            try:
                run, _ = operation(*r["what"])
                run()
                r["kernel_us"], r["kernels"] = bench.alone(run, 15 if r["measured_us"] < 20000 else 5)
                del run
            except Exception as e:
                failed.append((r["what"], repr(e)[:300]))
    except KeyboardInterrupt:  # what was measured is written
        failed.append(("the rest", "interrupted"))
    clocks.ends = True
    clocks.join()
    for r in results:
        r["sm_mhz"], r["watts"] = clocks.during(r["begin"], r["end"])
    properties = torch.cuda.get_device_properties(0)
    asked = "name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,temperature.gpu,ecc.mode.current"
    smi = subprocess.run(["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip()
    about = dict(torch=torch.__version__, cuda=torch.version.cuda, device=properties.name,
                 units=properties.multi_processor_count, l2=properties.L2_cache_size,
                 memory=properties.total_memory, date=time.strftime("%Y-%m-%d", time.gmtime()), smi=smi,
                 seconds=time.time() - started, f32_error=f32_error, launches=empty, failed=failed)
    with open(args.log, "w") as f:
        json.dump(dict(about=about, results=results), f)
    write_csv(args.chip, args.title, about, results, args.out, between_us)
    for r in results:
        if r["op"] == "mlp":
            print("two products with GELU between:", r["what"][1:], f"{r['measured_us']:.5g} us")
    print(json.dumps(about, indent=1)[:3000])


ORDER = ("matmul", "softmax", "layernorm", "gelu", "copy")
# No kernel of PyTorch's that reaches what the chip can: kept, under names that no rule times.
OPS = {"s8": "matmul (torch._int_mm)", "f8e4m3fn": "matmul (torch._scaled_mm)"}
WIDTH = {"bf16": 2, "f16": 2, "f32": 4, "s8": 1, "f8e4m3fn": 1}


def place(result):
    op = result["op"].split()[0]
    if op == "matmul":
        _, t, batch, m, k, n = result["what"]
        return 0, list(WIDTH).index(t), batch * m * k * n, batch, m, k
    return ORDER.index(op), result["dtype"] == "f32", result["bytes"], result["m"] or 0


def note(result):
    out = f"includes one launch; median of {result['times']}"
    width = WIDTH[result["dtype"]]
    if result["op"].startswith("matmul") and (result["k"] * width % 16 or result["n"] * width % 16):
        out += "; rows are no multiple of 16 bytes"
    return out + {"s8": "; s32 result", "f8e4m3fn": "; bf16 result"}.get(result["dtype"], "")


def write_csv(chip, title, about, results, path, between_us):
    source = (f"measured for this project, {about['date'][:7]}, {title}, "
              f"PyTorch {about['torch'].split('+')[0]} CUDA {about['cuda']}")
    columns = ["id", "source", "chip", "devices", "topology", "op", "m", "k", "n", "bytes", "dtype", "measured_us",
               "note", "p10_us", "p90_us", "kernel_us", "warm_us", "sm_mhz", "watts", "between_us"]
    points = [r for r in results if not r["second"] and r["op"].split()[0] in ORDER]
    points.sort(key=place)
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        for number, r in enumerate(points, 1):
            row = dict(r, id=f"{chip}-{number:03}", source=source, chip=chip, devices=1, topology="one device",
                       op=OPS.get(r["dtype"], r["op"]), note=note(r),
                       between_us=f"{between_us:.4g}" if r["op"].startswith("matmul") else "")
            for key in ("measured_us", "p10_us", "p90_us", "kernel_us", "warm_us"):
                row[key] = f"{r[key]:.6g}" if r[key] != "" else ""
            row["sm_mhz"] = f"{r['sm_mhz']:.0f}" if r["sm_mhz"] != "" else ""
            out.writerow(row)


if __name__ == "__main__":
    main()
