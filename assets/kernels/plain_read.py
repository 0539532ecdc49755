# A plain program with a Pallas kernel in it: follows it to the call of the kernel, and writes that kernel's text.
class PlainReader:
    def __init__(self, wanted, result):
        self.python, self.result = Jax(wanted), result
        self.wanted = wanted

    def module(self, tree):
        python = self.python
        scope = self.scope = Scope()
        scope.names["__name__"] = "__main__"
        python.run(tree.body, scope)
        kernels = [c[1].kernel.name for c in python.calls]
        if not python.calls:
            self.refuse(tree)
        if len(python.calls) > 1:
            raise Outside(python.calls[1][0], "there are several kernels: say which, of %s" % ", ".join(kernels))
        try:
            return self.kernel(*python.calls[0])
        except MISFITS:
            raise Outside(python.calls[0][1].node, "this call of a kernel has what is outside of what is read") from None

    def refuse(self, tree):
        """Why no kernel was found: the first thing that was not understood where one is called."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("pallas_call"):
                if self.wanted is not None:
                    raise Outside(node, "no kernel is called %s" % self.wanted)
                raise Outside(node, "this kernel is never called with arrays whose shapes the file says")
        raise Outside(tree, "there is no function that could be a kernel")

    def kernel(self, node, call, arrays, results):
        python = self.python
        k = python.kernel = PlainKernel(python)
        grid_spec = call.named.get("grid_spec")
        given = {**(grid_spec.named if isinstance(grid_spec, Record) else {}), **call.named}
        if given.get("num_scalar_prefetch", 0) not in (0, None):
            raise Outside(node, "scalars that are fetched ahead are outside of what is read")
        names = self.names(call.kernel)
        self.inside = []  # (ref, its block, how it is declared)
        for place, array in enumerate(arrays):
            self.array(k, node, names, place, array, spec_at(given.get("in_specs"), place), None)
        for place, made in enumerate(results):
            over = getattr(made, "spec", None)
            self.array(k, node, names, len(arrays) + place, made, spec_at(given.get("out_specs"), place), over or "out", place)
        rest = [k.scratch(node, next_name(names, len(arrays) + len(results) + place), spec)
                for place, spec in enumerate(scratch_list(given.get("scratch_shapes")))]
        k.over_grid(node, given.get("grid", ()) or (), call.kernel, self.inside, rest)
        return self.text(k, call.kernel)

    def names(self, kernel):
        return [a.arg for a in kernel.node.args.posonlyargs + kernel.node.args.args][len(kernel.given):]

    def array(self, k, node, names, place, array, spec, over, written=0):
        if not isinstance(array, Array):
            what = array.what if isinstance(array, Unknown) else "an argument of the kernel is no array"
            raise Outside(array.node if isinstance(array, Unknown) else node, what)
        output = over is not None
        if k.dtype is None:
            k.dtype = array.dtype
        if array.dtype != k.dtype and TYPES.get(array.dtype):
            raise Outside(node, "inputs and outputs of one kernel have one type, here are %s and %s" % (k.dtype, array.dtype))
        k.type_of(node, array.dtype)
        space = memory_of(spec)
        name = k.fresh(self.fitting(next_name(names, place), place, output, written))
        shape = array.shape if len(array.shape) > 1 else (1, *array.shape)
        ref = Ref(name, shape, array.dtype, space)
        text = "%s = %s(%s%s" % (name, "output" if output else "input", pair(ref), ", " + space if space != "hbm" else "")
        if not output and array.same_over:
            text += ', same_over="%s"' % array.same_over[0]
        if output and isinstance(over, Record) and over.kind == "spec":
            text += self.spec(over)
        k.declared.append(text + ")")
        ref.shape = array.shape if len(array.shape) > 1 else shape
        self.inside.append((ref, spec, "block_out" if output else "block_in"))

    def fitting(self, name, place, output, written):
        """Names by which a result is judged."""
        if not self.result:
            return name
        if output:
            return "out" if written == 0 else name
        wanted = ["a", "b"] if self.result.endswith("product") else ["x"]
        return wanted[place] if place < len(wanted) else name

    def spec(self, spec):
        used = [name for part in spec.given for name in flat(part)]
        letters = {name: "xyz"[i] for i, name in enumerate(self.python.axes)}
        unused = [letters[name] for name in letters if name not in used]
        first = flat(spec.given[0]) if spec.given else []
        out = ', same_over="%s"' % unused[0] if unused else ""
        return out + (', sharded_over="%s"' % letters[first[0]] if len(first) == 1 and first[0] in letters else "")

    def text(self, k, kernel):
        axes = "xyz"[:len(self.python.axes)]
        name = kernel.name.strip("_")
        out = comment_of(kernel.node) + ["kernel " + (name if name.isidentifier() and name not in TAKEN else "my.kernel")]
        out += ["axes " + ", ".join(axes)] if axes else []
        out += ["result " + self.result] if self.result else []
        out.append("")
        for letter, size in zip(axes, self.python.axes.values()):
            if not isinstance(size, Sym):
                out.append('require(axis_size("%s") == %d, "is written for %d devices along %s")' % (letter, size, size, letter))
        out += k.declared
        if k.remote and k.barrier is None:
            name = k.fresh("barrier")
            count = " * ".join('axis_size("%s")' % letter for letter in axes) or "1"
            other = k.fresh("device")
            out += ["%s = barrier_semaphore()" % name, "", "# the barrier that Pallas puts before a kernel that has none",
                    "for %s in range(%s):" % (other, count),
                    "    semaphore_signal(%s, 1, device_id=%s)" % (name, other),
                    "semaphore_wait(%s, %s)" % (name, count)]
        return self.with_ring(k, "\n".join(out + [""] + k.lines) + "\n")

    def with_ring(self, k, text):
        """The number of devices by the name that the file has for it."""
        said = 'axis_size("x")'
        if text.count(said) < 2 or not any(isinstance(size, Sym) for size in self.python.axes.values()):
            return text
        named = [name for name, value in self.scope.names.items() if isinstance(value, Leaf) and value.mesh]
        name = k.fresh(named[0] if named else "n")
        head, body = text.split("\n\n", 1)
        return "%s\n\n%s = %s\n%s" % (head, name, said, body.replace(said, name))


def spec_at(specs, place):
    if isinstance(specs, Record):
        return specs if place == 0 else None
    specs = flat(specs)
    return specs[place] if place < len(specs) else None


def memory_of(spec):
    """Without a word on it an array stands in vmem; in blocks it comes from hbm."""
    if blocks_of(spec) is not None:
        return "hbm"
    space = spec.get("memory_space", 2) if isinstance(spec, Record) else None
    name = space.path.split(".")[-1] if isinstance(space, Known) else "VMEM"
    return {"ANY": "hbm", "HBM": "hbm", "SMEM": "smem"}.get(name, "vmem")


def next_name(names, place):
    return names[place] if place < len(names) else "ref_%d" % place


def scratch_list(specs):
    if isinstance(specs, dict):
        return list(specs.values())
    return list(specs) if isinstance(specs, (list, tuple)) else [] if specs is None else [specs]


def comment_of(node):
    text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
    return ["# " + line.strip() for line in (text or "").split("\n") if line.strip()]
