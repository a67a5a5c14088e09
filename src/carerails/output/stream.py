"""A reply that comes in pieces: whole sentences leave, once nothing that may follow can make them forbidden.

The decision is the same as without streaming, because it is made of the whole reply in the end. What leaves before is
behind a window that no rule looks across, ends with a sentence and its citations, and was found in order together with
all that followed it so far. As long as anything is wrong, nothing more leaves. A judge has the last word on the whole
reply, so with one nothing leaves before its end.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, AsyncIterator

from carerails.contracts import Exchange, Failure, Frozen, Inspection, Reply
from carerails.drafting import cited
from carerails.output.guard import ReplyGuard
from carerails.text import normalise

#: The end of a sentence, its citations and the space behind them; what follows must have begun, and be no citation.
_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]*_]*|\n)(?:[ \t]*\[[^\[\]\n]{1,90}\][.!?…]*)*\s+(?=[^\s\[［【({<])")
#: Checks that look at a reply as a whole: they wait for its end.
_AT_THE_END = frozenset({"citations", "footer", "language"})
#: What is checked again for each piece of this many characters.
_STEP = 40


class Piece(Frozen):
    """Text that may be shown, to be put behind what was shown before."""

    text: str


class Verdict(Frozen):
    """The end of a stream. Unless it passed, what was shown is to be replaced by the fallback.

    Attributes:
        inspection: of the whole reply, as `ReplyGuard.inspect` gives it.
        shown: what has left so far, without the rest that passes with it.
        rest: what is still to be shown; empty unless it passed.
    """

    inspection: Inspection
    shown: str = ""
    rest: str = ""


async def guarded(chunks: AsyncIterable[str], guard: ReplyGuard, exchange: Exchange) -> AsyncIterator[Piece | Verdict]:
    """What may be shown of a stream, as it comes; a `Verdict` last, always.

    Args:
        chunks: the reply's text, cut anywhere; an exception in it is a failure.
        guard: started.
        exchange: what the reply answers.
    """
    text, shown, looked = "", 0, 0
    failure: Failure | None = None
    try:
        async for chunk in chunks:
            text += chunk
            if guard.judged or len(text) - looked < _STEP:
                continue
            looked = len(text)
            cut = await _cut(text, shown, guard, exchange)
            if cut > shown:
                yield Piece(text=text[shown:cut])
                shown = cut
    except Exception as error:  # a broken stream is no reply, whatever has come of it
        failure = Failure(seam="output", kind="exception", detail=type(error).__name__)
    found = Inspection(failures=(failure,)) if failure else await guard.inspect(_reply(text), exchange)
    yield Verdict(inspection=found, shown=text[:shown], rest=text[shown:] if found.passed else "")


async def _cut(text: str, shown: int, guard: ReplyGuard, exchange: Exchange) -> int:
    """Up to where a beginning may be shown: no further than `shown` as long as anything is wrong with it."""
    if not (await guard.look(_reply(text), exchange, but=_AT_THE_END)).passed:
        return shown
    limit = _limit(text, guard.settings.window)
    cut = max((match.end() for match in _END.finditer(text, shown) if match.end() <= limit), default=shown)
    if cut == shown:
        return shown
    # Whole sentences: what is said of their language and citations holds whatever follows.
    draft = exchange.model_copy(update={"footer": None})
    return cut if (await guard.look(_reply(text[:cut].rstrip()), draft)).passed else shown


def _limit(text: str, window: int) -> int:
    """The place with so many characters behind it, as rules read them: padding with invisible ones buys nothing."""
    view = normalise(text)[0]
    at = len(view.text) - window
    return view.to_original(0, at)[1] if at > 0 else 0


def _reply(text: str) -> Reply:
    return Reply(kind="answer", text=text, citations=cited(text))


__all__ = ["Piece", "Verdict", "guarded"]
