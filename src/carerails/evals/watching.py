"""Cases under a directory of rails that somebody is editing: after each edit, what is decided otherwise.

Only the rules that the edit touches are asked about the cases, and only cases on which one of them hit before or hits
now are decided again. The decisions are the same as if everything had been compiled and decided anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast

from carerails import __version__
from carerails.colang import CompileError, Flow
from carerails.config import load_settings
from carerails.contracts import Findings, Locale, RuleHit
from carerails.engine import FailSafeEngine
from carerails.errors import EngineError, UsageError
from carerails.evals.cases import Case
from carerails.evals.diff import Flip, flip
from carerails.evals.edits import Edit, Rails, compile_touched, read_texts
from carerails.evals.rows import Row
from carerails.evals.scoring import as_row
from carerails.evals.work import Job, Worker
from carerails.policy import Match, Policy, Rule
from carerails.text import prepare

Item = tuple[str, Case]
#: The rules that hit a normalised text, or how asking them failed.
Hits = tuple[RuleHit, ...] | EngineError


@dataclass(frozen=True)
class Seen:
    """What became of an edit.

    Attributes:
        edit: None where the rails cannot be parsed.
        errors: what is wrong with the rails; the state before the edit is kept then.
        flips: cases that are decided otherwise than before the edit.
        again: cases that were decided again.
        seconds: that it took.
    """

    edit: Edit | None
    errors: tuple[str, ...] = ()
    flips: tuple[Flip, ...] = ()
    again: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class _State:
    """Rails that compile: `policy` has the bodies of the `touched` rules, and the head of every rule."""

    rails: Rails
    policy: Policy
    touched: frozenset[str]
    hits: Mapping[str, Hits]


class Watched:
    """Cases, and what is decided on them as the rails stand.

    Args:
        engine: name of an engine.
        root: directory of the rails.
        items: cases and the slices that they are of.

    Raises:
        UsageError: the rails do not compile, or the engine cannot be opened.
    """

    def __init__(self, engine: str, root: Path, items: Iterable[Item]) -> None:
        self._root = root
        self._items = tuple(items)
        longest = load_settings().profile.max_chars
        self._texts = [prepare(case.turn(), max_chars=longest).text for _, case in self._items]
        rails = Rails.read(root)
        policy = Policy.load(root)
        hits = {text: _asked(policy, text) for text in self._texts}
        self._state = _State(rails, policy, rails.rules, hits)
        self._decider: _Decider = _Native() if engine == "native" else _Restarted(engine, root)
        self._rows = self._decider.rows(self._items, self._state)
        self._read = dict(rails.texts)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def rails(self) -> Rails:
        """The rails as they last compiled."""
        return self._state.rails

    @property
    def rows(self) -> Sequence[Row]:
        """The decisions as the rails stood when they last compiled."""
        return tuple(self._rows)

    def look(self) -> Seen | None:
        """Look at the files; None where they are as they were.

        Raises:
            UsageError: the directory is gone.
        """
        begin = time.perf_counter()
        texts = read_texts(self._root)
        if texts == self._read:
            return None
        self._read = texts
        edit: Edit | None = None
        try:
            rails = Rails.of(texts, self._state.rails)
            edit = Edit.between(self._state.rails, rails)
            seen = self._take(rails, edit)
        except CompileError as error:
            seen = Seen(edit, tuple(map(str, error.diagnostics)))
        except UsageError as error:
            seen = Seen(edit, (str(error),))
        return replace(seen, seconds=time.perf_counter() - begin)

    def consider(self, rails: Rails) -> Seen:
        """What would be decided otherwise if these were the rails; they are not taken over.

        Raises:
            CompileError: with all that is wrong.
        """
        begin = time.perf_counter()
        seen, _, _ = self._tried(rails, Edit.between(self._state.rails, rails))
        return replace(seen, seconds=time.perf_counter() - begin)

    def close(self) -> None:
        """Let the engine go."""
        self._decider.close()

    def _take(self, rails: Rails, edit: Edit) -> Seen:
        """Nothing is taken over until all of it is decided."""
        seen, state, rows = self._tried(rails, edit)
        for number, row in rows.items():
            self._rows[number] = row
        self._state = state
        return seen

    def _tried(self, rails: Rails, edit: Edit) -> tuple[Seen, _State, dict[int, Row]]:
        """Decide again what the edit can change: what comes of it, the state after it, and the new rows by number."""
        before = self._state
        if any(isinstance(hits, EngineError) for hits in before.hits.values()):
            edit = replace(edit, touched=before.rails.rules | rails.rules)  # which rule failed is not known
        policy = compile_touched(rails, edit)
        hits = before.hits
        if edit.touched or edit.whole:
            hits = {text: _merged(known, policy, text, rails, edit) for text, known in hits.items()}
        state = _State(rails, policy, edit.touched, hits)
        guards = self._decider.guards
        chosen = [
            number
            for number, text in enumerate(self._texts)
            if (guards and edit.whole) or _may_flip(before.hits[text], hits[text], edit, guards)
        ]
        rows = self._decider.rows([self._items[number] for number in chosen], state)
        new = dict(zip(chosen, rows, strict=True))
        flips = [found for number, row in new.items() if (found := flip(self._rows[number], row))]
        return Seen(edit, (), tuple(flips), len(chosen)), state, new


def _asked(policy: Policy, text: str) -> Hits:
    try:
        return policy.check(text) if text else ()
    except EngineError as error:
        return error


def _merged(known: Hits, policy: Policy, text: str, rails: Rails, edit: Edit) -> Hits:
    """Hits of the rules that the edit leaves as they are, from before, and those of the others, from now."""
    new = _asked(policy, text)
    if isinstance(known, EngineError) or isinstance(new, EngineError) or rails.order is None:
        return new
    place = {rule: number for number, rule in enumerate(rails.order)}
    kept = [hit for hit in known if hit.rule not in edit.touched]
    return tuple(sorted([*kept, *new], key=lambda hit: place[hit.rule]))


def _may_flip(before: Hits, after: Hits, edit: Edit, guards: bool) -> bool:
    if isinstance(before, EngineError) or isinstance(after, EngineError):
        return True
    rules = [hit.rule for hit in (*before, *after)]
    looked_at = edit.touched | edit.guarded if guards else edit.touched
    # Where the order of checks changed, it decides among equals.
    return not looked_at.isdisjoint(rules) or (edit.whole and len(after) > 1)


class _Decider(Protocol):
    """How cases are decided. `guards`: it runs the rails itself, and so looks at guards and orchestration."""

    guards: bool

    def rows(self, items: Sequence[Item], state: _State) -> list[Row]: ...

    def close(self) -> None: ...


class _Restarted:
    """Any engine: it is opened anew for the cases that an edit can change."""

    guards = True

    def __init__(self, engine: str, root: Path) -> None:
        self._job = Job(engine, root)

    def rows(self, items: Sequence[Item], state: _State) -> list[Row]:
        """Their decisions; an engine is not opened for none."""
        if not items:
            return []
        worker = Worker(self._job)
        try:
            return list(worker.rows(items))
        finally:
            worker.close()

    def close(self) -> None:
        """Nothing is open."""


class _Native:
    """The native engine, whose findings are the hits that are known already."""

    guards = False

    def __init__(self) -> None:
        self._owners: dict[str, tuple[Policy, tuple[Flow, ...]]] = {}

    def rows(self, items: Sequence[Item], state: _State) -> list[Row]:
        """Their decisions."""
        for rule in state.touched & state.rails.rules:
            self._owners[rule] = (state.policy, state.rails.part(rule))
        meanings: Any = _Meanings(state, self._owners)
        engine = FailSafeEngine(_Known(state.hits), cast("Policy", meanings), load_settings())
        return [as_row(piece, case, engine.check_now(case.turn()), None) for piece, case in items]

    def close(self) -> None:
        """Nothing is open."""


class _Known:
    """`RuleEngine` that has been asked about every text before."""

    name = "native"
    version = __version__
    capabilities = frozenset({"synchronous"})

    def __init__(self, hits: Mapping[str, Hits]) -> None:
        self._hits = hits

    async def start(self) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing is held."""

    async def evaluate(self, text: str) -> Findings:
        """What is known."""
        hits = self._hits[text]
        if isinstance(hits, EngineError):
            raise hits
        return Findings(hits=hits)

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """No text is shown to anybody here."""
        raise NotImplementedError


