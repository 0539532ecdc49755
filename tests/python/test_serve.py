# SPDX-License-Identifier: Apache-2.0
"""A session of many questions: shardscope serve --stdio."""

import json
import select
import shlex
import subprocess
from pathlib import Path

import pytest
import schemas

import shardscope as ss
from shardscope import _program
from shardscope.session import session

MLP = str(schemas.ROOT / schemas.HLO / "mlp.mlir")
LONG = {"strategy": "cannon.os", "mesh": "24x24", "m": 4608, "k": 4608, "n": 4608, "reference": "f64", "repeat": 50}
SCHEMA = json.loads((schemas.FOLDER / "serve.json").read_text())


class Served:
    def __init__(self):
        self.process = subprocess.Popen([_program.program(), "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, line):
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        self.process.stdin.flush()

    def reply(self):
        reply = json.loads(self.process.stdout.readline())
        for each in reply if isinstance(reply, list) else [reply]:
            assert schemas.problems(SCHEMA, each) == []
        return reply

    def ask(self, method, params=None, number=1):
        self.send({"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})})
        reply = self.reply()
        assert reply["id"] == number
        return reply


@pytest.fixture
def served():
    made = Served()
    yield made
    made.process.stdin.close()
    assert made.process.wait(20) == 0


def typed(command):
    """What the words of a command line print."""
    done = subprocess.run([_program.program(), *shlex.split(command)[1:]], capture_output=True, text=True)
    return json.loads(done.stdout)


def test_an_answer_is_what_the_command_that_it_names_prints(served):
    for method, params in [("strategies", None), ("hlo partition", [MLP]), ("hlo propagate", {"words": [MLP]}), ("sharding", {"mesh": {"a": 4, "b": 2}, "shape": [16, 4], "spec": "P('a',None)"}), ("run", {"strategy": "wang.os", "mesh": {"row": 2, "col": 4}, "m": 32, "k": 64, "n": 96, "numerics": False}), ("hlo print", [MLP])]:
        result = served.ask(method, params)["result"]
        assert result["exit"] == 0
        assert schemas.problems(json.loads(schemas.file_of(method).read_text()), result["answer"]) == []
        answer = typed(result["command"])
        for each in (answer, result["answer"]):
            each.pop("measured", None)
        assert result["answer"] == answer, method


def test_a_second_answer_is_the_same_and_a_changed_file_is_read_anew(served, tmp_path):
    file = tmp_path / "m.mlir"
    file.write_text(Path(MLP).read_text())
    first = served.ask("hlo partition", [str(file)])["result"]["answer"]
    assert served.ask("hlo partition", [str(file)])["result"]["answer"] == first
    other = served.ask("hlo partition", [str(file), "--check", "off"])["result"]["answer"]
    assert (first["numerics"]["checked"], other["numerics"]["checked"]) == (True, False)
    file.write_text((schemas.ROOT / schemas.HLO / "moe_dispatch.mlir").read_text())
    assert served.ask("hlo partition", [str(file)])["result"]["answer"] != first
    file.unlink()
    assert served.ask("hlo partition", [str(file)])["error"]["data"]["exit"] == 4


def test_a_preset_is_read_anew_when_the_module_that_it_names_changes(served, tmp_path):
    file, preset = tmp_path / "m.mlir", tmp_path / "m.toml"
    file.write_text(Path(MLP).read_text())
    preset.write_text('module = "m.mlir"\n')
    first = served.ask("hlo parse", [str(preset)])["result"]["answer"]
    assert served.ask("hlo parse", [str(preset)])["result"]["answer"] == first
    file.write_text((schemas.ROOT / schemas.HLO / "moe_dispatch.mlir").read_text())
    assert served.ask("hlo parse", [str(preset)])["result"]["answer"] != first


def test_a_record_stays_loaded_until_it_changes(served, tmp_path):
    names = schemas.workspace(_program.program(), tmp_path)
    story = ["--db", names["db"], "--run", "1", "--beats"]
    whole = typed(f"shardscope story --db {names['db']} --run 1 --json")
    for beats in ("0..1", "1..2"):
        part = served.ask("story", [*story, beats])["result"]["answer"]
        first, last = map(int, beats.split(".."))
        assert part["beats"] == whole["beats"][first : last + 1]
    assert len(served.ask("runs", {"db": names["db"]})["result"]["answer"]["runs"]) == 2
    assert served.ask("run", {"words": ["wang_os_2x4"], "strategy": "psum", "numerics": False, "db": names["db"]})["result"]["answer"]["run_id"] == 3
    assert len(served.ask("runs", {"db": names["db"]})["result"]["answer"]["runs"]) == 3


def test_refusals_have_a_code_and_the_commands_sentence(served):
    for method, params, code, exit, sentence in [
        ("rnu", None, -32601, 2, "no command 'rnu'"),
        ("hlo", None, -32602, 2, "not expected: --json"),
        ("run", {"strategy": "no.such", "mesh": "2x4", "m": 8, "k": 8, "n": 8}, -32602, 2, "unknown strategy 'no.such'"),
        ("run", {"no_such": 1}, -32602, 2, "not expected: --no-such"),
        ("run", 3, -32602, 2, "the params are no words"),
        ("hlo parse", ["no_such.hlo"], -32004, 4, "cannot open 'no_such.hlo'"),
        ("serve", ["--stdio"], -32602, 2, "a session asks no session"),
        ("strategies", ["--help"], -32602, 2, "help and version are no answers"),
    ]:
        error = served.ask(method, params)["error"]
        assert (error["code"], error["data"]["exit"]) == (code, exit), error
        assert sentence in error["message"], error
    deep = '{"jsonrpc": "2.0", "id": 1, "method": "strategies", "params": ' + "[" * 200_000 + "]" * 200_000 + "}"
    for line, code in [("{", -32700), (deep, -32700), ("3", -32600), ("[]", -32600), ('{"id": 1, "method": "strategies"}', -32600), ('{"jsonrpc": "2.0", "id": 1}', -32600), ('{"jsonrpc": "2.0", "id": [1], "method": "x"}', -32600)]:
        served.send(line)
        assert served.reply()["error"]["code"] == code, line


def test_lists_notifications_and_the_end(served):
    ask = {"jsonrpc": "2.0", "method": "presets", "params": ["--topic", "Overlap"]}
    served.send(ask)  # nobody waits for it
    served.send([{**ask, "id": "a"}, ask, {**ask, "id": "b", "method": "no such"}])
    replies = served.reply()
    assert [each["id"] for each in replies] == ["a", "b"]
    assert "result" in replies[0] and replies[1]["error"]["code"] == -32601
    served.send({"jsonrpc": "2.0", "id": 9, "method": "shutdown"})
    assert served.reply() == {"jsonrpc": "2.0", "id": 9, "result": {"exit": 0, "command": "shardscope", "answer": None}}
    assert served.process.wait(20) == 0


def test_a_question_can_be_cancelled(served):
    served.send({"jsonrpc": "2.0", "id": 5, "method": "run", "params": LONG})
    served.send({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 4}})  # of another one
    for _ in range(400):  # until it is worked on
        served.send({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 5}})
        if select.select([served.process.stdout], [], [], 0.05)[0]:
            break
    error = served.reply()["error"]
    assert (error["code"], error["data"]["exit"]) == (-32800, 130)
    assert "result" in served.ask("strategies", number=6)


@pytest.mark.parametrize("signal, status", [(2, 130), (15, 143)])
def test_a_signal_ends_it_while_it_waits_and_while_it_works(served, signal, status):
    for question in (None, {"jsonrpc": "2.0", "id": 5, "method": "run", "params": LONG}):
        other = Served()
        other.ask("strategies")
        if question:
            other.send(question)
        other.process.send_signal(signal)
        assert other.process.wait(20) == status


def test_the_package_asks_in_a_session_and_begins_another_when_one_ended():
    ss.strategies()
    first = session(_program.program())
    ss.strategies()
    assert session(_program.program()) is first
    first._process.kill()
    first._process.wait()
    assert ss.strategies()
    assert session(_program.program()) is not first
    with pytest.raises(ss.RequestError, match="unknown strategy 'no.such'"):
        ss.run("no.such", mesh={"row": 2, "col": 4}, m=8, k=8, n=8)
