"""The decision model that needs no key: rails for instructions, words for the rest. Always the same answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from carerails.contracts import Answer, Asking, Asks, ChoiceAnswer, Locale, NoulAnswer, Question, Unit
from carerails.knowledge.semantic import is_installed
from carerails.policy import Policy
from carerails.screening.carriers import Carriers
from carerails.screening.evidence import disagreements, premise, read
from carerails.screening.relevance import Relevance
from carerails.screening.support import supports

#: Probabilities of yes: a rule hits or not, two texts disagree or not. Set by hand; only their order means something.
_HIT: Final = 0.99
_DISAGREES: Final = 0.85
_NOT: Final = 0.02


class LocalModel:
    """A `DecisionModel` of rules. Build once; any number of threads and loops may ask it.

    Args:
        policy: the rules of screening; None: those that are shipped.
        semantic: whether relevance goes by meaning too; None: where the extra is installed.

    Raises:
        CompileError: the rails do not compile.
    """

    name = "local"

    def __init__(self, policy: Policy | None = None, *, semantic: bool | None = False) -> None:
        self._carriers = Carriers(policy)
        self._semantic = is_installed() if semantic is None else semantic
        self._relevance = Relevance(semantic=self._semantic)

    def start(self) -> None:
        """Compile every rule now. Optional."""
        self._carriers.policy.warm()

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        """One answer a question."""
        if self._semantic:  # an embedding takes milliseconds
            return await asyncio.to_thread(self.ask_now, asking, questions)
        return self.ask_now(asking, questions)

    def ask_now(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        """As `ask`, for code that runs in no loop."""
        kinds: set[Asks] = {question.asks for question in questions.values()}
        answers = {kind: self._answers(kind, asking) for kind in kinds}
        return {name: answers[question.asks][question.unit] for name, question in questions.items()}

    def _answers(self, kind: Asks, asking: Asking) -> Mapping[str, Answer]:
        """The answers to one question, of all units."""
        match kind:
            case "relevance":
                return self._relevance.scores(asking.question, asking.locale, asking.units)
            case "instructions":
                return self._instructions(asking.units)
            case "contradiction":
                return _contradictions(asking)
            case "support":
                return _supports(asking.units, asking.locale)

    def _instructions(self, units: Sequence[Unit]) -> Mapping[str, NoulAnswer]:
        hits = self._carriers.find(units)
        return {
            unit.key: NoulAnswer(noul=_HIT if unit.key in hits else _NOT, evidence=hits.get(unit.key, ()))
            for unit in units
        }


def _contradictions(asking: Asking) -> Mapping[str, NoulAnswer]:
    stated = read(premise(asking.question, asking.locale), asking.locale)
    found = {unit.key: disagreements(stated, read(unit.text, asking.locale), least=2) for unit in asking.units}
    return {key: NoulAnswer(noul=_DISAGREES if kinds else _NOT, evidence=kinds) for key, kinds in found.items()}


def _supports(units: Sequence[Unit], locale: Locale) -> Mapping[str, ChoiceAnswer]:
    return {unit.key: supports(unit.text, unit.against, locale) for unit in units}
