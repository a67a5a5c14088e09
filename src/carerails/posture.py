"""The posture in code: what the agent never does, tied to the rules, templates, cases and checks that hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from carerails.config import load_yaml
from carerails.contracts import EscalationTemplate, Frozen, RefusalSlug
from carerails.resources import data_dir

#: Checks of what the agent itself says: human review of unsound drafts and edits, the card linter, the persona check,
#: the always-on gate.
Guard = Literal["review", "kb-lint", "persona", "gate"]


class Never(Frozen):
    """One thing that the agent never does.

    Attributes:
        does: how the sentence "the agent never ..." goes on, as the README and the package docstring say it.
        rules: flows of the rails that enforce it.
        templates: what the user reads then; `footer` stands under every reply.
        cases: `slice/case`: cases that fail where it is not enforced.
        guarded_by: checks of what the agent itself says.
    """

    does: Annotated[str, Field(min_length=1)]
    rules: tuple[str, ...] = ()
    templates: Annotated[tuple[EscalationTemplate | RefusalSlug | Literal["footer"], ...], Field(min_length=1)]
    cases: Annotated[tuple[str, ...], Field(min_length=3)]
    guarded_by: Annotated[tuple[Guard, ...], Field(min_length=1)]


class Posture(Frozen):
    """All of them, in the order in which they are told."""

    never: tuple[Never, ...]


def load_posture(path: Path | None = None) -> Posture:
    """The posture of a file (None: `config/posture.yml` as shipped).

    Raises:
        UsageError: with file, line and mend.
    """
    return load_yaml(path or data_dir("config") / "posture.yml", Posture)
