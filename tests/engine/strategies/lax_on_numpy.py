# SPDX-License-Identifier: Apache-2.0
"""Runs JAX programs of shard_map on NumPy: a thread for each device, which meet at collectives.

    lax_on_numpy.py FILE.py...

Knows the functions of jax.lax that Shardscope's sources call, by JAX's documentation, checks shapes and types as
lax does, and keeps bfloat16 and 8-bit floats as float32. Says which file fails and why.
"""
import functools
import itertools
import sys
import threading
import traceback
import types

import numpy as np

here = threading.local()


class Device:
    def __init__(self, mesh, number, meeting):
        self.mesh, self.number, self.meeting = mesh, number, meeting
        self.place = dict(zip(mesh.axis_names, np.unravel_index(number, mesh.devices.shape)))


class Meeting:
    """Where all devices bring a value and leave with everybody's."""

    def __init__(self, count):
        self.barrier = threading.Barrier(count)
        self.values = [None] * count

    def exchange(self, number, value):
        self.values[number] = value
        self.barrier.wait()
        everybody = list(self.values)
        self.barrier.wait()
        return everybody


def everybodys(value):
    device = here.device
    return device.meeting.exchange(device.number, value)


def linear(place, axes, mesh):
    out = 0
    for axis in axes:
        out = out * mesh.shape[axis] + place[axis]
    return out


def group_of(axes, axis_index_groups):
    """Device numbers of this device's group in order, and its own place there."""
    device, mesh = here.device, here.device.mesh
    axes = (axes,) if isinstance(axes, str) else tuple(axes)
    own = linear(device.place, axes, mesh)
    members = {}
    for number in range(mesh.devices.size):
        place = dict(zip(mesh.axis_names, np.unravel_index(number, mesh.devices.shape)))
        if all(place[a] == device.place[a] for a in mesh.axis_names if a not in axes):
            members[linear(place, axes, mesh)] = number
    ids = range(len(members))
    if axis_index_groups is not None:
        assert sorted(i for g in axis_index_groups for i in g) == list(ids), "groups leave devices out"
        ids = next(g for g in axis_index_groups if own in g)
    return [members[i] for i in ids], list(ids).index(own)


def gathered(value, axes, groups):
    members, own = group_of(axes, groups)
    everybody = everybodys(value)
    return [everybody[m] for m in members], own


def same(*arrays):
    first = np.asarray(arrays[0])
    for other in arrays[1:]:
        other = np.asarray(other)
        assert first.shape == other.shape, f"shapes {first.shape} and {other.shape}"
        assert first.dtype == other.dtype, f"types {first.dtype} and {other.dtype}"


def elementwise(function, checked=True):
    def call(*operands):
        if checked:
            same(*operands)
        return np.asarray(function(*map(np.asarray, operands))).astype(np.asarray(operands[0]).dtype)

    return call


def comparison(function):
    def call(left, right):
        same(left, right)
        return function(np.asarray(left), np.asarray(right))

    return call


def tree_map(function, tree):
    if isinstance(tree, (tuple, list)):
        return tuple(tree_map(function, each) for each in tree)
    return function(tree)


def divide(left, right):
    if np.issubdtype(left.dtype, np.integer):
        return np.trunc(np.divide(left, right)).astype(left.dtype)
    return left / right


def slice_(x, start, limit, strides=None):
    strides = strides or (1,) * len(start)
    for s, l, n in zip(start, limit, x.shape, strict=True):
        assert 0 <= s <= l <= n, f"slice {start}:{limit} of {x.shape}"
    return x[tuple(map(slice, start, limit, strides))]


def clamped(starts, sizes, shape):
    assert all(np.asarray(s).shape == () for s in starts)
    return [int(min(max(int(s), 0), n - w)) for s, w, n in zip(starts, sizes, shape, strict=True)]


