"""The facts of an earlier release: from its `posture.json`, or from a revision of this repository."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import yaml

from carerails.config import YamlLoader
from carerails.errors import UsageError
from carerails.posture.facts import Facts, gather
from carerails.resources import data_dir

PARTS = ("rails", "config", "evals/slices")


def read_release(since: str) -> Facts:
    """The facts of a `posture.json`, or of the revision (tag, branch, commit) of that name.

    Raises:
        UsageError: it is neither, or that revision cannot be read by this version.
    """
    path = Path(since)
    if path.is_file():
        return Facts.from_json(path)
    archive = _archive(since, data_dir("rails").parent)
    with TemporaryDirectory() as home:
        root = Path(home)
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content:
                    target = root / member.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content.read())
        try:
            _fill(root / "config", data_dir("config"))
            return gather(root / "rails", root / "config", root / "evals" / "slices")
        except (UsageError, OSError, yaml.YAMLError) as error:
            what = str(error).replace(f"{root}/", "")
            raise UsageError(f"revision {since!r}: {what}", "give the posture.json of that release instead") from None


def _archive(revision: str, root: Path) -> bytes:
    """The policy of a revision as a tar file."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True).stdout

    try:
        commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
        return git("archive", "--format=tar", commit, "--", *PARTS)
    except (OSError, subprocess.CalledProcessError):
        raise UsageError(
            f"{revision!r} is neither a file nor a revision with {', '.join(PARTS)}",
            "give a tag, or the posture.json of an earlier release",
        ) from None


def _fill(config: Path, ours: Path) -> None:
    """Words that a release before them did not have are ours; its points are told as it told them, in English."""
    for name in ("categories.yml", "deferred.yml"):
        if not (config / name).is_file():
            (config / name).write_bytes((ours / name).read_bytes())
    path = config / "posture.yml"
    points: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=YamlLoader)
    for point in cast("list[Mapping[str, Any]]", points["never"]):
        for locale in ("es-419", "pt-BR"):
            cast("dict[str, Any]", point).setdefault(locale, point["does"])
    path.write_text(json.dumps(points), encoding="utf-8")  # which is YAML
