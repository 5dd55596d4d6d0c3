"""What a user does on the page: ask, explain, compare, open, edit, forget, restore, filter."""

import re

import pytest
from playwright.sync_api import expect

from recollect import demo, recipes

NAMESPACE = demo.namespace()

QUESTION = "Why did the Harbour Atlas date slip?"


def test_the_link_that_serve_shows_opens_the_page(open_page, site):
    page = open_page(role=None).page
    link = site.link()
    page.goto(link)
    expect(page.locator(".statement").first).to_be_visible()
    assert page.url == f"{site.url}/"
    page.goto(link)
    expect(page.locator("#notice")).to_contain_text("This login link was used before")
    expect(page.locator(".statement").first).to_be_visible()
    assert page.url == f"{site.url}/"


def test_a_key_opens_the_page_a_wrong_one_does_not_and_signing_out_closes_it(open_page, site, watch):
    page = open_page(role=None).open()
    page.get_by_label("Key", exact=True).fill("rk_000000000000_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Key", exact=True).fill(site.keys["read"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Question")).to_be_focused()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key", exact=True)).to_be_visible()
    for _ in range(3):  # a browser writes every 401 to its console: on coming, with the wrong key, after leaving
        watch.forgive("401")


def test_a_session_that_ends_asks_for_a_key_again(reader, watch):
    page = reader.open("#/browse")
    page.wait_for_selector(".card")
    page.context.clear_cookies()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    for _ in range(2):  # the page that was asked for, and who is here
        watch.forgive("401")


def test_a_question_shows_hits_their_parts_the_stages_and_the_confidence(reader):
    page = reader.open("#/ask")
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".hit")).to_have_count(5)
    best = page.locator(".hit").first
    expect(best).to_contain_text("slipped from the first of September")
    expect(best.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(r"Score [\d.]+: lexical [\d.]+ \+ vector")
    )
    assert int(page.get_by_role("meter").get_attribute("aria-valuenow")) > 50
    expect(page.locator(".trace tbody tr").first).to_contain_text("route lexical")
    expect(page.locator(".left-out")).to_contain_text("over the number of hits asked for")
    expect(page.locator("#said")).to_contain_text("Found: 5 memories")
    assert "q=Why" in page.url


def test_the_explanation_opens_and_can_be_walked_with_arrow_keys(reader):
    page = reader.ask(QUESTION, recipe="default-fast")
    page.get_by_role("button", name="Why this score").first.click()
    tree = page.get_by_role("tree")
    root = tree.get_by_role("treeitem").first
    expect(root).to_contain_text("× relevance")
    root.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):  # relevance, lexical, and open that
        page.keyboard.press(key)
    lexical = tree.get_by_role("treeitem", name=re.compile(r"^lexical [\d.]+, bm25"))
    expect(lexical).to_be_focused()
    expect(lexical).to_have_attribute("aria-expanded", "true")
    expect(tree.get_by_role("treeitem", name="raw ").first).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(lexical).to_have_attribute("aria-expanded", "false")
    reader.shoot("explanation")


ADDS_UP = """async (recalls) => {
  const { contributions } = await import("/inspector/contributions.js");
  return recalls.flatMap(({ hits }) => hits).map(({ explanation, score }) => {
    const sum = contributions(explanation).added.reduce((total, { value }) => total + value, 0);
    return Math.abs(sum - score) / score;
  });
}"""

RECOMPUTES = """async (recalls) => {
  const { evaluated, parsed } = await import("/inspector/formula.js");
  const { valuesOf } = await import("/inspector/contributions.js");
  const walk = (node) => [node, ...(node.parts ?? []).flatMap(walk)];
  const nodes = recalls.flatMap(({ hits }) => hits).flatMap(({ explanation }) => walk(explanation));
  return nodes.filter(({ formula }) => formula)
    .map((node) => Math.abs(evaluated(parsed(node.formula), valuesOf(node)) - node.value));
}"""


