# SPDX-License-Identifier: Apache-2.0
"""The schemas of what commands answer with --json: `python schemas.py` writes them anew.

A schema says which keys are there and of which type. The types are read off answers; which keys may be null or missing is
read off the code that writes them (schema_writers.py), since no number of answers shows it. Keys are added and never
renamed, so a key that a schema does not know is no error."""

import json
import subprocess
import sys
from pathlib import Path

import schema_writers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "assets" / "schemas"
VERSION = 1  # of all schemas: raised when a key goes or changes its type
HLO = "presets/hlo"
WANG = "--strategy wang.os --mesh row=2,col=4 --m 32 --k 64 --n 96"

# What each command is asked: {db} is a workspace with the runs 1 and 2 and a measured trace, {trace} the trace's file.
QUESTIONS = {
    "strategies": [""],
    "presets": [""],
    "run": [WANG, "--strategy wang.os --mesh row=2,col=4 --m 32 --k 64 --n 96 --fill normal --dtype bf16 --hardware h200", "--strategy cannon.os --mesh row=2,col=2 --m 32 --k 32 --n 32 --numerics off", "--strategy pjit.inner --mesh a=4,b=2 --m 4 --k 16 --n 4", WANG + " --steps 3 --warmup 1", WANG + " --steps 2 --numerics off", WANG + " --db {mixed}", WANG + " --atol 0 --fill normal --dtype bf16"],
    "sweep": ["teaching --numerics off", "--mesh row=2,col=2 --m 32 --k 32 --n 32 --strategies wang.os,collective.os", "--mesh row=2,col=2 --m 32 --k 32 --over n=32..128x2 --strategies wang.os,collective.os", "teaching --db {mixed}", "--mesh row=2,col=4 --m 64 --k 64 --n 64 --numerics off"],
    "tune": ["--model megatron --chips 4", "--model megatron --chips 2 --hardware h100 --place row=network"],
    "calibrate": ["--hardware a100", "--hardware a100 -o {folder}/a100.toml", "--hardware h200", "--hardware tpu-v5e"],
    "sharding": ["--mesh a=4,b=2 --shape 16,4 --spec P('a',None)", "--mesh a=4,b=2 --shape 16,4 --hlo {devices=[4,1,2]<=[8]_last_tile_dim_replicate}"],
    "reshard": ["--mesh x=4,y=2 --shape 64,128 --from P('x',None) --to P(None,'x')", "--mesh x=2,y=4 --shape 16,8 --from P(None,unreduced={'x'}) --to P('y') --hardware h100"],
    "atlas": ["--mesh x=2 --m 16 --k 16 --n 16"],
    "runs": ["--db {db}", "--db {mixed}"],
    "diff": ["--db {db} --runs 1,2", "--db {mixed} --runs 1,2,3", "--db {mixed} --runs 1,4"],
    "beside": ["{trace}", "{trace} --hardware h200", "{profile} --hlo {module}", "tests/engine/session/profiles/pytorch_two_streams.json --hlo {module} --hardware h200"],
    "truth": [""],
    "compare": ["--db {db} --run 1 --measured 1", "--db {mixed} --run 4 --measured 1", "--db {mixed} --run 4 --measured 1 --step 1"],
    "story": [WANG, WANG + " --holdings on", "--db {mixed} --run 2"],
    "what-if": ["--db {db} --run 1", "--db {db} --run 1 --link col=x2 --sensitivity", "--db {mixed} --run 4", "--db {mixed} --run 3 --sensitivity"],
    "errors": ["--k 16..256"],
    "gmm": ["--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4", "--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4 --vjp", "--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4 --mesh expert=3 --numerics off"],
    "tgmm": ["--m 16 --k 8 --n 8 --group-sizes 3,6,7 --tile 4,4,4"],
    "kernel list": [""],
    "kernel run": ["ag.ring --schedules 3", "ag.ring.one_semaphore --schedules 20", "matmul.tiled --m 64 --k 64 --n 64 --schedules 2"],
    "kernel replay": ["ag.ring"],
    "kernel shrink": ["ag.ring.one_semaphore --seed 5", "ag.ring --seed 5"],
    "kernel of": ["--db {db} --run 1", "--db {mixed} --run 3"],
    "hlo parse": [f"{HLO}/compiled_layer.hlo", f"{HLO}/mlp.hlo", f"{HLO}/shard_map_ring.hlo"],
    "hlo propagate": [f"{HLO}/mlp.hlo", f"{HLO}/mlp.mlir"],
    "hlo types": [f"{HLO}/mlp.mlir", f"{HLO}/two_layers_step.hlo"],
    "hlo partition": [f"{HLO}/{name}" for name in ("mlp.hlo", "mlp.mlir", "moe_dispatch.mlir", "batch_matmul.hlo", "torch_matmul.hlo --check off", "pjit_case_1b.hlo", "mlp.mlir --partitioner shardy --both-partitioners", "mlp.mlir --fixes", "moe_dispatch.mlir --fixes", "torch_matmul.hlo --check off --fixes", "mlp.mlir --compile-as xla-gpu", "mlp.mlir --compile-as xla-gpu --stage fusion", "shard_map_ring.mlir --compile-as xla-gpu --hardware h200")],
    "hlo run": [f"{HLO}/mlp.hlo", f"{HLO}/compiled_layer.hlo", "tests/engine/backend/tpu/scan_dot.hlo --check off --hardware tpu-v5e", f"{HLO}/attention_scores.mlir --check off --hardware h200", f"{HLO}/pjit_case_1.hlo --print", f"{HLO}/two_layers_step.hlo --steps 3 --warmup 1", f"{HLO}/two_layers_step.hlo --steps 2 --check off", "{nothing}", "{module} --db {mixed}", "{module} --arg 0=nan"],
    "hlo diff": [f"{HLO}/mlp.hlo {HLO}/mlp.mlir", f"{HLO}/mlp.hlo {HLO}/mlp.hlo {HLO}/compiled_layer.hlo", f"{HLO}/mlp.mlir --stages --partitioner shardy", f"{HLO}/fsdp_gather.mlir --stages --compile-as xla-gpu"],
    "hlo ops": [""],
    "lesson list": [""],
    "lesson check": ["1_ring"],
    "measure import": ["{trace} --db {db}", "{profile} --db {mixed}"],
    "measure list": ["--db {db}", "--db {mixed}"],
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
    def ask(*words):
        done = subprocess.run([program, *words], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode in (0, 3), f"{words}: {done.stderr}"
    for strategy in ("wang.os", "collective.os"):
        ask("run", "wang_os_2x4", "--strategy", strategy, "--numerics", "off", "--db", db)
    ask("measure", "import", trace, "--db", db)
    # Another one, with all that a run may have: numbers that were checked, words of the user's, a module, a profile of it.
    mixed, module, profile, nothing = (folder / name for name in ("mixed.shardscope", "step.hlo", "profile.json", "no_number.hlo"))
    module.write_text(_STEP)
    profile.write_text(json.dumps({"traceEvents": list(_events())}))
    nothing.write_text("HloModule nothing\nENTRY e { x = f32[3] constant({-1, 0, 1}) ROOT y = f32[3] log(x) }")
    wang = WANG.split()
    ask("run", *wang, "--db", mixed, "--name", "mine", "--tag", "paper", "--note", "a note")
    ask("run", "--strategy", "collective.os", *wang[2:], "--fill", "normal", "--dtype", "bf16", "--steps", "2", "--db", mixed)
    ask("run", *"--strategy cannon.os --mesh row=2,col=2 --m 32 --k 32 --n 32 --hardware h200 --numerics off".split(), "--db", mixed)
    ask("hlo", "run", module, "--hardware", "h200", "--db", mixed)
    ask("hlo", "run", f"{HLO}/mlp.hlo", "--db", mixed)
    ask("measure", "import", profile, "--db", mixed)
    return {"db": str(db), "trace": str(trace), "folder": str(folder), "mixed": str(mixed), "module": str(module), "profile": str(profile), "nothing": str(nothing)}


_STEP = """HloModule jit_f, is_scheduled=true
scale {
  p = f32[64,64]{1,0} parameter(0)
  ROOT m = f32[64,64]{1,0} multiply(p, p)
}
ENTRY main {
  w = f32[64,64]{1,0} parameter(0)
  fusion.7 = f32[64,64]{1,0} fusion(w), kind=kLoop, calls=scale
  ROOT negate.1 = f32[64,64]{1,0} negate(fusion.7)
}
"""


def _events():
    """Three steps of a GPU that ran _STEP without its last operation, and in the first of them another module."""
    yield {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}}
    yield {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "Stream #14(Compute)"}}
    ran = [("fusion_7", "jit_f", at, 10) for at in (0, 100, 200)] + [("fusion_7", "jit_g", 85, 4)]
    for name, module, at, duration in ran:
        yield {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": at, "dur": duration, "args": {"hlo_op": name.replace("_", "."), "hlo_module": module}}


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


def types_of(values, key):
    """The types of values that stand under the key; none where only null was seen."""
    kinds = {kind(value) for value in values}
    if kinds == {"null"}:
        return {}
    if "integer" in kinds:  # a whole number is written as either
        kinds = kinds - {"integer"} | {"number"}
    # What is no number (0/0) is written as null, of all that has a fraction.
    if kinds and (any(isinstance(value, float) for value in values) or key in schema_writers.nullable()):
        kinds.add("null")
    return {"type": min(kinds) if len(kinds) == 1 else sorted(kinds)} if kinds else {}


def schema_of(values, key=""):
    """The narrowest schema that all values fit, and all others that their writers may write."""
    out = types_of(values, key)
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        keys = sorted({name for each in objects for name in each})
        common = [name for name in keys if all(name in each for each in objects)]
        if not common and len({tuple(sorted(each)) for each in objects}) > 1:  # names that the user or a strategy chose
            inner = [each[name] for each in objects for name in each]
            out["additionalProperties"] = schema_of(inner) if {kind(each) for each in inner} <= {"object", "array"} else {}
        else:
            out["properties"] = {name: schema_of([each[name] for each in objects if name in each], name) for name in keys}
            if required := [name for name in common if name not in schema_writers.optional()]:
                out["required"] = required
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        out["items"] = schema_of(items, key)
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