def dynamic_slice(x, starts, sizes):
    at = clamped(starts, sizes, x.shape)
    return x[tuple(slice(a, a + w) for a, w in zip(at, sizes))]


def dynamic_update_slice(x, update, starts):
    assert x.dtype == update.dtype, f"types {x.dtype} and {update.dtype}"
    at = clamped(starts, update.shape, x.shape)
    out = np.array(x)
    out[tuple(slice(a, a + w) for a, w in zip(at, update.shape))] = update
    return out


def broadcast_in_dim(x, shape, dims):
    x = np.asarray(x)
    view = [1] * len(shape)
    for n, d in enumerate(dims):
        view[d] = x.shape[n]
    return np.broadcast_to(x.reshape(view), shape)


def dot_general(left, right, dimension_numbers, preferred_element_type=None):
    (lc, rc), (lb, rb) = dimension_numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    l = [next(letters) for _ in left.shape]
    r = [next(letters) for _ in right.shape]
    for a, b in itertools.chain(zip(lc, rc), zip(lb, rb)):
        r[b] = l[a]
        assert left.shape[a] == right.shape[b], f"{left.shape} and {right.shape}"
    out = [l[a] for a in lb]
    out += [c for n, c in enumerate(l) if n not in (*lb, *lc)]
    out += [c for n, c in enumerate(r) if n not in (*rb, *rc)]
    product = np.einsum("".join(l) + "," + "".join(r) + "->" + "".join(out), left.astype(np.float64),
                        right.astype(np.float64))
    return product.astype(preferred_element_type or left.dtype)


def ragged_dot(left, right, group_sizes, preferred_element_type=None):
    out = np.zeros((left.shape[0], right.shape[2]), preferred_element_type or left.dtype)
    row = 0
    for group, size in enumerate(group_sizes):
        out[row:row + size] = left[row:row + size] @ right[group]
        row += size
    return out


def reduce(operand, start, combine, dims):
    for d in sorted(dims, reverse=True):
        moved = np.moveaxis(operand, d, 0)
        operand = functools.reduce(combine, moved, np.broadcast_to(start, moved.shape[1:]).astype(moved.dtype))
    return operand


def axis_index(axes):
    axes = (axes,) if isinstance(axes, str) else axes
    return np.int32(linear(here.device.place, axes, here.device.mesh))


def all_gather(x, axis_name, *, axis=0, tiled=False, axis_index_groups=None):
    parts, _ = gathered(x, axis_name, axis_index_groups)
    return np.concatenate(parts, axis) if tiled else np.stack(parts, axis)


def summed(function):
    def call(x, axes, *, axis_index_groups=None):
        parts, _ = gathered(x, axes, axis_index_groups)
        if isinstance(x, tuple):
            return tuple(functools.reduce(function, [p[n] for p in parts]) for n in range(len(x)))
        return functools.reduce(function, parts)

    return call


def psum_scatter(x, axes, *, scatter_dimension=0, tiled=False, axis_index_groups=None):
    assert tiled
    parts, own = gathered(x, axes, axis_index_groups)
    assert x.shape[scatter_dimension] % len(parts) == 0
    return np.split(functools.reduce(np.add, parts), len(parts), scatter_dimension)[own]


def all_to_all(x, axes, split_axis, concat_axis, *, tiled=False, axis_index_groups=None):
    assert tiled
    parts, own = gathered(x, axes, axis_index_groups)
    return np.concatenate([np.split(p, len(parts), split_axis)[own] for p in parts], concat_axis)


def ragged_all_to_all(operand, output, input_offsets, send_sizes, output_offsets, recv_sizes, *, axis_name,
                      axis_index_groups=None):
    if sys.modules["jax"].default_backend() == "cpu":
        raise NotImplementedError("JAX's CPU has no ragged-all-to-all")
    parts, own = gathered((operand, input_offsets, send_sizes, output_offsets), axis_name, axis_index_groups)
    out = np.array(output)
    for source, (rows, starts, sizes, targets) in enumerate(parts):
        updates = len(sizes) // len(parts)  # for each device
        for n in range(updates):
            mine, sent = own * updates + n, source * updates + n
            size = int(sizes[mine])
            assert size == int(recv_sizes[sent]), "what is sent is not what is expected"
            out[int(targets[mine]):int(targets[mine]) + size] = rows[int(starts[mine]):int(starts[mine]) + size]
    return out


