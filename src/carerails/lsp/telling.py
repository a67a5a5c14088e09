"""When findings are told: a file's own at once, those of the linter when nobody has typed for a moment."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import replace

from carerails.errors import CarerailsError
from carerails.lint import Finding
from carerails.lsp.behind import CheckFailed, check_all
from carerails.lsp.checking import check, overlay
from carerails.lsp.pack import Pack
from carerails.lsp.text import Lines, moved

#: Seconds without a key after which a file is checked, and the most that one waits while keys go on.
QUIET_S, LONGEST_S = 0.04, 0.15
#: Seconds without a key after which the linter is started.
CALM_S = 0.6

Publish = Callable[[Pack, str, list[Finding]], None]
Place = tuple[Pack, str]


class Teller:
    """Knows what has been found, and tells it when it changes.

    Args:
        publish: tells the findings of a file.
        complain: tells whoever edits that the linter itself failed.
    """

    def __init__(self, publish: Publish, complain: Callable[[str], None]) -> None:
        self._publish, self._complain = publish, complain
        self._quick: dict[Place, list[Finding]] = {}
        #: What only the linter said of a file, and the text that it read.
        self._slow: dict[Place, tuple[Lines, list[Finding]]] = {}
        self._told: dict[Place, list[Finding]] = {}
        self._due: dict[Place, tuple[float, asyncio.TimerHandle]] = {}
        self._calm: dict[Pack, asyncio.TimerHandle] = {}
        self._linting: dict[Pack, asyncio.Task[None]] = {}
        self._failed: set[Pack] = set()
        self._warm: set[Pack] = set()

    def told(self, pack: Pack, name: str) -> list[Finding]:
        """What was told last of a file."""
        return self._told.get((pack, name), [])

    def changed(self, pack: Pack, name: str) -> None:
        """A file is another: check it soon, and all of its rails a little later. What was under way is dropped."""
        loop = asyncio.get_running_loop()
        now, place = loop.time(), (pack, name)
        first = now
        if place in self._due:
            first, timer = self._due[place]
            timer.cancel()
        due = max(now, min(now + QUIET_S, first + LONGEST_S))
        self._due[place] = first, loop.call_at(due, self._check, place)
        if pack in self._calm:
            self._calm[pack].cancel()
        if pack in self._linting:
            self._linting.pop(pack).cancel()
        self._calm[pack] = loop.call_later(CALM_S, self._lint, pack)

    def close(self) -> None:
        """Start nothing more, and end what runs."""
        for _, timer in self._due.values():
            timer.cancel()
        for timer in self._calm.values():
            timer.cancel()
        for task in self._linting.values():
            task.cancel()

    def _check(self, place: Place) -> None:
        self._due.pop(place, None)
        try:
            self._quick[place] = check(*place)
            if place[0] not in self._warm:
                self._warm.add(place[0])
                # The trees of all files stay: looking through them for garbage takes longer than a check.
                gc.freeze()
                gc.set_threshold(50_000, 20, 20)
        except Exception as error:  # whatever it was, a file that was not checked must not look like a good one
            why = str(error) if isinstance(error, CarerailsError) else type(error).__name__
            self._quick[place] = [
                Finding("not-checked", "error", place[1], 1, 1, 2, f"this file could not be checked: {why}", "")
            ]
        self._tell(place)

    def _lint(self, pack: Pack) -> None:
        self._calm.pop(pack, None)
        self._linting[pack] = asyncio.get_running_loop().create_task(self._lint_all(pack))

    async def _lint_all(self, pack: Pack) -> None:
        for name in sorted(pack.open):  # what an edit of one file does to the others that are open
            await asyncio.sleep(0)
            self._check((pack, name))
        texts = {name: Lines(text) for name, text in pack.texts.items()}
        try:
            found = await check_all(pack.root, overlay(pack))
        except CheckFailed as error:
            if pack not in self._failed:  # once: it would be said at every key
                self._failed.add(pack)
                self._complain(f"the linter failed on {pack.root}: {error}")
            return
        self._failed.discard(pack)
        by_file: dict[str, list[Finding]] = {name: [] for name in texts}
        for finding in found:
            by_file.setdefault(finding.file, []).append(finding)
        for name, findings in by_file.items():
            quick = self._quick.get((pack, name), [])
            self._slow[pack, name] = texts.get(name, Lines("")), [one for one in findings if one not in quick]
            self._tell((pack, name))

    def _tell(self, place: Place) -> None:
        """What both have found; the linter's where its lines stand now."""
        pack, name = place
        read = pack.read(name)
        lines, slow = self._slow.get(place, (Lines(""), []))
        kept = [_moved(one, lines, read.lines) for one in slow] if read else []
        found = [*self._quick.get(place, []), *filter(None, kept)]
        if found != self._told.get(place, []):
            self._told[place] = found
            self._publish(pack, name, found)


def _moved(finding: Finding, before: Lines, after: Lines) -> Finding | None:
    """A finding where its line stands now; a fix holds only where nothing has moved."""
    if before.text == after.text:
        return finding
    line = moved(finding.line, before, after)
    return None if line is None else replace(finding, line=line, fix=())
