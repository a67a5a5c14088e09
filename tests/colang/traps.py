"""Every trap of the language: what it looks like, where it is reported, and whether NeMo takes it without a word."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: `silent`: NeMo loads it (and does something else, or dies in the middle of a turn); `refused`: NeMo does not load it;
#: `fine`: it works there, and the subset leaves it out.
Verdict = Literal["silent", "refused", "fine"]


class Trap(NamedTuple):
    """`@` in `text` marks the place that must be reported; it is taken out first."""

    code: str
    verdict: Verdict
    text: str


def _body(*lines: str) -> str:
    return "flow f $t -> $y\n" + "".join(f"  {line}\n" for line in lines)


def _value(expression: str) -> str:
    return _body(f"return {expression}")


TRAPS = [
    # letters and strings
    Trap("single-backslash", "silent", _value('search("@\\bpain\\b", $t)').replace("n\\b", "n")),
    Trap("single-backslash", "fine", _value('search("a@\\w", $t)')),
    Trap("single-backslash", "silent", _value('search("(?:a)@\\1", $t)')),
    Trap("last-backslash", "silent", _value('["a@\\\\", "b{{2}}"]')),
    Trap("single-brace", "silent", _value('search("l@{2}", $t)')),
    Trap("single-brace", "silent", _value('"a@{b}"').replace("}", "}}")),
    Trap("single-brace", "silent", _value('"a@}"')),
    Trap("single-brace", "silent", _value('"a@{{{b}}"')),
    Trap("dollar-in-string", "silent", _value('"hi @$t"')),
    Trap("three-dots", "silent", _body('$y = "a@..." + "b"', "return $y")),
    Trap("three-dots", "silent", _body('$y = $t.replace("@...", "b")', "return $y")),
    Trap("quotes", "fine", _value("@'a'")),
    Trap("unclosed-string", "refused", _value('@"a')),
    Trap("raw-string", "refused", _value('@r"a"')),
    Trap("long-string", "fine", _value('@"""a"""')),
    Trap("adjacent-strings", "refused", _value('"a" @"b"')),
    Trap("bad-character", "refused", _value("@§")),
    Trap("tab", "refused", _body("$x =@\t1", "return $x")),
    Trap("float", "fine", _value("@36.5")),
    Trap("float", "fine", _value("@1_000")),
    # lines
    Trap("backslash", "refused", _body("$x = 1 + @\\", "  2", "return $x")),
    Trap("unclosed-bracket", "refused", _value('@["a"')),
    Trap("unclosed-bracket", "refused", _value('search@("a", $t') + "\nflow g\n  return 1\n"),
    Trap("comment-in-brackets", "fine", _body('$x = ["a", @# c', '  "b"]', "return $x")),
    Trap("comment-indent", "refused", _body("$x = 1") + "@# c\n  return $x\n"),
    Trap("comment-indent", "refused", _body("$x = 1", "  @# c", "return $x")),
    Trap("comment-indent", "refused", _body("if $t", "  return 1", "@# c", "else", "  return 2")),
    Trap("indent", "refused", _body("$x = 1", "  @return $x")),
    Trap("indent", "refused", _body("if $t", "    $x = 1", "  @return 1", "return 2")),
    Trap("broken-line", "silent", _body("$x = $t", "  @and $t", "return $x")),
    Trap("top-level", "silent", "@$x = 1\n" + _value("1")),
    Trap("top-level", "refused", "@x = 1\n" + _value("1")),
    # flows
    Trap("import", "silent", "@import core\n\n" + _value("1")),
    Trap("flow-name", "refused", "flow red@-flag $t\n  return 1\n"),
    Trap("flow-name", "refused", "flow red@.flag $t\n  return 1\n"),
    Trap("flow-name", "refused", "flow red @2 $t\n  return 1\n"),
    Trap("flow-name", "refused", "flow red @and blue $t\n  return 1\n"),
    Trap("flow-name", "refused", "flow red @or blue $t\n  return 1\n"),
    Trap("flow-name", "silent", "flow @Red flag $t\n  return 1\n"),
    Trap("flow-name", "silent", "flow @ScanAction $t\n  return 1\n"),
    # Read without complaint, refused when the runtime is made.
    Trap("flow-keyword", "silent", "flow @stop words $t\n  return 1\n"),
    Trap("parameters", "fine", 'flow f $t@="x"\n  return 1\n'),
    Trap("parameters", "fine", "flow f@($t)\n  return 1\n"),
    Trap("reserved-name", "silent", _body("@$self = 1", "return 1")),
    Trap("reserved-name", "silent", "flow f @$context\n  return 1\n"),
    Trap("duplicate-flow", "silent", _value("1") + "@" + _value("2")),
    Trap("duplicate-parameter", "silent", "flow f $a @$a\n  return $a\n"),
    Trap("decorator", "silent", "@@active\n" + _value("1")),
    Trap("decorator-alone", "refused", '@@meta(kind="scope")\n# c\n' + _value("1")),
    Trap("empty-block", "refused", "flow f $t@\n\nflow g\n  return 1\n"),
    Trap("no-return", "silent", "@" + _body("if $t", "  return 1")),
    Trap("unreachable", "silent", _body("return 1", "@$x = 2")),
    Trap("recursion", "silent", "@" + _body("$x = await f $t", "return $x")),
    # statements
    Trap("syntax", "refused", _body("@else", "  return 1", "return 2")),
    Trap("syntax", "refused", _value("$t @$t")),
    Trap("impure", "silent", _body("@send Done()", "return 1")),
    Trap("impure", "silent", _body("@match Done()", "return 1")),
    Trap("loop", "silent", _body("@while True", "  $x = 1", "return 1")),
    Trap("loop", "refused", _body("@for $x in $t", "  $y = 1", "return 1")),
    Trap("colon", "fine", _body("if $t@:", "  return 1", "return 2")),
    Trap("else-if", "fine", _body("if $t", "  return 1", "@else if $t", "  return 2", "return 3")),
    Trap("augmented", "silent", _body("$x = 1", "$x @+= 5", "return $x")),
    Trap("no-dollar", "refused", _body("@x = 1", "return 1")),
    Trap("bare-return", "silent", _body("@return")),
    Trap("return-await", "refused", _body("return @await f $t")),
    Trap("no-await", "silent", _body("$x = @other flow $t", "return $x")),
    Trap("unused-await", "silent", _body("@await other flow $t", "return 1")),
    Trap("await-group", "silent", _body("$x = await a b @and c", "return 1")),
    Trap("await-group", "silent", _body("$x = await a b $t @or c $t", "return 1")),
    Trap("await-argument", "silent", _body("$x = await g $t @- 1", "return $x") + "\nflow g $a\n  return $a\n"),
    Trap("await-parentheses", "fine", _body("$x = await g@($t)", "return $x") + "\nflow g $a\n  return $a\n"),
    # expressions
    Trap("grouping", "refused", _value("2 * @(1 + 2)")),
    Trap("grouping", "refused", _body("if @($t)", "  return 1", "return 2")),
    Trap("grouping", "refused", _value("$t and @($t or $t)")),
    Trap("list-element", "refused", _value('["a" @+ "b"]')),
    Trap("list-element", "refused", _value("[$t @== 1]")),
    Trap("list-element", "refused", _value("[@-1]")),
    Trap("dict-key", "fine", _value("{@$t: 1}")),
    Trap("operator", "fine", _value("4 @/ 2")),
    Trap("operator", "fine", _value("4 @% 2")),
    Trap("operator", "fine", _value("$t @is None")),
    Trap("slice", "fine", _value("$t[1@:2]")),
    Trap("constant", "silent", _body("$x = @true", "return $x")),
    Trap("constant", "silent", _body("$x = @null", "return $x")),
    Trap("function", "silent", _value("@lower($t)")),
    Trap("function", "silent", _value('@findall("a", $t)')),
    Trap("method", "silent", _value("$t.@startswit($t)")),
    Trap("arity", "silent", _value('@search("a")')),
    Trap("named-argument", "fine", _value('search("a", @string=$t)')),
    Trap("attribute", "silent", _value("$t.@upper")),
    Trap("attribute", "silent", _body('$d = {"items": 1}', "return $d.@items")),
    # names
    Trap("undefined-flow", "silent", _body("@$x = await nobody $t", "return $x")),
    Trap("action", "silent", _body("@$x = await SecondOpinionAction()", "return $x")),
    Trap("unknown-action", "silent", "flow check meaning $t $h\n  @$x = await ThirdOpinionAction()\n  return []\n"),
    Trap("undefined-argument", "silent", _body("@$x = await g $b=$t", "return $x") + "\nflow g $a\n  return $a\n"),
    Trap("argument-count", "silent", _body("@$x = await g", "return $x") + "\nflow g $a\n  return 1\n"),
    Trap("argument-count", "silent", _body("@$x = await g $t $t", "return $x") + "\nflow g $a\n  return 1\n"),
    Trap("undefined-variable", "silent", _value("@$txt")),
    Trap("maybe-undefined", "silent", _body("if $t", "  $x = 1", "return @$x")),
    # patterns and constants
    Trap("pattern-not-constant", "silent", _value("search(@$t, $t)")),
    Trap("bad-regex", "silent", _value('search("a(?:", $t)')),
    Trap("capture-group", "silent", _value('@find_all("(a)b", $t)')),
    Trap("constant-fails", "silent", _value('@"a" - 1')),
    Trap("constant-fails", "silent", _value('@"a"[3]')),
]
