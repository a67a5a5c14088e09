"""The compiled policy: what it finds, where it finds it, and that an export is as good as the files."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from carerails.contracts import RuleHit
from carerails.errors import EngineError, UsageError
from carerails.policy import CompileError, Match, Policy
from tests.colang.policy_texts import CHEST, GUARDS, IDIOM, TEMPLATES, WORDS, write

TEXTS = [
    "i have pressure, chest pain and a tight chest",
    "i want to die of laughter",
    "i want to die, no way out",
    "no way out",
    "chest pain\nwant to die",
    "an ordinary question",
    "",
]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return Policy.load(write(tmp_path_factory.mktemp("policy")))


def codes(directory: Path, changes: Mapping[str, str | None]) -> list[tuple[str, str, int]]:
    """What is wrong with the policy after these changes."""
    with pytest.raises(CompileError) as caught:
        Policy.load(write(directory, changes))
    return [(found.code, found.file, found.line) for found in caught.value.diagnostics]


def test_a_rule_hits_with_its_terms(policy: Policy):
    assert policy.check("i have pressure and chest pain") == (
        RuleHit(rule="red flag chest pain", terms=("i have pressure", "chest pain")),
    )


def test_hits_come_in_the_order_of_checks(policy: Policy):
    assert [hit.rule for hit in policy.check("want to die\nchest pain")] == ["red flag chest pain", "red flag despair"]


def test_a_masked_span_is_no_hit_and_the_rest_of_the_text_is_searched(policy: Policy):
    assert policy.check("i want to die of laughter") == ()
    assert policy.check("want to die of laughter? no, want to die")[0].terms == ("want to die",)


def test_a_rule_knows_its_place_and_that_of_each_arm(policy: Policy):
    rule = policy.rules["red flag chest pain"]
    assert (rule.file, rule.line, rule.doc) == ("red_flags/chest.co", 4, "Chest pain. Negation-blind by design.")
    assert [(pattern.regex, pattern.file, pattern.line) for pattern in rule.patterns] == [
        (r"\bchest pain\b", "red_flags/chest.co", 8),
        (r"\btight chest\b", "red_flags/chest.co", 9),
        (r"\b(?:i have|tengo) pressure", "red_flags/chest.co", 10),
    ]


def test_terms_are_found_again_with_the_line_of_their_arm(policy: Policy):
    text = "tight chest, then chest pain"
    (hit,) = policy.check(text)
    assert policy.locate(hit.rule, hit.terms, text) == [
        Match(0, 11, "red_flags/chest.co", 9),
        Match(18, 28, "red_flags/chest.co", 8),
    ]


def test_a_term_that_only_a_masked_text_has_is_found_where_it_stands(policy: Policy):
    assert policy.locate("red flag despair", ["die of"], "want to die of it") == [
        Match(8, 14, "red_flags/despair.co", 2)
    ]


def test_a_template_takes_locale_and_numbers(policy: Policy):
    assert policy.render("emergency-medical", "es-419", {"emergency": "911"}) == "Llama al 911"
    assert policy.render("emergency-medical", "en", {"emergency": "112"}) == "Call 112"


def test_a_template_without_its_number_fails(policy: Policy):
    with pytest.raises(EngineError):
        policy.render("emergency-medical", "en", {})


def test_an_unknown_template_is_a_key_error(policy: Policy):
    with pytest.raises(KeyError):
        policy.render("nothing", "en", {})


def test_any_flow_can_be_run_and_an_unknown_one_is_named(policy: Policy):
    assert policy.run("vocabulary having") == r"\b(?:i have|tengo)"
    with pytest.raises(UsageError, match="did you mean `red flag despair`"):
        policy.run("red flag despairs", "x")


def test_an_export_decides_and_shows_the_same_without_the_files(policy: Policy, tmp_path: Path):
    path = tmp_path / "policy.json"
    path.write_text(policy.to_json(), encoding="utf-8")
    loaded = Policy.load(path)
    assert loaded.digest == policy.digest
    assert loaded.rules == policy.rules
    assert loaded.templates == policy.templates
    assert loaded.examples == policy.examples
    assert loaded.sources() == ()
    for text in TEXTS:
        hits = policy.check(text)
        assert loaded.check(text) == hits
        for hit in hits:
            assert loaded.locate(hit.rule, hit.terms, text) == policy.locate(hit.rule, hit.terms, text)
    assert loaded.to_json() == policy.to_json()


@pytest.mark.parametrize("damage", ["{}", "[]", "not json", '{"format": "carerails-policy/0"}'])
def test_a_damaged_export_is_refused(damage: str, tmp_path: Path):
    path = tmp_path / "policy.json"
    path.write_text(damage, encoding="utf-8")
    with pytest.raises(UsageError):
        Policy.from_json(path)


def test_an_export_that_was_edited_is_refused(policy: Policy, tmp_path: Path):
    path = tmp_path / "policy.json"
    path.write_text(policy.to_json().replace("tight chest", "light chest"), encoding="utf-8")
    with pytest.raises(UsageError, match="changed after its export"):
        Policy.from_json(path)


def test_an_export_names_each_rule_with_its_patterns(policy: Policy):
    rules = json.loads(policy.to_json())["rules"]
    assert [rule["name"] for rule in rules] == ["red flag chest pain", "red flag despair"]
    assert rules[0]["patterns"][1] == {"regex": r"\btight chest\b", "file": "red_flags/chest.co", "line": 9}


def test_the_digest_changes_with_any_pattern_and_not_with_the_directory(policy: Policy, tmp_path: Path):
    assert Policy.load(write(tmp_path / "same")).digest == policy.digest
    changed = write(tmp_path / "changed", {"red_flags/chest.co": CHEST.replace("tight", "heavy")})
    assert Policy.load(changed).digest != policy.digest


def test_examples_are_read_as_people_write_them(policy: Policy):
    found = [(example.text, example.locale, example.category, example.line) for example in policy.examples]
    assert found == [
        ("My chest hurts", "en", "chest-pain", 3),
        ('it\'s "tight" {here} $5', "en", "chest-pain", 4),
        ("Me duele el pecho", "es-419", "chest-pain", 6),
    ]


def test_a_runtime_is_to_load_all_but_the_examples(policy: Policy):
    names = [path.name for path in policy.sources()]
    assert names == ["guards.co", "main.co", "chest.co", "despair.co", "all.co", "words.co"]


def test_an_error_in_mid_turn_names_the_place_and_never_the_text(tmp_path: Path):
    rule = IDIOM.replace("$rest = $text", "$n = int($text)\n  $rest = $text")
    policy = Policy.load(write(tmp_path, {"red_flags/despair.co": rule}))
    with pytest.raises(EngineError) as caught:
        policy.check("secret words, want to die")
    assert "red_flags/despair.co:4" in str(caught.value)
    assert "secret" not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_a_check_that_returns_no_pairs_is_malformed(tmp_path: Path):
    policy = Policy.load(write(tmp_path, {"main.co": "flow check turn $text\n  return [1, 2]\n"}))
    with pytest.raises(EngineError, match="malformed"):
        policy.check("x")


def test_many_threads_share_a_policy(policy: Policy):
    expected = {text: policy.check(text) for text in TEXTS}
    wrong: list[str] = []

    def work() -> None:
        for _ in range(50):
            wrong.extend(text for text in TEXTS if policy.check(text) != expected[text])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


META = [
    ("meta-key", CHEST.replace("priority=90", "priority=90, prio=1")),
    ("meta-missing", CHEST.replace(", priority=90", "")),
    ("meta-value", CHEST.replace("priority=90", "priority=900")),
    ("meta-value", CHEST.replace('"emergency"', '"emergancy"')),
    ("meta-value", CHEST.replace('"chest-pain"', '"Chest Pain"')),
    ("meta-value", CHEST.replace('"red-flag"', '"red-flags"')),
    ("signature", CHEST.replace("pain $text", "pain $text $more").replace("return", "$x = $more\n  return")),
    ("rule-name", CHEST.replace('"emergency"', '"urgent"')),
    ("bad-regex", CHEST.replace("tight chest", "tight (?:chest")),
]


@pytest.mark.parametrize(("code", "text"), META, ids=[f"{n}-{code}" for n, (code, _) in enumerate(META)])
def test_a_rule_that_says_what_does_not_exist_is_refused(code: str, text: str, tmp_path: Path):
    assert code in [
        found for found, file, _ in codes(tmp_path, {"red_flags/chest.co": text}) if file.endswith("chest.co")
    ]


def test_a_bad_regex_is_reported_on_the_line_of_its_arm(tmp_path: Path):
    wrong = {"red_flags/chest.co": CHEST.replace("tight chest", "tight (?:chest")}
    assert ("bad-regex", "red_flags/chest.co", 9) in codes(tmp_path, wrong)


def test_two_templates_of_one_slug_are_refused(tmp_path: Path):
    second = TEMPLATES.replace("template emergency", "template again")
    assert codes(tmp_path, {"templates/more.co": second}) == [("duplicate-template", "templates/more.co", 2)]


def test_a_flow_in_two_files_is_refused_in_the_second(tmp_path: Path):
    assert codes(tmp_path, {"vocabulary/xtra.co": WORDS}) == [("duplicate-flow", "vocabulary/xtra.co", 1)]


def test_a_policy_without_an_order_of_checks_is_refused(tmp_path: Path):
    assert codes(tmp_path, {"main.co": None}) == [("no-check", "main.co", 1)]


def test_a_guard_that_was_not_written_is_refused(tmp_path: Path):
    assert codes(tmp_path, {"guards.co": GUARDS.replace('"chest":', '"breast":')}) == [("no-guard", "main.co", 10)]


def test_whoever_writes_the_guards_can_load_the_rules_without_them(tmp_path: Path):
    policy = Policy.load(write(tmp_path, {"guards.co": None}), check=False)
    assert list(policy.rules) == ["red flag chest pain", "red flag despair"]


def test_a_guard_that_would_hide_a_hit_hides_nothing_here(tmp_path: Path):
    shut = GUARDS.replace("want to|no way out", "zzz").replace("chest|pressure", "zzz")
    policy = Policy.load(write(tmp_path, {"guards.co": shut}))
    assert [hit.rule for hit in policy.check("chest pain, want to die")] == ["red flag chest pain", "red flag despair"]


UNPROVEN = {
    "counts letters": 'if len($text) > 5\n    return ["long"]\n  return find_all("\\\\bdie now\\\\b", $text)',
    "hits on absence": 'if search("\\\\bwant to\\\\b", $text)\n    return []\n  return ["nothing wanted"]',
    "compares": 'if $text == "help"\n    return ["help"]\n  return find_all("\\\\bdie now\\\\b", $text)',
    "returns the text": 'if search("\\\\bdie now\\\\b", $text)\n    return []\n  return [$text]',
    "masks and compares": '$t = $text.replace("ugly", "help")\n  if $t == "help"\n    return [$t]\n  return []',
    "joins by masking": '$t = $text.replace("-", "")\n  return find_all("\\\\bhelp\\\\b", $t)',
}


@pytest.mark.parametrize("body", UNPROVEN.values(), ids=UNPROVEN)
@pytest.mark.parametrize("text", ["help", "ugly", "he-lp", "nothing of note", "want to", "die now", ""])
def test_a_rule_that_looks_at_more_than_matches_is_never_skipped(body: str, text: str, tmp_path: Path):
    head = IDIOM.split("  $rest")[0]
    policy = Policy.load(write(tmp_path, {"red_flags/despair.co": f"{head}  {body}\n"}))
    terms = tuple(policy.run("red flag despair", text))
    assert policy.check(text) == ((RuleHit(rule="red flag despair", terms=terms),) if terms else ())
