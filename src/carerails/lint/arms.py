"""Which patterns stand in a text, whether or not a rule hits for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from carerails.colang.folding import Pattern
from carerails.colang.rules import Rule
from carerails.policy import Policy


class Arms:
    """The patterns of a policy's rules.

    Args:
        policy: it.
        rules: the rules whose patterns are meant; None: all.
    """

    def __init__(self, policy: Policy, rules: Mapping[str, Rule] | None = None) -> None:
        self._policy = policy
        self.rules = policy.rules if rules is None else rules

    @cached_property
    def owners(self) -> Mapping[Pattern, tuple[str, ...]]:
        """Each pattern, and the rules that ask for it."""
        found: defaultdict[Pattern, list[str]] = defaultdict(list)
        for name in self.rules:
            for regex in self._policy.regexes(name):
                for arm in regex.arms:
                    if name not in found[arm]:
                        found[arm].append(name)
        return {arm: tuple(names) for arm, names in found.items()}

    @cached_property
    def _by_number(self) -> Mapping[int, tuple[tuple[Pattern, ...], ...]]:
        """The arms of each regex, as each of its uses places them."""
        found: defaultdict[int, dict[tuple[Pattern, ...], None]] = defaultdict(dict)
        for name in self.rules:
            for regex in self._policy.regexes(name):
                found[regex.number][regex.arms] = None
        return {number: tuple(uses) for number, uses in found.items()}

    def within(self, text: str) -> set[Pattern]:
        """Those that match in a normalised text; of two that match at one place, the one that wins."""
        scan = self._policy.scan(text)
        found: set[Pattern] = set()
        for number in scan.candidates:
            uses = self._by_number.get(number, ())
            if uses:
                arms = {arm for _, _, arm in scan.spans(number)}
                found.update(use[arm] for use in uses for arm in arms)
        return found
