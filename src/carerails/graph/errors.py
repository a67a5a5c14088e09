"""What can go wrong in a talk, each with a code for programs and a mend for people. None ever holds the user's text."""

from __future__ import annotations

from typing import ClassVar

from carerails.errors import CarerailsError


class AgentError(CarerailsError):
    """Base of them all.

    Attributes:
        code: one word for programs, never changed.
        what: what is wrong.
        mend: how to put it right.
    """

    code: ClassVar[str] = "agent"

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(f"{what} ({mend})")
        self.what, self.mend = what, mend


class InvalidRequest(AgentError):
    """The request contradicts itself or names what does not exist."""

    code = "invalid-request"


class MissingThread(AgentError):
    """A talk without a name would silently start afresh each time."""

    code = "missing-thread"

    def __init__(self) -> None:
        super().__init__("no thread_id", "send a thread_id: a new one begins a talk, the same one goes on with it")


class TooManyTurns(AgentError):
    """The talk is longer than the deployment allows."""

    code = "too-many-turns"

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} turns", "begin a new talk with another thread_id")


class UnknownThread(AgentError):
    """Nobody ever talked on this thread."""

    code = "unknown-thread"

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"no talk on thread {thread_id!r}", "check the thread_id; ask() begins a talk")


class NothingToReview(AgentError):
    """The thread is there, and nothing on it waits for a person."""

    code = "nothing-to-review"

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"nothing waits for review on thread {thread_id!r}", "its last turn was answered: ask() goes on"
        )


class AlreadyResumed(AgentError):
    """Somebody decided this review before."""

    code = "already-resumed"

    def __init__(self, review_id: str, decision: str) -> None:
        super().__init__(f"review {review_id} is done: {decision}", "read what was sent with deliveries()")


class ReviewClaimed(AgentError):
    """Somebody is deciding this review at this moment."""

    code = "review-claimed"

    def __init__(self, review_id: str) -> None:
        super().__init__(f"review {review_id} is being resumed", "wait; its reply appears in deliveries()")


class ReviewSuperseded(AgentError):
    """A newer message of the user took the place of the question that waited."""

    code = "review-superseded"

    def __init__(self, review_id: str) -> None:
        super().__init__(
            f"review {review_id} is superseded: the user wrote again, and both messages were taken up together",
            "list what waits now with reviews()",
        )


class ReviewIsOff(AgentError):
    """The graph was built without `review_response`."""

    code = "review-off"

    def __init__(self) -> None:
        super().__init__("human review is off", "open the agent with human_review=True")


class EditRejected(AgentError):
    """The edited text fails the output checks; the review stays open.

    Attributes:
        reasons: what failed, in words of the checks.
    """

    code = "edit-rejected"

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(f"the edited text fails: {', '.join(reasons)}", "mend the text and resume again, or reject")
        self.reasons = reasons


class StoreUnavailable(AgentError):
    """The database cannot be reached; red flags are answered all the same."""

    code = "store-unavailable"

    def __init__(self, kind: str) -> None:
        super().__init__(f"the store does not answer: {kind}", "check that the database runs, then send the turn again")


class TurnFailed(AgentError):
    """Something nobody expected; its type is all that is told, its message may quote the user."""

    code = "turn-failed"

    def __init__(self, kind: str) -> None:
        super().__init__(f"the turn could not be completed: {kind}", "send it again; if it stays, report the type")


class AgentClosed(AgentError):
    """The agent was closed, or called from inside itself in a way that would wait for ever."""

    code = "agent-closed"
