# Writes one kernel that a plain program calls, statement by statement.
TAKEN = set("kernel title axes result broken size for in when with as def if else and or not hbm vmem smem dtype f32 bf16 f16 True "
            "False mended by axis_size axis_index neighbour device_at device_id ceil_div min max input output dma_semaphore "
            "regular_semaphore barrier_semaphore ds make_async_copy make_async_remote_copy make_async_peer_copy "
            "semaphore_signal semaphore_wait dot require needs_product range grid emit_pipeline block_in block_out".split())


class PlainKernel(Declarations):
    def __init__(self, python):
        self.python, self.declared, self.lines, self.depth = python, [], [], 0
        self.used, self.names, self.grids = set(TAKEN), {}, []
        self.promoted, self.barrier, self.remote, self.dtype = set(), None, False, None

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, name):
        name = name.strip("_") or "value"
        out, count = name, 1
        while out in self.used:
            count += 1
            out = "%s_%d" % (name, count)
        self.used.add(out)
        return out

    def block(self, head, body):
        self.put(head)
        before = len(self.lines)
        self.depth += 1
        body()
        self.depth -= 1
        if len(self.lines) == before:
            self.lines.pop()

    def when(self, condition, body):
        if not isinstance(condition, Sym):
            return body() if condition else None
        self.block("when %s:" % condition.text(), body)

    # Names

    def named(self, name, value, scope, node):
        key = (scope.number, name)
        if key in self.promoted and is_number(value):
            self.put("%s = %s" % (self.names[key], shown(value)))
            return Leaf(self.names[key])
        if isinstance(value, Contents) and value.kind != "zeros" and not (value.kind == "load" and value.parts[0].space == "value"):
            return self.kept(node, value, name)
        if not isinstance(value, Sym) or isinstance(value, Leaf) and "(" not in value.name or isinstance(value, Leaf) and value.mesh:
            return value
        said = self.fresh(name)
        self.put("%s = %s" % (said, value.text()))
        return Leaf(said, defined=value)

    def promote(self, names, scope):
        """Numbers of Python that a loop or a branch changes become names of the text."""
        for name in sorted(names):
            value = scope.names.get(name)
            if is_number(value) and (scope.number, name) not in self.promoted:
                key = (scope.number, name)
                self.names[key] = self.fresh(name)
                self.put("%s = %s" % (self.names[key], shown(value)))
                self.promoted.add(key)
                scope.names[name] = Leaf(self.names[key])

    def kept(self, node, value, name):
        """A value that stays as it is whatever happens to the buffers that it was made of."""
        ref = Ref(self.fresh(name), value.shape if len(value.shape) > 1 else (1, *value.shape), value.dtype, "value")
        self.declared.append("%s = vmem(%s%s)" % (ref.name, pair(ref), self.type_of(node, value.dtype)))
        self.store(node, ref, value)
        return Contents("load", value.shape, value.dtype, ref)

    def temporary(self, node, value):
        return self.kept(node, value, "value").parts[0]

    def type_of(self, node, dtype):
        dtype = dtype_name(dtype) if not isinstance(dtype, str) else dtype
        if dtype not in TYPES:
            raise Outside(node, "kernels have float32, bfloat16 and float16, not %s" % dtype)
        return "" if dtype == self.dtype else ", " + TYPES[dtype]

    # What a kernel computes

    def dot(self, node, left, right):
        for value in (left, right):
            if not isinstance(value, Contents) or len(value.shape) != 2:
                raise Outside(node, "dot takes two arrays of two dimensions")
        return Contents("dot", (left.shape[0], right.shape[1]), "float32", left, right)

    def loaded(self, node, value):
        return value.parts[0] if value.kind == "load" else self.temporary(node, value)

    def store(self, node, ref, value):
        if is_number(value) and not isinstance(value, Sym) and value == 0:
            value = Contents("zeros", ref.shape, ref.dtype)
        if not isinstance(value, Contents):
            raise Outside(node, "a buffer takes zeros, other buffers, sums and products of them")
        to = ref.contents()
        if value.kind == "zeros":
            return self.put("%s = 0" % to)
        if value.kind == "load":
            return self.put("%s = %s" % (to, value.parts[0].contents()))
        if value.kind == "dot":
            parts = [self.loaded(node, part).contents() for part in value.parts]
            self.put("%s = 0" % to)
            return self.put("%s += dot(%s, %s)" % (to, *parts))
        left, right = value.parts
        if right.kind == "load" and right.parts[0].contents() == to:
            left, right = right, left
        if left.kind == "load" and left.parts[0].contents() == to:
            if right.kind == "dot":
                return self.put("%s += dot(%s)" % (to, ", ".join(self.loaded(node, p).contents() for p in right.parts)))
            return self.put("%s += %s" % (to, self.loaded(node, right).contents()))
        first, second = self.loaded(node, left), self.loaded(node, right)
        self.put("%s = %s + %s" % (to, first.contents(), second.contents()))

    # Functions that only kernels have

    def called(self, node, function, given, named):
        if isinstance(function, Record) and function.kind == "pipeline":
            return self.pipeline(node, function, given)
        if isinstance(function, Record) and function.kind == "guard":
            return self.when(function.given[0], lambda: self.python.call(node, given[0], [], {}))
        if isinstance(function, Record) and function.kind == "looped":
            inside = self.expect(node, given[0], Function, "a function")
            return self.loop(node, inside.node.args.args[0].arg, *function.given,
                             lambda counter: self.python.call(node, inside, [counter], {}), Scope(), set())
        if isinstance(function, Known):
            return KERNEL_FUNCTIONS.get(function.short, lambda *rest: NotImplemented)(self, node, given, named)
        return NotImplemented

    def method(self, node, of, name, given):
        if isinstance(of, Copy) and name in ("start", "wait", "wait_send", "wait_recv"):
            return self.put("%s.%s()" % (of.name, name))
        if isinstance(of, Contents) and name == "astype":
            return Contents(of.kind, of.shape, of.dtype, *of.parts)
        if isinstance(of, Ref) and name == "get" and not given:
            return Contents("load", of.shape, of.dtype, of)
        if isinstance(of, Ref) and name == "reshape":
            raise Outside(node, "reshape of a buffer is outside of what is read")
        if name in ("astype",) and is_number(of):
            return of
        raise Outside(node, "'%s' is outside of what is read" % ast.unparse(node).split("\n")[0][:60])

    def device(self, node, device, kind):
        """device_id of the text."""
        logical = isinstance(kind, Known) and kind.path.endswith("LOGICAL")
        axes = self.python.axes
        if isinstance(device, dict):
            device = tuple(device.get(name, Leaf('axis_index("%s")' % self.python.axis(node, name))) for name in axes)
        elif is_number(device) and not logical:
            device = (device,)
        if isinstance(device, (list, tuple)) and all(is_number(d) for d in device):
            return "(%s%s)" % (", ".join(map(shown, device)), "," if len(device) == 1 else "")
        return shown(device) if is_number(device) else self.python.fail(node, "a device is a number or its places on the axes")

    def expect(self, node, value, kind, what):
        if not isinstance(value, kind):
            raise Outside(node, "expected %s" % what)
        return value

    def copy(self, node, given, named, remote):
        names = ["src_ref", "dst_ref"] + (["send_sem", "recv_sem", "device_id"] if remote else ["sem"])
        values = {**dict(zip(names, given)), **named}
        name = self.fresh_copy(self.python.hint)
        self.python.hint = None
        ends = [self.expect(node, values.get(n), Ref, "%s, a buffer or a part of it" % n).text() for n in names[:2]]
        sems = [self.expect(node, values.get(n), Sem, "%s, a semaphore" % n).name for n in names[2:4 if remote else 3]]
        text = "make_async_%scopy(%s" % ("remote_" if remote else "", ", ".join(ends + sems))
        if remote:
            self.remote = True
            text += ", device_id=" + self.device(node, values.get("device_id"), values.get("device_id_type"))
        self.put("%s = %s)" % (name, text))
        return Copy(name)

    def fresh_copy(self, hint):
        return self.fresh(hint or "copy")

    def started(self, node, given, named, remote):
        copy = self.copy(node, given, named, remote)
        self.put(copy.name + ".start()")
        return copy

    def sync_copy(self, node, given, named):
        sem = self.fresh("copy_sem")
        self.declared.append("%s = dma_semaphore()" % sem)
        copy = self.started(node, [*given[:2], Sem(sem, "DMA")], {}, False)
        self.put(copy.name + ".wait()")

    def signal(self, node, given, named):
        sem = self.expect(node, given[0] if given else named.get("sem"), Sem, "a semaphore")
        inc = given[1] if len(given) > 1 else named.get("inc", 1)
        text = "semaphore_signal(%s, %s" % (sem.name, shown(inc))
        if named.get("device_id") is not None:
            self.remote = True
            text += ", device_id=" + self.device(node, named["device_id"], named.get("device_id_type"))
        self.put(text + ")")

    def wait(self, node, given, named):
        sem = self.expect(node, given[0] if given else named.get("sem"), Sem, "a semaphore")
        value = given[1] if len(given) > 1 else named.get("value", 1)
        if named.get("decrement", True) is not True:
            raise Outside(node, "a wait that leaves its semaphore as it is is outside of what is read")
        self.put("semaphore_wait(%s, %s)" % (sem.name, shown(value)))

    def get_barrier(self, node, given, named):
        if self.barrier is None:
            self.barrier = Sem(self.fresh("barrier"), "BARRIER")
            self.declared.append("%s = barrier_semaphore()" % self.barrier.name)
        return self.barrier

    def loop(self, node, target, first, end, body, scope, changed):
        """for target in range(first, end)."""
        self.promote(changed, scope)
        name = self.fresh(target.id if isinstance(target, ast.Name) else target if isinstance(target, str) else "i")
        plain = not isinstance(first, Sym) and first == 0
        counter = Leaf(name, first, number("-", end, first))
        bounds = shown(end) if plain else "%s, %s" % (shown(first), shown(end))
        self.block("for %s in range(%s):" % (name, bounds), lambda: body(counter))

    def fori_loop(self, node, given, named):
        values = {**dict(zip(("lower", "upper", "body_fun", "init_val"), given)), **named}
        function = self.expect(node, values.get("body_fun"), Function, "the body of the loop")
        init = values.get("init_val")
        carried = list(init) if isinstance(init, (list, tuple)) else [init]
        kept = []
        for value in carried:
            if is_number(value):
                name = self.fresh("carried")
                self.put("%s = %s" % (name, shown(value)))
                kept.append(Leaf(name))
            elif isinstance(value, Contents):
                kept.append(self.kept(node, value, "carried"))
            elif value is None or value == ():
                kept.append(value)
            else:
                raise Outside(node, "a loop carries numbers and arrays")

        def body(counter):
            state = type(init)(kept) if isinstance(init, (list, tuple)) else kept[0]
            result = self.python.call(node, function, [counter, state], {})
            results = list(result) if isinstance(init, (list, tuple)) else [result]
            fixed = [self.kept(node, r, "next") if isinstance(r, Contents) and r is not k and len(kept) > 1 else r
                     for r, k in zip(results, kept)]
            for value, before in zip(fixed, kept):
                if isinstance(before, Leaf) and value is not before:
                    self.put("%s = %s" % (before.name, shown(value)))
                elif isinstance(before, Contents) and value is not before:
                    self.store(node, before.parts[0], value)

        arguments = function.node.args.args
        self.loop(node, arguments[len(function.given)].arg if arguments else "i", values.get("lower"), values.get("upper"), body,
                  Scope(), set())
        return type(init)(kept) if isinstance(init, (list, tuple)) else kept[0]

    def loop_decorator(self, node, given, named):
        first, end = (0, given[0]) if len(given) == 1 else given[:2]
        return Record("looped", node, (first, end), named)

    def run_scoped(self, node, given, named):
        if not given:
            raise Outside(node, "run_scoped of no function")
        function = self.expect(node, given[0], Function, "a function")
        positions, keys, buffers = [], {}, []
        names = [a.arg for a in function.node.args.args][len(function.given):]

        def made(name, spec):
            ref = self.scratch(node, name, spec, scoped=True)
            if isinstance(ref, Ref):
                buffers.append((ref, spec))
            return ref

        for name, spec in zip(names, given[1:]):
            positions.append(made(name, spec))
        for name, spec in named.items():
            if name != "collective_axes":
                keys[name] = made(name, spec)
        result = []
        call = lambda: result.append(self.python.call(node, function, positions, keys))
        if not buffers:
            call()
        else:
            heads = ["vmem(%s%s) as %s" % (pair(ref), self.type_of(node, ref.dtype), ref.name) for ref, _ in buffers]
            self.block("with %s:" % ", ".join(heads), call)
        return result[0] if result else None

    # Grids

    def program_id(self, node, given, named):
        axis = given[0] if given else named.get("axis")
        if not self.grids or axis >= len(self.grids[-1]):
            raise Outside(node, "the grid has no axis %s" % axis)
        return self.grids[-1][axis][0]

    def num_programs(self, node, given, named):
        axis = given[0] if given else named.get("axis")
        return self.grids[-1][axis][1]

    def emit_pipeline(self, node, given, named):
        return Record("pipeline", node, given, named)

    def pipeline(self, node, record, refs):
        specs = [*flat(record.named.get("in_specs")), *flat(record.named.get("out_specs"))]
        ins = len(flat(record.named.get("in_specs")))
        self.over_grid(node, record.named.get("grid", ()), self.expect(node, record.given[0], Function, "a function"),
                       [(ref, spec, "block_in" if place < ins else "block_out") for place, (ref, spec) in enumerate(zip(refs, specs))], [])

    def over_grid(self, node, extents, function, refs, rest_given):
        """The loop over a grid whose blocks come and go; refs without a block stay whole."""
        extents = [extents] if is_number(extents) else list(extents)
        names = [self.fresh(name) for name in grid_names(function, len(extents))]
        counters = [Leaf(name, 0, extent) for name, extent in zip(names, extents)]
        blocked = any(spec is not None and blocks_of(spec) is not None for _, spec, _ in refs)

        def body():
            given = []
            for place, (ref, spec, kind) in enumerate(refs):
                block = blocks_of(spec) if spec is not None else None
                given.append(ref if block is None else self.block_of(node, ref, spec, kind, counters, parameter(function, place)))
            self.grids.append(list(zip(counters, extents)))
            self.python.call(node, function, given + rest_given, {})
            self.grids.pop()

        if not extents:
            return body()
        self.block("for %s in %s(%s):" % (", ".join(names), "emit_pipeline" if blocked else "grid", ", ".join(map(shown, extents))), body)

    def block_of(self, node, ref, spec, kind, counters, name):
        shape = [1 if e is None else e for e in blocks_of(spec)]
        index_map = spec.get("index_map", 1)
        at = self.python.call(spec.node, index_map, counters, {}) if isinstance(index_map, Function) else (0,) * len(shape)
        at = list(at) if isinstance(at, (list, tuple)) else [at]
        if len(shape) != len(ref.shape) or len(at) != len(shape) or len(shape) < 2:
            raise Outside(spec.node, "a block has as many dimensions as its array, two or more")
        if any(isinstance(e, Sym) or e != 1 for e in shape[:-2]):
            raise Outside(spec.node, "a block is one of all dimensions but the last two")
        row = 0
        for place, extent in zip(at[:-2], ref.shape[:-2]):
            row = number("+", number("*", row, extent), place)
        row = number("+", number("*", row, number("ceil_div", ref.shape[-2], shape[-2])), at[-2])
        name = self.fresh(name)
        self.put("%s = %s(%s, (%s, %s), (%s, %s))" % (name, kind, ref.text(), shown(shape[-2]), shown(shape[-1]), shown(row), shown(at[-1])))
        kept = [e for e, given in zip(shape, blocks_of(spec)) if given is not None]
        return Ref(name, kept, ref.dtype, "vmem")


