"""NeMo's parser takes seconds for a large program; what it made of each file is kept, where there is a place for it.

Kept as JSON, in the form in which NeMo itself writes states down, so that nothing is run when it is read. A file that
was edited is parsed anew, and the others are not.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from nemoguardrails import colang
from nemoguardrails.colang.v2_x.runtime import serialization

# NeMo's own types are partly unknown to a type checker.
nemo: Any = colang
written: Any = serialization
#: What NeMo's parser gives for a file.
Parsed: TypeAlias = dict[str, Any]
#: Seconds of parsing below which nothing is kept.
_WORTH_KEEPING_S = 0.5


class Keeper(Protocol):
    """A place where bytes are kept by a key."""

    def path(self, key: str) -> Path | None:
        """Where; None where nothing is kept."""
        ...

    def read(self, path: Path) -> bytes | None:
        """What was kept there."""
        ...

    def write(self, path: Path, body: bytes) -> None:
        """Keep it."""
        ...


@contextmanager
def parsed_once(sources: Sequence[Path], keeper: Keeper) -> Generator[None]:
    """While it lasts, NeMo takes from the keeper what it parsed before: files of the same text, by the same version."""
    code = Path(__file__).read_bytes()
    names = [str(path.resolve()) for path in sources]
    path = keeper.path(hashlib.sha256(code + json.dumps([version("nemoguardrails"), *names]).encode()).hexdigest())
    body = path and keeper.read(path)
    before: dict[str, Any] = json.loads(body) if body else {}
    now: dict[str, Any] = {}
    took = 0.0
    parse: Callable[..., Parsed] = nemo.parse_colang_file

    def once(filename: str, content: str, include_source_mapping: bool = True, version: str = "1.0") -> Parsed:
        nonlocal took
        key = hashlib.sha256(f"{version} {include_source_mapping} {content}".encode()).hexdigest()
        if key in before:
            now[key] = before[key]
            parsed: Parsed = written.decode_from_dict(now[key], {})
            for flow in parsed["flows"]:
                flow["file_info"]["name"] = filename
            return parsed
        begin = time.perf_counter()
        parsed = parse(filename, content, include_source_mapping=include_source_mapping, version=version)
        took += time.perf_counter() - begin
        if version != "1.0":
            now[key] = written.encode_to_dict(parsed, {})
        return parsed

    nemo.parse_colang_file = once
    try:
        yield
    finally:
        nemo.parse_colang_file = parse
    if path and took > _WORTH_KEEPING_S:
        keeper.write(path, json.dumps(now).encode())
