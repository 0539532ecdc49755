# Whole numbers and conditions that depend on the device, the grid or the mesh: what they are called in a kernel's text,
# and which values they take on small meshes.
STRENGTH = {"or": 1, "and": 2, "not": 3, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "//": 6,
            "%": 6, "neg": 7}
COUNTED = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "and": lambda a, b: a and b,
    "or": lambda a, b: a or b, "not": lambda a: not a, "neg": lambda a: -a, "min": min, "max": max,
    "ceil_div": lambda a, b: -(-a // b), "choice": lambda a, c, b: a if c else b}
MOST_TRIED, LARGEST = 20000, 1 << 62


class Sym:
    """sign(parts…): parts are numbers of Python or such."""

    def __init__(self, sign, *parts):
        self.sign, self.parts = sign, parts

    def text(self, least=0):
        said = [p.text(STRENGTH.get(self.sign, 0)) if isinstance(p, Sym) else str(int(p)) for p in self.parts]
        if self.sign == "choice":
            out, own = "%s if %s else %s" % tuple(said), 0
            return "(%s)" % out if least > 0 else out
        if self.sign in ("min", "max", "ceil_div"):
            return "%s(%s)" % (self.sign, ", ".join(said))
        own = STRENGTH[self.sign]
        if len(self.parts) == 1:
            operand = self.parts[0].text(own) if isinstance(self.parts[0], Sym) else said[0]
            out = ("not " if self.sign == "not" else "-") + operand
        else:
            right = self.parts[1]
            said[1] = right.text(own + 1) if isinstance(right, Sym) else said[1] if right >= 0 else "(%d)" % right
            left = self.parts[0]
            said[0] = left.text(own + (own == 4)) if isinstance(left, Sym) else said[0]
            out = "%s %s %s" % (said[0], self.sign, said[1])
        return "(%s)" % out if own < least else out

    def leaves(self):
        return [leaf for p in self.parts if isinstance(p, Sym) for leaf in p.leaves()]

    def at(self, env):
        return COUNTED[self.sign](*(p.at(env) if isinstance(p, Sym) else p for p in self.parts))


class Leaf(Sym):
    """A name of the text: one of `count` numbers from `first` on; or what `defined` is; or nobody knows."""

    def __init__(self, name, first=0, count=None, defined=None, mesh=False):
        self.name, self.first, self.count, self.defined, self.mesh = name, first, count, defined, mesh

    def text(self, least=0):
        return self.name

    def leaves(self):
        if self.defined is not None:
            return self.defined.leaves() if isinstance(self.defined, Sym) else []
        below = [leaf for p in (self.first, self.count) if isinstance(p, Sym) for leaf in p.leaves()]
        return below + [self]

    def at(self, env):
        if self.defined is not None:
            return self.defined.at(env) if isinstance(self.defined, Sym) else self.defined
        return env[self.name]


def number(sign, *parts):
    """The number, made now where its parts are known."""
    if not any(isinstance(p, Sym) for p in parts):
        out = COUNTED[sign](*parts)
        if abs(out) >= LARGEST:
            raise ValueError("the number is too large")
        return out
    a = parts[0]
    b = parts[1] if len(parts) > 1 else None
    if sign in ("+", "-") and not isinstance(b, Sym) and b == 0 or sign in ("*", "//") and not isinstance(b, Sym) and b == 1:
        return a
    if sign == "+" and not isinstance(a, Sym) and a == 0 or sign == "*" and not isinstance(a, Sym) and a == 1:
        return b
    if sign == "*" and any(not isinstance(p, Sym) and p == 0 for p in parts):
        return 0
    return Sym(sign, *parts)


def always(condition):
    """Whether it holds for all values of what it depends on, on meshes of one to five devices an axis."""
    if not isinstance(condition, Sym):
        return bool(condition)
    leaves = list(dict.fromkeys(condition.leaves()))
    if any(leaf.count is None and not leaf.mesh for leaf in leaves):
        return False
    tried = 0

    def from_here(place, env):
        nonlocal tried
        tried += 1
        if tried > MOST_TRIED:
            return False
        if place == len(leaves):
            return bool(condition.at(env))
        leaf = leaves[place]
        if leaf.mesh:
            values = range(1, 6)
        else:
            first, count = (p.at(env) if isinstance(p, Sym) else p for p in (leaf.first, leaf.count))
            values = range(first, first + min(max(count, 0), 64))
        return all(from_here(place + 1, {**env, leaf.name: value}) for value in values)

    return from_here(0, {})


def rest(a, b):
    """lax.rem, whose sign is that of a."""
    if not isinstance(a, Sym) and not isinstance(b, Sym):
        return a % b if a >= 0 else -(-a % b)
    if always(number(">=", a, 0)):
        return number("%", a, b)
    return Sym("choice", number("%", a, b), number(">=", a, 0), number("neg", number("%", number("neg", a), b)))


def quotient(a, b):
    """lax.div, rounded towards 0."""
    if not isinstance(a, Sym) and not isinstance(b, Sym):
        return a // b if a >= 0 else -(-a // b)
    if always(number(">=", a, 0)):
        return number("//", a, b)
    return Sym("choice", number("//", a, b), number(">=", a, 0), number("neg", number("//", number("neg", a), b)))


def shown(value, least=0):
    return value.text(least) if isinstance(value, Sym) else str(int(value))
