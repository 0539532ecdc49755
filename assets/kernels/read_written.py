# What shardscope kernel code writes: the kernel and lists of what it is given.
SIZES = {"rows", "cols", "m", "k", "n", "bm", "bk", "bn", "chunks"}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Eq: "==",
             ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
HELPERS = {"axis_size", "ceil_div", "needs_product", "require", "device_at", "neighbour", "device_id", "semaphores",
           "blocks", "grid", "bits", "filled", "first_on", "holds", "main"}


DEFINED = set()  # functions inside the kernel


def several(nodes):
    return ", ".join(map(said, nodes))


def called(node):
    function = dotted(node.func)
    last = node.func.attr if isinstance(node.func, ast.Attribute) else function or ""
    if last == "astype":
        return said(node.func.value)
    if function == "lax.rem" or function == "jax.lax.rem":
        return "(%s) %% (%s)" % (said(node.args[0]), said(node.args[1]))
    if function in ("jnp.logical_and", "jnp.logical_or"):
        return "(%s %s %s)" % (said(node.args[0]), function[12:], said(node.args[1]))
    if function == "jnp.logical_not":
        return "(not %s)" % said(node.args[0])
    if function in ("jnp.minimum", "jnp.maximum"):
        last = last[:3]
    if function in ("jnp.zeros", "jnp.zeros_like"):
        return "0"
    if last == "axis_index" or last == "axis_size" or last == "ds":
        return "%s(%s)" % (last, several(node.args))
    known = {"make_async_copy", "make_async_remote_copy", "semaphore_signal", "semaphore_wait", "dot", "ceil_div", "min",
             "max", "minimum", "maximum", "neighbour", "device_at", "device_id", "range", "grid", "start", "wait", "wait_send",
             "wait_recv", "append", "require", "needs_product"}
    if last not in known and not (isinstance(node.func, ast.Name) and last in DEFINED):
        raise Outside(node, "%s is outside of what is read" % (function or ast.unparse(node.func)))
    if function and function.split(".")[0] in ("pl", "pltpu", "jnp", "lax", "jax"):
        text = last
    else:
        text = said(node.func)
    parts = [said(a) for a in node.args]
    for k in node.keywords:
        if k.arg in ("device_id_type", "preferred_element_type", "precision"):
            continue
        names = {"src_ref": "src", "dst_ref": "dst"}
        parts.append("%s=%s" % (names.get(k.arg, k.arg), said(k.value)))
    return "%s(%s)" % (text, ", ".join(parts))


def index(node):
    if isinstance(node, ast.Tuple):
        return ", ".join(map(index, node.elts))
    if isinstance(node, ast.Slice):
        if node.lower or node.upper or node.step:
            raise Outside(node, "a slice has pl.ds(first, count) or ':'")
        return ":"
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return "..."
    return said(node)


