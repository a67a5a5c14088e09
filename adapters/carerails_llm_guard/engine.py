"""The adapter: one `Regex` scanner a rule, called by itself, for LLM Guard keys results by the scanner's class.

On the rails of replies (`rails/output`) the scanners are LLM Guard's output scanners. A scanner with weights is used
where these lie in a directory; nothing is downloaded. Only the modules of these scanners are imported: LLM Guard's
packages import them all, and with them PyTorch, transformers and spaCy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib import import_module, metadata
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from carerails.contracts import Findings, RefusalSlug, Ruling
from carerails.errors import EngineError, UsageError
from carerails.patterns import PatternEngine

#: Names a directory with one of weights for each of `WEIGHTED`, as `from_pretrained` of Hugging Face reads it.
MODELS = "CARERAILS_LLM_GUARD_MODELS"
#: Input scanners with weights whose subject is one of our reasons to refuse.
WEIGHTED: Mapping[str, RefusalSlug] = {"PromptInjection": "out-of-scope-meta"}
#: Where LLM Guard has them.
MODULES: Mapping[str, str] = {"PromptInjection": "llm_guard.input_scanners.prompt_injection"}
#: What weights take besides.
FRAMEWORKS = ("torch", "transformers")
INPUT, OUTPUT = "llm_guard.input_scanners", "llm_guard.output_scanners"

#: Whether a text is valid.
Scan = Callable[[str], object]


class LLMGuardEngine(PatternEngine):
    """`RuleEngine` on LLM Guard's scanners. It runs in its own environment.

    Raises:
        importlib.metadata.PackageNotFoundError: it is not installed here.
    """

    name = "llm-guard"

    def __init__(self, rails: Path | None = None) -> None:
        super().__init__(rails)
        self.version = metadata.version("llm-guard")
        given = os.environ.get(MODELS, "").strip()
        self._models = Path(given) if given else None
        self.notes: list[str] = []
        self._scans: dict[str, Scan] = {}
        self._weighted: dict[str, Scan] = {}

    @property
    def unsupported(self) -> Mapping[str, str]:
        """What no scanner expresses, with the reason."""
        needs = {slug: f"; LLM Guard's {name} needs weights: {MODELS}" for name, slug in WEIGHTED.items()}
        slugs = {name: rule.meta.slug for name, rule in self.policy.rules.items()}
        return {
            name: why + needs.get(slugs[name] or "", "")
            for name, why in self.no_pattern.items()
            if self._models is None or slugs[name] not in needs
        }

    async def start(self) -> None:
        """Make the scanners.

        Raises:
            UsageError: the directory of weights lacks one, or LLM Guard cannot load it, also for want of packages.
        """
        # Nothing is fetched and nothing told, also where a library that it imports would.
        os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"})
        replies = {rule.meta.kind for rule in self.policy.rules.values()} == {"output"}
        weights: Mapping[str, Path] = {} if replies else self._weights()
        with _packages_unread():
            regex: Any = import_module(f"{OUTPUT if replies else INPUT}.regex").Regex
            match: Any = import_module(f"{INPUT}.regex").MatchType
            self._weighted = {name: _scan(_load(name, directory)) for name, directory in weights.items()}
        self._scans = {
            name: _scan(regex([pattern], is_blocked=True, match_type=match.SEARCH, redact=False), replies)
            for name, pattern in self.regexes.items()
        }
        self._started = True

    def _weights(self) -> Mapping[str, Path]:
        """Where the weights of each scanner are."""
        if self._models is None:
            self.notes = [f"without weights, so without {', '.join(WEIGHTED)} ({MODELS} names their directory)"]
            return {}
        found = {name: self._models / name for name in WEIGHTED}
        for name, directory in found.items():
            if not (directory / "config.json").is_file():
                raise UsageError("holds no weights", f"put {name}'s there, or unset {MODELS}", str(directory))
        if lacking := [package for package in FRAMEWORKS if find_spec(package) is None]:
            what = f"{', '.join(found)} needs {' and '.join(lacking)}, which this environment has not"
            raise UsageError(what, f"carerails engines install llm-guard+weights, or unset {MODELS}")
        return found

    async def evaluate(self, text: str) -> Findings:
        """The rules whose scanners call the text invalid, and the refusals of scanners with weights.

        Raises:
            EngineError: a scanner raised, or gave no verdict.
        """
        if not self._started:
            raise EngineError("missing", "the engine is not started")
        error, matched, blocking = "", list[str](), list[str]()
        try:
            matched = [name for name, scan in self._scans.items() if not _verdict(scan(text))]
            blocking = [name for name, scan in self._weighted.items() if not _verdict(scan(text))]
        except Exception as raised:  # its message may quote the text
            error = type(raised).__name__
        if error:
            raise EngineError("exception", error)
        rulings = tuple(Ruling(outcome="refuse", slug=WEIGHTED[name], category=name.lower()) for name in blocking)
        return self.findings(matched, text).model_copy(update={"rulings": rulings})


def _scan(scanner: Any, replies: bool = False) -> Scan:
    """What the scanner says of a text: an output scanner wants the prompt too, and does not look at it."""
    return (lambda text: scanner.scan("", text)[1]) if replies else (lambda text: scanner.scan(text)[1])


def _verdict(valid: object) -> bool:
    if type(valid) is not bool:
        raise TypeError
    return valid


@contextmanager
def _packages_unread() -> Generator[None]:
    """Modules of LLM Guard are imported in here, and the packages that they are in are not run."""
    new = [package for package in ("llm_guard", INPUT, OUTPUT) if package not in sys.modules]
    try:
        for package in new:
            spec = find_spec(package)
            if spec is None:
                raise ModuleNotFoundError(package)
            sys.modules[package] = module_from_spec(spec)
        yield
    finally:
        for package in new:
            sys.modules.pop(package, None)


def _load(name: str, directory: Path) -> Any:
    scanner, model = import_module(MODULES[name]), import_module("llm_guard.model").Model
    try:
        weights = model(path=str(directory), pipeline_kwargs={"max_length": 512, "truncation": True})
        return getattr(scanner, name)(model=weights)
    except Exception as error:
        raise UsageError(f"LLM Guard cannot load it: {type(error).__name__}", "", str(directory)) from None
