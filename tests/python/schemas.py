# SPDX-License-Identifier: Apache-2.0
"""The schemas of what commands answer with --json, read off their answers: `python schemas.py` writes them anew.

A schema says which keys are there and of which type. Keys are added and never renamed, so a key that a schema does not
know is no error."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "assets" / "schemas"
VERSION = 1  # of all schemas: raised when a key goes or changes its type
HLO = "presets/hlo"
WANG = "--strategy wang.os --mesh row=2,col=4 --m 32 --k 64 --n 96"

# What each command is asked: {db} is a workspace with the runs 1 and 2 and a measured trace, {trace} the trace's file.
QUESTIONS = {
    "strategies": [""],
    "presets": [""],
    "run": [WANG, "--strategy wang.os --mesh row=2,col=4 --m 32 --k 64 --n 96 --fill normal --dtype bf16 --hardware h200", "--strategy cannon.os --mesh row=2,col=2 --m 32 --k 32 --n 32 --numerics off", "--strategy pjit.inner --mesh a=4,b=2 --m 4 --k 16 --n 4", WANG + " --steps 3 --warmup 1", WANG + " --steps 2 --numerics off"],
    "sweep": ["teaching --numerics off", "--mesh row=2,col=2 --m 32 --k 32 --n 32 --strategies wang.os,collective.os", "--mesh row=2,col=2 --m 32 --k 32 --over n=32..128x2 --strategies wang.os,collective.os"],
    "tune": ["--model megatron --chips 4", "--model megatron --chips 2 --hardware h100 --place row=network"],
    "calibrate": ["--hardware a100"],
    "sharding": ["--mesh a=4,b=2 --shape 16,4 --spec P('a',None)", "--mesh a=4,b=2 --shape 16,4 --hlo {devices=[4,1,2]<=[8]_last_tile_dim_replicate}"],
    "reshard": ["--mesh x=4,y=2 --shape 64,128 --from P('x',None) --to P(None,'x')", "--mesh x=2,y=4 --shape 16,8 --from P(None,unreduced={'x'}) --to P('y') --hardware h100"],
    "atlas": ["--mesh x=2 --m 16 --k 16 --n 16"],
    "runs": ["--db {db}"],
    "diff": ["--db {db} --runs 1,2"],
    "beside": ["{trace}", "{trace} --hardware h200"],
    "truth": [""],
    "compare": ["--db {db} --run 1 --measured 1"],
    "story": [WANG, WANG + " --holdings on"],
    "what-if": ["--db {db} --run 1", "--db {db} --run 1 --link col=x2 --sensitivity"],
    "errors": ["--k 16..256"],
    "gmm": ["--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4", "--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4 --vjp", "--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4 --mesh expert=3 --numerics off"],
    "tgmm": ["--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4"],
    "kernel list": [""],
    "kernel run": ["ag.ring --schedules 3", "ag.ring.one_semaphore --schedules 20", "matmul.tiled --m 64 --k 64 --n 64 --schedules 2"],
    "kernel replay": ["ag.ring"],
    "kernel shrink": ["ag.ring.one_semaphore --seed 5", "ag.ring --seed 5"],
    "kernel of": ["--db {db} --run 1"],
    "hlo parse": [f"{HLO}/compiled_layer.hlo", f"{HLO}/mlp.hlo", f"{HLO}/shard_map_ring.hlo"],
    "hlo propagate": [f"{HLO}/mlp.hlo", f"{HLO}/mlp.mlir"],
    "hlo types": [f"{HLO}/mlp.mlir", f"{HLO}/two_layers_step.hlo"],
    "hlo partition": [f"{HLO}/{name}" for name in ("mlp.hlo", "mlp.mlir", "moe_dispatch.mlir", "batch_matmul.hlo", "torch_matmul.hlo --check off", "pjit_case_1b.hlo", "mlp.mlir --partitioner shardy --both-partitioners", "mlp.mlir --fixes", "moe_dispatch.mlir --fixes", "torch_matmul.hlo --check off --fixes", "mlp.mlir --compile-as xla-gpu", "mlp.mlir --compile-as xla-gpu --stage fusion", "shard_map_ring.mlir --compile-as xla-gpu --hardware h200")],
    "hlo run": [f"{HLO}/mlp.hlo", f"{HLO}/compiled_layer.hlo", "tests/engine/backend/tpu/scan_dot.hlo --check off --hardware tpu-v5e", f"{HLO}/attention_scores.mlir --check off --hardware h200", f"{HLO}/pjit_case_1.hlo --print", f"{HLO}/two_layers_step.hlo --steps 3 --warmup 1", f"{HLO}/two_layers_step.hlo --steps 2 --check off"],
    "hlo diff": [f"{HLO}/mlp.hlo {HLO}/mlp.mlir", f"{HLO}/mlp.hlo {HLO}/mlp.hlo {HLO}/compiled_layer.hlo", f"{HLO}/mlp.mlir --stages --partitioner shardy", f"{HLO}/fsdp_gather.mlir --stages --compile-as xla-gpu"],
    "hlo ops": [""],
    "lesson list": [""],
    "lesson check": ["1_ring"],
    "measure import": ["{trace} --db {db}"],
    "measure list": ["--db {db}"],
    "doctor": [""],
}

# What has no answer of its own: its text and the names of its files.
TEXTS = {
    "render": ["--db {db} --run 1 --view ring -o {folder}/ring.svg"],
    "export": ["--db {db} --run 1 --format csv", "--db {db} --run 1 --format csv -o {folder}/events.csv"],
    "kernel print": ["ag.ring"],
    "kernel code": ["ag.ring", "ag.ring -o {folder}/kernel.py"],
    "kernel read": ["{folder}/kernel.py"],  # what "kernel code" wrote
    "hlo print": [f"{HLO}/mlp.hlo"],
    "hlo code": [f"{HLO}/mlp.hlo", f"{HLO}/mlp.hlo -o {{folder}}/mlp.py"],
    "hlo grad": [f"{HLO}/mlp.hlo --of 0 --by 0"],
    "hlo report": [f"{HLO}/mlp.hlo"],
    "lesson export": ["8_why_gather -o {folder}/lesson.html"],
    "schema": ["run"],
    "completion": ["bash"],
}
QUESTIONS.update(TEXTS)

# Asked only when schemas are written: what more modules answer.
MODULES = sorted(str(path.relative_to(ROOT)) for folder in (HLO, "tests/python/programs") for path in (ROOT / folder).glob("*.[hm]l*"))
MORE = {
    "hlo parse": MODULES,
    "hlo propagate": [module for module in MODULES if "compiled" not in module],
    "hlo partition": [f"{module} --check off" for module in MODULES if "compiled" not in module],
    "hlo run": [f"{module} --check off --hardware {chip}" for module in MODULES for chip in ("h200", "tpu-v5e")],
    "calibrate": ["--this-machine --quiet"],  # some minutes, by MPI
    "run": [f"{preset} --numerics off" for preset in ("cannon_2x3", "pallas_2048", "megatron_8 --strategy megatron.mlp")] + [f"{WANG} --backend mpi"],
}


def workspace(program, folder):
    """Fills what {db} and {trace} stand for."""
    db, trace = folder / "runs.shardscope", folder / "trace.json"
    trace.write_text('{"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1}]}')
    for strategy in ("wang.os", "collective.os"):
        words = ["run", "wang_os_2x4", "--strategy", strategy, "--numerics", "off", "--db", db]
        subprocess.run([program, *words], check=True, capture_output=True)
    subprocess.run([program, "measure", "import", trace, "--db", db], check=True, capture_output=True)
    return {"db": str(db), "trace": str(trace), "folder": str(folder)}


def answers(program, command, names, more=()):
    for question in [*QUESTIONS[command], *more]:
        words = [word.replace("_last", " last") for word in question.split()]
        for name, value in names.items():
            words = [word.replace("{" + name + "}", value) for word in words]
        done = subprocess.run([program, *command.split(), *words, "--json"], capture_output=True, text=True, cwd=ROOT)
        if question in more and not done.stdout:  # a module that this command refuses
            continue
        assert done.returncode in (0, 3, 4) and done.stdout, f"{command} {question}: {done.stderr}"
        yield question, json.loads(done.stdout)


def kind(value):
    if value is None:
        return "null"
    return {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}[type(value)]


def schema_of(values):
    """The narrowest schema that all values fit."""
    kinds = sorted({kind(value) for value in values})
    if "number" in kinds or "integer" in kinds:  # a whole number is written as either
        kinds = sorted({"number" if each == "integer" else each for each in kinds})
    out = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        keys = sorted({key for each in objects for key in each})
        common = [key for key in keys if all(key in each for each in objects)]
        if not common and len({tuple(sorted(each)) for each in objects}) > 1:  # names that the user chose
            out["additionalProperties"] = schema_of([each[key] for each in objects for key in each])
        else:
            out["properties"] = {key: schema_of([each[key] for each in objects if key in each]) for key in keys}
            if common:
                out["required"] = common
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        out["items"] = schema_of(items)
    return out


def problems(schema, value, where="$"):
    """What of the value does not fit the schema; the words of JSON Schema that schema_of writes, and no others."""
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    found = kind(value)
    if kinds and found not in kinds and not (found == "integer" and "number" in kinds):
        return [f"{where}: expected {' or '.join(kinds)}, got {found}"]
    out = []
    if isinstance(value, dict):
        out += [f"{where}: no '{key}'" for key in schema.get("required", []) if key not in value]
        for key, each in value.items():
            known = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            out += problems(known, each, f"{where}.{key}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            out += problems(schema.get("items", {}), item, f"{where}[{number}]")
    return out


def name_of(command):
    return "text" if command in TEXTS else command.replace(" ", "-")


def file_of(command):
    return FOLDER / f"{name_of(command)}.json"


def written(command, made):
    title = "shardscope --json of what has no answer of its own" if command in TEXTS else f"shardscope {command} --json"
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"shardscope:{name_of(command)}:{VERSION}", "title": title}
    return json.dumps({**head, **schema_of(made)}, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    import os
    import tempfile

    program = os.environ.get("SHARDSCOPE", str(ROOT / "build/release/shardscope"))
    with tempfile.TemporaryDirectory() as folder:
        names = workspace(program, Path(folder))
        for command in sys.argv[1:] or QUESTIONS:
            file_of(command).write_text(written(command, [answer for _, answer in answers(program, command, names, MORE.get(command, ()))]))
