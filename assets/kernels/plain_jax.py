# The functions of JAX and Pallas that are understood, outside of kernels and in them.
KEPT = {"jax.jit", "jax.block_until_ready", "jax.device_put", "jax.sharding.reshard", "jax.tree_util.Partial", "int", "bool",
        "jnp.int32", "jnp.asarray", "jnp.array", "np.array", "np.asarray", "jax.named_scope", "jnp.bool_", "tuple", "list"}
MADE = {"jax.random.uniform": 1, "jax.random.normal": 1, "jax.random.randint": 1, "jnp.ones": 0, "jnp.zeros": 0, "jnp.empty": 0,
        "jnp.full": 0, "np.ones": 0, "np.zeros": 0}
RECORDS = {"jax.sharding.PartitionSpec": "spec", "jax.P": "spec", "jax.sharding.NamedSharding": "sharding",
           "jax.ShapeDtypeStruct": "out", "pl.BlockSpec": "block", "pltpu.PrefetchScalarGridSpec": "grid_spec",
           "pl.GridSpec": "grid_spec", "pltpu.CompilerParams": "params", "pltpu.TPUCompilerParams": "params",
           "pltpu.InterpretParams": "params", "pltpu.VMEM": "scratch", "pltpu.SMEM": "scratch", "pltpu.HBM": "scratch",
           "pltpu.ANY": "scratch", "pl.ANY": "scratch"}
NUMBERS = {"lax.add": "+", "lax.sub": "-", "lax.mul": "*", "jnp.mod": "%", "jnp.remainder": "%", "jnp.floor_divide": "//",
           "pl.cdiv": "ceil_div", "jnp.minimum": "min", "jnp.maximum": "max", "lax.min": "min", "lax.max": "max",
           "jnp.logical_and": "and", "jnp.logical_or": "or", "lax.eq": "==", "lax.lt": "<", "lax.gt": ">", "lax.ge": ">="}


def dtype_name(value):
    if isinstance(value, Known):
        return value.path.split(".")[-1]
    return value if isinstance(value, str) else "float32"


def flat(value):
    if isinstance(value, (list, tuple)):
        return [e for v in value for e in flat(v)]
    return [] if value is None else [value]


