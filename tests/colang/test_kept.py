"""A policy that was compiled before is not compiled again, and decides and shows just the same."""

from __future__ import annotations

from gc import collect
from pathlib import Path
from weakref import WeakValueDictionary, ref

import pytest

from carerails import policy as module
from carerails.colang import kept
from carerails.errors import UsageError
from carerails.policy import Policy
from tests.colang.policy_texts import write

TEXTS = ("i have pressure and chest pain", "want to die", "want to die of laughter", "nothing")


class Forgetful(dict[object, Policy]):
    """Remembers no policy that somebody holds, so that each is loaded as by a new process."""

    def __setitem__(self, key: object, policy: Policy) -> None: ...


@pytest.fixture
def rails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "_in_use", Forgetful())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CARERAILS_CACHE", raising=False)
    monkeypatch.setattr(kept, "_WORTH_KEEPING", 1)
    return write(tmp_path / "rails")


def never(*_: object, **__: object) -> None:
    raise AssertionError("compiled again")


def shelf(rails: Path) -> list[Path]:
    return list((rails.parent / "cache" / "carerails").glob("policy-*.json"))


def assert_alike(policy: Policy, other: Policy) -> None:
    assert other.digest == policy.digest
    assert dict(other.rules) == dict(policy.rules)
    assert list(other.rules) == list(policy.rules)
    assert other.templates == policy.templates
    assert other.examples == policy.examples
    assert other.to_json() == policy.to_json()
    for rule in policy.rules:
        assert other.regexes(rule) == policy.regexes(rule)
    for text in TEXTS:
        hits = policy.check(text)
        assert other.check(text) == hits
        for hit in hits:
            assert other.locate(hit.rule, hit.terms, text) == policy.locate(hit.rule, hit.terms, text)
    slug = next(iter(policy.templates))
    numbers = {"emergency": "112", "crisis": "113"}
    assert other.render(slug, "en", numbers) == policy.render(slug, "en", numbers)


def test_the_second_time_nothing_is_compiled(rails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy.load(rails)
    assert any(policy.check(text) for text in TEXTS)
    assert len(shelf(rails)) == 1
    monkeypatch.setattr(module, "build", never)
    again = Policy.load(rails)
    assert_alike(policy, again)
    assert again.sources() == policy.sources()


def test_who_loads_what_another_holds_gets_the_same(rails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_in_use", WeakValueDictionary[object, Policy]())
    policy = Policy.load(rails)
    assert Policy.load(rails) is policy
    assert Policy.load(rails, check=False) is not policy
    path = next(iter(rails.rglob("*.co")))
    path.write_text(path.read_text(encoding="utf-8") + "\n# one line more\n", encoding="utf-8")
    assert Policy.load(rails) is not policy
    gone = ref(policy)
    del policy
    collect()
    assert gone() is None


def test_an_export_is_kept_too(rails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rails.parent / "policy.json"
    path.write_text(Policy.load(rails).to_json(), encoding="utf-8")
    policy = Policy.load(path)
    monkeypatch.setattr(module, "build", never)
    assert_alike(policy, Policy.load(path))


def test_a_changed_export_is_never_trusted(rails: Path) -> None:
    path = rails.parent / "policy.json"
    path.write_text(Policy.load(rails).to_json(), encoding="utf-8")
    Policy.load(path)
    path.write_text(path.read_text(encoding="utf-8").replace("chest pain", "foot pain"), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(UsageError, match="changed after its export"):
            Policy.load(path)


def test_other_rails_and_other_options_are_compiled(rails: Path) -> None:
    Policy.load(rails)
    Policy.load(rails, check=False)
    assert len(shelf(rails)) == 2
    for path in rails.rglob("*.co"):
        path.write_text(path.read_text(encoding="utf-8") + "\n# one line more\n", encoding="utf-8")
    Policy.load(rails)
    assert len(shelf(rails)) == 3


def test_other_code_is_not_trusted(rails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Policy.load(rails)
    monkeypatch.setattr(kept, "_CODE", ("keeping.py",))
    Policy.load(rails)
    assert len(shelf(rails)) == 2


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"not json", b"[1,2,3,4,5,6,7,8]", b'[[],[],[],{"x":[[],1,["no"],[]]},[],[],[],""]']
)
def test_what_is_no_program_is_compiled_anew(rails: Path, body: bytes) -> None:
    policy = Policy.load(rails)
    (path,) = shelf(rails)
    kept.SHELF.write(path, body)
    assert kept.read(path) is None
    assert_alike(policy, Policy.load(rails))
    assert kept.read(path) is not None


def test_broken_rails_are_never_kept(rails: Path) -> None:
    next(rails.rglob("*.co")).write_text("flow\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(UsageError):
            Policy.load(rails)
    assert not shelf(rails)


def test_nothing_is_kept_where_that_is_switched_off(rails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")
    Policy.load(rails)
    assert not shelf(rails)
