# SPDX-License-Identifier: Apache-2.0
"""What JAX makes of the programs: make.py OUT [NAME…].

OUT/NAME/: module.mlir (lowered, with locations), generic.mlir (the same, every operation written out), lowered.hlo (the same
as HLO), gspmd.hlo (without Shardy), compiled.txt (what XLA makes of it for CPUs), memory.json (its memory_analysis) and
expected.json: arguments, results, shardings of the results, the collectives that
XLA's partitioner makes, the sharding that Shardy gives each operation; gradient.json: jax.vjp of the first
floating result.
"""
import collections
import contextlib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = tempfile.mkdtemp()
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = (f'--xla_force_host_platform_device_count=8 --xla_dump_to={DUMP} --xla_dump_hlo_as_text '
                           '--xla_dump_hlo_pass_re=spmd-partitioning --xla_dump_hlo_module_re=jit_.*')
import jax
import numpy as np

KINDS = ['all-gather', 'all-reduce', 'reduce-scatter', 'all-to-all', 'collective-permute']
MOST_VALUES = 48  # of a result that are written
MOST_OF_GRADIENT = 12
MOST_TEXT = 12_000  # characters of a form beside module.mlir


def propagate(path):
    """Prints [operation, sharding] of the main function's operations, as Shardy's propagation leaves them."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir, passmanager
    with mlir.make_ir_context():
        module = ir.Module.parse(open(path).read())
        passmanager.PassManager.parse('builtin.module(sdy-propagation-pipeline)').run(module.operation)
        out = []
        for op in next(f for f in module.body if 'main' in str(f.attributes.get('sym_name'))).regions[0].blocks[0]:
            if 'sdy.sharding' in op.attributes:
                out.append([op.name, str(op.attributes['sdy.sharding'])])
            else:
                out.append([op.name, ''])
    print(json.dumps(out))


def lines_of(text):
    """[operation, line] of the main function's operations."""
    out, inside = [], False
    for number, line in enumerate(text.split('\n'), 1):
        if ' func.func public @main' in line:
            inside = True
        elif inside and line.startswith('  }'):
            break
        elif inside and (m := re.match(r'    (?:%\S+(?:, %\S+)* = )?"?([a-z_]+\.?[a-z_.]+)"?', line)):
            out.append([m.group(1), number])
    return out


def shardy_shardings(text):
    """{line: sharding} of operations that keep their place; {} where Shardy's passes end the process."""
    with tempfile.NamedTemporaryFile('w', suffix='.mlir') as file:
        file.write(text)
        file.flush()
        ran = subprocess.run([sys.executable, __file__, '--propagate', file.name], capture_output=True, text=True)
    if ran.returncode != 0:
        return {}
    given, made = lines_of(text), json.loads(ran.stdout)
    # Constants, and what is made of them alone, are merged and split on the way.
    moved = ('stablehlo.constant', 'sdy.constant', 'stablehlo.broadcast_in_dim', 'stablehlo.iota', 'func.return')
    known = lambda ops: [(f'func.{o}' if o in ('call', 'return') else o, what) for o, what in ops]
    given, made = ([o for o in known(ops) if o[0] not in moved] for ops in (given, made))
    if [o[0] for o in given] != [o[0] for o in made]:
        return {}
    return {line: sharding for (_, line), (_, sharding) in zip(given, made) if sharding}


def number(x):
    if isinstance(x, complex):
        return [number(x.real), number(x.imag)]
    if isinstance(x, float):
        return x if np.isfinite(x) else str(x)
    return x


def plain(array):
    """As a type that Python knows, exactly."""
    kind = array.dtype.name
    if kind == 'bfloat16' or 'float8' in kind or 'float4' in kind:
        return array.astype(np.float64)
    return array.astype(np.int64) if kind in ('int2', 'int4', 'uint2', 'uint4') else array


def argument(programs, array):
    array = np.asarray(array)
    base = {'dtype': array.dtype.name, 'dims': list(array.shape)}
    for (drawn, dtype, dims), how in programs.DRAWN.items():
        if dims == array.shape and np.array_equal(
                plain(np.frombuffer(drawn, dtype).reshape(dims)), plain(array)):
            return {**base, 'draw': how}
    return {**base, 'values': [number(x) for x in plain(array).ravel().tolist()]}


