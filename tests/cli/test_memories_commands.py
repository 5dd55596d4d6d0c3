"""add, get, list, update, forget, restore, purge, pin, history, undo, link, unlink, supersede."""

import pytest

UNKNOWN = "01a1df23-0000-7000-8000-000000000000"


def test_add_prints_the_id_that_get_takes(shell):
    said = shell.done("add", "Ada prefers dark mode", "--kind", "preference", "--tag", "ui")
    memory = shell.json("get", said.split()[-1])
    assert (memory["text"], memory["kind"], memory["tags"]) == ("Ada prefers dark mode", "preference", ["ui"])


def test_add_reads_a_whole_text_from_stdin_as_one_memory(shell):
    memory = shell.json("add", "-", stdin="first line\nsecond line\n")
    assert memory["text"] == "first line\nsecond line"


def test_add_lines_makes_a_memory_of_every_line_that_holds_something(shell):
    stored = shell.json("add", "--lines", "-", stdin="The tide is high\n\nThe bread is stale\r\nAda sails\n")
    assert [memory["text"] for memory in stored] == ["The tide is high", "The bread is stale", "Ada sails"]


def test_add_lines_wants_stdin(shell):
    assert "< FILE" in shell.refused(2, "add", "--lines", "notes.txt")


def test_what_a_text_replaced_is_reported_with_the_reason(shell, add):
    old = add("Ada's manager is Priya", "--at", "2026-01-01")
    said = shell.done("add", "Ada's manager is Owen now", "--at", "2026-02-01")
    assert f"it supersedes {old}" in said
    assert "manager: Priya → Owen" in shell.done("history", old)


def test_a_duplicate_is_reported_as_merged(shell, add):
    first = add("Ada prefers dark mode")
    assert f"merged into {first}" in shell.done("add", "Ada prefers dark mode")


