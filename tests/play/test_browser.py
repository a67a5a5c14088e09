"""The page in a headless Chromium, as a rails author uses it.

`visit` also asserts that the page asks nobody but its own server and complains of nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.play.conftest import STROKE, TALK, Served, snapshot
from tests.report.conftest import EVIL, a_browser

Visit = Callable[..., Page]
TALE = "😀 he has slurred speech, can I double the dose?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of the page."""
    with a_browser("playground") as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:
    """Opens the page in a window of its own."""
    contexts: list[Any] = []
    complaints: list[str] = []
    asked: list[str] = []

    def open_page(**how: Any) -> Page:
        context = browser.new_context(reduced_motion="reduce", **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(served.address)
        expect(page.locator("#engines")).to_contain_text("ready")
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A question that is refused, or not answered, is told to the reader; the browser notes it as well.
    assert [text for text in complaints if not text.startswith("Failed to load resource")] == []
    assert all(url.startswith((served.origin, "data:,")) for url in asked), asked


def edit(page: Page, served: Served, old: str, new: str, name: str = STROKE) -> str:
    """Open a file and change it in the page."""
    page.select_option("#file", name)
    expect(page.locator("#source")).not_to_have_value("")
    text = page.locator("#source").input_value()
    assert old in text
    page.locator("#source").fill(text.replace(old, new))
    return text.replace(old, new)


def test_a_text_is_marked_decided_and_answered_in_each_locale(visit: Visit, served: Served):
    page = visit()
    page.locator("#said").fill(TALE)
    expect(page.locator("#engines .outcome")).to_have_text(["emergency"])
    assert [mark.inner_text() for mark in page.locator("#marked mark").all()] == ["slurred speech1", "double the dose2"]
    assert page.locator("#marked").inner_text().replace("1", "").replace("2", "") == TALE
    assert page.locator("#marked mark").nth(0).get_attribute("class") == "emergency"
    expect(page.locator("#hits li").nth(0)).to_contain_text("red flag stroke red_flags/stroke.co:7")
    expect(page.locator("#hits li").nth(1)).to_contain_text("scope dosing")
    expect(page.locator("#views li")).to_have_text("he has slurred speech, can i double the dose?")
    assert [p.get_attribute("lang") for p in page.locator(".template p").all()] == ["en", "es", "pt-BR"]
    page.select_option("#country", "BR")
    expect(page.locator(".template p").nth(0)).to_contain_text("192")
    page.locator("#hits button").nth(0).click()
    expect(page.locator("#source")).to_be_focused()
    assert page.evaluate("document.getElementById('source').selectionStart") == served.text().index('    "\\\\bslurred')
    page.locator("#said").fill("")
    expect(page.locator("#seen")).to_be_hidden()


def test_texts_are_texts_wherever_they_stand(visit: Visit):
    page = visit()
    page.locator("#said").fill(EVIL)
    expect(page.locator("#engines .outcome")).to_have_text(["check-in"])
    assert page.evaluate("window.hacked") is None
    assert "<img" in page.locator("#marked").inner_text()


def test_an_edit_shows_flips_and_reaches_the_disk_only_when_saved(visit: Visit, served: Served):
    page = visit()
    before = snapshot(served.root)
    text = edit(page, served, "slurred speech", "quiero morir")
    expect(page.locator(".counts")).to_contain_text("1 worse, 1 safer")
    expect(page.locator(".flip")).to_have_count(2)
    expect(page.locator(".flip").nth(0)).to_contain_text("he has slurred speech")
    expect(page.locator("#edited")).to_have_text(f"Not saved: {STROKE}")
    page.locator(".flip button").nth(0).click()
    expect(page.locator("#engines .outcome")).to_have_text(["allow", "emergency"])  # the edit, then the saved rails
    assert snapshot(served.root) == before
    page.locator("#save").click()
    expect(page.locator("#edited")).to_have_text("Nothing is edited.")
    assert served.text() == text
    expect(page.locator("#engines .outcome")).to_have_text(["allow"])


def test_an_error_is_shown_at_its_line_and_cannot_be_saved(visit: Visit, served: Served):
    page = visit()
    edit(page, served, "$or.join", "$orr.join")
    expect(page.locator("#errors li")).to_contain_text(f"{STROKE}:9:19")
    expect(page.locator("#errors li")).to_contain_text("did you mean `or`?")
    expect(page.locator(".gutter .wrong")).to_have_text("9")
    expect(page.locator("#save")).to_be_disabled()
    expect(page.locator("#flips")).to_contain_text("when the rails compile")
    page.locator("#said").focus()
    page.keyboard.press("F8")
    expect(page.locator("#source")).to_be_focused()
    at = page.evaluate("document.getElementById('source').selectionStart")
    assert page.locator("#source").input_value()[at:].startswith("$orr")
    page.locator("#discard").click()
    expect(page.locator("#errors li")).to_have_count(0)
    assert page.locator("#source").input_value() == served.text()


def test_save_refuses_where_the_file_changed_on_disk(visit: Visit, served: Served):
    page = visit()
    text = edit(page, served, "slurred speech", "slurred words")
    expect(page.locator("#save")).to_be_enabled()
    theirs = "# somebody else was here\n" + served.text()
    (served.root / STROKE).write_text(theirs, encoding="utf-8")
    page.locator("#save").click()
    expect(page.locator("#trouble")).to_contain_text("changed on disk since it was opened")
    assert served.text() == theirs
    assert page.locator("#source").input_value() == text  # nothing of the edit is lost


def test_it_can_be_used_by_keyboard(visit: Visit, served: Served):
    page = visit()
    page.keyboard.press("/")
    expect(page.locator("#said")).to_be_focused()
    page.keyboard.type("new rash e?/")
    expect(page.locator("#engines .outcome")).to_have_text(["urgent"])
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.select_option("#file", STROKE)
    expect(page.locator("#source")).not_to_have_value("")
    page.locator("#file").blur()
    page.keyboard.press("e")
    expect(page.locator("#source")).to_be_focused()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# by hand\n")
    expect(page.locator("#save")).to_be_enabled()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("#edited")).to_have_text("Nothing is edited.")
    assert served.text().endswith("# by hand\n")
    page.keyboard.press("Tab")  # out of the editor: it is no trap
    expect(page.locator("#source")).not_to_be_focused()
    page.locator("#help-open").click()
    page.locator("#single-keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#said")).not_to_be_focused()


