"""What is true now and was on a day, the story of a statement, conversations, the first run, both languages, paper."""

import re

import pytest
from playwright.sync_api import expect
from rest_server import running_server

from recollect import Recollect, demo

CHATS = f"{demo.namespace()}/chats"
HOSTILE = '<img src=x onerror="window.wounded = 1"> \u202egnol'


def test_home_shows_what_is_true_now_and_what_was_on_a_day(reader):
    page = reader.open("#/home?subject=tamsin")
    home = page.locator(".statement", has_text="lives in Trieste now")
    expect(home.locator(".was")).to_contain_text("Tamsin lives in Porto")
    slider = page.get_by_role("slider", name="What was believed")
    expect(slider).to_have_attribute("aria-valuetext", "What is true now")
    slider.focus()
    slider.evaluate("each => { each.value = Date.parse('2026-01-15') / 864e5; each.dispatchEvent(new Event('input')) }")
    expect(page.locator(".statement", has_text="Tamsin lives in Porto")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", "As it was on 15 January 2026")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("as_of=2026-01-14"))
    page.reload()
    expect(page.locator(".statement", has_text="Tamsin lives in Porto")).to_be_visible()
    page.get_by_role("button", name="now", exact=True).click()
    expect(home).to_be_visible()
    page.get_by_label("About").fill("nobody at all")
    page.keyboard.press("Enter")
    expect(page.locator(".empty")).to_contain_text("Nothing is known about anybody or anything of this name")
    expect(page.get_by_role("link", name="Memories with the words")).to_have_attribute("href", re.compile("nobody"))


def test_a_statement_opens_its_story_and_leads_to_its_words(reader):
    page = reader.open(f"#/home?namespace={CHATS}")
    line = page.get_by_role("button", name="My grandmother put a leaf")
    line.focus()
    page.keyboard.press("Enter")
    steps = page.locator(".steps li")
    expect(steps.first).to_contain_text("said in quinces")
    steps.first.get_by_role("link", name="quinces").click()
    expect(page.locator(".wanted")).to_contain_text("scented geranium")
    assert "turn=2" in page.url


def test_a_question_asked_on_home_means_the_day_of_the_slider(reader):
    page = reader.open("#/home?as_of=2026-04-12")
    page.wait_for_selector(".statement")
    page.get_by_label("Ask the memory anything").fill("Where does Tamsin live?")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("Tamsin lives in Porto")
    assert "as_of=2026-04-12" in page.url


def test_two_dates_for_one_concert_are_marked_on_home_and_in_an_answer(reader):
    page = reader.open("#/home?subject=juno")
    flyer = page.locator(".statement", has_text="The school flyer says").first
    expect(flyer.locator(".clash")).to_contain_text("But: According to the parents' chat")
    reader.ask("When is the winter concert?", recipe="default-fast")
    clash = page.locator(".hit .clash")
    expect(clash).to_have_count(2)
    expect(clash.first).to_contain_text("Says otherwise than hit")


def test_a_statement_is_corrected_pinned_and_forgotten_and_each_is_undone(reader):
    page = reader.open("#/home?subject=juno")
    row = page.locator(".statement", has_text="skip a grade in maths")

    def opened(text):
        page.get_by_role("button", name=text).first.click()
        page.wait_for_selector(".steps li")

    opened("skip a grade in maths")
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("What is true instead").fill("Juno's school in Porto let her skip two grades in maths.")
    page.get_by_label("It was never right").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_contain_text("Corrected.")
    expect(page.locator(".statement", has_text="skip two grades")).to_be_visible()
    opened("skip two grades")
    steps = page.locator(".steps li")
    expect(steps.first).to_contain_text("9 April 2026told by you")
    expect(steps.first.locator("del")).to_contain_text("skip a grade")
    expect(steps.last).to_contain_text("corrected by you")
    expect(steps.last).to_contain_text("skip two grades")
    page.keyboard.press("u")
    expect(row).to_be_visible()
    opened("skip a grade in maths")
    page.get_by_role("button", name="Forget").click()
    expect(row).to_have_count(0)
    page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(page.locator("#notice")).to_contain_text("Taken back.")
    opened("skip a grade in maths")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("Pinned")
    page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(page.locator("#notice")).to_contain_text("Taken back.")


@pytest.fixture
def sam(tmp_path, chromium):
    """A page on a small memory, whose owner said twice where they live."""
    with Recollect(tmp_path / "agent.db", embedder="hashing", namespace="team/sam") as mind:
        said = "I live in Leeds, near the canal. The flat is small."
        mind.ingest([{"role": "user", "content": said}], session_id="home", at="2026-01-05")
        mind.remember("Sam lives in Leeds", entities=["Sam", "Leeds"], at="2026-01-08")
        with running_server(mind) as served, chromium.new_context(locale="en-GB") as context:
            context.request.post(f"{served.url}/v1/session", data={"key": served.key()})
            page = context.new_page()
            page.goto(f"{served.url}/#/home")
            yield mind, page


def opened(page, text):
    page.locator(".statement-line", has_text=text).first.click()
    page.wait_for_selector(".steps li")
    page.get_by_role("button", name="Correct").click()


def test_what_changed_keeps_what_was_and_what_says_the_same_changes_with_it(sam):
    mind, page = sam
    opened(page, "I live in Leeds")
    expect(page.locator(".same")).to_contain_text("1 more statement says the same")
    expect(page.locator(".same li")).to_have_text("Sam lives in Leeds")
    page.get_by_label("What is true instead").fill("I live in York, on Bishopthorpe Road.")
    page.get_by_label("The day it changed").fill("2026-08-29")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_contain_text("Noted: it changed.")
    expect(page.locator(".statement", has_text="I live in York").locator(".was")).to_contain_text("Leeds")
    expect(page.locator(".statement-line", has_text="lives in Leeds")).to_have_count(0)
    texts = {each.text: each for each in mind.profile("user", as_of="2026-03-01").statements}
    assert "I live in Leeds, near the canal." in texts and not [text for text in texts if "York" in text]
    page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".statement-line", has_text="Sam lives in Leeds")).to_be_visible()
    expect(page.locator(".statement-line", has_text="I live in York")).to_have_count(0)


