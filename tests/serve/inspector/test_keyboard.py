"""Everything can be done with the keyboard."""

from playwright.sync_api import expect

from recollect import Client

QUESTION = "Why did the Harbour Atlas date slip?"


def test_slash_goes_to_the_question_from_anywhere(reader):
    page = reader.open("#/overview")
    page.wait_for_selector(".tiles")
    page.keyboard.press("/")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    page.keyboard.press("/")
    page.keyboard.type("iron tablets")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("ferritin")


def test_j_and_k_move_x_explains_enter_opens_and_e_edits(reader):
    page = reader.ask(QUESTION)
    links = page.locator(".hit a.open")
    for key, focused in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(links.nth(focused)).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator(".hit").nth(1).get_by_role("tree")).to_be_visible()
    page.keyboard.press("x")
    expect(page.get_by_role("tree")).to_have_count(0)
    links.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Harbour Atlas")
    page.keyboard.press("e")
    expect(page.get_by_label("Text")).to_be_focused()
    page.keyboard.type("j")
    page.keyboard.press("Escape")
    expect(page.locator("#notice")).to_contain_text("Press Escape again")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("jHarbour")


def test_a_question_mark_shows_the_keys_and_escape_closes_them(reader):
    page = reader.open("#/browse")
    page.wait_for_selector(".card")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_label("Shortcuts that are single letters").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.get_by_role("heading", name="Browse", level=1)).to_be_visible()


def test_numbers_open_the_views(reader):
    page = reader.open("#/overview")
    page.wait_for_selector(".tiles")
    for key, heading in (("3", "Conversations"), ("4", "Browse"), ("1", "What is true now"), ("2", "Ask the memory")):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        page.keyboard.press("Escape")  # out of the question's field


def test_the_skip_link_leads_past_the_header(reader):
    page = reader.open("#/overview")
    page.wait_for_selector(".tiles")
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex'); }")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_t_changes_the_colours_and_the_page_remembers(reader):
    page = reader.open("#/overview")
    page.wait_for_selector(".tiles")
    light = _paper(page)
    page.keyboard.press("t")
    dark = _paper(page)
    assert light != dark
    page.reload()
    page.wait_for_selector(".tiles")
    assert _paper(page) == dark


def _paper(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_an_opened_statement_is_corrected_and_saved_with_the_keyboard_and_keeps_the_focus(reader, site):
    with Client(site.url, key=site.keys["admin"]) as mind:
        mind.remember("Rosalind lives in Brno.")
    page = reader.open("#/home?subject=rosalind")
    line = page.get_by_role("button", name="Rosalind lives in Brno.")
    line.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Correct")).to_be_visible()
    page.keyboard.press("e")
    text = page.get_by_label("What is true instead")
    expect(text).to_be_focused()
    text.fill("Rosalind lives in Olomouc.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Rosalind lives in Olomouc.")).to_be_focused()