class Jax(Python):
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.calls = wanted, []

    def call(self, node, function, given, named):
        self.depth += 1
        if self.depth > DEEPEST_CALL:
            raise Outside(node, "calls nest deeper than %d" % DEEPEST_CALL)
        try:
            return self.called(node, function, given, named)
        finally:
            self.depth -= 1

    def called(self, node, function, given, named):
        hint, self.hint = self.hint, None
        if isinstance(function, Partial):
            return self.call(node, function.what, [*function.given, *given], {**function.named, **named})
        if isinstance(function, Function):
            return self.invoke(node, function, given, named)
        if isinstance(function, Mapped):
            return self.on_device(node, function, given)
        if isinstance(function, Call):
            return self.found(node, function, given)
        if isinstance(function, Unknown):
            return self.fail(function.node, function.what) if self.kernel else function
        self.hint = hint
        if isinstance(function, Method):
            return self.method(node, function, given, named)
        if self.kernel:
            done = self.kernel.called(node, function, given, named)
            if done is not NotImplemented:
                return done
        self.hint = None
        if isinstance(function, Known):
            return self.known(node, function, given, named)
        return self.fail(node)

    def invoke(self, node, function, given, named):
        arguments = function.node.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args]
        values = {**function.defaults, **function.named, **named}
        positions = [*function.given, *given]
        scope = Scope(function.scope)
        if arguments.vararg:
            scope.names[arguments.vararg.arg] = tuple(positions[len(names):])
        elif len(positions) > len(names):
            return self.fail(node, "%s takes %d values, got %d" % (function.name, len(names), len(positions)))
        values.update(zip(names, positions))
        for name in names + [a.arg for a in arguments.kwonlyargs]:
            if name not in values:
                return self.fail(node, "%s is given no %s" % (function.name, name))
            scope.names[name] = values[name]
        if isinstance(function.node, ast.Lambda):
            return self.value(function.node.body, scope)
        try:
            self.run(function.node.body, scope)
        except Returned as returned:
            return returned.value
        return None

    # Outside of kernels

    def known(self, node, function, given, named):
        short = function.short
        if short in ("pl.pallas_call",):
            return Call(node, given[0] if given else None, named)
        if short == "functools.partial" and given:
            what = given[0]
            return what.with_given(given[1:], named) if isinstance(what, Function) else Partial(what, given[1:], named)
        if short in ("jax.shard_map", "jax.experimental.shard_map.shard_map"):
            if not given and "f" not in named:
                return Partial(function, (), named)
            return Mapped(named.get("f", given[0] if given else None), named.get("mesh"), named.get("in_specs"), named.get("out_specs"))
        if short in ("jax.make_mesh", "jax.sharding.Mesh", "jax.experimental.mesh_utils.create_device_mesh"):
            return self.make_mesh(node, short, given, named)
        if short in ("jax.local_device_count", "jax.device_count"):
            return Leaf('axis_size("x")', mesh=True)
        if short in ("jax.devices", "jax.local_devices"):
            return Record("devices", node, (), {})
        if short.startswith("pltpu.SemaphoreType."):
            return Record("semaphore", node, [short.split(".")[-1], *given], named)
        if short in RECORDS:
            return Record(RECORDS[short] if RECORDS[short] != "scratch" else short.split(".")[-1], node, given, named)
        if short in MADE:
            shape = named.get("shape", given[MADE[short]] if len(given) > MADE[short] else None)
            dtype = named.get("dtype", given[MADE[short] + 1] if len(given) > MADE[short] + 1 else None)
            shape = (shape,) if is_number(shape) else shape
            return Array(shape, dtype_name(dtype)) if isinstance(shape, (list, tuple)) else self.fail(node)
        if short in ("jnp.arange", "np.arange") and given and is_number(given[-1]):
            return Array((given[0] if len(given) == 1 else number("-", given[1], given[0]),), dtype_name(named.get("dtype")))
        if short in ("lax.psum", "lax.ppermute", "lax.pmean") and given and isinstance(given[0], Array):
            return Array(given[0].shape, given[0].dtype)
        if short == "lax.dynamic_slice" and len(given) == 3 and isinstance(given[0], Array) and isinstance(given[2], (list, tuple)):
            return Array(given[2], given[0].dtype)
        if short == "lax.all_gather" and len(given) == 2 and isinstance(given[0], Array):
            return self.gathered(node, given[0], self.axis_size(node, given[1]), named)
        if short == "lax.axis_index":
            return Leaf('axis_index("%s")' % self.axis(node, given[0]), 0, self.axis_size(node, given[0]))
        if short in KEPT:
            return given[0] if given else Known("identity")
        if short == "identity":
            return given[0]
        if short == "len" and given:
            if isinstance(given[0], Record) and given[0].kind == "devices":
                return Leaf('axis_size("x")', mesh=True)
            return len(given[0]) if isinstance(given[0], (list, tuple, dict, str)) else self.fail(node)
        return self.counted(node, short, given, named)

    def counted(self, node, short, given, named):
        numbers = given and all(is_number(v) for v in given)
        if short in ("lax.rem", "lax.div") and numbers:
            return (rest if short == "lax.rem" else quotient)(*given)
        if short in NUMBERS and numbers and len(given) == 2:
            return number(NUMBERS[short], *given)
        if short in ("min", "max") and numbers:
            out = given[0]
            for each in given[1:]:
                out = number(short, out, each)
            return out
        if short in ("jnp.logical_not", "lax.bitwise_not") and numbers:
            return number("not", given[0])
        if short in ("jnp.where", "lax.select") and len(given) == 3:
            return self.choice(node, *given)
        if short in ("pl.ds", "pl.dslice", "pl.Slice") and numbers:
            return Ds(*given) if len(given) == 2 else Ds(0, given[0])
        if short == "range" and numbers:
            first, end = (0, given[0]) if len(given) == 1 else given[:2]
            few = not isinstance(first, Sym) and not isinstance(end, Sym)
            if few and (not self.kernel or len(range(*given)) <= 8):
                return range(*given)
            return Record("range", node, (first, end), {}) if len(given) < 3 else self.fail(node)
        if short == "lax.axis_size" or short == "lax.psum" and given[:1] == [1]:
            return self.axis_size(node, given[-1])
        if short in ("zip", "enumerate", "reversed") and all(isinstance(g, (list, tuple, range)) for g in given):
            return list({"zip": zip, "enumerate": enumerate, "reversed": reversed}[short](*given))
        if short in ("print", "jax.debug.print", "pl.debug_print", "pl.delay", "jax.debug.visualize_array_sharding"):
            return None
        return self.fail(node)

    def make_mesh(self, node, short, given, named):
        if short == "jax.sharding.Mesh":
            devices = given[0] if given else named.get("devices")
            shape = devices.shape if isinstance(devices, Array) else (Leaf('axis_size("x")', mesh=True),)
            names = given[1] if len(given) > 1 else named.get("axis_names")
        elif short.endswith("create_device_mesh"):
            return Array(given[0], "devices") if given and isinstance(given[0], (list, tuple)) else self.fail(node)
        else:
            shape, names = named.get("axis_shapes", given[0] if given else None), named.get("axis_names", given[1] if len(given) > 1 else None)
        names = (names,) if isinstance(names, str) else names
        if not isinstance(shape, (list, tuple)) or not isinstance(names, (list, tuple)) or len(shape) != len(names):
            return self.fail(node)
        if len(shape) > 3:
            return self.fail(node, "kernels have meshes of up to three axes")
        if len(shape) > 1 and any(isinstance(size, Sym) for size in shape):
            return self.fail(node, "write the sizes of a mesh of several axes as numbers")
        axes = {name: size for name, size in zip(names, shape)}
        if self.axes and {k: shown(v) for k, v in axes.items()} != {k: shown(v) for k, v in self.axes.items()}:
            return self.fail(node, "a second mesh")
        self.axes = axes
        return Record("mesh", node, (), {})

    def axis(self, node, name):
        """"x", "y" or "z" for the mesh's own name of it."""
        if isinstance(name, (list, tuple)) and len(name) == 1:
            name = name[0]
        if not isinstance(name, str) or name not in self.axes:
            raise Outside(node, "the mesh has no axis %s" % (repr(name) if isinstance(name, str) else "of that name"))
        return "xyz"[list(self.axes).index(name)]

    def axis_size(self, node, name):
        self.axis(node, name)
        return self.axes[name if isinstance(name, str) else name[0]]

    def on_device(self, node, mapped, arrays):
        """What one device does with its parts of the arrays."""
        specs = mapped.in_specs if isinstance(mapped.in_specs, (list, tuple)) else [mapped.in_specs] * len(arrays)
        local = []
        for array, spec in zip(arrays, specs):
            if not isinstance(array, Array) or not isinstance(spec, Record):
                local.append(array if isinstance(array, Unknown) else self.fail(node))
                continue
            shape, used = list(array.shape), []
            for place, part in enumerate(spec.given):
                for name in flat(part):
                    used.append(name)
                    shape[place] = self.divided(node, shape[place], self.axis_size(node, name))
            local.append(Array(shape, array.dtype, ["xyz"[i] for i, name in enumerate(self.axes) if name not in used]))
        result = self.call(node, mapped.function, local, {})
        specs = mapped.out_specs if isinstance(mapped.out_specs, (list, tuple)) else [mapped.out_specs] * len(flat(result))
        for array, spec in zip(flat(result), specs):
            if isinstance(array, Array):
                array.spec = spec  # what comes out of a kernel comes out of shard_map so
        return result

    def gathered(self, node, array, size, named):
        shape, axis = list(array.shape), named.get("axis", 0)
        if named.get("tiled"):
            shape[axis] = number("*", size, shape[axis])
        else:
            shape.insert(axis, size)
        return Array(shape, array.dtype)

    def divided(self, node, extent, size):
        if not isinstance(extent, Sym) and not isinstance(size, Sym):
            if extent % size:
                raise Outside(node, "%d rows or columns over %d devices" % (extent, size))
            return extent // size
        if isinstance(extent, Sym) and extent.sign == "*":
            for part, other in (extent.parts, extent.parts[::-1]):
                if same(part, size):
                    return other
        return number("//", extent, size)

    def found(self, node, call, given):
        kernel = call.kernel
        if isinstance(kernel, Function) and (self.wanted is None or kernel.name == self.wanted):
            known = [c for c in self.calls if c[1].kernel.node is kernel.node]
            if not known:
                self.calls.append([node, call, given, []])
        outs = call.named.get("out_shape")
        made = [Array(o.get("shape", 0), dtype_name(o.get("dtype", 1))) if isinstance(o, Record) else
                Array(o.shape, o.dtype) if isinstance(o, Array) else Unknown(node, "what the kernel writes is not known")
                for o in flat(outs)]
        for c in self.calls:
            if c[1] is call:
                c[3] = made
        return made if isinstance(outs, (list, tuple)) else made[0] if made else Unknown(node, "the kernel writes nothing")

    def method(self, node, method, given, named):
        of = method.of
        if isinstance(of, Unknown):
            return of
        if isinstance(of, Array):
            if method.name == "reshape":
                shape = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given
                return Array(shape, of.dtype, of.same_over)
            if method.name == "astype":
                return Array(of.shape, dtype_name(given[0]), of.same_over)
            if method.name in ("block_until_ready", "copy"):
                return of
        if isinstance(of, list) and method.name in ("append", "extend") and len(of) < LONGEST_LIST:
            getattr(of, method.name)(given[0])
            return None
        if isinstance(of, dict) and method.name in ("get", "items", "keys", "values"):
            return of.get(*given) if method.name == "get" else list(getattr(of, method.name)())
        if self.kernel:
            return self.kernel.method(node, of, method.name, given)
        return self.fail(node)

    def with_contents(self, node, sign, left, right):
        if sign == "MatMult":
            return self.kernel.dot(node, left, right)
        zeros = [v for v in (left, right) if not isinstance(v, Contents)]
        if sign == "+" and not zeros and [shown(e) for e in left.shape] == [shown(e) for e in right.shape]:
            if left.kind == "zeros" or right.kind == "zeros":
                return right if left.kind == "zeros" else left
            return Contents("sum", left.shape, left.dtype, left, right)
        raise Outside(node, "of arrays there are sums and products in a kernel")
