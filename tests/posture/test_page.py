"""The page in a headless Chromium: readable by everyone, on a phone, in the dark, and on paper."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, sync_playwright

from carerails.contracts import LOCALES, Locale
from carerails.posture.document import Release, render
from carerails.posture.facts import Facts
from tests.report.conftest import FLAGS, browser_path


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    path = browser_path()
    if path is None:
        pytest.skip("no Chromium here: install the package chromium to test the page")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(facts: Facts, tmp_path_factory: pytest.TempPathFactory) -> dict[Locale, Path]:
    """With a change list, so that every part of the page is there."""
    home = tmp_path_factory.mktemp("posture")
    before = facts.model_copy(update={"limits": {**facts.limits, "deadline_s": "3"}, "never": facts.never[1:]})
    for locale in LOCALES:
        page = render(facts, locale, "html", Release("v1", before))
        (home / f"{locale}.html").write_text(page, encoding="utf-8")
    return {locale: home / f"{locale}.html" for locale in LOCALES}


@pytest.mark.parametrize(
    ("locale", "scheme", "width"), [("en", "light", 1200), ("es-419", "dark", 1200), ("pt-BR", "light", 360)]
)
def test_it_is_readable_by_everyone_and_asks_for_nothing(
    browser: Browser, pages: dict[Locale, Path], locale: Locale, scheme: str, width: int
):
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})  # pyright: ignore[reportArgumentType]
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[locale].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("getComputedStyle(document.body).fontSize") == "16px"  # its own style is allowed to run
    links = page.eval_on_selector_all("a", "all => all.filter(a => !document.querySelector(a.hash)).map(a => a.href)")
    assert links == []
    # axe needs a script, which the page's own policy forbids: it is left out for the check only.
    bare = pages[locale].read_text(encoding="utf-8")
    page.set_content(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", bare))
    axe: Any = Axe()
    violations: list[Any] = axe.run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in violations] == []
    assert complaints == []
    assert asked == [pages[locale].as_uri()]
    context.close()


@pytest.mark.parametrize("locale", LOCALES)
def test_it_prints_on_numbered_pages(browser: Browser, pages: dict[Locale, Path], locale: Locale):
    page = browser.new_page()
    page.goto(pages[locale].as_uri())
    page.emulate_media(media="print")
    hidden = page.eval_on_selector_all(
        "main *", "all => all.filter(e => e.textContent.trim() && !e.getClientRects().length).length"
    )
    assert hidden == 0
    breaks = page.eval_on_selector_all("section[id]", "all => all.map(e => [e.id, getComputedStyle(e).breakBefore])")
    assert [name for name, value in breaks if value == "page"] == ["never", "red", "scope", "texts", "changes"]
    pdf = page.pdf(prefer_css_page_size=True)
    count = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 15 <= count <= 40
    box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box
    assert [round(float(side)) for side in box.groups()] == [595, 842]  # A4, in points
    page.close()
