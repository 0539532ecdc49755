# SPDX-License-Identifier: Apache-2.0
"""make_type_goldens.py FOLDER: what JAX on CPU makes of every element type, as small texts.

conversions.txt  from to hash       every pair of types, over all codes of narrow ones and a stream of wide ones
integers.txt     operation type hash  operations that are exact
functions.txt    operation type inputs output   floats and complex numbers, by their bits
random.txt       algorithm type dims state: bits, state afterwards
The streams are those of type_streams.h; hashes add up what each element is as f64 (or as an integer).
"""
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

NUMPY = {"pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8",
         "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
         "c64": "complex64", "c128": "complex128"}
OTHERS = {"s2": "int2", "s4": "int4", "u2": "uint2", "u4": "uint4", "f4e2m1fn": "float4_e2m1fn",
          "f8e3m4": "float8_e3m4", "f8e4m3": "float8_e4m3", "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
          "f8e4m3fn": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2": "float8_e5m2",
          "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0fnu": "float8_e8m0fnu", "bf16": "bfloat16"}
TYPES = {k: np.dtype(v) for k, v in NUMPY.items()} | {k: np.dtype(getattr(ml_dtypes, v)) for k, v in OTHERS.items()}
WIDTH = {"pred": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4, "f4e2m1fn": 4}
NAMES = {v: k for k, v in TYPES.items()}


def width(t):
    return WIDTH.get(t, 8 * TYPES[t].itemsize)


def is_float(t):
    return t[0] == "f" or t == "bf16"