KERNEL_FUNCTIONS = {
    "pl.program_id": PlainKernel.program_id, "pl.num_programs": PlainKernel.num_programs,
    "lax.axis_index": lambda k, node, given, named: Leaf(
        'axis_index("%s")' % k.python.axis(node, given[0] if given else None), 0, k.python.axis_size(node, given[0])),
    "pltpu.get_barrier_semaphore": PlainKernel.get_barrier, "pltpu.sync_copy": PlainKernel.sync_copy,
    "pltpu.make_async_copy": lambda k, node, given, named: k.copy(node, given, named, False),
    "pltpu.make_async_remote_copy": lambda k, node, given, named: k.copy(node, given, named, True),
    "pltpu.async_copy": lambda k, node, given, named: k.started(node, given, named, False),
    "pltpu.async_remote_copy": lambda k, node, given, named: k.started(node, given, named, True),
    "pl.semaphore_signal": PlainKernel.signal, "pltpu.semaphore_signal": PlainKernel.signal,
    "pl.semaphore_wait": PlainKernel.wait, "pltpu.semaphore_wait": PlainKernel.wait,
    "pl.when": lambda k, node, given, named: Record("guard", node, given, named),
    "pl.loop": PlainKernel.loop_decorator, "lax.fori_loop": PlainKernel.fori_loop,
    "pl.run_scoped": PlainKernel.run_scoped, "pltpu.emit_pipeline": PlainKernel.emit_pipeline,
    "jnp.zeros": lambda k, node, given, named: Contents("zeros", shape_of(given[0]), dtype_name(named.get("dtype", given[-1]))),
    "jnp.zeros_like": lambda k, node, given, named: Contents("zeros", given[0].shape, given[0].dtype),
    "jnp.dot": lambda k, node, given, named: k.dot(node, *given[:2]),
    "jnp.matmul": lambda k, node, given, named: k.dot(node, *given[:2]),
    "lax.dot": lambda k, node, given, named: k.dot(node, *given[:2]),
}
