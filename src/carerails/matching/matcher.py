"""Many regexes on one text, with exactly the answers of Python's `re`, in time linear in the text.

A regex of the subset is an alternation of arms. One pass finds which arms' required literals each sentence contains;
only those arms are run, only there, by RE2 or by `re` (`scan`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from carerails.matching.cache import analysis_of
from carerails.matching.literals import EDGE
from carerails.matching.prefilter import prefilter
from carerails.matching.scan import Asked, Scan, Window
from carerails.matching.sentences import CUT, cut, parts
from carerails.matching.verify import Verifier, has_re2

Backend = Literal["auto", "stdlib"]
Known = dict[str, list[tuple[Asked, int, int]]]
"""What the one pass told of each sentence: of its parts, with the range in which their matches lie."""


class Matcher:
    """Compiled once for a set of regexes; `scan` a text with it, from any thread.

    Args:
        regexes: as for `re`. One that leaves the subset (see check_regex) is run whole by `re`: slower, still right.
        backend: `stdlib` uses neither ahocorasick_rs nor RE2; the answers are the same.

    Raises:
        re.error: a regex does not compile.
    """

    def __init__(self, regexes: Sequence[str], *, backend: Backend = "auto") -> None:
        self.regexes = tuple(regexes)
        self._whole: dict[int, re.Pattern[str]] = {}
        analysis = analysis_of(self.regexes)
        self._outside = frozenset(analysis.outside)
        for number in self._outside:
            self.whole(number)
        #: Arms that no literal leads to, by regex.
        self.always: dict[int, list[Verifier]] = {}
        #: All others by their first clause: of all regexes, and of each.
        self.leading: dict[int, list[Verifier]] = {}
        self.led: list[dict[int, list[Verifier]]] = [{} for _ in self.regexes]
        everyday = [(frozenset(check.words), tuple(check.pieces)) for check in analysis.checks]
        for arm in analysis.arms:
            checks = tuple(map(everyday.__getitem__, arm.checks))
            verifier = Verifier(arm, self.regexes[arm.regex], checks, re2=backend == "auto")
            if verifier.lead is None:
                self.always.setdefault(arm.regex, []).append(verifier)
            else:
                self.leading.setdefault(verifier.lead, []).append(verifier)
                self.led[arm.regex].setdefault(verifier.lead, []).append(verifier)
        #: The regexes that a clause leads to.
        self.led_by = {lead: frozenset(arm.regex for arm in several) for lead, several in self.leading.items()}
        self._leads = frozenset(self.leading)
        #: Clauses by literal.
        self._holding: list[tuple[int, ...]] = [() for _ in analysis.literals]
        for clause, literals in enumerate(analysis.clauses):
            for literal in literals:
                self._holding[literal] += (clause,)
        self._prefilter = prefilter(analysis.literals, automaton=backend == "auto")

    def scan(self, text: str, known: Known | None = None) -> Scan:
        """Ask all regexes about a text; the answers are worked out when asked for.

        Args:
            text: any text.
            known: what was asked before, by sentence; grows. For texts that have most sentences in common.
        """
        if not text.isascii() or EDGE in text or CUT in text:
            return Scan(self, text, (), (), range(len(self.regexes)))
        known = {} if known is None else known
        asked: list[Asked] = []
        ranges: list[Window] = []
        at = 0
        for sentence in cut(text):
            answers = known.get(sentence)
            if answers is None:
                answers = known[sentence] = [(self._ask(part.marked), part.start, part.end) for part in parts(sentence)]
            for answer, start, end in answers:
                asked.append(answer)
                ranges.append((at + start, at + end))
            at += len(sentence)
        return Scan(self, text, ranges, asked, self._outside)

    def warm(self, *, whole: bool = False) -> None:
        """Compile all that would otherwise be compiled by the first text that needs it.

        Without RE2 that is not worth its ten seconds, and arms wait for their first text.

        Args:
            whole: whole regexes by `re`, into its cache, and not arm by arm for `scan`.
        """
        if whole:
            for regex in self.regexes:
                re.compile(regex)
            return
        if has_re2():
            for arm in self._arms():
                arm.warm()

    def whole(self, number: int) -> re.Pattern[str]:
        """The regex as `re` compiles it."""
        pattern = self._whole.get(number)
        if pattern is None:
            pattern = self._whole[number] = re.compile(self.regexes[number])
        return pattern

    def _arms(self) -> Iterator[Verifier]:
        for several in (*self.always.values(), *self.leading.values()):
            yield from several

    def _ask(self, marked: str) -> Asked:
        """The one pass over a part."""
        holding = self._holding
        seen = {clause for hit in self._prefilter.hits(marked) for clause in holding[hit[0]]}
        return Asked(marked, seen, seen & self._leads)