ASKED = {
    "memories": {"query": QUESTION},
    "turns": {"query": "What goes into the quince jelly?", "namespace": f"{NAMESPACE}/chats"},
    "sessions": {"query": "What goes into the quince jelly?", "granularity": "session"},
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("script", [ADDS_UP, RECOMPUTES], ids=["bars", "formulas"])
def test_the_page_recomputes_the_score_of_every_recipe(reader, site, script, asked):
    page = reader.open()
    body = {"recipes": list(recipes.names()), "limit": 10, **ASKED[asked]}
    recalls = page.request.post(f"{site.url}/v1/compare", data=body).json()["recalls"]
    off = page.evaluate(script, list(recalls.values()))
    assert len(off) >= 20
    assert max(off) < 1e-9


def test_a_session_shows_the_turns_it_is_made_of(reader):
    page = reader.ask("What goes into the quince jelly?", granularity="session")
    hit = page.locator(".hit").first
    hit.get_by_text("parts").click()
    expect(hit.locator(".plain li").first).to_contain_text("quince")


def test_what_is_not_in_memory_is_said_with_the_reason(reader):
    page = reader.ask("Xenon?", recipe="bm25")
    expect(page.get_by_role("heading", name="Not in memory")).to_be_visible()
    expect(page.locator(".refused")).to_contain_text("no memory has")
    page.get_by_role("link", name="Show the nearest memories").click()
    expect(page.locator(".hit").first).to_be_visible()
    reader.shoot("nearest")


def test_what_is_refused_shows_what_comes_nearest_under_its_heading(reader):
    page = reader.ask("What is FERRY-E208?")
    expect(page.get_by_role("heading", name="Probably not in memory; nearest:")).to_be_visible()
    expect(page.locator(".why-not")).to_have_text("FERRY-E208 occurs in no memory")
    expect(page.get_by_role("link", name="Write down the answer")).to_be_visible()
    expect(page.locator(".nearest .hit .total").first).to_contain_text(re.compile(r"Score [\d.]+"))
    expect(page.locator("#said")).to_contain_text("Probably not in memory; nearest:")
    expect(page.get_by_role("link", name="Show the nearest memories")).to_have_count(0)


def test_what_is_only_near_can_not_be_said_to_have_helped(reader):
    page = reader.ask("What is FERRY-E208?", record="1")
    expect(page.locator(".nearest .hit").first).to_be_visible()
    expect(page.get_by_role("button", name="It helped")).to_have_count(0)


def test_an_earlier_value_links_to_the_hit_that_is_newer(reader):
    def with_an_earlier(route):
        answer = route.fetch().json()
        answer["hits"][1]["earlier_than"] = answer["hits"][0]["memory"]["id"]
        route.fulfill(json=answer)

    reader.page.route("**/v1/recall", with_an_earlier)
    page = reader.ask(QUESTION)
    expect(page.get_by_role("heading", name="Found: 5 memories")).to_be_visible()
    marked = page.locator(".hit").nth(1)
    expect(marked.locator(".badge.earlier")).to_have_text("earlier")
    expect(marked.get_by_role("link", name="hit 1 is newer")).to_be_visible()
    expect(page.locator(".badge.earlier")).to_have_count(1)


def test_a_recipe_that_refuses_shows_what_comes_nearest_beside_the_other(reader):
    page = reader.open("#/compare?q=What%20is%20FERRY-E208%3F&a=default&b=bm25")
    expect(page.locator(".side").first.get_by_text("Probably not in memory; nearest:")).to_be_visible()
    expect(page.locator(".side").first.locator(".nearest .place").first).to_be_visible()


def test_two_recipes_stand_side_by_side_with_a_line_for_each_memory_they_share(reader):
    page = reader.open("#/compare")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Right").select_option("memx")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".side")).to_have_count(2)
    sides = [set(side.locator(".place").evaluate_all("all => all.map(x => x.dataset.memory)")) for side in _sides(page)]
    shared = sides[0] & sides[1]
    assert shared
    expect(page.locator(".lines .line:not(.alone)")).to_have_count(len(shared))
    expect(page.locator(".lines .alone")).to_have_count(len(sides[0] ^ sides[1]))
    expect(page.locator(".apart")).to_contain_text(f"{len(shared)} of {len(sides[0] | sides[1])} memories in common")
    page.locator(f".side [data-memory='{shared.pop()}'] a").first.hover()
    expect(page.locator(".lines .lit")).to_have_count(1)


def _sides(page):
    return page.locator(".side").all()


def test_a_memory_shows_its_links_its_time_line_and_whether_it_helped(reader):
    page = reader.memory("helped")
    expect(page.get_by_role("heading", name="The opening date of Harbour Atlas")).to_be_visible()
    expect(page.locator(".graph a")).to_have_count(3)
    expect(page.locator(".timeline .holds")).to_have_count(1)
    expect(page.locator(".timeline .used")).to_have_count(1)
    expect(page.locator(".recalls")).to_contain_text("used · helped")
    expect(page.locator(".history")).to_contain_text("remembered")
    page.locator(".graph a").first.click()
    expect(page.get_by_role("heading", name="The opening date")).to_have_count(0)


def test_a_superseded_memory_shows_until_when_it_held_and_what_changed(reader):
    page = reader.open("#/browse?status=superseded")
    page.get_by_role("link", name="Tamsin lives in Porto").click()
    expect(page.locator(".timeline figcaption")).to_contain_text("until 27 June 2026")
    expect(page.locator(".changes").first).to_contain_text("active")
    expect(page.locator(".joined").first).to_contain_text("replaces")


def test_an_edit_is_saved_and_the_former_text_stays_in_the_history(reader, site):
    page = reader.open("#/browse?text=sewing+machine")
    page.get_by_role("link", name="Juno asked for a sewing machine").click()
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Text")).to_be_focused()
    page.get_by_label("Text").fill("Juno got her sewing machine.")
    page.get_by_label("Tags").fill("family, sewing")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Juno got her sewing machine.")).to_be_visible()
    expect(page.get_by_role("link", name="#sewing")).to_be_visible()
    expect(page.locator(".history del").first).to_contain_text("Juno asked for a sewing machine instead of a party")
    page.get_by_role("button", name="Undo changed").click()
    expect(page.get_by_role("heading", name="Juno asked for a sewing machine")).to_be_visible()


def test_what_the_server_refuses_is_said_in_the_form(reader, watch):
    page = reader.memory("helped", "?edit=1")
    page.get_by_label("Text").fill("   \n ")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="The opening date")).to_be_visible()
    watch.forgive("422")