def test_a_day_that_a_question_names_is_offered(sam):
    mind, page = sam
    mind.remember("I moved to York", at="2026-08-29")
    page.goto(page.url.partition("#")[0] + "#/ask?q=Where did I live on 1 March 2026?")
    page.get_by_role("link", name="what held on 1 March 2026").click()
    page.wait_for_url(re.compile("as_of=2026-03-01"))
    expect(page.locator(".hit").first).to_contain_text("Leeds")
    expect(page.locator(".named-day")).to_have_count(0)


def test_what_was_never_right_is_corrected_for_all_time(sam):
    mind, page = sam
    opened(page, "I live in Leeds")
    page.get_by_label("What is true instead").fill("I live in York, on Bishopthorpe Road.")
    page.get_by_label("It was never right").check()
    expect(page.get_by_label("The day it changed")).to_be_disabled()
    page.get_by_label("says the same").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_contain_text("Corrected.")
    expect(page.locator(".statement-line", has_text="I live in York")).to_be_visible()
    expect(page.locator(".statement-line", has_text="Sam lives in Leeds")).to_be_visible()
    texts = [each.text for each in mind.profile("user", as_of="2026-03-01").statements]
    assert "I live in York, on Bishopthorpe Road." in texts


def test_a_key_that_only_reads_is_offered_no_correction(open_page):
    page = open_page("read").open("#/home?subject=tamsin")
    page.locator(".statement-line").first.click()
    page.wait_for_selector(".steps li")
    expect(page.get_by_role("link", name="All about it")).to_be_visible()
    expect(page.locator(".story button")).to_have_count(0)


def test_conversations_are_listed_searched_and_read_with_their_facts(reader):
    page = reader.open("#/conversations")
    expect(page.locator(".talk")).to_have_count(2)
    expect(page.locator(".talk").first).to_contain_text("more quinces")
    page.get_by_label("Search what was said").press_sequentially("leaf of geranium", delay=40)
    expect(page.locator(".foot")).to_contain_text("2 messages have these words.")
    expect(page.get_by_label("Search what was said")).to_be_focused()
    expect(page.get_by_role("heading", name="Close in meaning")).to_be_visible()
    page.locator(".talk", has_text="My grandmother").get_by_role("link").first.click()
    expect(page.locator(".wanted .bubble")).to_contain_text("scented geranium")
    expect(page.locator(".wanted .facts-beside li")).to_have_count(1)
    expect(page.locator(".message")).to_have_count(4)
    reader.open("#/conversations?text=submarine+zebra")
    expect(page.locator(".foot")).to_contain_text("No message has all of these words.")
    expect(page.locator(".long .talk")).to_have_count(0)
    reader.open("#/conversations/quinces")
    page.get_by_label("Search in this conversation").fill("equal weights")
    expect(page.locator(".message")).to_have_count(1)
    expect(page.get_by_label("Search in this conversation")).to_be_focused()
    page.get_by_role("link", name="Show the whole conversation").click()
    expect(page.locator(".message")).to_have_count(4)
    page.get_by_role("link", name="Forget, move or tag").click()
    expect(page.get_by_label("Conversation", exact=True)).to_have_value("quinces")


