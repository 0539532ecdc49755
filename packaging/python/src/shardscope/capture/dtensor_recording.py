# SPDX-License-Identifier: Apache-2.0
"""A recording of PyTorch's DebugMode with numbered tensors, as the program of one device: its local operations and the
collectives that PyTorch really called, with what wanted each. Held against PyTorch 2.15."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .module import Captured, hlo

_TENSOR = re.compile(r"'?t\$(\d+): (\w+)\[([\d, ]*)\]'?")
_CALL = re.compile(r"^\s*(?P<name>[\w.]+::[\w.]+)\((?P<args>.*)\)(?:  ->  (?P<results>.*))?$")
_MOVE = re.compile(r"redistribute_input.*?(?:trace: |\d, )(?P<move>[^)]*\)?.*)\)$")
_DTYPES = {"i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64", "b8": "pred"}
_BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "maximum": "maximum", "minimum": "minimum"}
_UNARY = {"neg": "negate", "exp": "exponential", "log": "log", "tanh": "tanh", "sqrt": "sqrt", "rsqrt": "rsqrt", "abs": "abs", "sigmoid": "logistic", "sin": "sine", "cos": "cosine"}
_SAME = {"detach", "alias", "wait_tensor", "_wrap_tensor_autograd", "lift_fresh", "contiguous"}
_RESHAPES = {"view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "_reshape_alias", "flatten"}


@dataclass(frozen=True)
class Tensor:
    """One device's part of a tensor."""

    number: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def text(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Call:
    """An operation on local tensors, or a collective."""

    name: str  # mm, all_reduce
    args: tuple[Any, ...]  # tensors, numbers, words and tuples of them
    results: tuple[Tensor, ...]
    wanted_by: str  # "aten::mm, S(0)P(sum)->S(0)R"

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(_tensors(self.args))


def is_numbered(lines: Iterable[str]) -> bool:
    """Whether DebugMode gave tensors numbers, so that it is known which result goes where."""
    return any(_TENSOR.search(line) for line in lines)


def is_collective(call: Call) -> bool:
    return call.name in _COLLECTIVES


def parse_calls(lines: Iterable[str]) -> list[Call]:
    """The calls on local tensors, in their order; those on whole DTensors say what wanted the ones below them.

    >>> call, = parse_calls(["aten::mm(dt$0: f32[8, 8]| RP, dt$1: f32[8, 8]| RR)", "  aten::mm(t$2: f32[8, 8], t$3: f32[8, 8])  ->  t$4: f32[8, 8]"])
    >>> call.name, [t.number for t in call.tensors], call.results[0].text, call.wanted_by
    ('mm', [2, 3], 'f32[8,8]', 'aten::mm')
    """
    out: list[Call] = []
    operation = move = ""
    for line in lines:
        wanted = _MOVE.search(line)
        if wanted is not None and "redistribute_input" in line:
            move = wanted["move"].split(", trace: ")[-1].replace(" ", "")
            operation = "redistribute" if "[explicit]" in line else operation
            continue
        call = _CALL.match(line)
        if call is None:
            continue
        if "dt$" in line or "dt: " in line:
            operation, move = call["name"], ""
            continue
        results = tuple(_tensors(_values(call["results"] or "")))
        inside = ", ".join(part for part in (operation, move) if part)
        out.append(Call(call["name"].split("::")[1].split(".")[0], _values(call["args"]), results, inside))
        if "c10d" not in call["name"]:
            move = move if _is_of_a_move(call["name"]) else ""
    return out


def _is_of_a_move(name: str) -> bool:
    return name.split("::")[1].split(".")[0] in {"split", "cat", "chunk", "clone", "slice", "constant_pad_nd", "div"}


def _values(text: str) -> tuple[Any, ...]:
    """What stands between commas: tensors, numbers, lists; words stay words.

    >>> _values("t$0: f32[2, 3], [4, 5], 1, sum")
    (Tensor(number=0, dtype='f32', shape=(2, 3)), (4, 5), 1, 'sum')
    """
    out: list[Any] = []
    tensors: list[Tensor] = []

    def keep(found: re.Match[str]) -> str:
        shape = tuple(int(n) for n in found[3].split(",") if n.strip())
        tensors.append(Tensor(int(found[1]), _DTYPES.get(found[2], found[2]), shape))
        return f"${len(tensors) - 1}"

    for part in _parts(_TENSOR.sub(keep, text)):
        if part.startswith("$"):
            out.append(tensors[int(part[1:])])
        elif part[:1] in "[(" and part:
            inner = [tensors[int(p[1:])] if p.startswith("$") else _literal(p) for p in _parts(part[1:-1])]
            out.append(tuple(inner))
        elif part:
            out.append(_literal(part))
    return tuple(out)


def _parts(text: str) -> list[str]:
    out, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            out.append(text[begin:at].strip())
            begin = at + 1
    return [part for part in [*out, text[begin:].strip()] if part]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _tensors(values: Iterable[Any]) -> list[Tensor]:
    out: list[Tensor] = []
    for each in values:
        if isinstance(each, Tensor):
            out.append(each)
        elif isinstance(each, tuple):
            out += _tensors(each)
    return out


def module_of_calls(calls: Sequence[Call], axes: Mapping[str, int], groups: Mapping[str, Sequence[int]], name: str) -> Captured:
    """The calls as one device's HLO. `groups`: for the name of a process group the mesh axes, by number, that it goes along.

    >>> ar = Call("all_reduce", (Tensor(0, "f32", (4,)), "sum", 5), (Tensor(1, "f32", (4,)),), "aten::mm, RP(sum)->RR")
    >>> print(module_of_calls([ar], {"x": 2, "y": 2}, {"5": [1]}, "f").text)
    HloModule f, num_partitions=4, frontend_attributes={shardscope.mesh="x=2,y=2"}
    <BLANKLINE>
    add.f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
    <BLANKLINE>
    ENTRY main {
      p0 = f32[4] parameter(0)
      all-reduce.1 = f32[4] all-reduce(p0), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=add.f32, use_global_device_ids=true, metadata={op_name="aten::mm, RP(sum)->RR"}
      ROOT out = (f32[4]) tuple(all-reduce.1)
    }
    <BLANKLINE>

    An average is the sum, divided by how many take part:

    >>> average = Call("all_reduce", (Tensor(0, "f32", (4,)), "avg", 5), (Tensor(1, "f32", (4,)),), "")
    >>> [line.split(",")[0].strip() for line in module_of_calls([average], {"x": 4}, {"5": [0]}, "f").text.splitlines()[6:10]]
    ['all-reduce.1 = f32[4] all-reduce(p0)', 'constant.2 = f32[] constant(4.0)', 'broadcast.3 = f32[4] broadcast(constant.2)', 'divide.4 = f32[4] divide(all-reduce.1']
    """
    program = _Program(list(axes.values()), groups)
    for call in calls:
        program.add(call)
    mesh = ",".join(f"{axis}={size}" for axis, size in axes.items())
    head = f'HloModule {name}, num_partitions={math.prod(axes.values())}, frontend_attributes={{shardscope.mesh="{mesh}"}}\n\n'
    return hlo(head + program.text(), name, program.notes())


@dataclass
class _Program:
    """Lines of HLO, one after the other; values by the numbers of their tensors."""

    sizes: list[int]
    groups: Mapping[str, Sequence[int]]
    lines: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    values: dict[int, tuple[str, str]] = field(default_factory=dict)  # name and shape by a tensor's number
    used: set[str] = field(default_factory=set)
    reducers: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    gathered_in_place_of_exchange: bool = False
    count: int = 0
    channels: int = 0

    def add(self, call: Call) -> None:
        if is_collective(call):
            self._collective(call)
        elif call.name in _SAME and call.tensors and call.results:
            self._bind(call.results[0], self._value(call.tensors[0]))
        elif call.results and call.tensors and not self._known(call):
            self.unknown.add(call.name)
            operands = ", ".join(self._name(t) for t in call.tensors)
            for result in call.results:
                self._emit(call, result, f'custom-call({operands}), custom_call_target="aten::{call.name}"')

    def _known(self, call: Call) -> bool:
        """Writes a call whose meaning is exactly one of HLO's. False: it has none here."""
        result, first = call.results[0], call.tensors[0]
        if call.name in _UNARY and first.text == result.text:
            self._emit(call, result, f"{_UNARY[call.name]}({self._name(first)})")
            return True
        if call.name in _RESHAPES and math.prod(result.shape) == math.prod(first.shape):
            self._emit(call, result, f"reshape({self._name(first)})")
            return True
        if call.name.rstrip("_") in _BINARY:
            return self._binary(call, result)
        write = _WRITERS.get(call.name)
        return write is not None and write(self, call, result)

    def _copy(self, call: Call, result: Tensor) -> bool:
        first = call.tensors[0]
        if first.shape == result.shape:
            self._emit(call, result, f"{'copy' if first.dtype == result.dtype else 'convert'}({self._name(first)})")
        return first.shape == result.shape

    def _transpose(self, call: Call, result: Tensor) -> bool:
        self._emit(call, result, f"transpose({self._name(call.tensors[0])}), dimensions={_braces(_order(call))}")
        return True

    def _product(self, call: Call, result: Tensor) -> bool:
        self._dot(call, *call.tensors, result)
        return True

    def _product_and_bias(self, call: Call, result: Tensor) -> bool:
        bias, lhs, rhs = call.tensors
        if len(call.args) != 3 or len(bias.shape) != 1:
            return False
        product = self._dot(call, lhs, rhs, result)
        self._emit(call, result, f"add({product}, {self._wide(bias, result)})")
        return True

    def _relu(self, call: Call, result: Tensor) -> bool:
        self._emit(call, result, f"maximum({self._name(call.tensors[0])}, {self._constant(0, result)})")
        return True

    def _power(self, call: Call, result: Tensor) -> bool:
        base, exponent = call.tensors[0], call.args[1]
        if exponent == 1:
            self._bind(result, self._value(base))
        elif exponent == 2:
            self._emit(call, result, f"multiply({self._name(base)}, {self._name(base)})")
        return exponent in (1, 2)

    def _sum(self, call: Call, result: Tensor) -> bool:
        whole = call.tensors[0]
        if whole.dtype != result.dtype:
            return False
        given = call.args[1] if len(call.args) > 1 and isinstance(call.args[1], tuple) else ()
        dims = sorted(d % len(whole.shape) for d in given) or list(range(len(whole.shape)))
        zero = self._line(f"constant.{self._next()}", f"{result.dtype}[]", "constant(0)")
        shape = tuple(n for d, n in enumerate(whole.shape) if d not in dims)
        reduced = Tensor(result.number, result.dtype, shape)
        name = self._emit(call, reduced, f"reduce({self._name(whole)}, {zero}), dimensions={_braces(dims)}, to_apply={self._sum_of('add', result.dtype)}")
        if shape != result.shape:
            self.used.add(name)
            self._emit(call, result, f"reshape({name})")
        return True

    def _expand(self, call: Call, result: Tensor) -> bool:
        first = call.tensors[0]
        if first.shape == result.shape:
            self._bind(result, self._value(first))
        elif 1 in first.shape:
            return False
        else:
            self._emit(call, result, f"broadcast({self._name(first)}), dimensions={_braces(range(len(result.shape) - len(first.shape), len(result.shape)))}")
        return True

    def _filled(self, call: Call, result: Tensor) -> bool:
        self._bind(result, self._constant({"ones_like": 1, "zeros_like": 0}[call.name], result))
        return True

    def _cat(self, call: Call, result: Tensor) -> bool:
        dimension = call.args[1] if len(call.args) > 1 else 0
        operands = ", ".join(self._name(t) for t in call.tensors)
        self._emit(call, result, f"concatenate({operands}), dimensions={{{dimension % len(result.shape)}}}")
        return True

    def _cut(self, call: Call, result: Tensor) -> bool:
        if len(call.args) != 4:
            return False
        self._slice(call, call.tensors[0], result, call.args[1] % len(result.shape), call.args[2])
        return True

    def _binary(self, call: Call, result: Tensor) -> bool:
        operands = []
        for each in call.args:
            if isinstance(each, Tensor) and each.text == result.text:
                operands.append(self._name(each))
            elif isinstance(each, (int, float)) and not isinstance(each, bool):
                operands.append(self._constant(each, result))
            else:
                return False
        self._emit(call, result, f"{_BINARY[call.name.rstrip('_')]}({', '.join(operands)})")
        return True

    def _dot(self, call: Call, lhs: Tensor, rhs: Tensor, result: Tensor) -> str:
        batch = ", lhs_batch_dims={0}, rhs_batch_dims={0}" if len(lhs.shape) == 3 else ""
        last = len(lhs.shape) - 1
        return self._emit(call, result, f"dot({self._name(lhs)}, {self._name(rhs)}){batch}, lhs_contracting_dims={{{last}}}, rhs_contracting_dims={{{last - 1}}}")

    def _wide(self, row: Tensor, like: Tensor) -> str:
        return self._line(f"broadcast.{self._next()}", like.text, f"broadcast({self._name(row)}), dimensions={{{len(like.shape) - 1}}}")

    def _split(self, call: Call, result: Tensor) -> bool:
        whole = call.tensors[0]
        dimension = (call.args[2] if len(call.args) > 2 else 0) % len(whole.shape)
        begin = 0
        for part in call.results:
            self._slice(call, whole, part, dimension, begin)
            begin += part.shape[dimension]
        return bool(result)

    def _slice(self, call: Call, whole: Tensor, part: Tensor, dimension: int, begin: int) -> None:
        bounds = ",".join(f"[{begin}:{begin + n}]" if d == dimension else f"[0:{n}]" for d, n in enumerate(part.shape))
        self._emit(call, part, f"slice({self._name(whole)}), slice={{{bounds}}}")

    def _collective(self, call: Call) -> None:
        opcode = _COLLECTIVES[call.name]
        operand, result, group = call.tensors[0], call.results[0], str(call.args[-1])
        if opcode == "all-gather" and re.search(r"S\((\d)\)[^>]*->[^>]*S\((?!\1)\d\)", call.wanted_by):
            self.gathered_in_place_of_exchange = True
        details = "dimensions={0}" if opcode in ("all-gather", "all-to-all") else f"to_apply={self._reducer(call, result)}"
        if opcode == "reduce-scatter":
            details += ", dimensions={0}"
        self.channels += 1
        ids = "" if opcode == "all-to-all" else ", use_global_device_ids=true"
        groups = _groups(self.sizes, self.groups[group])
        self._emit(call, result, f"{opcode}({self._name(operand)}), channel_id={self.channels}, replica_groups={groups}, {details}{ids}", opcode)
        if opcode in _REDUCING and call.args[1] == "avg":
            size = self._constant(float(math.prod(self.sizes[axis] for axis in self.groups[group])), result)
            self._emit(call, result, f"divide({self._name(result)}, {size})")

    def _reducer(self, call: Call, result: Tensor) -> str:
        kind = {"max": "maximum", "min": "minimum", "product": "multiply"}.get(str(call.args[1]), "add")
        return self._sum_of(kind, result.dtype)

    def _sum_of(self, kind: str, dtype: str) -> str:
        self.reducers.add(f"{kind}.{dtype} {{ a = {dtype}[] parameter(0) b = {dtype}[] parameter(1) ROOT c = {dtype}[] {kind}(a, b) }}")
        return f"{kind}.{dtype}"

    def _constant(self, value: float, like: Tensor) -> str:
        scalar = self._line(f"constant.{self._next()}", f"{like.dtype}[]", f"constant({value})")
        return self._line(f"broadcast.{self._next()}", like.text, f"broadcast({scalar}), dimensions={{}}")

    def _emit(self, call: Call, result: Tensor, what: str, kind: str = "") -> str:
        made = f', metadata={{op_name="{call.wanted_by or "aten::" + call.name}"}}'
        name = self._line(f"{kind or what.split('(')[0]}.{self._next()}", result.text, what + made)
        self._bind(result, name)
        return name

    def _bind(self, tensor: Tensor, name: str) -> None:
        self.values[tensor.number] = (name, tensor.text)

    def _value(self, tensor: Tensor) -> str:
        """Its value; of what came from outside, a parameter."""
        if tensor.number not in self.values:
            name = f"p{len(self.parameters)}"
            self.parameters.append(f"{name} = {tensor.text} parameter({len(self.parameters)})")
            self._bind(tensor, name)
        return self.values[tensor.number][0]

    def _name(self, tensor: Tensor) -> str:
        """Its value, as an operand."""
        name = self._value(tensor)
        self.used.add(name)
        return name

    def _line(self, name: str, shape: str, what: str) -> str:
        self.lines.append(f"{name} = {shape} {what}")
        return name

    def _next(self) -> int:
        self.count += 1
        return self.count

    def text(self) -> str:
        shapes = {name: shape for name, shape in self.values.values()}
        results = [name for name in shapes if name not in self.used]
        out = f"ROOT out = ({', '.join(shapes[name] for name in results)}) tuple({', '.join(results)})"
        return "".join(f"{each}\n\n" for each in sorted(self.reducers)) + "ENTRY main {\n" + "".join(f"  {line}\n" for line in (*self.parameters, *self.lines, out)) + "}\n"

    def notes(self) -> tuple[str, ...]:
        out = ["recorded from DTensor: what one device computes and the collectives that PyTorch called"]
        if self.unknown:
            out.append(f"timed as one pass over memory, not computed: {', '.join(sorted(self.unknown))}")
        if self.gathered_in_place_of_exchange:
            out.append("on CPU PyTorch gathers and cuts where it exchanges parts (all-to-all) on a GPU")
        return tuple(out)


_WRITERS: dict[str, Callable[[_Program, Call, Tensor], bool]] = {
    "mm": _Program._product, "bmm": _Program._product, "addmm": _Program._product_and_bias, "t": _Program._transpose, "transpose": _Program._transpose,
    "permute": _Program._transpose, "clone": _Program._copy, "_to_copy": _Program._copy, "relu": _Program._relu, "pow": _Program._power, "sum": _Program._sum,
    "expand": _Program._expand, "ones_like": _Program._filled, "zeros_like": _Program._filled, "split": _Program._split, "chunk": _Program._split, "cat": _Program._cat, "slice": _Program._cut,
}
_COLLECTIVES = {"all_gather_into_tensor": "all-gather", "reduce_scatter_tensor": "reduce-scatter", "all_reduce": "all-reduce", "all_to_all_single": "all-to-all"}
_REDUCING = {"all-reduce", "reduce-scatter"}


def _order(call: Call) -> list[int]:
    rank = len(call.results[0].shape)
    if call.name == "permute":
        return [d % rank for d in call.args[1]]
    if call.name == "t":
        return list(reversed(range(rank)))
    order = list(range(rank))
    a, b = call.args[1] % rank, call.args[2] % rank
    order[a], order[b] = b, a
    return order


def _braces(values: Iterable[int]) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def _groups(sizes: Sequence[int], along: Sequence[int]) -> str:
    """Devices that differ in the axes `along` alone."""
    strides = [math.prod(sizes[axis + 1:]) for axis in range(len(sizes))]
    groups: dict[tuple[int, ...], list[int]] = {}
    for device in range(math.prod(sizes)):
        place = tuple(device // strides[axis] % sizes[axis] for axis in range(len(sizes)) if axis not in along)
        groups.setdefault(place, []).append(device)
    return "{" + ",".join(_braces(group) for group in groups.values()) + "}"
