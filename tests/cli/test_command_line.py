"""The command line as its user meets it: every line answered, clear errors, distinct exit codes, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.kit import hears_interrupts

ENV = {**os.environ, "COLUMNS": "200", "TERM": "dumb"}


def carerails(
    *args: str | Path, text: str | None = None, data: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "carerails", *map(str, args)],
        input=data if data is not None else (text or "").encode(),
        capture_output=True,
        env=ENV,
        timeout=120,
        check=False,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


FIELDS = """
id decision severity category subcategories slug template_slug matched_terms spans rule file line
locale engine failed latency_us
""".split()  # noqa: SIM905


def test_decide_answers_every_line_in_order(rails: Path):
    said = ["he has slurred speech", "can I double the dose?", "how do I store it?", "I am so hopeless"]
    rows = [{"id": f"r{n}", "text": text, "locale": "en"} for n, text in enumerate(said)]
    done = carerails("decide", "--rails", rails, text="\n".join(map(json.dumps, rows)))
    records = lines(done.stdout)
    assert done.returncode == 0
    assert [record["id"] for record in records] == ["r0", "r1", "r2", "r3"]
    assert [record["decision"] for record in records] == ["escalate", "refuse", "allow", "check-in"]
    assert list(records[0]) == FIELDS
    assert records[0]["spans"] == [[0, 7, 21]]
    assert records[0]["matched_terms"] == ["slurred speech"]
    assert records[0]["latency_us"] > 0


@pytest.mark.parametrize("command", [("decide",), ("check-output",), ("screen", "--question", "when?")])
def test_no_lines_are_said_and_no_fault(command: tuple[str, ...]):
    done = carerails(*command, text="")
    assert (done.returncode, done.stdout) == (0, "")
    assert "there are no lines to read" in done.stderr


def test_several_processes_give_the_same_lines(rails: Path):
    rows = [{"id": n, "text": "slurred speech" if n % 3 else "hello", "locale": "en"} for n in range(300)]
    text = "\n".join(map(json.dumps, rows))
    one, two = (carerails("decide", "--rails", rails, "--workers", str(n), text=text) for n in (1, 2))

    def stable(out: str) -> list[dict[str, Any]]:
        return [{key: value for key, value in record.items() if key != "latency_us"} for record in lines(out)]

    assert stable(one.stdout) == stable(two.stdout)
    assert len(lines(two.stdout)) == 300


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not an object"),
        (b'{"id": 1}', "neither text nor messages"),
        (b'{"txet": "hello"}', "neither text nor messages"),
        (b'{"text": "a", "messages": []}', "both text and messages"),
        (b'{"text": "a", "local": "en"}', "unknown key 'local'"),
        (b'{"text": "a", "locale": "fr"}', "unknown locale"),
        (b'{"text": "a", "country": "Mexico"}', "country"),
        (b'{"messages": "hello"}', "messages is not a list"),
        (b'{"messages": [{"role": "doctor", "content": "x"}]}', "role"),
        (b'{"text": "caf\xe9"}', "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_processed(rails: Path, line: bytes, what: str):
    data = b'{"id": "a", "text": "slurred speech"}\n' + line + b'\n{"id": "b", "text": "hello", "locale": "en"}\n'
    done = carerails("decide", "--rails", rails, data=data)
    first, wrong, last = lines(done.stdout)
    assert done.returncode == 2
    assert (first["id"], last["id"]) == ("a", "b")
    assert wrong["error"]["line"] == 2
    assert what in wrong["error"]["what"]
    assert wrong["error"]["mend"]


def test_what_is_not_text_is_malformed_and_never_a_pass(rails: Path):
    rows: list[Any] = [None, 7, [], {"a": 1}, "", "\u0000", [{"type": "image_url"}], "x" * 10_000_000]
    text = "\n".join(json.dumps({"id": n, "text": value}) for n, value in enumerate(rows))
    done = carerails("decide", "--rails", rails, text=text)
    assert done.returncode == 0
    assert [record["decision"] for record in lines(done.stdout)] == ["refuse"] * len(rows)


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("decide", "--engine", "nativ"), "did you mean 'native'?"),
        (("decide", "--in", "no/such/file.jsonl"), "no/such/file.jsonl"),
        (("decide", "--out", "no/such/dir/out.jsonl"), "no/such/dir"),
        (("decide", "--rails", "no/such/rails"), "no/such/rails"),
        (("decide", "--semantic", "deep"), "deep"),
        (("compare", "--engines", "nmeo"), "did you mean 'nemo'?"),
        (("compare", "--slices", "escalatoin"), "did you mean 'escalation'?"),
        (("compare", "--data", "no/such/data.jsonl"), "no/such/data.jsonl"),
        (("rails", "explain", "hello", "--locale", "pt"), "pt-BR"),
        (("rails", "lint", "no/such/rails"), "no/such/rails"),
        (("rails", "guards", "rails/screening"), "asks no guard"),
        (("no-such-command",), "no-such-command"),
    ],
)
def test_a_users_mistake_is_one_clear_line_and_exit_2(args: tuple[str, ...], what: str):
    done = carerails(*args, text='{"text": "hello"}\n')
    assert done.returncode == 2
    assert what in done.stderr


def test_a_task_that_an_interrupt_ends_prints_no_traceback():
    code = """
