"""The built wheel, installed into an empty environment and run from an empty folder, does the same as the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROWS = "\n".join(
    json.dumps({"id": n, "text": text})
    for n, text in enumerate(
        ("I have crushing chest pain", "¿puedo tomar el doble si me olvidé?", "como guardo a insulina?")
    )
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network by the locked build backend."""
    out = tmp_path_factory.mktemp("dist")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        out,
        ROOT,
    ]
    subprocess.run(build, check=True, capture_output=True)
    [built] = out.glob("*.whl")
    return built


def test_it_holds_the_data_and_no_tests(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("rails/main.co", "config/numbers.yml", "evals/slices/escalation.jsonl"):
        assert f"carerails/_data/{name}" in names
    assert {"nemo_runner/runner.py", "carerails_nemo/engine.py"} <= set(names)
    assert not [name for name in names if name.startswith("tests/") or name.endswith(".pyc")]


def test_installed_it_decides_as_the_checkout_does(wheel: Path, tmp_path: Path):
    environment, empty = tmp_path / "env", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, capture_output=True)
    # The dependencies come from this environment; the package itself, with its data, from the wheel alone.
    site = next((environment / "lib").glob("python*/site-packages"))
    outer = [line for line in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")) if line]
    (site / "dependencies.pth").write_text("\n".join(dict.fromkeys(outer)), encoding="utf-8")

    def decide(executable: Path | str, folder: Path) -> list[dict[str, object]]:
        code = "import carerails, sys; sys.stderr.write(carerails.__file__); from carerails.cli import main; main()"
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [executable, "-c", code, "decide", "--engine", "native"]
        done = subprocess.run(command, input=ROWS, capture_output=True, text=True, cwd=folder, env=env, check=False)
        assert done.returncode == 0, done.stderr
        assert (str(environment) in done.stderr) == (executable == python), done.stderr
        records = [json.loads(line) for line in done.stdout.splitlines()]
        for record in records:
            del record["latency_us"]
        return records

    installed = decide(python, empty)
    assert installed == decide(sys.executable, ROOT)
    assert [record["decision"] for record in installed] == ["escalate", "refuse", "allow"]
