"""Hostile memory texts are shown as text and do nothing."""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from recollect import Client


def _unharmed(page):
    assert page.evaluate("window.wounded") is None
    assert page.locator("main :is(img, script, b > kind, iframe)").count() == 0


def test_hostile_text_is_text_in_every_view(reader, site):
    page = reader.ask("img src onerror window wounded script")
    expect(page.locator(".hit").first).to_contain_text('<img src=x onerror="window.wounded = 1">')
    _unharmed(page)
    reader.open("#/browse?tag=hostile")
    expect(page.locator(".card")).to_contain_text("</script><script>window.wounded = 2</script>")
    _unharmed(page)
    reader.memory("hostile")
    expect(page.get_by_role("heading", level=1)).to_contain_text("& &lt;b&gt;")
    expect(page.locator(".gist")).to_have_text("<i>gist</i>")
    expect(page.locator(".memory-head .meta")).to_contain_text("<b>kind</b>")
    _unharmed(page)
    reader.shoot("hostile")
    reader.open("#/compare?q=wounded&a=bm25&b=default")
    expect(page.locator(".place").first).to_contain_text("<img src=x")
    _unharmed(page)
    reader.open("#/log")
    expect(page.locator(".card").filter(has_text="<b>assistant</b>")).to_contain_text("<img src=x")
    _unharmed(page)
    page.locator(".card a.open").filter(has_text="<img src=x").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("</script>")
    expect(page.locator(".hit").first).to_be_visible()
    _unharmed(page)
    reader.open("#/manage/many?tag=hostile")
    expect(page.locator(".picks label")).to_contain_text("<b>kind</b>")
    _unharmed(page)
    reader.open("#/graph?name=user")
    expect(page.get_by_role("button", name="<b>kind</b> 1")).to_be_visible()
    _unharmed(page)
    reader.open("#/manage/changes")
    page.locator(".lines-of > li summary").first.click()
    expect(page.locator(".lines-of > li .plain li").first).to_be_visible()
    _unharmed(page)
    reader.open("#/manage/files")
    hostile = next(text for text in site.texts if "wounded" in text)
    line = json.dumps({"text": hostile})
    page.get_by_label("File").set_input_files(
        {"name": "<b>x<\u2044b>.jsonl", "mimeType": "application/json", "buffer": f"{line}\n{hostile}\n".encode()}
    )
    expect(page.locator(".failure")).to_contain_text("<b>x")
    _unharmed(page)
    reader.memory("hostile", "?edit=1")
    assert page.get_by_label("Text").input_value().startswith("<img src=x onerror")
    _unharmed(page)


@pytest.fixture
def hostile_talk(site):
    """A conversation with a hostile name and speaker, a memory with hostile metadata and source, and a hostile key."""
    hostile = next(text for text in site.texts if "wounded" in text)[:70] + "\u202eneddih\u202c"
    said = [
        {"role": "user", "content": f"I live in {hostile}"},
        {"role": hostile[:40], "content": f"My car is {hostile}"},
    ]
    with Client(site.url, key=site.keys["admin"]) as mind:
        mind.ingest(said, session_id=hostile, at="2026-03-01")
        made = mind.remember(
            f"A gate {hostile}", source=hostile, metadata={hostile[:40]: hostile, "when": {"text": hostile}}
        )
        yield hostile, made.id
        mind.purge(session_id=hostile)
        mind.purge(made.id)


@pytest.mark.parametrize("size", [{"width": 1280, "height": 900}, {"width": 360, "height": 780}])
def test_hostile_names_of_conversations_speakers_sources_and_keys_are_text(open_page, hostile_talk, size):
    hostile, id = hostile_talk
    reader = open_page(viewport=size)
    views = {
        "#/home": ".statement",
        "#/conversations": ".talk",
        f"#/conversations/{quote(hostile, safe='')}": ".message",
        f"#/manage/many?session_id={quote(hostile, safe='')}": ".picks label",
        "#/browse?text=wounded": ".card",
        f"#/memory/{id}": ".history",
        "#/graph?name=user": ".names a",
    }
    for view, there in views.items():
        page = reader.open(view)
        page.wait_for_selector(there)
        expect(page.locator("main")).to_contain_text("<img src=x")
        _unharmed(page)
        assert "\u202e" not in page.locator("main").inner_text(), view
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], view
    reader.open("#/overview")
    expect(page.locator(".counts").filter(has_text="<b>kind</b>")).to_be_visible()
    page = reader.open("#/manage/keys")
    page.get_by_label("Who will use it").fill(hostile[:60])
    page.get_by_role("button", name="Make the key").click()
    row = page.locator(".lines-of li").filter(has_text="<img src=x")
    row.get_by_role("button", name="Revoke").click()
    _unharmed(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    row.get_by_role("button", name="Really revoke").click()
    expect(page.locator("#notice")).to_contain_text("<img src=x")
    _unharmed(page)


def test_marks_that_turn_the_reading_direction_are_made_visible(reader):
    page = reader.memory("hostile")
    expect(page.locator("h1 .control")).to_have_text(["U+202E", "U+202C"])
    assert "\u202e" not in page.locator("h1").inner_text()
    expect(page.locator(".tag .control")).to_have_text(["U+202E"])
    reader.open("#/graph?name=user")
    expect(page.locator(".names")).to_be_visible()
    assert "\u202e" not in page.locator("main").inner_text()


def test_a_hostile_address_is_no_more_than_a_wrong_one(reader):
    page = reader.open("#/ask?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.wounded%3D4%3E&recipe=default")
    expect(page.locator(".answer-head")).to_be_visible()
    for hash in ("#/nowhere", "#/browse?kind=%3Cscript%3E", "#javascript:window.wounded=5", "#/compare?a=%22%3E"):
        reader.open(hash)
    _unharmed(page)