def test_a_memory_of_a_conversation_leads_to_its_place(reader):
    page = reader.open("#/browse?granularity=fact&text=grandmother")
    page.locator(".card").first.get_by_role("link", name="in its conversation").click()
    expect(page.locator(".wanted .bubble")).to_contain_text("My grandmother")


def test_browse_narrows_as_one_types_and_keeps_the_focus(reader):
    page = reader.open("#/browse")
    expect(page.locator(".count")).to_contain_text("50 memories so far")
    page.get_by_label("Text").press_sequentially("red-lidded")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.get_by_label("Text")).to_be_focused()
    page.get_by_label("Text").fill("quince jelly")
    expect(page.locator(".own-facts .card").first).to_be_visible()


def test_the_page_speaks_chinese_and_remembers_it(reader):
    page = reader.open("#/home")
    page.get_by_role("button", name="中文").click()
    headings = {"home": "现在的情况", "conversations": "对话", "browse": "浏览", "overview": "概览"}
    for view, heading in headings.items():
        reader.open(f"#/{view}")
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    reader.memory("helped")
    page.wait_for_selector(".history li")
    assert _english(page.locator(".view").inner_text(), reader.site.texts) == set()
    reader.open("#/overview")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    reader.shoot("chinese")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Overview", level=1)).to_be_visible()


def test_on_paper_there_is_the_content_and_no_control(reader):
    page = reader.open("#/home?subject=tamsin")
    page.wait_for_selector(".statement")
    page.emulate_media(media="print")
    expect(page.locator(".statement").first).to_be_visible()
    expect(page.locator("header")).to_be_hidden()
    expect(page.locator(".home-filters")).to_be_hidden()
    reader.shoot("print-home")
    page.emulate_media(media="screen")


WORDS = re.compile(r"\b(?:the|and|from|not|time|link|history|edit|forget|fact|name|stored|used|by)\w*\b", re.IGNORECASE)


def _english(shown, texts):
    """Words of English on the page that are not in the memories."""
    told = " ".join(texts).lower()
    return {word for word in WORDS.findall(shown) if word.lower() not in told}


# An empty store -----------------------------------------------------------------------------------


@pytest.fixture
def empty(tmp_path):
    """A server with an empty store."""
    with Recollect(tmp_path / "new.db", embedder="hashing", namespace="mine") as mind, running_server(mind) as server:
        yield server


def test_an_empty_namespace_says_where_the_memories_are_and_how_to_see_them(chromium, empty):
    for place, count in (("team/build", 2), ("home/sam", 1)):
        for n in range(count):
            empty.mind.remember(f"Note {n} of {place}", namespace=place, dedup=False)
    context = chromium.new_context(locale="en")
    context.request.post(f"{empty.url}/v1/session", data={"key": empty.key(trust="user")})
    page = context.new_page()
    page.goto(f"{empty.url}/")
    expect(page.get_by_role("heading", name="The namespace mine is empty.")).to_be_visible()
    told = page.locator(".start").first
    expect(told).to_contain_text("The store has 3 memories elsewhere")
    expect(told.locator("li")).to_have_text(["team", "home"])
    expect(told.locator("code")).to_contain_text("recollect keys add team --db ")
    expect(told.locator("code")).to_contain_text("--namespace team --role admin --trust user")
    context.close()


def test_the_first_run_says_what_to_do_and_the_first_memory_is_typed_there(chromium, empty):
    context = chromium.new_context(locale="en")
    context.request.post(f"{empty.url}/v1/session", data={"key": empty.key()})
    page = context.new_page()
    page.goto(f"{empty.url}/")
    expect(page.get_by_role("heading", name="This memory is empty.")).to_be_visible()
    expect(page.locator(".start")).to_have_count(3)
    command = page.locator("code").first
    expect(command).to_contain_text("recollect mcp install --client claude-desktop --db ")
    expect(command).to_contain_text("--namespace mine")
    page.get_by_label("Write the first memory").fill(f"I live in Utrecht. {HOSTILE}")
    page.get_by_role("button", name="Remember").click()
    expect(page.locator(".statement")).to_contain_text("I live in Utrecht. <img")
    assert page.evaluate("window.wounded") is None
    context.close()
