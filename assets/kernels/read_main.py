def main():
    wanted, result = (sys.argv[1:] + ["", ""])[:2]
    try:
        tree = ast.parse(sys.stdin.buffer.read())
        written = any(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id == "MESH" for s in tree.body)
        sys.stdout.write(Reader().module(tree) if written else PlainReader(wanted or None, result or None).module(tree))
    except SyntaxError as e:
        sys.exit("%d:%d: %s" % (e.lineno or 1, e.offset or 1, e.msg))
    except Outside as e:
        sys.exit("%d:%d: %s" % (e.line, e.column, e))
    except MISFITS:
        sys.exit("1:1: the file has what is outside of what is read")


main()
