# What a plain kernel is given: its scratch, its semaphores, its blocks.
def shape_of(value):
    return (value,) if is_number(value) else tuple(value)


def pair(ref):
    return "(%s, %s)" % (shown(ref.rows.count), shown(ref.cols.count))


def blocks_of(spec):
    return spec.get("block_shape", 0) if isinstance(spec, Record) and spec.kind == "block" else None


def parameter(function, place):
    arguments = [a.arg for a in function.node.args.args][len(function.given):]
    return arguments[place] if place < len(arguments) else "block"


def grid_names(function, count):
    """What the function calls its grid's counters, else i, j, k."""
    out = list("ijk")[:count] if count <= 3 else ["i%d" % i for i in range(count)]
    for s in function.node.body if isinstance(function.node, ast.FunctionDef) else []:
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Call):
            if (dotted(s.value.func) or "").endswith("program_id") and s.value.args and isinstance(s.value.args[0], ast.Constant):
                if s.value.args[0].value in range(count):
                    out[s.value.args[0].value] = s.targets[0].id
    return out


class Declarations:
    def scratch(self, node, name, spec, scoped=False):
        if isinstance(spec, (list, tuple)):
            return [self.scratch(node, "%s_%d" % (name, i), each) for i, each in enumerate(spec)]
        if isinstance(spec, Known) and spec.short.startswith("pltpu.SemaphoreType."):
            spec = Record("semaphore", node, [spec.short.split(".")[-1]], {})
        if not isinstance(spec, Record):
            raise Outside(node, "the scratch %s is outside of what is read" % name)
        name = self.fresh(name)
        if spec.kind == "semaphore":
            kind = spec.given[0]
            shape = spec.given[1] if len(spec.given) > 1 else ()
            shape = (shape,) if is_number(shape) else tuple(shape)
            if kind not in ("DMA", "REGULAR", "BARRIER"):
                raise Outside(spec.node, "there are semaphores DMA, REGULAR and BARRIER")
            count = 1
            for extent in shape:
                count = number("*", count, extent)
            self.declared.append("%s = %s_semaphore(%s)" % (name, kind.lower(), shown(count) if shape else ""))
            return Sem(name, kind, shape)
        if spec.kind not in ("VMEM", "SMEM", "HBM", "ANY"):
            raise Outside(spec.node, "the scratch %s is outside of what is read" % name)
        dtype = dtype_name(spec.get("dtype", 1))
        ref = Ref(name, shape_of(spec.get("shape", 0)), dtype, {"VMEM": "vmem", "SMEM": "smem"}.get(spec.kind, "hbm"))
        if not scoped or ref.space != "vmem":
            self.declared.append("%s = %s(%s%s)" % (name, ref.space, pair(ref), self.type_of(spec.node, dtype)))
        return ref
