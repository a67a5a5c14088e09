"""The decision model that needs no key: rails and a learnt head for instructions, words and meaning for the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from carerails.contracts import Answer, Asking, Asks, ChoiceAnswer, Locale, NoulAnswer, Question, Unit
from carerails.errors import UsageError
from carerails.policy import Policy
from carerails.screening.carriers import Carriers
from carerails.screening.evidence import disagreements, premise, read
from carerails.screening.head import Head, Look, has_examples
from carerails.screening.relevance import Relevance
from carerails.screening.support import supports
from carerails.screening.vectors import Vectors
from carerails.semantic import is_installed

#: Probabilities of yes: a rule hits or not, two texts disagree or not. Set by hand; only their order means something.
_HIT: Final = 0.99
_DISAGREES: Final = 0.85
_NOT: Final = 0.02
#: From here on the head says why.
_EVEN: Final = 0.5


class LocalModel:
    """A `DecisionModel` that always answers the same. Build once; any number of threads and loops may ask it.

    Args:
        policy: the rules of screening; None: those that are shipped.
        semantic: whether relevance goes by meaning too; None: where the extra is installed.
        head: whether the learnt head looks for instructions beside the rules; None: where the extra is installed,
            and the rails have examples.

    Attributes:
        name: `local`, and `local+head` where the head looks too: it stands in every log.
        compares_meaning: whether relevance goes by meaning too.

    Raises:
        CompileError: the rails do not compile.
        UsageError: the extra is needed and not installed, or the rails have too few examples for the head.
    """

    def __init__(
        self, policy: Policy | None = None, *, semantic: bool | None = False, head: bool | None = False
    ) -> None:
        self._carriers = Carriers(policy)
        self.compares_meaning = _wanted(semantic, "semantic")
        self._vectors = Vectors()
        taught = head is not None or has_examples(self._carriers.policy)
        self._head = Head(self._carriers.policy, self._vectors) if taught and _wanted(head, "head") else None
        self._relevance = Relevance(self._vectors if self.compares_meaning else None)
        self.name = "local+head" if self._head else "local"

    def start(self) -> None:
        """Compile every rule, load the encoder and fit the head now. Without it the first text waits for all that."""
        self._carriers.policy.warm()
        if self._head:
            self._head.start()
        if self._head or self.compares_meaning:
            self._vectors.of(["ready"])

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        """One answer a question."""
        if self.compares_meaning or self._head:  # an embedding takes milliseconds
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
        """What the rules find, and what the head makes of the rest; that it fails is a failure of all, and no `no`."""
        hits = self._carriers.find(units)
        answers = {key: NoulAnswer(noul=_HIT, evidence=rules) for key, rules in hits.items()}
        rest = [unit for unit in units if unit.key not in answers]
        if not self._head:
            return answers | {unit.key: NoulAnswer(noul=_NOT) for unit in rest}
        looks = self._head.look_at([unit.text for unit in rest])
        return answers | {unit.key: _as_seen(looks[unit.text]) for unit in rest}


def _as_seen(look: Look) -> NoulAnswer:
    """What the head saw. Below an even chance there is nothing to explain."""
    evidence = (f"head: {look.family}",) if look.probability >= _EVEN else ()
    return NoulAnswer(noul=round(max(_NOT, look.probability), 4), evidence=evidence)


def _wanted(switch: bool | None, key: str) -> bool:
    """Whether a part that needs the extra is on.

    Raises:
        UsageError: it was asked for, and the extra is not installed.
    """
    if switch and not is_installed():
        raise UsageError(
            f"`{key}: true` needs the extra `semantic`, which is not installed",
            f"pip install 'carerails[semantic]', or set `{key}: null`: on where it is installed",
        )
    return is_installed() if switch is None else switch


def _contradictions(asking: Asking) -> Mapping[str, NoulAnswer]:
    stated = read(premise(asking.question, asking.locale), asking.locale)
    found = {unit.key: disagreements(stated, read(unit.text, asking.locale), least=2) for unit in asking.units}
    return {key: NoulAnswer(noul=_DISAGREES if kinds else _NOT, evidence=kinds) for key, kinds in found.items()}


def _supports(units: Sequence[Unit], locale: Locale) -> Mapping[str, ChoiceAnswer]:
    return {unit.key: supports(unit.text, unit.against, locale) for unit in units}
