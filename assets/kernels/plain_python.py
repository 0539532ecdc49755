# Follows a plain Python program that has a Pallas kernel in it, as far as the kernel needs it.
OPERATOR_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Eq: "==", ast.NotEq: "!=",
                  ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.BitAnd: "and", ast.BitOr: "or"}
DEEPEST_CALL, LONGEST_LIST, MOST_STATEMENTS = 40, 4096, 100000


class Scope:
    made = itertools.count()

    def __init__(self, outer=None):
        self.names, self.outer, self.number = {}, outer, next(Scope.made)

    def find(self, name):
        scope = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope

    def get(self, name):
        scope = self.find(name)
        return scope.names[name] if scope else None


class TooMuch(Outside):
    """What is not only unknown but ends the reading."""


class Returned(Exception):
    def __init__(self, value):
        super().__init__()
        self.value = value


def is_number(value):
    return isinstance(value, (int, Sym)) and not isinstance(value, str)


class Python:
    """Evaluates expressions and statements. Outside of a kernel what is not understood becomes Unknown; inside it is
    named with its line (self.kernel is what is written then)."""

    def __init__(self):
        self.kernel, self.depth, self.hint, self.left = None, 0, None, MOST_STATEMENTS
        self.axes = {}  # of the mesh that the arrays live on: name -> size

    def outside(self, node, what=None):
        text = ast.unparse(node).split("\n")[0][:60]
        return Outside(node, what or "'%s' is outside of what is read" % text)

    def fail(self, node, what=None):
        problem = self.outside(node, what)
        if self.kernel:
            raise problem
        return Unknown(node, str(problem))

    # Statements

    def run(self, statements, scope):
        for s in statements:
            try:
                self.statement(s, scope)
            except (Outside, *MISFITS) as problem:
                if not isinstance(problem, Outside):
                    problem = self.outside(s)
                if self.kernel or isinstance(problem, TooMuch):
                    raise problem from None
                for name in stored(s):
                    scope.names[name] = Unknown(s, str(problem))

    def statement(self, s, scope):
        self.left -= 1
        if self.left < 0:
            raise TooMuch(s, "the program takes more statements than anybody watches")
        if isinstance(s, (ast.Import, ast.ImportFrom)):
            return self.imports(s, scope)
        if isinstance(s, ast.FunctionDef):
            return self.define(s, scope)
        if isinstance(s, ast.Return):
            raise Returned(self.value(s.value, scope) if s.value else None)
        if isinstance(s, ast.Expr):
            return None if isinstance(s.value, ast.Constant) else self.value(s.value, scope)
        if isinstance(s, ast.Assign):
            self.hint = s.targets[0].id if isinstance(s.targets[0], ast.Name) else None
            value = self.value(s.value, scope)
            self.hint = None
            for target in s.targets:
                self.assign(target, value, scope)
        elif isinstance(s, ast.AnnAssign) and s.value:
            self.assign(s.target, self.value(s.value, scope), scope)
        elif isinstance(s, ast.AugAssign):
            self.add_to(s, scope)
        elif isinstance(s, ast.If):
            self.branch(s, scope)
        elif isinstance(s, ast.For) and not s.orelse:
            self.loop(s, scope)
        elif isinstance(s, ast.With):
            self.run(s.body, scope)
        elif isinstance(s, (ast.Pass, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal)):
            pass
        else:
            self.fail(s)
            raise self.outside(s)

    def imports(self, s, scope):
        for name in s.names:
            if isinstance(s, ast.ImportFrom):
                scope.names[name.asname or name.name] = Known("%s.%s" % (s.module or "", name.name))
            else:
                scope.names[name.asname or name.name.split(".")[0]] = Known(name.name if name.asname else name.name.split(".")[0])

    def define(self, s, scope):
        defaults = {}
        arguments = s.args.posonlyargs + s.args.args
        for argument, value in zip(arguments[len(arguments) - len(s.args.defaults):], s.args.defaults):
            defaults[argument.arg] = self.value(value, scope)
        for argument, value in zip(s.args.kwonlyargs, s.args.kw_defaults):
            if value is not None:
                defaults[argument.arg] = self.value(value, scope)
        made = Function(s, scope, defaults)
        for decorator in reversed(s.decorator_list):
            made = self.call(decorator, self.value(decorator, scope), [made], {})
        scope.names[s.name] = made

    def assign(self, target, value, scope):
        if isinstance(target, ast.Name):
            scope.names[target.id] = self.kernel.named(target.id, value, scope, target) if self.kernel else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = list(value) if isinstance(value, (list, tuple)) else None
            if isinstance(value, Unknown):
                values = [value] * len(target.elts)
            if values is None or len(values) != len(target.elts):
                raise self.outside(target, "%d names for what is not as many values" % len(target.elts))
            for each, one in zip(target.elts, values):
                self.assign(each, one, scope)
        elif isinstance(target, ast.Subscript) and self.kernel:
            self.kernel.store(target, self.stored_ref(target, scope), value)
        elif self.kernel:
            raise self.outside(target)

    def stored_ref(self, target, scope):
        ref = self.value(target.value, scope)
        if not isinstance(ref, Ref):
            raise self.outside(target, "only buffers are written to by index")
        return ref.part(target, self.indices(target.slice, scope))

    def add_to(self, s, scope):
        sign = OPERATOR_SIGNS.get(type(s.op))
        if isinstance(s.target, ast.Name):
            left = scope.get(s.target.id)
            return self.assign(s.target, self.operate(s, sign, left, self.value(s.value, scope)), scope)
        if not self.kernel or not isinstance(s.target, ast.Subscript):
            raise self.outside(s)
        ref = self.stored_ref(s.target, scope)
        added = self.operate(s, sign, Contents("load", ref.shape, ref.dtype, ref), self.value(s.value, scope))
        self.kernel.store(s, ref, added)

    def branch(self, s, scope):
        test = self.value(s.test, scope)
        if isinstance(test, Unknown) or isinstance(test, Sym) and not self.kernel:
            for part in s.body + s.orelse:
                for name in stored(part):
                    scope.names[name] = Unknown(s, "'%s' depends on what is not known" % name)
        elif isinstance(test, Sym):
            self.kernel.promote(set().union(*map(stored, s.body + s.orelse)), scope)
            self.kernel.when(test, lambda: self.run(s.body, scope))
            if s.orelse:
                self.kernel.when(number("not", test), lambda: self.run(s.orelse, scope))
        else:
            self.run(s.body if test else s.orelse, scope)

    def loop(self, s, scope):
        over = self.value(s.iter, scope)
        if isinstance(over, range):
            over = list(over)
        if isinstance(over, Record) and over.kind == "range" and self.kernel:
            first, end = over.given

            def body(counter):
                self.assign(s.target, counter, scope)
                self.run(s.body, scope)

            return self.kernel.loop(s, s.target, first, end, body, scope, set().union(*map(stored, s.body)))
        if not isinstance(over, (list, tuple)) or len(over) > LONGEST_LIST:
            raise self.outside(s.iter)
        for each in over:
            self.assign(s.target, each, scope)
            self.run(s.body, scope)

    # Expressions

    def value(self, node, scope):
        hint, self.hint = self.hint, None
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.name(node, scope)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, self.value(node.value, scope))
        if isinstance(node, ast.Call):
            function = self.value(node.func, scope)
            given = []
            for argument in node.args:
                value = self.value(argument.value if isinstance(argument, ast.Starred) else argument, scope)
                given.extend(value) if isinstance(argument, ast.Starred) and isinstance(value, (list, tuple)) else given.append(value)
            named = {k.arg: self.value(k.value, scope) for k in node.keywords if k.arg}
            self.hint = hint
            return self.call(node, function, given, named)
        if isinstance(node, ast.Subscript):
            return self.subscript(node, self.value(node.value, scope), scope)
        if isinstance(node, ast.BinOp):
            sign = OPERATOR_SIGNS.get(type(node.op), type(node.op).__name__)
            return self.operate(node, sign, self.value(node.left, scope), self.value(node.right, scope))
        if isinstance(node, ast.Compare):
            return self.compare(node, scope)
        if isinstance(node, ast.BoolOp):
            return self.both(node, scope)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node, self.value(node.operand, scope))
        if isinstance(node, ast.IfExp):
            test = self.value(node.test, scope)
            if isinstance(test, Sym):
                return self.choice(node, test, self.value(node.body, scope), self.value(node.orelse, scope))
            return test if isinstance(test, Unknown) else self.value(node.body if test else node.orelse, scope)
        if isinstance(node, (ast.Tuple, ast.List)):
            out = []
            for e in node.elts:
                value = self.value(e.value if isinstance(e, ast.Starred) else e, scope)
                out.extend(value) if isinstance(e, ast.Starred) else out.append(value)
            return tuple(out) if isinstance(node, ast.Tuple) else out
        if isinstance(node, ast.Dict):
            return {self.value(k, scope): self.value(v, scope) for k, v in zip(node.keys, node.values) if k}
        if isinstance(node, ast.Lambda):
            return Function(node, scope, {})
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1 and not node.generators[0].ifs:
            return self.comprehension(node, scope)
        if isinstance(node, ast.JoinedStr):
            return "…"
        return self.fail(node)

    def comprehension(self, node, scope):
        over = self.value(node.generators[0].iter, scope)
        if not isinstance(over, (list, tuple, range)) or len(over) > LONGEST_LIST:
            return self.fail(node)
        out = []
        for each in over:
            inner = Scope(scope)
            self.assign(node.generators[0].target, each, inner)
            out.append(self.value(node.elt, inner))
        return out

    def name(self, node, scope):
        found = scope.find(node.id)
        if found:
            value = found.names[node.id]
            if isinstance(value, Unknown) and self.kernel:
                raise Outside(value.node, value.what)
            return value
        return Known(node.id)

    def attribute(self, node, of):
        if isinstance(of, Known):
            return Known(of.path + "." + node.attr)
        if isinstance(of, (Ref, Array, Contents)) and node.attr in ("shape", "dtype", "ndim", "size"):
            if node.attr == "size":
                out = 1
                for extent in of.shape:
                    out = number("*", out, extent)
                return out
            return len(of.shape) if node.attr == "ndim" else getattr(of, node.attr)
        if isinstance(of, Record) and of.kind == "mesh" and node.attr in ("shape", "axis_names", "size"):
            return {"shape": self.axes, "axis_names": tuple(self.axes), "size": self.devices()}[node.attr]
        if isinstance(of, Unknown):
            return Unknown(node, of.what)
        return Method(of, node.attr)

    def indices(self, node, scope):
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return [slice(*(self.value(e, scope) if e else None for e in (p.lower, p.upper, p.step))) if isinstance(p, ast.Slice)
                else self.value(p, scope) for p in parts]

    def subscript(self, node, of, scope):
        index = self.indices(node.slice, scope)
        if isinstance(of, Method) and of.name == "at":
            of = of.of
            if isinstance(of, (Ref, Sem)):
                return of.part(node, index)
        elif isinstance(of, Ref):
            ref = of.part(node, index)
            return Contents("load", ref.shape, ref.dtype, ref)
        elif isinstance(of, Sem):
            return of.part(node, index)
        elif isinstance(of, Contents):
            if all(i is Ellipsis or i == slice(None) for i in index):
                return of
        elif isinstance(of, (list, tuple, dict, str)) and len(index) == 1 and not isinstance(index[0], Sym):
            try:
                return of[index[0]]
            except (IndexError, KeyError, TypeError):
                return self.fail(node)
        if isinstance(of, Unknown):
            return Unknown(node, of.what)
        return self.fail(node)

    def operate(self, node, sign, left, right):
        for value in (left, right):
            if isinstance(value, Unknown):
                return value
        if isinstance(left, Contents) or isinstance(right, Contents):
            return self.with_contents(node, sign, left, right)
        if is_number(left) and is_number(right) and sign in COUNTED:
            if sign in ("//", "%") and not isinstance(right, Sym) and right == 0:
                return self.fail(node, "division by 0")
            return number(sign, left, right)
        if isinstance(left, (list, tuple)) and sign in ("+", "*"):
            if sign == "+" and isinstance(right, (list, tuple)):
                return list(left) + list(right) if isinstance(left, list) else tuple(left) + tuple(right)
            if sign == "*" and isinstance(right, int) and len(left) * right <= LONGEST_LIST:
                return left * right
        if not any(isinstance(v, (Sym, Ref, Sem, Copy)) for v in (left, right)) and sign in ("/", "Div", "Pow"):
            if isinstance(left, (int, float)) and isinstance(right, (int, float)) and abs(left) < 1e6 and 0 < right < 20:
                return left ** right if sign == "Pow" else left / right
        return self.fail(node)

    def compare(self, node, scope):
        left, out = self.value(node.left, scope), True
        for op, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node, scope)
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return left if isinstance(left, Unknown) else right
            if isinstance(op, (ast.Is, ast.IsNot)):
                one = (left is right) == isinstance(op, ast.Is)
            elif is_number(left) and is_number(right) and type(op) in OPERATOR_SIGNS:
                one = number(OPERATOR_SIGNS[type(op)], left, right)
            elif isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(left, (str, bool, type(None), tuple)):
                one = (left == right) == isinstance(op, ast.Eq)
            else:
                return self.fail(node)
            out = one if out is True else number("and", out, one)
            left = right
        return out

    def both(self, node, scope):
        sign = "and" if isinstance(node.op, ast.And) else "or"
        out = self.value(node.values[0], scope)
        for part in node.values[1:]:
            if isinstance(out, Unknown):
                return out
            if not isinstance(out, Sym):
                if bool(out) == (sign == "or"):
                    return out
                out = self.value(part, scope)
                continue
            out = self.operate(node, sign, out, self.value(part, scope))
        return out

    def unary(self, node, value):
        if isinstance(value, Unknown):
            return value
        if isinstance(node.op, ast.Not):
            return number("not", value) if isinstance(value, Sym) else not value
        if isinstance(node.op, ast.Invert) and isinstance(value, (Sym, bool)):
            return number("not", value)
        if is_number(value) and isinstance(node.op, ast.USub):
            return number("neg", value)
        return self.fail(node)

    def choice(self, node, test, left, right):
        if not isinstance(test, Sym):
            return left if test else right
        if is_number(left) and is_number(right):
            return Sym("choice", left, test, right)
        return self.fail(node)

    def devices(self):
        out = 1
        for size in self.axes.values():
            out = number("*", out, size)
        return out


def stored(node):
    """Names that a statement gives something to."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
