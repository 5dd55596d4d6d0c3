"""Conversations over REST: the list, the messages with what was taken from them, and only within the key's scope."""

import pytest

HOME = "acme/agents/ada"
FIRST = [
    {"role": "user", "content": "I live in Tartu."},
    {"role": "assistant", "content": "A fine town. What do you do there?"},
    {"role": "user", "content": "I work at Globex."},
]
SECOND = [{"role": "user", "content": "I moved to Utrecht."}, {"role": "user", "content": "I work at Globex."}]


@pytest.fixture(scope="module")
def told(server):
    """Two conversations of the key's namespace and one of another."""
    mind = server.mind
    mind.ingest(FIRST, session_id="spring", at="2026-03-01T09:00:00Z", namespace=HOME)
    mind.ingest(SECOND, session_id="odd / name", at="2026-06-01T09:00:00Z", namespace=HOME)
    mind.ingest(FIRST, session_id="theirs", at="2026-09-01T09:00:00Z", namespace="acme/agents/bob")
    return lambda path, **query: server.ask("GET", path, query=query, key=server.key("read", HOME))


def test_sessions_are_listed_newest_first_and_page_by_page(told):
    whole = told("/v1/sessions").json
    assert [each["id"] for each in whole["sessions"]] == ["odd / name", "spring"]
    assert whole["sessions"][0]["first"]["text"] == "I moved to Utrecht."
    page = told("/v1/sessions", limit=1).json
    rest = told("/v1/sessions", limit=1, cursor=page["next"]).json
    assert [page["sessions"][0]["id"], rest["sessions"][0]["id"], rest["next"]] == ["odd / name", "spring", None]


def test_a_conversation_whose_first_message_was_forgotten_is_listed_with_what_is_left(server):
    mind, place = server.mind, "acme/agents/cy"
    for day in (1, 2, 3):
        mind.ingest(FIRST, session_id=f"talk {day}", at=f"2026-03-0{day}T09:00:00Z", namespace=place)

    def listed(**query):
        return server.ask("GET", "/v1/sessions", query=query, key=server.key("read", place)).json

    (first,) = (each for each in mind.list(namespace=place, session_id="talk 2", granularity="turn") if each.turn == 0)
    mind.forget(first.id)
    mind.forget(namespace=place, session_id="talk 1")
    whole = listed()["sessions"]
    assert [(each["id"], each["first"]["text"]) for each in whole] == [
        ("talk 3", FIRST[0]["content"]),
        ("talk 2", FIRST[1]["content"]),
    ]
    page = listed(limit=1)
    following = listed(limit=1, cursor=page["next"])
    assert [each["id"] for each in (*page["sessions"], *following["sessions"])] == ["talk 3", "talk 2"]


def test_a_conversation_has_the_facts_of_each_message_and_what_replaced_them(told):
    spring = told("/v1/conversation", session_id="spring").json
    assert [turn["memory"]["turn"] for turn in spring["turns"]] == [0, 1, 2] and spring["last"] == 2
    (fact,) = spring["turns"][0]["facts"]
    assert fact["memory"]["text"] == "I live in Tartu." and fact["memory"]["status"] == "superseded"
    assert [each["text"] for each in fact["replaced_by"]] == ["I moved to Utrecht."]
    later = told("/v1/conversation", session_id="odd / name").json
    again = later["turns"][1]["facts"]
    assert [(each["memory"]["text"], each["said_before"]) for each in again] == [("I work at Globex.", True)]


def test_a_conversation_is_read_in_parts_and_searched(told):
    part = told("/v1/conversation", session_id="spring", start=1, limit=1).json
    assert [turn["memory"]["turn"] for turn in part["turns"]] == [1] and part["last"] == 2
    found = told("/v1/conversation", session_id="spring", text="globex work").json
    assert [turn["memory"]["turn"] for turn in found["turns"]] == [2]
    assert told("/v1/conversation", session_id="spring", text="(nothing like it").json["turns"] == []


def test_conversations_of_others_are_as_unknown_as_those_that_never_were(told):
    theirs, never = (told("/v1/conversation", session_id=name) for name in ("theirs", "never was"))
    assert (theirs.status, never.status) == (404, 404)
    assert theirs.json["detail"].replace("theirs", "never was") == never.json["detail"]
    assert told("/v1/conversation", session_id="theirs", namespace="acme/agents/bob").status == 403
