"""Light and dark, wide and narrow: every view fits, and axe finds no serious accessibility problem."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

QUESTION = "q=Why%20did%20the%20Harbour%20Atlas%20date%20slip%3F"
PHONE = {"width": 360, "height": 780}
DESK = {"width": 1280, "height": 900}
# view → where it is, and what is there once it is drawn
VIEWS = {
    "welcome": ("#/ask", ".empty"),
    "ask": (f"#/ask?{QUESTION}", ".hit"),
    "factors": (f"#/ask?{QUESTION}&recipe=memweave&limit=3", ".factor"),
    "refused": ("#/ask?q=Xenon%3F&recipe=bm25", ".refused"),
    "nearest": ("#/ask?q=What%20is%20FERRY-E208%3F", ".nearest .hit"),
    "compare refused": ("#/compare?q=What%20is%20FERRY-E208%3F&b=memx", ".nearest .place"),
    "compare": (f"#/compare?{QUESTION}&b=memx", ".place"),
    "memory": ("#/memory/{helped}", ".history"),
    "quarantined": ("#/memory/{held too}", ".history"),
    "edit": ("#/memory/{helped}?edit=1", "textarea"),
    "browse": ("#/browse", ".card"),
    "nothing": ("#/browse?tag=nosuchtag", ".foot .empty"),
    "profile": ("#/profile", ".profile .card"),
    "profile of one": ("#/profile?subject=tamsin", ".profile .was"),
    "overview": ("#/overview", ".quarantine :is(.cards, .quiet)"),
}


def _seen(reader, view):
    hash, there = VIEWS[view]
    page = reader.open(hash.format(**reader.site.ids))
    page.wait_for_selector(there)
    expect(page.locator("[aria-busy]")).to_have_count(0)
    if view == "ask":
        page.get_by_role("button", name="Why this score").first.click()
    return page


@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light"), ("phone-dark", PHONE, "dark")],
)
def test_every_view_fits_its_screen(open_page, name, size, theme):
    reader = open_page(viewport=size, color_scheme=theme)
    for view in VIEWS:
        page = _seen(reader, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], view
        reader.shoot(f"{name}-{view}")
    page.keyboard.press("?")
    reader.shoot(f"{name}-keys")


def test_the_sign_in_view_fits_a_phone(open_page, watch):
    reader = open_page(role=None, viewport=PHONE)
    reader.open()
    reader.shoot("phone-door")
    watch.forgive("401")


@pytest.mark.parametrize(("size", "theme"), [(DESK, "light"), (DESK, "dark"), (PHONE, "light"), (PHONE, "dark")])
def test_no_view_has_a_serious_barrier(open_page, size, theme):
    reader = open_page(viewport=size, color_scheme=theme, bypass_csp=True)  # axe is put into the page from outside
    found = {view: _barriers(_seen(reader, view)) for view in VIEWS}
    reader.page.keyboard.press("?")
    found["keys"] = _barriers(reader.page)
    assert {view: barriers for view, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sign_in_view_has_no_serious_barrier(open_page, watch, theme):
    assert _barriers(open_page(role=None, color_scheme=theme, bypass_csp=True).open()) == []
    watch.forgive("401")


def _barriers(page):
    found = Axe().run(page).response["violations"]
    return [
        (each["id"], json.dumps([node["html"][:200] for node in each["nodes"][:3]]))
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_the_page_follows_the_system_until_the_reader_chooses(open_page):
    papers = {}
    for theme in ("light", "dark"):
        page = open_page(color_scheme=theme).open("#/overview")
        papers[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert papers["light"] != papers["dark"]
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == papers["light"]