def ppermute(x, axes, perm):
    parts, own = gathered(x, axes, None)
    assert len({s for s, _ in perm}) == len(perm) == len({t for _, t in perm})
    source = [s for s, t in perm if t == own]
    return parts[source[0]] if source else np.zeros_like(x)


def while_loop(condition, body, value):
    while condition(value):
        value = body(value)
    return value


def pieces(spec, mesh, shape, number):
    place = dict(zip(mesh.axis_names, np.unravel_index(number, mesh.devices.shape)))
    out = []
    for n, size in enumerate(shape):
        axes = spec[n] if n < len(spec) else None
        axes = () if axes is None else (axes,) if isinstance(axes, str) else axes
        count = int(np.prod([mesh.shape[a] for a in axes], dtype=int))
        assert size % count == 0, f"{axes} do not divide {shape}"
        width = size // count
        at = linear(place, axes, mesh) * width
        out.append(slice(at, at + width))
    return tuple(out)


def shard_map(function, *, mesh, in_specs, out_specs, check_vma):
    assert check_vma is False

    def call(*arguments):
        count = mesh.devices.size
        meeting = Meeting(count)
        results, errors = [None] * count, []

        def work(number):
            here.device = Device(mesh, number, meeting)
            try:
                own = [tree_map(lambda a, s=spec: a[pieces(s, mesh, a.shape, number)], argument)
                       for argument, spec in zip(arguments, in_specs, strict=True)]
                results[number] = function(*own)
            except threading.BrokenBarrierError:
                pass
            except BaseException:
                errors.append(f"device {number}: {traceback.format_exc()}")
                meeting.barrier.abort()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise RuntimeError(errors[0])
        if not isinstance(out_specs, P):
            return tuple(whole([r[n] for r in results], spec) for n, spec in enumerate(out_specs))
        return whole(results, out_specs)

    def whole(shards, spec):
        if isinstance(shards[0], tuple):
            return tuple(whole([s[n] for s in shards], spec) for n in range(len(shards[0])))
        shape = list(shards[0].shape)
        for n, axes in enumerate(spec):
            axes = () if axes is None else (axes,) if isinstance(axes, str) else axes
            shape[n] *= int(np.prod([mesh.shape[a] for a in axes], dtype=int))
        out = np.zeros(shape, shards[0].dtype)
        for number in reversed(range(len(shards))):
            out[pieces(spec, mesh, shape, number)] = shards[number]
        return out

    return call


class P(tuple):
    def __new__(cls, *dims):
        return super().__new__(cls, dims)


class Mesh:
    def __init__(self, devices, axis_names):
        self.devices, self.axis_names = devices, axis_names
        self.shape = dict(zip(axis_names, devices.shape, strict=True))


