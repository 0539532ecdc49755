# SPDX-License-Identifier: Apache-2.0
"""What XLA's compilers for GPUs and TPUs make of the programs, without such a device: compile_for.py CHIP OUT [NAME…].

CHIP is h200 (needs jax-cuda12-pjrt, jax-cuda12-plugin, nvidia-cuda-nvcc-cu12) or a TPU topology such as v5e:2x4 (needs
libtpu). Writes OUT/NAME/compiled.CHIP.txt where it has at most 7,000 characters, and memory.CHIP.json. Of GPUs nothing is
tuned, so products take XLA's defaults. A program that ends the compiler ends this script: name the others one by one.
"""
import json
import os
import sys

CHIP, OUT, ONLY = sys.argv[1], sys.argv[2], sys.argv[3:]
TPU = ':' in CHIP
NAME_OF_CHIP = CHIP.split(':')[0]
MOST_TEXT = 7_000
if TPU:
    os.environ.update(JAX_PLATFORMS='cpu', TPU_SKIP_MDS_QUERY='1', ALLOW_MULTIPLE_LIBTPU_LOAD='1')
else:
    os.environ.update(XLA_FLAGS='--xla_gpu_autotune_level=0', JAX_SKIP_CUDA_CONSTRAINTS_CHECK='1')
import jax
import numpy as np
from jax._src import xla_bridge
from jax.experimental import topologies
from jax.sharding import Mesh

H200 = """
gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 shared_memory_per_core: 233472
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128 block_dim_limit_x: 2147483647 block_dim_limit_y: 65535
  block_dim_limit_z: 65535 memory_bandwidth: 4916000000000 l2_cache_size: 62914560 clock_rate_ghz: 1.98
  device_memory_size: 150109880320 shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: "CUDA" dnn_version_info { major: 9 minor: 7 } runtime_version { major: 12 minor: 8 patch: 0 }
device_description_str: "NVIDIA H200"
"""


def devices():
    if TPU:
        return topologies.get_topology_desc(platform='tpu', topology_name=CHIP).devices
    known = xla_bridge.canonicalize_platform

    def canonical(platform):  # JAX looks for a device of the platform first
        try:
            return known(platform)
        except RuntimeError:
            return 'cuda'

    xla_bridge.canonicalize_platform = canonical
    return topologies.get_topology_desc(platform='cuda', topology='1x1x8', target_config=H200).devices


DEVICES = np.array(devices())
jax.make_mesh = lambda sizes, names, axis_types=None: Mesh(DEVICES[:int(np.prod(sizes))].reshape(sizes), names, axis_types=axis_types)
jax.devices = jax.local_devices = lambda *_, **__: list(DEVICES)
import programs  # which makes its meshes of these

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_one(name):
    jax.config.update('jax_enable_x64', name in programs.WIDE)
    function, arguments = programs.PROGS[name]()[:2]
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(np.shape(a), getattr(a, 'dtype', np.asarray(a).dtype)), arguments)
    compiled = function.lower(*shapes).compile()
    said = compiled.memory_analysis()
    folder = os.path.join(OUT, name)
    os.makedirs(folder, exist_ok=True)
    memory = {'arguments': said.argument_size_in_bytes, 'results': said.output_size_in_bytes,
              'temporaries': said.temp_size_in_bytes, 'aliased': said.alias_size_in_bytes}
    text = compiled.as_text().replace(HERE + '/', '')
    if len(text) > MOST_TEXT or '({...})' in text:  # a constant that is left out has other numbers
        return
    open(os.path.join(folder, f'compiled.{NAME_OF_CHIP}.txt'), 'w').write(text)
    json.dump(memory, open(os.path.join(folder, f'memory.{NAME_OF_CHIP}.json'), 'w'))


for name in programs.PROGS:
    if ONLY and name not in ONLY:
        continue
    try:
        compile_one(name)
    except Exception as error:  # what needs a device, or is not compiled for this one
        print(name, str(error).split('\n')[0][:200], flush=True)