def mix(x):
    """SplitMix64 of an array of uint64."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def float_stream(bits, n, stream):
    """SmallVector digits, so that halves come up, and their neighbours; nothing that f32 holds as a subnormal."""
    i = np.arange(n, dtype=np.uint64) + np.uint64(stream << 32)
    r, s = mix(i), mix(i + np.uint64(1 << 48))
    fraction, bias = (23, 127) if bits == 32 else (52, 1023)
    keep = s % np.uint64(13)
    mantissa = (r >> np.uint64(64 - fraction)) >> (np.uint64(fraction) - keep) << (np.uint64(fraction) - keep)
    exponent = np.uint64(bias - 100) + (s >> np.uint64(8)) % np.uint64(226)
    code = (exponent << np.uint64(fraction)) | mantissa
    code = code + (s >> np.uint64(20)) % np.uint64(3) - np.uint64(1)
    code |= (s >> np.uint64(40) & np.uint64(1)) << np.uint64(bits - 1)
    big = np.uint64((2 ** (bits - 1 - fraction) - 1) << fraction)
    code[:4] = [0, np.uint64(1) << np.uint64(bits - 1), big, big | (np.uint64(1) << np.uint64(bits - 1))]
    code[4] = big | np.uint64(1 << (fraction - 1))
    return code.astype(f"uint{bits}").view(f"float{bits}")


def stream(t, which=0, n=4096):
    """Elements of type t: all codes of a narrow one."""
    d, w = TYPES[t], width(t)
    if which == 0 and w <= 8:
        codes = np.arange(1 << w, dtype=np.uint8)
        if t[0] == "s" and w < 8:
            return codes.astype(np.int8).astype(d)
        return codes.astype(bool) if t == "pred" else codes.view(d)
    if which == 0 and w == 16:
        codes = np.arange(65536, dtype=np.uint16)
        if t == "bf16":
            codes[(codes & 0x7F80) == 0] = 0
        return codes.view(d)
    if t[0] in "su" or t == "pred":
        i = np.arange(n, dtype=np.uint64) + np.uint64(which << 32)
        x = mix(i) >> (mix(i + np.uint64(1 << 48)) % np.uint64(64))
        x = np.where(mix(i + np.uint64(1 << 49)) & np.uint64(1), np.uint64(0) - x, x)
        x &= np.uint64((1 << w) - 1)
        if t == "pred":
            return x != 0
        if w < 8:
            signed = np.where(x >> np.uint64(w - 1) != 0, x.astype(np.int64) - (1 << w), x.astype(np.int64))
            return (signed if t[0] == "s" else x.astype(np.int64)).astype(d)
        return x.astype(f"uint{w}").view(d)
    if t[0] == "c":
        bits = w // 2
        return np.stack([float_stream(bits, n, 2 * which + 1), float_stream(bits, n, 2 * which + 2)], -1).view(d)[..., 0]
    if w >= 32:
        return float_stream(w, n, which + 1)
    every = stream(t)
    return every[mix(np.arange(n, dtype=np.uint64) + np.uint64(which << 32)) % np.uint64(every.size)]


def words(y):
    """What each element is, as 64 bits."""
    t = NAMES[y.dtype]
    if t[0] == "c":
        return np.concatenate([words(np.ascontiguousarray(y.real)), words(np.ascontiguousarray(y.imag))])
    if is_float(t):
        v = y.astype(np.float64) if y.dtype.itemsize > 1 else y.astype(np.float32).astype(np.float64)
        v[np.isnan(v)] = np.nan
        return np.where(np.isnan(v), np.uint64(0x7FF8000000000000), v.view(np.uint64))
    return y.astype(np.int64).view(np.uint64) if t[0] == "s" or t == "pred" else y.astype(np.uint64)


def total(y):
    w = words(y)
    with np.errstate(over="ignore"):
        return int(mix(w ^ mix(np.arange(w.size, dtype=np.uint64))).sum(dtype=np.uint64))


def conversions(out):
    for a in TYPES:
        x = stream(a)
        for b in TYPES:
            # Of f64 XLA:CPU rounds f16 and bf16 twice, by f32; one rounding is nearer.
            if a == b or (a[0] == "c" and b[0] != "c") or (a == "f64" and b in ("f16", "bf16")):
                continue
            # XLA:CPU takes the 6 of f4e2m1fn for what lies beyond an integer's range; by f32 it does not.
            via = [np.float32] if a == "f4e2m1fn" and b[0] in "su" else []

            def convert(v):
                for d in via + [TYPES[b]]:
                    v = lax.convert_element_type(v, d)
                return v

            out.write(f"{a} {b} {total(np.asarray(jax.jit(convert)(x))):016x}\n")


ONE = {"negate": lax.neg, "abs": lax.abs, "sign": lax.sign, "not": lax.bitwise_not, "popcnt": lax.population_count,
       "count-leading-zeros": lax.clz}
TWO = {"add": lax.add, "subtract": lax.sub, "multiply": lax.mul, "mulhi": lax.mulhi, "divide": lax.div, "remainder": lax.rem,
       "maximum": lax.max, "minimum": lax.min, "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
       "shift-left": lax.shift_left, "shift-right-logical": lax.shift_right_logical,
       "shift-right-arithmetic": lax.shift_right_arithmetic, "EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le,
       "GT": lax.gt, "GE": lax.ge}


def integers(out):
    for t in TYPES:
        for name, f in (ONE | TWO).items():
            exact = t[0] in "su" or t == "pred" or name == "negate" or name.isupper() or \
                (is_float(t) and name in ("abs", "sign", "maximum", "minimum"))
            # XLA:CPU counts and multiplies the whole byte that an element of less stands in.
            if not exact or (name in ("popcnt", "mulhi") and t[1:] in ("2", "4")) or t == "f8e8m0fnu":
                continue
            args = [stream(t, 1 + k, 2048) for k in range(1 if name in ONE else 2)]
            try:
                y = np.asarray(jax.jit(f)(*args))
            except (TypeError, ValueError, NotImplementedError):
                continue
            out.write(f"{name} {t} {total(y):016x}\n")


FLOAT_ONE = {"exponential": lax.exp, "exponential-minus-one": lax.expm1, "log": lax.log, "log-plus-one": lax.log1p,
             "tanh": lax.tanh, "logistic": lax.logistic, "rsqrt": lax.rsqrt, "sqrt": lax.sqrt, "cbrt": lax.cbrt,
             "erf": lax.erf, "chlo.erfc": lax.erfc, "chlo.erf_inv": lax.erf_inv, "floor": lax.floor, "ceil": lax.ceil,
             "round-nearest-afz": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
             "round-nearest-even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), "sine": lax.sin,
             "cosine": lax.cos, "tan": lax.tan, "asin": lax.asin, "acos": lax.acos, "sinh": lax.sinh,
             "cosh": lax.cosh, "asinh": lax.asinh, "acosh": lax.acosh, "atanh": lax.atanh,
             "chlo.lgamma": lax.lgamma, "chlo.digamma": lax.digamma, "chlo.bessel_i1e": lax.bessel_i1e}
FLOAT_TWO = {"remainder": lax.rem, "power": lax.pow, "atan2": lax.atan2, "chlo.next_after": lax.nextafter,
             "chlo.zeta": lax.zeta, "chlo.polygamma": lax.polygamma, "add": lax.add, "multiply": lax.mul,
             "divide": lax.div}
POINTS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.0, 7.25, -0.125, 20.0, np.inf, -np.inf, np.nan, 0.75, 2.0, -5.0]
PLANE = [1 + 2j, -0.5 + 0.25j, 3 - 1j, -2 - 2.5j, 0.125 + 0.5j, 0j]


def code(v):
    parts = [v.real, v.imag] if v.dtype.kind == "c" else [v]
    return ",".join(f"{int(np.asarray(p).view(f'u{p.dtype.itemsize}')):x}" for p in parts)


def functions(out):
    def put(name, f, t, points):
        args = [np.array(p, TYPES[t]) for p in points]
        try:
            y = np.asarray(jax.jit(f)(*args))
        except (TypeError, ValueError, NotImplementedError):
            return
        for k in range(y.size):
            out.write(f"{name} {t} {' '.join(code(a[k]) for a in args)} {code(y[k])}\n")

    rolled = POINTS[5:] + POINTS[:5]
    for t in ("f32", "f64"):
        for name, f in FLOAT_ONE.items():
            put(name, f, t, [POINTS])
        for name, f in FLOAT_TWO.items():
            whole = name == "chlo.polygamma"
            put(name, f, t, [[1, 2, 3, 0, 1, 5], [1, 0.5, 2.5, 3, 7.25, 20]] if whole else [POINTS, rolled])
    for t in ("c64", "c128"):
        for name, f in (FLOAT_ONE | {"negate": lax.neg, "abs": lax.abs, "sign": lax.sign, "real": lax.real,
                                     "imag": lax.imag}).items():
            put(name, f, t, [PLANE])
        for name, f in (FLOAT_TWO | {"subtract": lax.sub}).items():
            put(name, f, t, [PLANE, PLANE[2:] + PLANE[:2]])
    for t in ("bf16", "f8e4m3fn"):
        put("chlo.next_after", lax.nextafter, t, [POINTS[:11] + [1.0], POINTS[1:11] + [np.nan, 1.0]])


def random_bits(out):
    state = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], np.uint64)
    for algorithm in ("RNG_DEFAULT", "RNG_THREE_FRY", "RNG_PHILOX"):
        for t in ("u8", "u16", "u32", "u64"):
            for dims in ((), (6,), (5,), (3, 5), (3, 2, 3)):
                moved, bits = jax.jit(lambda k: lax.rng_bit_generator(
                    k, dims, dtype=TYPES[t], algorithm=getattr(lax.RandomAlgorithm, algorithm)))(state)
                shown = " ".join(f"{int(b):x}" for b in np.asarray(bits).ravel())
                out.write(f"{algorithm.lower()} {t} [{','.join(map(str, dims))}] {int(moved[0]):x} {int(moved[1]):x} {shown}\n")


if __name__ == "__main__":
    for name, make in (("conversions", conversions), ("integers", integers), ("functions", functions),
                       ("random", random_bits)):
        with open(os.path.join(sys.argv[1], name + ".txt"), "w") as text:
            make(text)
