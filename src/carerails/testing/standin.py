"""A stub endpoint that stands in for a model: it answers as a model would that decides as the compiled rails do.

It is for trying the plumbing of engines `llm`, `prompt` and `iorails` (its self check) without a key. **No figure that
comes of it says anything about a model**, and whoever uses it says so.

    python -m carerails.testing.standin        # prints the variables that point a client at it, and serves
"""

from __future__ import annotations

import json
from typing import Any

from carerails.contracts import RANK
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.testing.endpoint import Line, Recorded, Scripted, StubLLM
from carerails.testing.replies import answers, says
from carerails.text import normalise

#: What the stand-in says in prose, by the outcome.
PROSE = {
    "emergency": "Please call your local emergency number right now.",
    "crisis": "You are not alone. Please call a crisis line now.",
    "urgent": "Please ring your clinic today.",
    "check-in": "That sounds hard. How are you holding up?",
    "refuse": "I'm sorry, I can't help with that.",
    "allow": "Your leaflet has a section on that. Keep it with the box.",
}


#: By this it knows a self check.
YES_OR_NO = "Answer with one word: Yes or No."


def stand_in(policy: Policy | None = None) -> Line:
    """A script line: an envelope where the request asks for JSON, yes or no where it asks for that, else prose."""
    rails = policy or Policy.load(data_dir("rails"))

    def reply(request: Recorded) -> Scripted:
        asked: Any = request.body.get("response_format")
        said = str(request.messages[-1]["content"])
        text = str(json.loads(said)["text"]) if asked else said
        hits = rails.check("\n".join(view.text for view in normalise(text)))
        first = min(hits, key=lambda hit: RANK[rails.rules[hit.rule].meta.outcome], default=None)
        outcome = rails.rules[first.rule].meta.outcome if first else "allow"
        if YES_OR_NO in str(request.messages[0]["content"]):
            return says("Yes" if hits else "No")
        if not asked:
            return says(PROSE[outcome])
        kind = {"allow": "answer", "refuse": "refusal", "check-in": "check-in"}.get(outcome, "escalation")
        return answers({"rule": first.rule if first else "none", "kind": kind, "text": PROSE[outcome]})

    return reply


def main() -> None:
    """Serve until the input ends."""
    import sys

    with StubLLM() as llm:
        llm.script(stand_in())
        sys.stdout.writelines(f"export {name}={value}\n" for name, value in llm.environment.items())
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
