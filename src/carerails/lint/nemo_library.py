"""What an installed copy of NeMo Guardrails brings along. Its files are read, and never imported."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from carerails.colang.diagnostics import nearest

_FLOW_2 = re.compile(r"^flow ([a-z_][^$(\n>-]*)", re.MULTILINE)
_DEFINE = re.compile(r"^define (?:parallel |extension )*(flow|subflow|bot|user) ([^\n]+)", re.MULTILINE)
_ACTION = re.compile(r"@action\((?P<arguments>[^)]*)\)(?:\s*@[^\n]*)*\s*(?:async )?def (?P<name>\w+)")
#: Those that the runtime registers itself.
_REGISTERED = re.compile(r"register_action\([^)]*?\"(\w+)\"|^ +\"(run_\w+)\",$", re.MULTILINE)
_NAMED = re.compile(r"name=[\"'](\w+)[\"']")
#: Actions of the interaction model, which no Python file defines.
_UMIM = re.compile(
    r"\b((?:Utterance|Gesture|Posture|Expression|Visual\w+|Motion\w+|Timer|Attention|Presence|Scene\w*|Shot\w*|Dialog\w*)(?:Bot|User)?Action)\b"
)


@dataclass(frozen=True)
class Library:
    """Names that any configuration may use.

    Attributes:
        modules: what `import` takes, with dots.
        flows: of Colang 2.x.
        defined: of Colang 1.0: kind and name.
        actions: in snake case.
    """

    modules: frozenset[str]
    flows: frozenset[str]
    defined: frozenset[tuple[str, str]]
    actions: frozenset[str]


@cache
def library() -> Library | None:
    """What is installed; None where nothing is, and names outside the configuration cannot be judged."""
    spec = find_spec("nemoguardrails")
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(spec.submodule_search_locations[0])
    colang = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.co"))}
    own = {
        path: text
        for path, text in colang.items()
        if path.relative_to(package).parts[0] in ("colang", "library", "rails")
    }
    modules = {path.stem for path in own if "v2_x" in path.parts}
    modules |= {".".join(("nemoguardrails", *path.relative_to(package).parts[:-1])) for path in own}
    modules |= {f"{module}.flows" for module in modules}
    python = "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted(package.rglob("*.py"))
        if "action" in path.read_text(encoding="utf-8")
    )
    return Library(
        frozenset(modules),
        frozenset(" ".join(name.split()) for text in own.values() for name in _FLOW_2.findall(text)),
        frozenset((kind, name.strip()) for text in own.values() for kind, name in _DEFINE.findall(text)),
        frozenset(actions_in(python)) | {snake(name) for text in own.values() for name in _UMIM.findall(text)},
    )


def meant(name: str, known: Iterable[str]) -> str:
    """The mend of a name that is not known: the one that it resembles, among hundreds, or to define it."""
    near = nearest(name, known)
    return near if near.startswith("did you mean") else "define it"


def actions_in(python: str) -> set[str]:
    """The actions that Python code registers, in snake case."""
    found: set[str] = set()
    for match in _ACTION.finditer(python):
        named = _NAMED.search(match["arguments"])
        found.add(snake(named[1] if named else match["name"]))
    found.update(snake(first or second) for first, second in _REGISTERED.findall(python))
    return found


def snake(name: str) -> str:
    """`CheckFactsAction` and `check_facts` as `check_facts`: the runtime takes one for the other."""
    plain = name.removesuffix("Action") if not name.islower() else name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower().removesuffix("_action")