import asyncio
from carerails.cli.console import interrupted
async def ends(): raise KeyboardInterrupt
loop = asyncio.new_event_loop()
task = loop.create_task(ends())
try: loop.run_forever()
except KeyboardInterrupt: interrupted("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "carerails: interrupted\n"


def test_the_same_file_for_input_and_output_is_refused(tmp_path: Path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "hello"}\n', encoding="utf-8")
    assert carerails("decide", "--in", rows, "--out", rows).returncode == 2
    assert rows.read_text(encoding="utf-8") == '{"text": "hello"}\n'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_no_fault_of_ours(tmp_path: Path, rails: Path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "hello"}\n', encoding="utf-8")
    done = carerails("decide", "--rails", rails, "--in", rows, "--out", "/dev/full")
    assert done.returncode == 2
    assert done.stderr == "carerails: the output: No space left on device (make room, or write elsewhere)\n"


def test_interrupted_leaves_complete_lines(tmp_path: Path, rails: Path):
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "carerails", "decide", "--rails", str(rails), "--out", str(out)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENV,
        preexec_fn=hears_interrupts,  # noqa: PLW1509  a shell's background job ignores them, and hands that down
    ) as process:
        assert process.stdin
        for n in range(2000):
            process.stdin.write(json.dumps({"id": n, "text": "slurred speech"}).encode() + b"\n")
        process.stdin.flush()
        end = time.monotonic() + 60
        while not (out.exists() and out.stat().st_size) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"carerails: interrupted; what was written so far is complete lines" in err
    text = out.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert lines(text)[0]["decision"] == "escalate"


def test_help_is_instant_and_imports_nothing_heavy():
    code = (
        "import sys\nfrom carerails.cli import app\nfrom typer.testing import CliRunner\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "heavy = {'nemoguardrails', 'scipy', 'numpy', 'langchain_core', 'langgraph', 're2', 'jinja2', 'py3langid'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV, check=True)
    assert done.stdout.strip() == "[]"


def test_a_fault_of_our_own_is_exit_4_and_quotes_nobody(rails: Path):
    code = (
        "import sys, carerails.cli.decide as decide\n"
        "def broken(*_): raise ValueError('what the user said')\n"
        "decide.run = broken\n"
        "sys.argv = ['carerails', 'decide']\n"
        "from carerails.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, env=ENV, check=False)
    assert done.returncode == 4
    assert "ValueError at" in done.stderr
    assert "what the user said" not in done.stderr


def test_native_decides_without_nemo(rails: Path):
    code = (
        "import sys\nsys.modules['nemoguardrails'] = None\n"
        f"sys.argv = ['carerails', 'decide', '--engine', 'native', '--rails', {str(rails)!r}]\n"
        "from carerails.cli import main\nmain()"
    )
    row = '{"id": 1, "text": "slurred speech"}\n'
    done = subprocess.run([sys.executable, "-c", code], input=row, capture_output=True, text=True, env=ENV, check=False)
    assert done.returncode == 0, done.stderr
    assert lines(done.stdout)[0]["decision"] == "escalate"


def test_engines_lists_both(rails: Path):
    done = carerails("engines", "--json")
    found = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert found["native"]["available"]
    assert found["nemo"]["available"]


def test_explain_shows_views_rule_place_and_reply(rails: Path):
    done = carerails(
        "rails", "explain", "He has SLURRED spéech", "--rails", rails, "--country", "MX", "--locale", "es-419"
    )
    assert done.returncode == 0
    for part in (
        "escalate / emergency",
        "he has slurred speech",
        "rails/red_flags/stroke.co:",
        "'SLURRED spéech'",
        "911",
    ):
        assert part in done.stdout


def test_an_exported_policy_decides_alike(tmp_path: Path, rails: Path):
    policy = tmp_path / "policy.json"
    assert carerails("rails", "export", rails, "--out", policy).returncode == 0
    row = '{"id": 1, "text": "slurred speech", "locale": "en"}\n'
    [from_rails], [from_json] = (lines(carerails("decide", "--rails", r, text=row).stdout) for r in (rails, policy))
    for record in (from_rails, from_json):
        del record["latency_us"]
    assert from_rails == from_json
