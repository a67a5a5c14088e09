"""Reads NeMo's YAML: which flows check the input, which patterns they look for, and what no rail would say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import yaml

from carerails.config import YamlLoader, line_of
from carerails.errors import unknown
from carerails.importing.found import Place, Project

_PROMPT = "written for a model; rules do not read it"
_RUNTIME = "how NeMo runs, no part of a policy"
#: Top-level keys of a configuration, and why they stay; "" for what is read.
KEYS: Mapping[str, str] = {
    "rails": "",
    "colang_version": "",
    "models": "models are chosen where an engine runs",
    "instructions": _PROMPT,
    "sample_conversation": _PROMPT,
    "prompts": "asks a model to judge; a rule or the judge's rubric has to say it",
    "knowledge_base": "cards of config/kb are what the agent answers from",
    "docs": "cards of config/kb are what the agent answers from",
    **dict.fromkeys(
        (
            "actions_server_url",
            "core",
            "custom_data",
            "enable_multi_step_generation",
            "enable_rails_exceptions",
            "event_source_uid",
            "import_paths",
            "imported_paths",
            "lowest_temperature",
            "metrics",
            "passthrough",
            "prompting_mode",
            "streaming",
            "tracing",
        ),
        _RUNTIME,
    ),
    # Colang 1.0 as YAML
    "user_messages": "Colang written as YAML; write it as `define user` first",
    "bot_messages": "Colang written as YAML; write it as `define bot` first",
    "flows": "Colang written as YAML; write it as `define flow` first",
}
_IDENTIFIERS = "carerails finds identifiers itself: `own_identifiers` of the profile"
_MODEL = "asks a model or a service; no rule can say what it answers"
#: Flows of NeMo's library, by how their names begin.
LIBRARY: Mapping[str, str] = {
    "self check": _MODEL,
    "jailbreak detection": _MODEL,
    "mask sensitive data": _IDENTIFIERS,
    "detect sensitive data": _IDENTIFIERS,
    "mask pii": _IDENTIFIERS,
    "detect pii": _IDENTIFIERS,
    "gliner": _IDENTIFIERS,
    **dict.fromkeys(
        (
            "activefence",
            "ai defense",
            "alignscore",
            "autoalign",
            "check hallucination",
            "clavata",
            "cleanlab",
            "content safety",
            "crowdstrike",
            "fiddler",
            "gcpnlp",
            "guardrailsai",
            "hf classifier",
            "injection detection",
            "llama guard",
            "pangea",
            "patronus",
            "policyai",
            "polygraf",
            "privateai",
            "prompt security",
            "topic safety",
            "trend ai",
        ),
        _MODEL,
    ),
}
REGEX_CHECK = "regex check input"
_OUTSIDE = {
    "output": "checks what the bot says; these rules read what the user says",
    "retrieval": "checks what was retrieved; these rules read what the user says",
    "tool_input": "checks a tool's answer; these rules read what the user says",
    "tool_output": "checks a call of a tool; these rules read what the user says",
    "dialog": _RUNTIME,
    "actions": _RUNTIME,
}


def read_settings(name: str, text: str, project: Project) -> None:
    """Add what one YAML file says."""
    try:
        node: Any = yaml.compose(text, Loader=YamlLoader)
        value: Any = yaml.load(text, Loader=YamlLoader)
    except (yaml.YAMLError, ValueError, RecursionError, MemoryError) as error:
        mark = getattr(error, "problem_mark", None)
        project.leave(Place(name, mark.line + 1 if mark else 1), "the file", "is not YAML that can be read")
        return
    if not isinstance(value, dict):
        if value is not None:
            project.leave(Place(name, 1), "the file", "has no keys at its top")
        return
    for key in map(str, cast("dict[Any, Any]", value)):
        place = Place(name, line_of(node, (key,)))
        why = KEYS.get(key)
        if why is None:
            near = unknown("key", key, KEYS).mend
            project.leave(place, key, "NeMo ignores this key" + (f" ({near})" if "did you mean" in near else ""))
        elif why:
            project.leave(place, key, why)
    rails: Any = cast("dict[Any, Any]", value).get("rails")
    if isinstance(rails, dict):
        _rails(cast("dict[Any, Any]", rails), node, name, project)


def _rails(rails: dict[Any, Any], node: Any, name: str, project: Project) -> None:
    for key, value in rails.items():
        place = Place(name, line_of(node, ("rails", str(key))))
        if key == "input":
            for flow, where in _listed(value, node, ("rails", "input", "flows"), name):
                project.input_flows.setdefault(flow, where)
        elif key == "config":
            _config(value, node, name, project)
        elif key in _OUTSIDE:
            listed = list(_listed(value, node, ("rails", str(key), "flows"), name))
            for flow, where in listed:
                project.leave(where, flow, _OUTSIDE[key])
            if not listed:
                project.leave(place, f"rails.{key}", _OUTSIDE[key])
        else:
            near = unknown("key", str(key), ("input", "config", *_OUTSIDE)).mend
            project.leave(place, f"rails.{key}", "NeMo ignores this key" + (f" ({near})" if "did you" in near else ""))


def _config(value: Any, node: Any, name: str, project: Project) -> None:
    """`regex_detection` has the patterns; everything else configures somebody's model or service."""
    if not isinstance(value, dict):
        return
    for key, inner in cast("dict[Any, Any]", value).items():
        path = ("rails", "config", str(key))
        if key == "regex_detection" and isinstance(inner, dict):
            sources = cast("dict[Any, Any]", inner)
            for source in map(str, sources):
                for pattern, where in _listed(sources.get(source), node, (*path, source, "patterns"), name):
                    if source == "input":
                        project.regexes.append((pattern, where))
                    else:
                        project.leave(where, f"pattern `{pattern[:60]}`", _OUTSIDE.get(source, "reads no input"))
        else:
            project.leave(
                Place(name, line_of(node, path)), f"rails.config.{key}", "configures a check of NeMo's library"
            )


def _listed(value: Any, node: Any, path: tuple[str, ...], name: str) -> Iterator[tuple[str, Place]]:
    """The strings of `value[last key of path]`, each with its line."""
    inner: Any = cast("dict[Any, Any]", value).get(path[-1]) if isinstance(value, dict) else None
    if isinstance(inner, list):
        for number, each in enumerate(cast("list[Any]", inner)):
            if isinstance(each, str):
                yield each, Place(name, line_of(node, (*path, number)))