class _Meanings:
    """What a decision asks of a policy: every rule's meaning from the new one, places from whichever has its body."""

    digest = ""
    judged: Mapping[str, Rule] = {}  # nobody is asked here

    def __init__(self, state: _State, owners: dict[str, tuple[Policy, tuple[Flow, ...]]]) -> None:
        self.rules = state.policy.rules
        self._rails, self._owners = state.rails, owners
        self._fresh: dict[str, Policy] = {}

    def has(self, rule: str) -> bool:
        """As `Policy.has`."""
        return rule in self.rules

    def rule(self, name: str) -> Rule:
        """As `Policy.rule`."""
        return self.rules[name]

    def scan(self, text: str) -> None:
        """Each policy scans for itself."""

    def locate(self, rule: str, terms: Sequence[str], text: str, scan: None) -> list[Match]:
        """As `Policy.locate`."""
        return self._owner(rule).locate(rule, terms, text)

    def _owner(self, rule: str) -> Policy:
        """A policy with the rule's body; compiled anew where lines have moved since, which no decision depends on."""
        if rule not in self._fresh:
            policy, part = self._owners[rule]
            now = self._rails.part(rule)
            if len(part) != len(now) or any(old is not new for old, new in zip(part, now, strict=False)):
                policy = Policy(now, check=False)
                self._owners[rule] = (policy, now)
            self._fresh[rule] = policy
        return self._fresh[rule]
