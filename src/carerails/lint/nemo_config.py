"""`config.yml` of NeMo Guardrails: keys that it ignores, and rails that are switched on and that nobody defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from carerails.colang.diagnostics import nearest
from carerails.config import YamlLoader
from carerails.lint.nemo1 import flows_of
from carerails.lint.nemo_library import library, meant
from carerails.lint.noting import Notes
from carerails.lint.project import Project

#: What each mapping may have, by its path; `*` is any item of a list. Other paths are not judged. A test holds it
#: against the models of the NeMo Guardrails that is installed.
KEYS: Mapping[str, str] = {
    "": "models user_messages bot_messages flows instructions docs actions_server_url sample_conversation prompts"
    " prompting_mode config_path import_paths imported_paths lowest_temperature enable_multi_step_generation"
    " colang_version custom_data knowledge_base core rails streaming enable_rails_exceptions passthrough"
    " event_source_uid tracing raw_llm_call_action metrics",
    "models.*": "type engine model parameters api_key_env_var mode cache",
    "instructions.*": "type content",
    "prompts.*": "task content messages models output_parser max_length mode stop max_tokens",
    "knowledge_base": "folder embedding_search_provider",
    "knowledge_base.embedding_search_provider": "name parameters cache",
    "core": "embedding_search_provider",
    "core.embedding_search_provider": "name parameters cache",
    "rails": "config input output retrieval dialog actions tool_output tool_input",
    "rails.input": "flows parallel speculative_generation",
    "rails.output": "flows parallel streaming",
    "rails.retrieval": "flows",
    "rails.tool_input": "flows parallel",
    "rails.tool_output": "flows parallel",
    "rails.actions": "instant_actions",
    "rails.dialog": "single_call user_messages",
    "rails.dialog.single_call": "enabled fallback_to_multiple_calls",
    "rails.dialog.user_messages": "embeddings_only embeddings_only_similarity_threshold"
    " embeddings_only_fallback_intent",
    "rails.config": "ai_defense autoalign clavata content_safety context_bloat_detection crowdstrike_aidr f5"
    " fact_checking fiddler gliner guardrails_ai hf_classifier injection_detection jailbreak_detection pangea patronus"
    " polygraf privateai regex_detection sensitive_data_detection trend_micro",
    "tracing": "enabled adapters span_format enable_content_capture",
    "metrics": "enabled",
}
_STAGES = ("input", "output", "retrieval", "tool_input", "tool_output")
_NAMES = ("config.yml", "config.yaml")


def check_config(project: Project, notes: Notes) -> None:
    """The configuration files of the directory."""
    for name, text in project.yaml.items():
        if Path(name).name not in _NAMES:
            continue
        try:
            node = yaml.compose(text, Loader=YamlLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            notes.add("config-value", name, line, 1, [error.problem or "is not YAML"], ["check indentation and quotes"])
            continue
        for path, key in _keys(node, ""):
            known = KEYS.get(path, "").split()
            if known and key.value not in known:
                place = (name, key.start_mark.line + 1, key.start_mark.column + 1)
                notes.add("config-key", *place, [key.value], [nearest(str(key.value), known)])
        if project.dialect == "1.0":
            _rails(project, name, node, notes)


def _keys(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every key, with the path of the mapping that it is in."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield path, key
            yield from _keys(value, f"{path}.{key.value}".lstrip("."))
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _keys(item, f"{path}.*")


def _at(node: Any, *keys: str) -> Any:
    for key in keys:
        pairs: list[Any] = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in pairs if name.value == key), None)
    return node


def _items(node: Any) -> list[Any]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _rails(project: Project, name: str, node: Any, notes: Notes) -> None:
    """Rails that are switched on must be flows."""
    known = library()
    if known is None:
        return
    flows = flows_of(project) | {defined for kind, defined in known.defined if kind in ("flow", "subflow")}
    for stage in _STAGES:
        for item in _items(_at(node, "rails", stage, "flows")):
            flow = re.sub(r"\s*(?:\$\w+\s*=.*|\(.*)$", "", str(item.value)).strip()
            if flow and flow not in flows:
                place = (name, item.start_mark.line + 1, item.start_mark.column + 1)
                notes.add("undefined-flow", *place, [flow], [meant(flow, flows)])