def said(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)):
        return repr(node.value).replace("'", '"') if isinstance(node.value, str) else str(int(node.value))
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return "(%s %s %s)" % (said(node.left), OPERATORS[type(node.op)], said(node.right))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        return "(%s %s %s)" % (said(node.left), OPERATORS[type(node.ops[0])], said(node.comparators[0]))
    if isinstance(node, ast.BoolOp):
        return "(%s)" % (" and " if isinstance(node.op, ast.And) else " or ").join(map(said, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        return "(-%s)" % said(node.operand) if isinstance(node.op, ast.USub) else "(not %s)" % said(node.operand)
    if isinstance(node, ast.IfExp):
        return "(%s if %s else %s)" % (said(node.body), said(node.test), said(node.orelse))
    if isinstance(node, ast.Call):
        return called(node)
    if isinstance(node, ast.Attribute) and dotted(node) in ("jnp." + t for t in TYPES):
        return TYPES[node.attr]
    if isinstance(node, ast.Attribute) and node.attr in ("at", "shape", "start", "wait", "wait_send", "wait_recv", "append"):
        return "%s.%s" % (said(node.value), node.attr)
    if isinstance(node, ast.Subscript):
        return "%s[%s]" % (said(node.value), index(node.slice))
    if isinstance(node, ast.Tuple):
        return "(%s%s)" % (several(node.elts), "," if len(node.elts) == 1 else "")
    if isinstance(node, ast.List):
        return "[%s]" % several(node.elts)
    raise Outside(node, "'%s' is outside of what is read" % ast.unparse(node).split("\n")[0][:60])


class Reader:
    def __init__(self):
        self.lines, self.mesh, self.said, self.kernel = [], {}, {}, None
        self.lists = {}

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def module(self, tree):
        for s in tree.body:
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                self.constant(s, s.targets[0].id)
            elif isinstance(s, ast.Assert):
                self.put(0, "require(%s, %s)" % (said(s.test), said(s.msg) if s.msg else '"refused"'))
            elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and dotted(s.value.func) in ("require", "needs_product"):
                self.put(0, called(s.value))
            elif isinstance(s, ast.FunctionDef) and s.name not in HELPERS:
                if self.kernel:
                    raise Outside(s, "a second kernel, '%s'" % s.name)
                self.kernel = s
        if not self.kernel:
            raise Outside(tree, "there is no function that could be a kernel")
        DEFINED.update(s.name for s in ast.walk(self.kernel) if isinstance(s, ast.FunctionDef))
        self.declare()
        for s in self.kernel.body:
            self.statement(s, 0)
        axes = "xyz"[:len(self.mesh)]
        head = ["kernel " + self.said.get("KERNEL", "kernel")]
        head += ['title "%s"' % self.said["TITLE"]] if self.said.get("TITLE") else []
        head += ["axes " + ", ".join(axes)] if axes else []
        head += ["result " + self.said["RESULT"]] if self.said.get("RESULT") else []
        return "\n".join(head + [""] + self.lines) + "\n"

    def constant(self, s, name):
        if name == "MESH":
            self.mesh = ast.literal_eval(s.value)
        elif name in ("KERNEL", "TITLE", "RESULT"):
            self.said[name] = ast.literal_eval(s.value)
        elif name in ("INPUTS", "OUTPUTS", "OUT_SPECS", "WORKSPACES", "SCRATCH"):
            if not isinstance(s.value, ast.Dict):
                raise Outside(s, "%s is a dictionary of what the kernel is given" % name)
            self.lists[name] = s.value
        elif name in ("dtype", "EXPECTED", "LOGICAL"):
            pass
        elif name in SIZES and isinstance(s.value, ast.Constant):
            self.put(0, "size %s = %s" % (name, said(s.value)))
        else:
            self.put(0, "%s = %s" % (name, said(s.value)))

    def declare(self):
        def entries(which):
            d = self.lists.get(which)
            return zip((k.value for k in d.keys), d.values) if d else ()
        for name, spec in entries("INPUTS"):
            shape, space, over = spec.elts[0], spec.elts[1].value, spec.elts[2].value
            self.put(0, "%s = input(%s%s%s)" % (name, said(shape), "" if space == "hbm" else ", " + space,
                                                ', same_over="%s"' % over if over else ""))
        specs = {name: "".join(', %s="%s"' % (word, over.value) for word, over in zip(("same_over", "sharded_over"), spec.elts)
                               if over.value) for name, spec in entries("OUT_SPECS")}
        for which in ("OUTPUTS", "WORKSPACES"):
            for name, spec in entries(which):
                space = spec.elts[1].value
                kind = "output" if which == "OUTPUTS" else "hbm"
                element = said(spec.elts[2])
                rest = ", " + space if space != "hbm" else ", " + element if which == "WORKSPACES" and element != "dtype" else ""
                if which == "OUTPUTS":
                    rest += specs.get(name, "")
                self.put(0, "%s = %s(%s%s)" % (name, kind, said(spec.elts[0]), rest))
        for name, spec in entries("SCRATCH"):
            self.put(0, "%s = %s" % (name, self.scratch(spec)))

    def scratch(self, spec):
        text = dotted(spec)
        if text and text.startswith("pltpu.SemaphoreType."):
            return {"DMA": "dma_semaphore()", "REGULAR": "barrier_semaphore()"}.get(spec.attr) or self.outside(spec)
        if isinstance(spec, ast.Call):
            function = dotted(spec.func)
            if function == "semaphores":
                kind = {"DMA": "dma", "REGULAR": "regular"}[spec.args[0].attr]
                return "%s_semaphore(%s)" % (kind, several(spec.args[1:]))
            if function in ("pltpu.VMEM", "pltpu.SMEM"):
                element = said(spec.args[1])
                return "%s(%s%s)" % (spec.func.attr.lower(), said(spec.args[0]), "" if element == "dtype" else ", " + element)
            if function and function.startswith("pltpu.SemaphoreType."):
                kind = {"DMA": "dma", "REGULAR": "regular"}[spec.func.attr]
                return "%s_semaphore(%s)" % (kind, said(spec.args[0].elts[0]))
        return self.outside(spec)

    @staticmethod
    def outside(node):
        raise Outside(node, "'%s' is outside of what is read" % ast.unparse(node)[:60])

    def body(self, statements, depth):
        for s in statements:
            self.statement(s, depth)

    def statement(self, s, depth):
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            self.put(depth, called(s.value))
        elif isinstance(s, (ast.Assign, ast.AugAssign)):
            self.assign(s, depth)
        elif isinstance(s, ast.For) and not s.orelse:
            targets = s.target.elts if isinstance(s.target, ast.Tuple) else [s.target]
            self.put(depth, "for %s in %s:" % (several(targets), said(s.iter)))
            self.body(s.body, depth + 1)
        elif isinstance(s, ast.FunctionDef):
            self.function(s, depth)
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) or isinstance(s, ast.Pass):
            pass
        else:
            raise Outside(s, "'%s' is outside of what is read" % ast.unparse(s).split("\n")[0][:60])

    def assign(self, s, depth):
        target = s.target if isinstance(s, ast.AugAssign) else s.targets[0]
        sign = "+=" if isinstance(s, ast.AugAssign) else "="
        if isinstance(s, ast.AugAssign) and not isinstance(s.op, ast.Add):
            raise Outside(s, "a buffer is added to with +=")
        value = s.value
        if isinstance(value, ast.Call) and dotted(value.func) == "pltpu.get_barrier_semaphore":
            return self.put(depth, "%s = barrier_semaphore()" % said(target))
        if isinstance(target, ast.Subscript) and index(target.slice) == "..." and isinstance(target.value, ast.Subscript):
            inner = target.value
            if isinstance(inner.value, ast.Attribute) and inner.value.attr == "at":
                return self.put(depth, "%s[%s] %s %s" % (said(inner.value.value), index(inner.slice), sign, said(value)))
        names = several(target.elts) if isinstance(target, ast.Tuple) else said(target)
        values = several(value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else said(value)
        self.put(depth, "%s %s %s" % (names, sign, values))

    def function(self, s, depth):
        names = [a.arg for a in s.args.args]
        if not s.decorator_list:
            self.put(depth, "def %s(%s):" % (s.name, ", ".join(names)))
            return self.body(s.body, depth + 1)
        made = s.decorator_list[0]
        function = dotted(made.func) if isinstance(made, ast.Call) else None
        if function == "pl.when":
            self.put(depth, "when %s:" % said(made.args[0]))
        elif function == "functools.partial" and dotted(made.args[0]) == "pl.run_scoped":
            self.put(depth, "with %s:" % ", ".join("%s as %s" % (self.scratch(k.value), k.arg) for k in made.keywords))
        elif function == "blocks":
            ins, outs = keyword(made, "ins"), keyword(made, "outs")
            specs = [("block_in", e) for e in (ins.elts if ins else [])] + [("block_out", e) for e in (outs.elts if outs else [])]
            buffers = keyword(made, "buffers")
            counted = names[:len(made.args)]
            self.put(depth, "for %s in emit_pipeline(%s%s):" % (", ".join(counted), several(made.args),
                                                                 ", buffers=" + said(buffers) if buffers else ""))
            for name, (kind, spec) in zip(names[len(counted):], specs):
                ref, shape, at = spec.elts
                self.put(depth + 1, "%s = %s(%s, %s, %s)" % (name, kind, said(ref), said(shape), said(at.body)))
        else:
            raise Outside(made, "'@%s' is outside of what is read" % ast.unparse(made)[:60])
        self.body(s.body, depth + 1)
