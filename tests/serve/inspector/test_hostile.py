"""Hostile memory texts are shown as text and do nothing."""

from playwright.sync_api import expect


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
    reader.memory("hostile", "?edit=1")
    assert page.get_by_label("Text").input_value().startswith("<img src=x onerror")
    _unharmed(page)


def test_marks_that_turn_the_reading_direction_are_made_visible(reader):
    page = reader.memory("hostile")
    expect(page.locator("h1 .control")).to_have_text(["U+202E", "U+202C"])
    assert "\u202e" not in page.locator("h1").inner_text()


def test_a_hostile_address_is_no_more_than_a_wrong_one(reader):
    page = reader.open("#/ask?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.wounded%3D4%3E&recipe=default")
    expect(page.locator(".answer-head")).to_be_visible()
    for hash in ("#/nowhere", "#/browse?kind=%3Cscript%3E", "#javascript:window.wounded=5", "#/compare?a=%22%3E"):
        reader.open(hash)
    _unharmed(page)