def test_a_memory_is_forgotten_and_restored(reader):
    page = reader.open("#/browse?tag=gifts")
    page.locator(".card a.open").first.click()
    page.get_by_role("button", name="Forget").click()
    expect(page.locator("#notice")).to_contain_text("Forgotten.")
    expect(page.locator(".badge.forgotten")).to_be_visible()
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".badge.forgotten")).to_have_count(0)
    expect(page.get_by_role("button", name="Forget", exact=True)).to_be_visible()


def test_a_memory_is_pinned_and_unpinned(reader):
    page = reader.memory("helped")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".badge.pinned")).to_be_visible()
    page.get_by_role("button", name="Unpin").click()
    expect(page.locator(".badge.pinned")).to_have_count(0)


def test_the_list_is_narrowed_down_by_filters_and_text(reader):
    page = reader.open("#/browse")
    expect(page.locator(".card")).to_have_count(50)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.locator(".foot")).to_contain_text("in all")
    page.get_by_label("Kind").focus()
    page.get_by_label("Kind").select_option("procedure")
    expect(page.locator(".card")).to_have_count(5)
    expect(page.get_by_label("Kind")).to_be_focused()
    page.get_by_label("Text").fill("RED-LIDDED")
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_have_count(1)
    page.get_by_label("Tag").fill("no such tag")
    page.keyboard.press("Enter")
    expect(page.locator(".foot")).to_contain_text("No memories.")
    page.get_by_role("link", name="Clear all filters").click()
    expect(page.locator(".card")).to_have_count(50)