def test_all_that_can_be_said_about_a_memory_is_kept(shell):
    memory = shell.json(
        *("add", "The lease ends", "--entity", "Ada", "--gist", "Lease", "--importance", "0.9", "--confidence", "0.4"),
        *("--metadata", '{"project": "atlas"}', "--occurred-at", "2026-06-30", "--expires-at", "2030-01-01"),
        *("--source", "letter", "--session", "s1", "--at", "2026-01-02", "--namespace", "acme/ada"),
    )
    assert memory["entities"] == ["Ada"] and memory["gist"] == "Lease" and memory["source"] == "letter"
    assert memory["importance"] == 0.9 and memory["confidence"] == 0.4
    assert memory["metadata"] == {"project": "atlas"} and memory["namespace"] == "acme/ada"
    assert memory["occurred_at"].startswith("2026-06-30") and memory["created_at"].startswith("2026-01-02")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("add", "   "), "empty"),
        (("add", "x", "--importance", "1.5"), "0 to 1"),
        (("add", "x", "--importance", "much"), "importance"),
        (("add", "x", "--at", "yesterday-ish"), "ISO 8601"),
        (("add", "x", "--namespace", "a//b"), "namespace"),
        (("add", "x", "--metadata", "{oops"), "--metadata is not JSON"),
        (("add", "x", "--metadata", "[1]"), "JSON object"),
        (("add", "x", "--embedder", "hashng"), "hashing"),
        (("add",), "TEXT"),
        (("addd", "x"), "add"),
        (("add", "x", "--colour", "red"), "--colour"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_changes_nothing(shell, arguments, hint):
    assert hint in shell.refused(2, *arguments)
    assert not shell.db.exists() or shell.json("stats")["memories"] == 0


def test_stdin_that_is_not_text_is_refused(shell):
    assert "UTF-8" in shell.refused(2, "add", "-", stdin=b"\xff\xfe\x00")


def test_get_shows_links_in_both_directions(shell, add):
    one, other = add("The date slipped"), add("The plugs corroded")
    shell.done("link", one, other, "--kind", "caused_by", "--weight", "0.9")
    assert shell.json("get", other, "--links")["links"][0]["kind"] == "caused_by"
    assert "← caused_by" in shell.done("get", other, "--links")


def test_commands_on_an_unknown_id_exit_with_1(shell, add):
    known = add("Ada sails")
    for arguments in (
        ("get", UNKNOWN),
        ("update", UNKNOWN, "--kind", "event"),
        ("forget", UNKNOWN),
        ("purge", UNKNOWN),
        ("restore", UNKNOWN),
        ("pin", UNKNOWN),
        ("history", UNKNOWN),
        ("undo", UNKNOWN),
        ("link", known, UNKNOWN),
        ("unlink", known, UNKNOWN),
        ("supersede", known, UNKNOWN),
    ):
        assert UNKNOWN in shell.refused(1, *arguments)


def test_list_takes_filters_and_pages(shell, add):
    add("Ada sails", "--tag", "sport", "--at", "2026-01-01")
    add("Ada reads", "--tag", "home", "--at", "2026-02-01", "--metadata", '{"pages": 300}')
    add("Ada cooks", "--kind", "event", "--at", "2026-03-01")

    def texts(*filters):
        return [memory["text"] for memory in shell.json("list", *filters)]

    assert texts() == ["Ada cooks", "Ada reads", "Ada sails"]
    assert texts("--tag", "sport") == ["Ada sails"]
    assert texts("--kind", "event") == ["Ada cooks"]
    assert texts("--where", '{"pages": {"gt": 100}}') == ["Ada reads"]
    assert texts("--since", "2026-01-15", "--until", "2026-02-15") == ["Ada reads"]
    first = shell.json("list", "--limit", "1")[0]["id"]
    assert texts("--limit", "1", "--after", first) == ["Ada reads"]


def test_an_empty_list_exits_with_1_and_is_still_json(shell, add):
    add("Ada sails")
    result = shell("list", "--tag", "nowhere", "--json")
    assert (result.exit_code, result.stdout.strip()) == (1, "[]")


def test_update_changes_and_clears_fields(shell, add):
    id = add("Ada sails", "--tag", "sport", "--expires-at", "2030-01-01")
    updated = shell.json(
        "update", id, "--importance", "0.9", "--clear", "expires_at", "--text", "-", stdin="Ada rows\n"
    )
    assert (updated["importance"], updated["expires_at"], updated["text"]) == (0.9, None, "Ada rows")
    assert updated["tags"] == ["sport"]
    assert "nothing to change" in shell.refused(2, "update", id)
    assert "tags" in shell.refused(2, "update", id, "--clear", "tag")


def test_forget_hides_and_restore_brings_back(shell, add):
    id = add("Ada sails")
    assert "forgot 1 memory" in shell.done("forget", id)
    shell.refused(1, "list")
    assert [memory["id"] for memory in shell.json("list", "--status", "forgotten")] == [id]
    shell.done("restore", id)
    assert shell.json("list")[0]["id"] == id


@pytest.mark.parametrize("action", ["forget", "purge"])
def test_removing_by_filter_shows_first_and_needs_a_yes(shell, add, action):
    gone, kept = add("Draft of a letter", "--tag", "draft"), add("Ada sails")
    previewed = shell.json(action, "--tag", "draft", "--preview")
    assert (previewed["ids"], previewed["preview"]) == ([gone], True)
    assert "--yes" in shell.refused(2, action, "--tag", "draft")
    assert len(shell.json("list")) == 2
    assert shell.json(action, "--tag", "draft", "--yes")["count"] == 1
    assert [memory["id"] for memory in shell.json("list")] == [kept]


@pytest.mark.parametrize("action", ["forget", "purge"])
def test_removing_wants_an_id_or_a_filter_and_not_both(shell, add, action):
    id = add("Ada sails")
    assert "filter" in shell.refused(2, action)
    assert "not both" in shell.refused(2, action, id, "--tag", "x")
    shell.refused(1, action, "--tag", "nowhere", "--yes")


def test_a_namespace_alone_is_a_filter(shell, add):
    add("Ada sails", "--namespace", "acme/ada")
    add("Bob cooks", "--namespace", "acme/bob")
    assert shell.json("forget", "--namespace", "acme/bob", "--yes")["count"] == 1
    assert shell.json("list", "--namespace", "acme")[0]["text"] == "Ada sails"


def test_pin_goes_in_and_out(shell, add):
    id = add("Ada sails")
    assert shell.json("pin", id)["tier"] == "pinned"
    assert shell.json("pin", id, "--off")["tier"] == "searchable"


def test_history_names_the_event_that_undo_takes_back(shell, add):
    id = add("Ada sails")
    shell.done("update", id, "--kind", "event")
    event = shell.json("history", id)[-1]
    assert event["action"] == "update" and event["id"] in shell.done("history", id)
    shell.done("undo", event["id"])
    assert shell.json("get", id)["kind"] == "fact"
    assert "undone already" in shell.refused(1, "undo", event["id"])


def test_links_are_made_and_removed(shell, add):
    a, b = add("The date slipped"), add("The plugs corroded")
    assert shell.json("link", a, b, "--kind", "caused_by")["kind"] == "caused_by"
    assert "caused_by" in shell.refused(2, "link", a, b, "--kind", "causedby")
    assert "itself" in shell.refused(2, "link", a, a)
    assert "removed caused_by" in shell.done("unlink", a, b)
    shell.refused(1, "unlink", a, b)


def test_supersede_ends_the_old_ones_validity(shell, add):
    old, new = add("Ada lives in Porto", "--at", "2025-01-01"), add("Ada moved to Trieste", "--at", "2026-06-27")
    assert "valid until 2026-06-27" in shell.done("supersede", old, new)
    assert shell.json("get", old)["status"] == "superseded"
    assert "valid until 2026-09-01" in shell.done(
        "supersede", new, "--text", "Ada lives in Oslo", "--since", "2026-09-01"
    )
    assert "either new" in shell.refused(2, "supersede", old)


def test_a_memory_cannot_steer_the_terminal(shell, add):
    id = add("red \x1b[31malert\x07 [bold]not markup[/bold]")
    for arguments in (("get", id), ("list",), ("recall", "markup"), ("recall", "markup", "--explain")):
        shown = shell.done(*arguments)
        assert "\x1b[31m" not in shown and "\x07" not in shown and "[bold]" in shown


def test_an_id_may_be_shortened(shell, add):
    old, new = add("Ada lives in Porto"), add("Bob keeps bees")
    short = next(old[:n] for n in range(8, 36) if not new.startswith(old[:n]))
    shell.done("link", short, new, "--kind", "supports")
    assert f"→ supports 0.5  {new}" in shell.done("get", short, "--links")
    assert shell.json("update", short, "--importance", "0.9")["id"] == old
    found = shell.json("recall", "Ada Porto Bob bees", "--recipe", "bm25")
    said = shell.done("feedback", found["id"], "--used", short)
    assert [line.split()[0] for line in said.splitlines() if old in line] == ["used"]
    assert [line.split()[0] for line in said.splitlines() if new in line] == ["ignored"]
    event = shell.json("history", short)[-1]["id"]
    assert f"undid {event}" in shell.done("undo", event[:35])
    assert "no memory has the id" in shell.refused(1, "get", short[:7])


def test_contradict_and_reinforce_are_openmem_s_verbs(shell, add):
    one, other = add("the shop opens at nine"), add("the shop opens at ten, they say")
    linked = shell.json("contradict", one, other)
    assert (linked["kind"], linked["weight"]) == ("contradicts", 0.8)
    shell.done("decay", "--at", "2040-01-01", "--force")
    before = shell.json("get", one)["strength"]
    assert shell.json("reinforce", one)["strength"] == pytest.approx(before + 0.1)
