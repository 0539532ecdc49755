# SPDX-License-Identifier: Apache-2.0
"""V/bin/python - [FOLDER] < make.py: the modules of this folder anew, by the JAX of V (python3 -m venv V; V/bin/pip
install jax). Read from stdin, so that no path of this machine is in them.

NAME.xla.hlo is what XLA prints, NAME.hlo.pb the same module serialised, NAME.lowered.hlo what as_text("hlo") prints of
a program that is not compiled yet. every_operation.hlo is ours: XLA reads it, prints it and serialises it."""
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
from jaxlib import _hlo

# Of a file of its own, so that lines and frames are those of a user's program.
MODEL = '''
import functools
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
ring = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))


def of(shape, *spec, on=mesh, dtype=jnp.float32):
  return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(on, P(*spec)))


def step(w1, w2, x):
  loss = lambda w1, w2: jnp.mean(jax.nn.relu(x @ w1) @ w2)
  d1, d2 = jax.grad(loss, (0, 1))(w1, w2)
  return w1 - 0.1 * d1, w2 - 0.1 * d2


@functools.partial(jax.shard_map, mesh=ring, in_specs=(P("x"), P(None, "x")), out_specs=P(None, "x"))
def gathered_product(x, w):
  def body(i, carry):
    x, out = carry
    place = (jax.lax.axis_index("x") + i) % 8
    out = jax.lax.dynamic_update_slice(out, x @ w, (place * 4, 0))
    return jax.lax.ppermute(x, "x", [(d, (d - 1) % 8) for d in range(8)]), out
  return jax.lax.fori_loop(0, 8, body, (x, jax.lax.pcast(jnp.zeros((32, w.shape[1])), "x", to="varying")))[1]


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(None, "model"), P("model", None)), out_specs=P(),
                   axis_names={"model"})
def partly_manual(x, w):
  return jax.lax.psum(x @ w, "model")


def constants(x):
  bits = np.array([0x7fc00001, 0xffc00000, 0x7f800001, 0x7fc00000], np.uint32)
  return [x + jnp.asarray(np.arange(12, dtype=np.float32).reshape(2, 3, 2))] + [jnp.asarray(c) for c in (
      np.array([[True, False], [False, True]]), np.array(True), np.arange(24, dtype=np.int8).reshape(2, 3, 2, 2),
      np.array([2**31, 5], np.uint32), np.array([2**15, 5], np.uint16), np.array([-2**15, 5], np.int16),
      np.array([0.1, 1e-3, np.nan, -np.inf, 3.14159, 65504], np.float16),
      np.array([0.1, 1e-3, np.nan, -np.inf, 3.14159, 1e30], ml_dtypes.bfloat16),
      np.array([0.1, -1.5, 448, 0.02, np.nan], ml_dtypes.float8_e4m3fn),
      np.array([0.1, 0.7, 1e-3, 100, 1e-9], ml_dtypes.float8_e5m2), np.array([0.5, 2, 1024], ml_dtypes.float8_e8m0fnu),
      np.array([0.5, 6, -1, 3, 0], ml_dtypes.float4_e2m1fn), np.array([1, -8, 7, 3, 2], ml_dtypes.int4),
      np.array([1, -2, 0, -1, 1], ml_dtypes.int2), np.array([1 + 2j, -3.5j], np.complex64), bits.view(np.float32),
      np.array([0.1, 1 / 3, -2.5, 1e-30, 1e9, 123456.789], np.float32), np.zeros((0, 3), np.float32),
      np.array([[0.25]], np.float32))]


PROGRAMS = {
    "step": (step, of((32, 64), None, "model"), of((64, 16), "model", None), of((16, 32), "data", None)),
    "gathered_product": (gathered_product, of((32, 16), "x", on=ring), of((16, 64), None, "x", on=ring)),
    "partly_manual": (partly_manual, of((16, 64), "data", "model"), of((64, 32), "model", None)),
    "constants": (constants, jax.ShapeDtypeStruct((2, 3, 2), jnp.float32)),
}
'''


def write(path, content):
  with open(path, "wb") as file:
    file.write(content if isinstance(content, bytes) else content.encode())


def write_module(stem, module, text=None):
  options = _hlo.HloPrintOptions()
  options.print_large_constants = True
  write(stem + ".xla.hlo", text or module.to_string(options))
  write(stem + ".hlo.pb", module.as_serialized_hlo_module_proto())


def main():
  folder = sys.argv[1] if len(sys.argv) > 1 else "."
  user = {}
  exec(compile(MODEL, "model.py", "exec"), user)
  for name, (function, *arguments) in user["PROGRAMS"].items():
    stem = os.path.join(folder, name)
    lowered = jax.jit(function).lower(*arguments)
    if name == "constants":
      write_module(stem, lowered.compiler_ir("hlo").as_hlo_module())
      continue
    compiled = lowered.compile()
    write_module(stem, compiled.runtime_executable().hlo_modules()[0], compiled.as_text())
    write(stem + ".lowered.hlo", lowered.as_text("hlo"))
    jax.config.update("jax_use_shardy_partitioner", False)
    write(stem + ".gspmd.hlo", jax.jit(lambda *a: function(*a)).lower(*arguments).as_text("hlo"))
    jax.config.update("jax_use_shardy_partitioner", True)
  with open(os.path.join(folder, "every_operation.hlo")) as file:
    write_module(os.path.join(folder, "every_operation"), _hlo.hlo_module_from_text(file.read()))


main()
