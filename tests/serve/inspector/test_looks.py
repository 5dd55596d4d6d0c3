"""Light and dark, wide and narrow, English and Chinese: every view fits, and axe finds nothing."""

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
    "home": ("#/home", ".home .statement"),
    "home on a day": ("#/home?subject=tamsin&as_of=2026-01-15", ".home .statement"),
    "profile of one": ("#/profile?subject=tamsin", ".home .was"),
    "conversations": ("#/conversations", ".talk"),
    "found in conversations": ("#/conversations?text=geranium", ".talk"),
    "conversation": ("#/conversations/quinces?turn=2", ".wanted"),
    "log": ("#/log", ".card"),
    "recalled": ("#/log/{recall}", ".hit"),
    "graph": ("#/graph", ".chips a"),
    "graph of one": ("#/graph?name=Tamsin", ".names a"),
    "add": ("#/manage", "textarea"),
    "many": ("#/manage/many?words=Tamsin", ".picks label"),
    "changes": ("#/manage/changes", ".lines-of li"),
    "files": ("#/manage/files", ".download"),
    "keys": ("#/manage/keys", ".lines-of li"),
    "places": ("#/manage/places", ".lines-of li"),
    "held back": ("#/manage/quarantine", ":is(.card, .empty)"),
    "health": ("#/manage/health", "button"),
    "overview": ("#/overview", ".quarantine :is(.cards, .quiet)"),
}


def _seen(reader, view):
    hash, there = VIEWS[view]
    page = reader.open(hash.format(**reader.site.ids))
    page.wait_for_selector(there)
    expect(page.locator("[aria-busy]")).to_have_count(0)
    if view == "profile of one":
        page.locator(".statement-line").first.click()
        page.wait_for_selector(".steps li")
    if view == "ask":
        page.locator("[data-why]").first.click()
    return page


@pytest.mark.parametrize(
    ("name", "size", "theme", "locale"),
    [
        ("light", DESK, "light", "en"),
        ("dark", DESK, "dark", "zh-CN"),
        ("phone", PHONE, "light", "zh-CN"),
        ("phone-dark", PHONE, "dark", "en"),
    ],
)
def test_every_view_fits_its_screen_and_has_no_barrier(open_page, name, size, theme, locale):
    reader = open_page(viewport=size, color_scheme=theme, locale=locale)
    barriers = {}
    for view in VIEWS:
        page = _seen(reader, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], view
        reader.shoot(f"{name}-{view}")
        barriers[view] = _barriers(page)
    page.keyboard.press("?")
    reader.shoot(f"{name}-keys")
    barriers["keys"] = _barriers(page)
    assert {view: found for view, found in barriers.items() if found} == {}


def test_the_sign_in_view_fits_a_phone(open_page, watch):
    reader = open_page(role=None, viewport=PHONE)
    reader.open()
    reader.shoot("phone-door")
    watch.forgive("401")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sign_in_view_has_no_barrier(open_page, watch, theme):
    assert _barriers(open_page(role=None, color_scheme=theme).open()) == []
    watch.forgive("401")


def _barriers(page):
    found = Axe().run(page).response["violations"]
    return [(each["id"], json.dumps([node["html"][:200] for node in each["nodes"][:3]])) for each in found]


def test_the_page_follows_the_system_until_the_reader_chooses(open_page):
    papers = {}
    for theme in ("light", "dark"):
        page = open_page(color_scheme=theme).open("#/overview")
        papers[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert papers["light"] != papers["dark"]
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == papers["light"]
