"""Lists of any length: what is far from the screen is not in the document, and the reader finds their place again."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

MANY = 1_000


@pytest.fixture
def many(reader, site):
    """A server that answers with 1,000 memories, page by page."""
    with_one = f"{site.url}/v1/memories/{site.ids['helped']}"
    like = reader.page.request.get(with_one).json()

    def answer(route):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        start = int(asked.get("cursor", 0))
        end = min(start + int(asked["limit"]), MANY)
        numbers = range(start, end) if asked.get("order") != "oldest" else range(MANY - 1 - start, MANY - 1 - end, -1)
        memories = [like | {"id": f"m{n}", "text": f"Note number {n}"} for n in numbers]
        route.fulfill(json={"memories": memories, "next": str(end) if end < MANY else None})

    reader.page.route("**/v1/memories?*", answer)
    return reader


ON_SCREEN = """() => [...document.querySelectorAll(".card a.open")]
  .find((link) => link.getBoundingClientRect().top > 100 && link.getBoundingClientRect().top < innerHeight - 100)"""


def _to_the_end(page):
    ending = page.locator(".foot").filter(has_text=f"{MANY:,} memories in all")
    for _ in range(5 * MANY // 50):
        if ending.count():
            return
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.wait_for_function("() => !document.querySelector('.foot .loading')")
        page.evaluate("() => new Promise(requestAnimationFrame)")
    raise AssertionError("the list has no end")


def test_a_long_list_comes_by_itself_and_only_what_is_near_is_drawn(many):
    page = many.open("#/browse")
    expect(page.locator(".card")).to_have_count(50)
    _to_the_end(page)
    expect(page.get_by_role("link", name="Note number 999", exact=True)).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.card').length <= 200")
    page.evaluate("scrollTo(0, 0)")
    expect(page.get_by_role("link", name="Note number 0", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Note number 999", exact=True)).to_have_count(0)


def test_a_long_list_is_walked_with_the_keyboard_alone(many):
    page = many.open("#/browse")
    page.locator(".card a.open").first.focus()
    for n in range(1, 76):
        expect(page.get_by_role("link", name=f"Note number {n}", exact=True)).to_be_attached()  # the next page is there
        page.keyboard.press("j")
        expect(page.locator(":focus")).to_have_text(f"Note number {n}")


def test_going_back_into_a_long_list_finds_the_place_in_it(many):
    page = many.open("#/browse")
    _to_the_end(page)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.wait_for_function(f"() => ({ON_SCREEN})()")
    words, where = page.evaluate(
        f"() => {{ const link = ({ON_SCREEN})(); link.focus(); return [link.innerText, scrollY]; }}"
    )
    link = page.get_by_role("link", name=words, exact=True)
    page.evaluate("location.hash = '#/overview'")
    page.wait_for_selector(".tiles")
    page.go_back()
    expect(link).to_be_focused()
    page.wait_for_function("y => Math.abs(scrollY - y) < 5", arg=where)


def test_the_oldest_come_first_when_asked_for(many):
    page = many.open("#/browse")
    page.get_by_label("Order").select_option("oldest")
    expect(page.locator(".card a.open").first).to_have_text(f"Note number {MANY - 1}")


def test_a_message_at_the_end_of_a_page_keeps_its_facts(reader, site):
    page = reader.open("#/overview")
    like = page.request.get(f"{site.url}/v1/memories/{site.ids['helped']}").json() | {"session_id": "talk"}
    memories = [like | {"id": f"m{n}", "text": f"Message {n}", "granularity": "turn", "turn": n} for n in range(49)]
    fact = like | {"id": "fact", "text": "A fact of the last message", "granularity": "fact", "turn": 49}
    said = like | {"id": "last", "text": "The last message", "granularity": "turn", "turn": 49}

    def answer(route):
        second = "cursor=" in route.request.url
        found = [said] if second else [*memories, fact]
        route.fulfill(body=json.dumps({"memories": found, "next": None if second else "more"}))

    page.route("**/v1/memories?*", answer)
    reader.open("#/browse")
    expect(page.get_by_text("A fact of the last message")).to_have_count(0)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.locator(".card").filter(has_text="The last message").locator(".own-facts")).to_contain_text("A fact")


WRITTEN = {
    "on 2026-10-31": ("31 October 2026", "2026年10月31日"),
    "in 2026-04": ("April 2026", "2026年4月"),
    "in 2026": ("2026", "2026年"),
    "about 2026-05-18 to 2026-05-22": ("about 18–22 May 2026", "约 2026年5月18日至2026年5月22日"),
    "every Mon, Thu": ("every Monday and Thursday", "每星期一、星期四"),
    "every month": ("every month", "每月"),
    "every Tue from 2026-07-14": ("every Tuesday from 14 July 2026", "每星期二 自 2026年7月14日 起"),
    "something else": ("something else", "something else"),
}


@pytest.mark.parametrize(("locale", "which"), [("en", 0), ("zh-CN", 1)])
def test_the_time_that_a_text_names_is_said_in_words(open_page, locale, which):
    page = open_page(locale=locale).open("#/overview")
    script = """async (whens) => {
      const { whenInWords } = await import("/inspector/when.js");
      return whens.map((when) => whenInWords(when).replace(/\\s?–\\s?/g, "–"));
    }"""
    assert page.evaluate(script, list(WRITTEN)) == [words[which] for words in WRITTEN.values()]


def test_a_moment_is_told_by_the_clock_of_the_reader(open_page):
    page = open_page(timezone_id="Europe/Paris").open("#/overview")
    script = "async (at) => (await import('/inspector/format.js')).moment(at)"
    assert page.evaluate(script, "2026-07-27T18:05:00Z") == "27 July 2026, 20:05"
    assert page.evaluate(script, "2026-07-27T00:00:00Z") == "27 July 2026"
