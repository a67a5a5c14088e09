"""Makes rules, examples and texts of what a foreign project says, and lists what is left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from carerails.contracts import Locale, RefusalSlug
from carerails.importing.actions import key_of
from carerails.importing.flows import Answer, Check, deeds, input_calls
from carerails.importing.found import Message, Outcome, Place, Project
from carerails.importing.patterns import Ported, loosely, of_text, port
from carerails.importing.plan import SLUGS, Draft, Plan, folded
from carerails.importing.reading import read_project
from carerails.importing.settings import LIBRARY, REGEX_CHECK
from carerails.importing.write import free, write
from carerails.text import normalise

#: A bot that refuses, by its name or by its words.
_REFUSES = re.compile(
    r"\brefus|\bdeny\b|\bdecline\b|\bblock|\bcannot\b|\bcan(?:'|’)?t\b|\bunable\b|\bnot (?:able|allowed)\b"
)
_SORRY = re.compile(
    r"(?:i(?:'|’)?m (?:really )?sorry|sorry|apologies|i can(?:no|'|’)t|lo siento|no puedo|perd[oó]n|desculpe|não posso)"
    r"\b",
    re.IGNORECASE,
)
#: Flows that NeMo calls by their names.
_OWN = {
    "main": "the order of checks is written anew",
    "input rails": "the order of checks is written anew",
    "output rails": "checks what the bot says; these rules read what the user says",
}
#: Names of the message that stands for any refusal.
_DEFAULTS = ("refuse to respond", "refuse", "inform cannot answer", "inform cannot help", "refuse to answer")


def import_project(source: Path, target: Path, locale: Locale | None = None) -> Outcome:
    """Read a project, and write a folder of rails that did not exist.

    Args:
        source: the directory of the project.
        target: the directory to write; it must not exist, or be empty.
        locale: of its texts; None: guessed for each form.

    Raises:
        UsageError: no such project, or a target that is taken.
    """
    free(target)
    project = read_project(source)
    plan = plan_of(project)
    made, fill = write(plan, target, locale)
    return Outcome(tuple(made), tuple(fill), tuple(sorted(project.left, key=lambda left: (left.file, left.line))))


def plan_of(project: Project) -> Plan:
    """Decide what becomes of everything; what becomes of nothing is left in the project."""
    plan = Plan()
    used, asked = _flows(project, plan)
    _input_flows(project, plan)
    for action in project.actions.values():
        if key_of(action.name) not in used:
            project.leave(action.place, f"action {action.name}", "no flow refuses by what it returns")
    for form in project.forms.values():
        if form.name not in asked:
            if form.texts:
                plan.in_scope[form.name] = (form.place, form.texts)
            for _ in form.patterns:
                project.leave(
                    form.place, f"pattern of user {form.name}", "leads to an answer; a rule refuses or escalates"
                )
    _tighten(plan)
    for name in [name for name, draft in plan.drafts.items() if not draft.patterns]:
        draft = plan.drafts.pop(name)
        project.leave(draft.source, f"rule {name}", "none of its patterns could be brought into the subset")
    _texts(project, plan)
    return plan


def _tighten(plan: Plan) -> None:
    """A pattern that hits what the project answers says its text word by word instead."""
    answered = [view.text for _, texts in plan.in_scope.values() for text in texts for view in normalise(text)]
    for draft in plan.drafts.values():
        draft.patterns = list(
            dict.fromkeys(
                (draft.exact.get(regex, regex) if any(re.search(regex, said) for said in answered) else regex, place)
                for regex, place in draft.patterns
            )
        )


def refuses(message: str, texts: Iterable[str]) -> bool:
    """Whether the bot refuses by this."""
    return bool(_REFUSES.search(message)) or any(_SORRY.match(text) for text in texts)


def _texts(project: Project, plan: Plan) -> None:
    """What refusals say, where all rules of a slug say the same. Other messages stay; what fills in a value must."""
    told = {name: message for name, message in project.messages.items() if message.texts}
    plain = {
        name: message for name, message in told.items() if re.search(r"\w", message.texts[0]) and not _fills_in(message)
    }
    slugs: dict[RefusalSlug, None] = {"default": None, **dict.fromkeys(draft.slug for draft in plan.drafts.values())}
    for slug in slugs:
        names = {draft.message for draft in plan.drafts.values() if draft.slug == slug}
        general = next((name for name in _DEFAULTS if name in plain), "") if slug == "default" else ""
        name = general or (names.pop() if len(names) == 1 else "")
        if name in plain:
            plan.texts[slug] = plain[name]
    kept = {message.name: slug for slug, message in plan.texts.items()}
    for name, message in told.items():
        what = f"bot {name}"
        if name in kept and len(message.texts) > 1:
            project.leave(message.place, what, f"other texts: {len(message.texts) - 1}; a template says one, the first")
        elif name not in kept and _fills_in(message):
            project.leave(message.place, what, "fills in a value that only NeMo has")
        elif name not in kept and refuses(name, message.texts):
            project.leave(message.place, what, "one template speaks for several rules; this text is of one of them")
        elif name not in kept:
            project.leave(message.place, what, "no refusal or escalation says it; the agent has its own words")


def _flows(project: Project, plan: Plan) -> tuple[set[str], set[str]]:
    """Rules of all flows; the actions that they use, and the forms that they refuse."""
    names = frozenset(flow.name for flow in project.flows)
    used: set[str] = set()
    asked: set[str] = set()
    for flow in project.flows:
        if flow.name == "input rails":
            for name, place in input_calls(flow):
                project.input_flows.setdefault(name, place)
    for flow in project.flows:
        if flow.name in _OWN:
            project.leave(flow.place, flow.name, _OWN[flow.name])
            continue
        done = deeds(flow, names)
        title = flow.name or "a flow"
        for answer in done.answers:
            asked |= _answer(answer, title, project, plan)
        for check in done.checks:
            used |= {key_of(check.action)} if check.action else set()
            _check(check, title, project, plan)
        if done.output:
            place = Place(flow.place.file, done.output[0].number)
            project.leave(place, title, "checks what the bot says; these rules read what the user says")
        elif done.strange:
            first, more = done.strange[0], len(done.strange) - 1
            what = f"`{first.text[:60]}`" + (f" and {more} more lines" if more else "")
            project.leave(Place(flow.place.file, first.number), title, f"{what}: a dialogue or an action, no rule")
        elif not (done.answers or done.checks):
            project.leave(flow.place, title, "says nothing that a rule, an example or a text would say")
    return used, asked


def _answer(answer: Answer, title: str, project: Project, plan: Plan) -> set[str]:
    """A form that is refused becomes a rule of its very words; one that is answered stays in scope."""
    said = project.messages.get(answer.message)
    texts = said.texts if said else (answer.said,) if answer.said else ()
    form = project.forms.get(answer.form)
    if not (answer.stops or refuses(answer.message, texts)):
        if answer.texts:
            plan.in_scope[title] = (answer.place, answer.texts)
        project.leave(
            answer.place, title, f"answers `{answer.form or answer.texts[0][:40]}`: the agent's own words do that"
        )
        return set()
    if answer.form and form is None:
        project.leave(answer.place, title, f"user {answer.form} is defined nowhere, so nothing tells what it is")
        return set()
    name = answer.form or title
    texts = form.texts if form else answer.texts
    draft = _draft(plan, name, form.place if form else answer.place, answer.message)
    draft.texts += texts
    for text in texts:
        ported, loose = of_text(text), loosely(text)
        if loose and not ported.why:
            draft.exact[loose] = ported.regex
            ported = Ported(loose)
        _add(draft, ported, f"text `{text[:40]}`", draft.source, project)
    for pattern in form.patterns if form else ():
        _add(draft, port(pattern), f"pattern `{pattern[:60]}`", draft.source, project)
    return {answer.form}


def _check(check: Check, title: str, project: Project, plan: Plan) -> None:
    """A search that refuses or stops the turn becomes a rule."""
    said = project.messages.get(check.message)
    if not (check.stops or refuses(check.message, said.texts if said else (check.said,))):
        project.leave(check.place, title, "answers by what a search finds, and refuses nothing")
        return
    action = project.actions.get(key_of(check.action)) if check.action else None
    if check.action and action is None:
        known = any(left.what == f"action {check.action}" for left in project.left)
        library = key_of(check.action) == "detect_regex_pattern"
        if not known and not library:
            project.leave(
                check.place, title, f"asks {check.action}, which is no action of the project that only searches"
            )
        return
    patterns, value = (action.patterns, action.value) if action else (check.patterns, True)
    if value != check.when:
        project.leave(check.place, title, "stops where nothing matches; a rule says what it hits")
        return
    place = action.place if action else check.place
    draft = _draft(plan, title, check.place, check.message)
    if title not in project.input_flows and title != "a flow":
        draft.unlisted = True
    for pattern in patterns:
        _add(draft, port(pattern), f"pattern `{pattern[:60]}`", place, project)


def _input_flows(project: Project, plan: Plan) -> None:
    """What the configuration lists as checks of the input."""
    defined = {flow.name for flow in project.flows}
    for name, place in project.input_flows.items():
        if name == REGEX_CHECK:
            draft = _draft(plan, name, place, "refuse to respond")
            for pattern, where in project.regexes:
                _add(draft, port(pattern), f"pattern `{pattern[:60]}`", where, project)
            if not project.regexes:
                plan.drafts.pop(name)
                project.leave(place, name, "there are no patterns for it")
        elif name not in defined:
            why = next((why for head, why in LIBRARY.items() if name.startswith(head)), "")
            project.leave(
                place, name, why or "no flow of this name: of NeMo's library, or a misspelt name that checks nothing"
            )
    if project.regexes and REGEX_CHECK not in project.input_flows:
        project.leave(
            project.regexes[0][1], "patterns", f"nothing looks for them: {REGEX_CHECK!r} is not among the input flows"
        )


def _draft(plan: Plan, name: str, place: Place, message: str) -> Draft:
    fitting: list[RefusalSlug] = [slug for words, slug in SLUGS if re.search(words, folded(name))]
    slug = fitting[0] if fitting else "default"
    return plan.drafts.setdefault(name, Draft(name, slug, place, message=message))


def _add(draft: Draft, ported: Ported, what: str, place: Place, project: Project) -> None:
    if ported.why:
        project.leave(place, what, ported.why)
    elif ported.regex not in (regex for regex, _ in draft.patterns):
        draft.patterns.append((ported.regex, place))
        draft.notes.update(dict.fromkeys(ported.notes))


def _fills_in(message: Message) -> bool:
    return any(re.search(r"\$\w|\{\{?\s*\$?\w+\s*\}?\}", text) for text in message.texts[:1])