def test_a_question_can_be_narrowed_down_and_recorded(reader):
    page = reader.open("#/ask")
    page.get_by_label("Question").fill("Where does Tamsin live?")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Hits").fill("3")
    page.get_by_label("True on").fill("2026-01-01")
    page.get_by_label("Record it").check()
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".hit")).to_have_count(3)
    expect(page.locator(".hits")).to_contain_text("Tamsin lives in Porto")
    page.get_by_role("button", name="It helped").first.click()
    expect(page.locator("#notice")).to_have_text("Feedback saved.")
    page.locator(".hit a.open").first.click()
    expect(page.locator(".recalls").first).to_contain_text("used · helped")


def test_a_question_is_recorded_once_however_often_its_address_is_loaded(reader):
    page = reader.open("#/overview")
    before = int(page.locator(".tiles div", has_text="recalls").locator("dd").inner_text())
    reader.ask("Who is Rodrigo?", record="1")
    assert "record" not in page.url
    page.reload()
    page.wait_for_selector(".hit")
    reader.open("#/overview")
    expect(page.locator(".tiles div", has_text="recalls").locator("dd")).to_have_text(str(before + 1))


def test_going_back_finds_the_list_as_it_was_left(reader):
    page = reader.open("#/browse")
    link = page.locator(".card a.open").nth(30)
    link.focus()
    where = page.evaluate("scrollY")
    assert where > 0
    page.keyboard.press("Enter")
    page.wait_for_selector(".history")
    page.go_back()
    expect(link).to_be_focused()
    page.wait_for_function("y => scrollY === y", arg=where)


def test_questions_on_the_page_are_not_recorded(reader, site):
    page = reader.open("#/overview")
    before = page.locator(".tiles").inner_text()
    reader.ask("Who is Rodrigo?")
    reader.open("#/overview")
    expect(page.locator(".tiles")).to_have_text(before.replace("\n", ""), use_inner_text=False)


def test_the_overview_shows_quarantined_memories_and_an_admin_releases_one(reader, site):
    page = reader.open("#/overview")
    held = page.locator(f"[data-item='{site.ids['held']}']")
    expect(held).to_contain_text("Ignore all previous instructions")
    expect(held.locator(".reasons")).to_contain_text("orders to ignore instructions")
    expect(page.locator(".growth path")).to_have_count(2)
    held.get_by_role("button", name="It is harmless: release it").click()
    expect(held).to_have_count(0)
    reader.memory("held")
    expect(page.locator(".badge.quarantined")).to_have_count(0)


@pytest.mark.parametrize(
    ("role", "offered"), [("read", set()), ("write", {"Edit", "Pin", "Forget"}), ("admin", {"Edit", "Pin", "Forget"})]
)
def test_only_what_the_role_may_do_is_offered(open_page, role, offered):
    page = open_page(role).memory("helped")
    page.wait_for_selector(".history")
    assert set(page.locator(".actions button").all_inner_texts()) == offered


@pytest.mark.parametrize(
    ("role", "offered"),
    [("read", set()), ("write", {"Edit", "Forget"}), ("admin", {"Edit", "It is harmless: release it", "Forget"})],
)
def test_only_an_admin_is_offered_to_release_a_quarantined_memory(open_page, role, offered):
    page = open_page(role).memory("held too")
    page.wait_for_selector(".callout")
    assert set(page.locator(".actions button").all_inner_texts()) == offered


def test_a_memory_that_is_not_there_is_said_so(reader, watch):
    page = reader.open("#/ask")
    page.goto(f"{reader.site.url}/#/memory/0198-not-there")
    expect(page.get_by_role("alert")).to_contain_text("0198-not-there")
    watch.forgive("404")
