# SPDX-License-Identifier: Apache-2.0
"""Functions of users, on a mesh without devices. What JAX lowers them to is recorded in programs/: `python functions.py` records them anew."""

from pathlib import Path

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import shardscope as ss

MESH = {"data": 2, "model": 4}
PROGRAMS = Path(__file__).parent / "programs"


def step(x, w1, w2):
    return jax.nn.relu(x @ w1) @ w2


def loss(w1, w2, x, y):
    return jnp.mean((step(x, w1, w2) - y) ** 2)


def train(w1, w2, x, y):
    value, gradients = jax.value_and_grad(loss, (0, 1))(w1, w2, x, y)
    return value, w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1]


def layers(x, ws):
    return jax.lax.scan(lambda h, w: (jax.nn.relu(h @ w), None), x, ws)[0]


def relayout(x):
    return jax.lax.with_sharding_constraint(jnp.sin(x), P(None, "data"))


def asked(shape, *spec, dtype="float32"):
    return ss.array(shape, dtype, P(*spec), MESH)


def arguments():
    """Each function's arguments, by its name."""
    bf16 = {"dtype": "bfloat16"}
    weights = asked((64, 128), None, "model"), asked((128, 64), "model", None)
    return {
        "step": (asked((8192, 4096), "data", None, **bf16), asked((4096, 16384), None, "model", **bf16), asked((16384, 4096), "model", None, **bf16)),
        "train": (*weights, asked((64, 64), "data", None), asked((64, 64), "data", None)),
        "layers": (asked((64, 128), "data", None), asked((6, 128, 128), None, "data", None)),
        "relayout": (asked((64, 32), "data", None),),
    }


FUNCTIONS = {"step": step, "train": train, "layers": layers, "relayout": relayout}


def captured(name):
    from shardscope.capture import capture

    return capture(FUNCTIONS[name], arguments()[name], mesh=MESH)


if __name__ == "__main__":
    for name in FUNCTIONS:
        text = captured(name).text
        for folder in (Path(__file__).parent, Path(ss.__file__).parents[1]):
            text = text.replace(f"{folder}/", "")
        (PROGRAMS / f"{name}.mlir").write_text(text)