def test_nothing_that_is_typed_is_kept(visit: Visit, served: Served):
    page = visit()
    page.locator("#said").fill(TALK)
    expect(page.locator("#engines .outcome")).to_have_text(["allow"])
    kept = page.evaluate(
        "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href, history.state])"
    )
    assert TALK not in kept
    assert "token" not in page.url
    assert not [name for name, (body, _) in snapshot(served.root.parent).items() if TALK.encode() in body]
    page.reload()
    expect(page.locator("#engines")).to_contain_text("ready")  # the token is still known
    assert page.locator("#said").input_value() == ""


def test_a_server_that_is_gone_is_told(visit: Visit, served: Served):
    page = visit()
    page.route("**/api/decide", lambda route: route.abort())
    page.locator("#said").fill("new rash")
    expect(page.locator("#trouble")).to_contain_text("the server does not answer")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_can_be_read_by_everybody(visit: Visit, served: Served, scheme: str, width: int):
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.locator("#said").fill(TALE)
    edit(page, served, "slurred speech", "quiero morir")
    expect(page.locator(".flip")).to_have_count(2)
    expect(page.locator("#engines .outcome")).to_have_count(2)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#source").fill("flow x\n  return $y\n")
    expect(page.locator("#errors li").first).to_be_visible()
    assert violations(page) == []
    page.locator("#help-open").click()
    assert violations(page) == []


def violations(page: Page) -> list[str]:
    """What axe finds, and where."""
    found: Any = Axe().run(page)  # pyright: ignore[reportUnknownMemberType]
    return [f"{one['id']}: {node['target']}" for one in found.response["violations"] for node in one["nodes"]]
