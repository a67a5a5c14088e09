"""The portable part of Colang 2.x: parser, compiler, examples. docs/portable-colang.md is its one page."""

from carerails.colang.closures import Scans
from carerails.colang.compiler import CompiledFlow, compile_flows, matcher_of
from carerails.colang.diagnostics import KINDS, CompileError, Diagnostic, Report
from carerails.colang.examples import parse_examples
from carerails.colang.folding import Pattern, Regex
from carerails.colang.parser import parse, pure_flows
from carerails.colang.tree import Example, File, Flow, Source

__all__ = [
    "KINDS",
    "CompileError",
    "CompiledFlow",
    "Diagnostic",
    "Example",
    "File",
    "Flow",
    "Pattern",
    "Regex",
    "Report",
    "Scans",
    "Source",
    "compile_flows",
    "matcher_of",
    "parse",
    "parse_examples",
    "pure_flows",
]
