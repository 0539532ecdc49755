# What the names of a Pallas program stand for while it is read.
class Unknown:
    """What was not understood; it matters only where a kernel needs it."""

    def __init__(self, node, what):
        self.node, self.what = node, what


class Known:
    """A name of a library, as jax.numpy.zeros, with the house's short form of it."""
    SHORT = (("jax.experimental.pallas.tpu.", "pltpu."), ("jax._src.pallas.mosaic.", "pltpu."), ("jax.experimental.pallas.", "pl."),
             ("jax.numpy.", "jnp."), ("numpy.", "np."), ("jax.lax.", "lax."))

    def __init__(self, path):
        self.path = path

    @property
    def short(self):
        for long, short in self.SHORT:
            if self.path.startswith(long):
                return short + self.path[len(long):]
        return self.path


class Function:
    """A function of the file, with arguments that partial() gave it."""

    def __init__(self, node, scope, defaults, given=(), named=None):
        self.node, self.scope, self.defaults, self.given, self.named = node, scope, defaults, tuple(given), dict(named or {})

    @property
    def name(self):
        return getattr(self.node, "name", "lambda")

    def with_given(self, given, named):
        return Function(self.node, self.scope, self.defaults, self.given + tuple(given), {**self.named, **named})


class Partial:
    def __init__(self, what, given, named):
        self.what, self.given, self.named = what, tuple(given), dict(named)


class Method:
    def __init__(self, of, name):
        self.of, self.name = of, name


class Record:
    """A call of a library whose arguments are looked at later: BlockSpec, PartitionSpec, VMEM, a mesh."""

    def __init__(self, kind, node, given, named):
        self.kind, self.node, self.given, self.named = kind, node, list(given), dict(named)

    def get(self, name, place=None, otherwise=None):
        if name in self.named:
            return self.named[name]
        return self.given[place] if place is not None and place < len(self.given) else otherwise


class Array:
    """An array outside of the kernel: its shape; of an argument of shard_map on one device, and over which axes it is the
    same."""

    def __init__(self, shape, dtype, same_over=()):
        self.shape, self.dtype, self.same_over, self.spec = tuple(shape), dtype, tuple(same_over), None


class Mapped:
    """jax.shard_map of a function."""

    def __init__(self, function, mesh, in_specs, out_specs):
        self.function, self.mesh, self.in_specs, self.out_specs = function, mesh, in_specs, out_specs


class Call:
    """pl.pallas_call of a kernel, before its arrays are given."""

    def __init__(self, node, kernel, named):
        self.node, self.kernel, self.named = node, kernel, named


class Ds:
    def __init__(self, first, count):
        self.first, self.count = first, count


class Ref:
    """A part of a buffer: rows and columns of what stands in the text, and the shape that Pallas has for it."""

    def __init__(self, name, shape, dtype, space, rows=None, cols=None):
        self.name, self.shape, self.dtype, self.space = name, tuple(shape), dtype, space
        self.whole = rows is None
        height = 1
        for extent in shape[:-1]:
            height = number("*", height, extent)
        self.rows = rows if rows is not None else Ds(0, height)
        self.cols = cols if cols is not None else Ds(0, shape[-1])
        self.full = (self.rows.count, self.cols.count) if self.whole else None

    def part(self, node, index):
        """ref.at[index]."""
        index = list(index)
        if any(i is Ellipsis for i in index):
            at = index.index(Ellipsis)
            index[at:at + 1] = [slice(None)] * (len(self.shape) - len(index) + 1)
        if len(index) > len(self.shape):
            raise Outside(node, "%d indices for an array of %d dimensions" % (len(index), len(self.shape)))
        index += [slice(None)] * (len(self.shape) - len(index))
        shape, row, taken, col = [], 0, 1, self.cols
        sliced = False  # of the dimensions that rows are made of, one was cut: those below must be whole
        for place, (i, extent) in enumerate(zip(index, self.shape)):
            last = place == len(self.shape) - 1
            if isinstance(i, slice):
                i = Ds(i.start or 0, number("-", extent if i.stop is None else i.stop, i.start or 0)) \
                    if (i.start, i.stop, i.step) != (None, None, None) else None
            count = extent if i is None else i.count if isinstance(i, Ds) else 1
            first = 0 if i is None else i.first if isinstance(i, Ds) else i
            if i is None or isinstance(i, Ds):
                shape.append(count)
            if last:
                col = Ds(number("+", self.cols.first, first), count)
                break
            if sliced and i is not None:
                raise Outside(node, "rows that do not lie one below the other are outside of what is read")
            sliced = sliced or isinstance(i, Ds)
            row = number("+", number("*", row, extent), first)
            taken = number("*", taken, count)
        full = self.full if self.whole else self.full
        out = Ref(self.name, shape or (1,), self.dtype, self.space, Ds(number("+", self.rows.first, row), taken), col)
        out.full = full
        out.whole = False
        if all(isinstance(i, slice) and (i.start, i.stop, i.step) == (None, None, None) for i in index):
            out.whole = self.whole
        return out

    def reshaped_rows(self):
        return self.rows.count, self.cols.count

    def index(self):
        """rows, columns in brackets; "..." for all of it."""
        if self.whole:
            return "..."

        def axis(span, all_of_it):
            if not isinstance(span.first, Sym) and span.first == 0 and same(span.count, all_of_it):
                return ":"
            return "ds(%s, %s)" % (shown(span.first), shown(span.count))

        rows, cols = axis(self.rows, self.full[0]), axis(self.cols, self.full[1])
        return "..." if rows == cols == ":" else "%s, %s" % (rows, cols)

    def text(self):
        index = self.index()
        return self.name if index == "..." else "%s.at[%s]" % (self.name, index)

    def contents(self):
        return "%s[%s]" % (self.name, self.index())


def same(a, b):
    return shown(a) == shown(b)


class Sem:
    def __init__(self, name, kind, shape=()):
        self.name, self.kind, self.shape = name, kind, tuple(shape)

    def part(self, node, index):
        if len(index) != len(self.shape):
            raise Outside(node, "expected %d indices of the semaphores %s" % (len(self.shape), self.name))
        at = 0
        for i, extent in zip(index, self.shape):
            at = number("+", number("*", at, extent), i)
        return Sem("%s.at[%s]" % (self.name, shown(at)), self.kind)


class Copy:
    def __init__(self, name):
        self.name = name


class Contents:
    """What a kernel computes with: zeros; load of a ref; sum and dot of such."""

    def __init__(self, kind, shape, dtype, *parts):
        self.kind, self.shape, self.dtype, self.parts = kind, tuple(shape), dtype, parts