def result(array, sharding, most=MOST_VALUES):
    array = np.asarray(array)
    flat = plain(array).ravel()
    step = max(1, flat.size // most) | 1
    places = list(range(0, flat.size, step)) if flat.size > most else list(range(flat.size))
    exact = flat.astype(np.complex128 if np.iscomplexobj(flat) else np.float64)
    spec = getattr(sharding, 'spec', None)
    return {
        'dtype': array.dtype.name,
        'dims': list(array.shape),
        'sharding': None if spec is None else str(spec).replace('PartitionSpec', 'P'),
        'squares': number(float(np.sum(np.abs(exact)**2))),
        'values': [[i, number(flat[i].item())] for i in places],
    }


def collectives_of_newest_dump():
    files = sorted(glob.glob(f'{DUMP}/*after_spmd-partitioning*.txt'), key=os.path.getmtime)
    counts = collections.Counter()
    if files:
        text = open(files[-1]).read()
        for kind in KINDS:
            counts[kind] = len(re.findall(rf' {kind}(?:-start)?\(', text))
    shutil.rmtree(DUMP)
    os.makedirs(DUMP)
    return {k: v for k, v in counts.items() if v} if files else None


def without_paths(text):
    return text.replace(HERE + '/', '').replace(sys.prefix, 'lib')


def scheduled(text):
    """A compiled module's instructions in their order, without where they come from and how libraries run them."""
    head, rest = text.split('\n', 1)
    starts = [k for k in (rest.find('\n%'), rest.find('\nENTRY')) if k >= 0]
    rest = re.sub(r', metadata=\{[^{}]*\}', '', rest[min(starts):])
    rest = re.sub(r', (backend_config|frontend_attributes)=\{.*\}', '', rest)
    return head + '\n' + re.sub(r', sharding=\{[^{}]*(\{[^{}]*\})*[^{}]*\}', '', rest)


def memory(compiled):
    m = compiled.memory_analysis()
    return {'arguments': m.argument_size_in_bytes, 'results': m.output_size_in_bytes,
            'temporaries': m.temp_size_in_bytes, 'aliased': m.alias_size_in_bytes}


def gradient(programs, jitted, arguments):
    """Of the first floating result, with a drawn cotangent, by each floating argument; None: JAX has none."""
    import jax.numpy as jnp
    flat, tree = jax.tree.flatten(arguments)
    by = [i for i, a in enumerate(flat) if jnp.issubdtype(a.dtype, jnp.inexact)]
    results = jax.tree.leaves(jax.eval_shape(jitted, *arguments))
    of = next((i for i, r in enumerate(results) if jnp.issubdtype(r.dtype, jnp.floating)), None)
    if of is None or not by:
        return None

    def loss(*some):
        values = list(flat)
        for i, value in zip(by, some):
            values[i] = value
        return jax.tree.leaves(jitted(*jax.tree.unflatten(tree, values)))[of]

    shape, dtype = results[of].shape, results[of].dtype
    bar = jnp.asarray(programs.draw(shape, seed=99) if shape else np.float32(1)).astype(dtype)
    try:
        made = jax.jit(lambda *some: jax.vjp(loss, *some)[1](bar))(*(flat[i] for i in by))
    except Exception as error:
        print('no gradient:', type(error).__name__, str(error).split('\n')[0][:100], flush=True)
        return None
    if any(g.dtype == jax.dtypes.float0 for g in made):
        return None
    return {'of': of, 'seed': 99, 'by': by, 'results': [result(g, None, MOST_OF_GRADIENT) for g in made]}


def one(programs, name, folder):
    jitted, arguments = programs.PROGS[name]()
    scope = contextlib.nullcontext()
    if isinstance(jitted, tuple):
        scope, jitted = jax.set_mesh(jitted[1]), jitted[2]
    os.makedirs(folder, exist_ok=True)

    def write(file, text):
        if len(text) <= MOST_TEXT or file.endswith('.json') or file == 'module.mlir':
            open(f'{folder}/{file}', 'w').write(without_paths(text))

    with scope:
        lowered = jitted.lower(*arguments)
        write('module.mlir', lowered.as_text(debug_info=True))
        write('generic.mlir', lowered.compiler_ir('stablehlo').operation.get_asm(print_generic_op_form=True))
        write('lowered.hlo', lowered.as_text('hlo'))
        compiled = lowered.compile()
        collectives = collectives_of_newest_dump()
        results = jitted(*arguments)
        shardings = jax.tree.leaves(compiled.output_shardings)
        expected = {
            'collectives': collectives,
            'arguments': [argument(programs, a) for a in jax.tree.leaves(arguments)],
            'results': [result(r, s) for r, s in zip(jax.tree.leaves(results), shardings)],
            'shardings': shardy_shardings(without_paths(lowered.as_text(debug_info=True))),
        }
        write('expected.json', json.dumps(expected))
        write('memory.json', json.dumps(memory(compiled)))
        write('compiled.txt', scheduled(compiled.as_text()))
        if (made := gradient(programs, jitted, arguments)) is not None:
            write('gradient.json', json.dumps(made))
        jax.config.update('jax_use_shardy_partitioner', False)
        with contextlib.suppress(Exception):
            write('gspmd.hlo', jitted.lower(*arguments).as_text('hlo'))
        jax.config.update('jax_use_shardy_partitioner', True)


def main():
    if sys.argv[1] == '--propagate':
        return propagate(sys.argv[2])
    sys.path.insert(0, HERE)
    import programs
    for name in sys.argv[2:] or programs.PROGS:
        try:
            jax.config.update('jax_enable_x64', name in programs.WIDE)
            jax.clear_caches()
            one(programs, name, f'{sys.argv[1]}/{name}')
        except Exception as error:  # what one program cannot do here is no reason to stop
            print(name, 'not made:', type(error).__name__, str(error).split('\n')[0][:200], flush=True)


main()
