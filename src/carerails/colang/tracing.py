"""A program that tells each statement that it runs: for coverage, and never in a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from carerails.colang.closures import Frame, Run
from carerails.colang.code import Callee, Code, link
from carerails.colang.program import LinkedFlow, Program

#: A place as steps have it: `file:line, flow name`.
Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Teller:
    """A flow that only tells its place, and gives nothing."""

    body: Run
    size: int = 1


def traced(program: Program, note: Note) -> Program:
    """The same program, which calls `note` with the place of each statement before that runs."""
    flows: dict[str, LinkedFlow] = {}
    callees: dict[str, Callee] = {}
    for place in places(program):
        callees[_teller(place)] = _Teller(_telling(place, note))
    for name, flow in program.flows.items():
        code = _told(flow.code)
        flows[name] = replace(flow, code=code, body=link(code, callees))
        callees[name] = flows[name]
    return replace(program, flows=flows)


def places(program: Program) -> Mapping[str, None]:
    """Every place that can be told, in order."""
    return dict.fromkeys(place for flow in program.flows.values() for place in _places(flow.code))


def _telling(place: str, note: Note) -> Run:
    def run(frame: Frame) -> tuple[bool]:
        note(place)
        return (False,)

    return run


def _teller(place: str) -> str:
    return f"tell {place}"


def _told(code: Code) -> Code:
    """The code with a step that tells before each step: an `if` whose condition is the teller, and never holds."""
    match code[0]:
        case "steps":
            steps: list[Any] = ["steps"]
            for part, place in code[1:]:
                steps.append((("choice", [(("call", _teller(place)), ("steps",))], None), place))
                steps.append((_told(part), place))
            return steps
        case "choice":
            _, branches, otherwise = code
            told = [(condition, _told(body)) for condition, body in branches]
            return ("choice", told, _told(otherwise) if otherwise else None)
        case "where possible":
            _, slot, leaves = code
            return ("where possible", slot, [(regexes, words, _told(body)) for regexes, words, body in leaves])
        case _:
            return code


def _places(code: Code) -> Iterator[str]:
    match code[0]:
        case "steps":
            for part, place in code[1:]:
                yield place
                yield from _places(part)
        case "choice":
            for _, body in code[1]:
                yield from _places(body)
            if code[2]:
                yield from _places(code[2])
        case "where possible":
            for _, _, body in code[2]:
                yield from _places(body)
        case _:
            pass