def modules():
    lax = types.ModuleType("jax.lax")
    for name, function in {
            "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": divide, "rem": np.fmod,
            "max": np.maximum, "min": np.minimum, "pow": np.power, "neg": np.negative, "abs": np.abs,
            "sign": np.sign, "exp": np.exp, "log": np.log, "tanh": np.tanh, "sqrt": np.sqrt, "floor": np.floor,
            "ceil": np.ceil, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
            "bitwise_not": np.bitwise_not, "bitwise_xor": np.bitwise_xor,
            "rsqrt": lambda x: 1 / np.sqrt(x), "logistic": lambda x: 1 / (1 + np.exp(-x))}.items():
        setattr(lax, name, elementwise(function))
    for name, function in {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                           "gt": np.greater, "ge": np.greater_equal}.items():
        setattr(lax, name, comparison(function))

    def select(which, on_true, on_false):
        same(on_true, on_false)
        return np.where(which, on_true, on_false)

    def concatenate(operands, dimension):
        return np.concatenate(operands, dimension)

    def pad(x, value, config):
        assert all(low >= 0 and high >= 0 and inner == 0 for low, high, inner in config)
        return np.pad(x, [(low, high) for low, high, _ in config], constant_values=value)

    for function in (select, concatenate, pad, dynamic_slice, dynamic_update_slice, broadcast_in_dim, dot_general,
                     ragged_dot, reduce, axis_index, all_gather, psum_scatter, all_to_all, ragged_all_to_all,
                     ppermute, while_loop):
        setattr(lax, function.__name__, function)
    lax.slice = slice_
    lax.psum, lax.pmax, lax.pmin = summed(np.add), summed(np.maximum), summed(np.minimum)
    lax.clamp = lambda low, x, high: np.clip(x, low, high).astype(np.asarray(x).dtype)
    lax.reshape = lambda x, shape: np.reshape(x, shape)
    lax.transpose = lambda x, order: np.transpose(x, order)
    lax.rev = lambda x, dims: np.flip(x, dims)
    lax.convert_element_type = lambda x, dtype: np.asarray(x).astype(dtype)
    lax.broadcasted_iota = lambda dtype, shape, dim: broadcast_in_dim(np.arange(shape[dim], dtype=dtype), shape, (dim,))
    lax.switch = lambda index, branches: branches[int(np.clip(index, 0, len(branches) - 1))]()
    lax.optimization_barrier = lambda x: x

    jnp = types.ModuleType("jax.numpy")
    jnp.array, jnp.asarray, jnp.where, jnp.shape = np.array, np.asarray, np.where, np.shape
    jnp.expand_dims, jnp.stack, jnp.moveaxis = np.expand_dims, np.stack, np.moveaxis
    jnp.arange, jnp.clip = np.arange, np.clip
    for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                 "uint64", "bool_", "complex64", "complex128"):
        setattr(jnp, name, getattr(np, name))
    jnp.bfloat16 = jnp.float8_e4m3fn = jnp.float8_e5m2 = np.float32

    jax = types.ModuleType("jax")
    jax.lax, jax.numpy, jax.jit, jax.shard_map = lax, jnp, lambda function: function, shard_map
    jax.devices = lambda: list(range(1 << 16))
    jax.tree = types.SimpleNamespace(map=tree_map)
    jax.default_backend = lambda: "cpu"
    jax.config = types.SimpleNamespace(update=lambda name, value: None)
    sharding = types.ModuleType("jax.sharding")
    sharding.Mesh, sharding.PartitionSpec = Mesh, P
    jax.sharding = sharding
    return {"jax": jax, "jax.lax": lax, "jax.numpy": jnp, "jax.sharding": sharding}


def run(text, path):
    said = []
    values = {"__name__": "__main__", "print": lambda *a: said.append(a)}
    exec(compile(text, path, "exec"), values)
    return values["result"], said


def main():
    sys.modules.update(modules())
    checked = failed = 0
    for path in sys.argv[1:]:
        with open(path) as file:
            text = file.read()
        try:
            result, said = run(text, path)
            if "jax.default_backend()" in text:  # what stands in on a CPU gives what an accelerator's own gives
                jax = sys.modules["jax"]
                cpu, jax.default_backend = jax.default_backend, lambda: "gpu"
                try:
                    np.testing.assert_array_equal(result, run(text, path)[0])
                finally:
                    jax.default_backend = cpu
            checked += ("equal to NumPy",) in said
        except BaseException:
            failed += 1
            print(f"{path}:\n{traceback.format_exc(limit=3)[-1500:]}")
    print(f"{len(sys.argv) - 1} files, {checked} hold their result against NumPy, {failed} fail")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
