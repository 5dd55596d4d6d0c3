"""A store that is exported and imported is the same store: what it holds, what it answers, and what it does next."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from lived import AT, MANY, NOW, POISON, QUESTIONS, live, steps
from write.chat import CHAT

from recollect import Recollect, demo
from recollect.errors import Conflict, InvalidInput
from recollect.keep.lines import KINDS
from recollect.store.copying import ROWS, pages

pytest_plugins = ["server_fixtures"]

RECIPES = ("default", "memsense", "siestai", "bm25", "openmem")
CLOSE = 1e-4
"""How near the scores of the two stores are; see test_congruence."""


def content(mind):
    """All rows by kind, each as JSON, without the import itself."""
    found = {kind: [] for kind in ROWS}
    for batch in pages(mind.store):
        for kind, rows in ROWS.items():
            found[kind] += map(_plain, rows(batch))
    found["events"] = [event for event in found["events"] if event["action"] != "import"]
    return {kind: sorted(rows, key=repr) for kind, rows in found.items() if kind != "settings"}


def _plain(row):
    return json.loads(json.dumps(row, default=str))


def answers(mind, questions=QUESTIONS, **asked):
    given = {"at": NOW, "track": False, "limit": 10, **asked}
    return [
        {**mind.recall(question, recipe=recipe, **given).to_dict(), "id": None, "trace": None}
        for question in questions
        for recipe in RECIPES
    ]


def histories(mind):
    return {memory["id"]: mind.history(memory["id"]) for memory, *_ in content(mind)["memories"]}


def moved(mind, url, folder):
    """What an export of the store gives when it is imported there."""
    file = Path(folder, "all.jsonl")
    mind.export(file, overwrite=True)
    other = Recollect(url, embedder="hashing")
    other.import_(file)
    return other


def assert_same(one, other):
    assert content(one) == content(other)
    assert histories(one) == histories(other)
    assert answers(one) == answers(other)
    assert other.check() == []


def assert_alike(one, other):
    """The same in two kinds of store: rows and history, and answers but for the last digits."""
    mine, theirs = content(one), content(other)
    assert {kind: mine[kind] for kind in ("memories", "links", "events", "recalls")} == {
        kind: theirs[kind] for kind in ("memories", "links", "events", "recalls")
    }
    assert histories(one) == histories(other)
    for here, there in zip(answers(one), answers(other), strict=True):
        assert [hit["memory"]["id"] for hit in here["hits"]] == [hit["memory"]["id"] for hit in there["hits"]]
        assert _rounded(here) == pytest.approx(_rounded(there), abs=CLOSE)
    assert other.check() == []


def _rounded(value):
    """Every number of the answer, in order."""
    match value:
        case bool() | str() | None:
            return []
        case int() | float():
            return [value]
        case dict():
            return [number for key in sorted(value) for number in _rounded(value[key])]
    return [number for each in value for number in _rounded(each)]


# Three stores -------------------------------------------------------------------------------------


def demo_year(mind):
    demo.load(mind)
    asked = mind.recall("Why did the Harbour Atlas date slip?", at=demo.now())
    mind.feedback(asked.id, used=[asked.hits[0].memory.id], outcome="helped")


def conversation(mind):
    for granularity in ("hybrid", "round", "session", "fact"):
        mind.ingest(CHAT[:12], session_id=granularity, at=AT, granularity=granularity)
    mind.ingest(
        [*CHAT[:2], {"role": "user", "content": "Mostly the coast. I live in Porto."}], session_id="hybrid", at=AT
    )
    mind.ingest([{"role": "user", "content": "I live in Porto."}], session_id="again", at="2026-10-02")


def eventful(mind):
    """Consolidated, superseded, quarantined, released, archived, forgotten, purged and undone."""
    mind.remember_many([{"text": text, "at": AT, "dedup": False} for text in MANY])
    assert mind.consolidate(at=NOW)
    mind.remember("I live in Porto", at="2026-09-01")
    mind.remember("I live in Nantes", at="2026-09-02")
    agent = mind.acting(actor="key:agent", trust="agent")
    agent.remember(POISON)
    mind.restore(agent.remember(f"{POISON} too").id)
    mind.forget(agent.remember(f"{POISON} three").id)
    mind.archive(mind.remember("The old office was in Rue Crébillon").id)
    mind.purge(mind.remember("The password was a pet's name").id)
    changed = mind.remember("The deploy runs on Tuesdays")
    mind.update(changed.id, text="The deploy runs on Fridays")
    mind.undo(mind.history(changed.id)[-1].id)


STORES = {"demo year": demo_year, "conversation": conversation, "eventful": eventful}


@pytest.mark.parametrize("fill", STORES.values(), ids=STORES)
def test_an_imported_file_is_the_same_store(fill, mind, tmp_path):
    fill(mind)
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        assert_same(mind, other)


@pytest.mark.parametrize("fill", STORES.values(), ids=STORES)
def test_an_import_into_postgres_is_the_same_store_and_so_is_the_way_back(fill, mind, database, tmp_path):
    fill(mind)
    with moved(mind, database, tmp_path) as there, moved(there, tmp_path / "back.db", tmp_path) as back:
        assert_alike(mind, there)
        assert {**content(mind), "vectors": None} == {**content(back), "vectors": None}
        assert answers(mind) == answers(back)


def test_a_later_update_supersedes_what_was_imported(mind, tmp_path, database):
    eventful(mind)
    (old,) = [memory for memory in mind.list() if memory.text == "I live in Nantes"]
    for url in (tmp_path / "other.db", database):
        with moved(mind, url, tmp_path) as other:
            other.remember("I moved to Lyon", at="2026-10-20")
            assert other.get(old.id).status == "superseded"


def test_what_was_changed_before_an_export_can_be_undone_after_the_import(mind, tmp_path):
    kept = mind.remember("The deploy runs on Tuesdays")
    mind.update(kept.id, text="The deploy runs on Fridays")
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        log = other.history(kept.id)
        other.undo(log[-1].id)
        assert other.get(kept.id).text == "The deploy runs on Tuesdays"
        with pytest.raises(Conflict, match="undone already"):
            other.undo(log[-1].id)


def test_feedback_can_be_given_again_after_the_import(mind, tmp_path):
    mind.remember("Ada prefers dark mode")
    asked = mind.recall("dark mode")
    mind.feedback(asked.id, used=[asked.hits[0].memory.id], outcome="helped")
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        one, two = (each.feedback(asked.id, used=[asked.hits[0].memory.id], outcome="failed") for each in (mind, other))
        assert list(one) == list(two)
        assert other.recalls(asked.hits[0].memory.id) == mind.recalls(asked.hits[0].memory.id)


def test_importing_a_file_twice_changes_nothing_the_second_time(mind, tmp_path):
    eventful(mind)
    conversation(mind)
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        before = content(other), other.stats().events
        assert other.import_(tmp_path / "all.jsonl") == 0
        assert mind.import_(tmp_path / "all.jsonl") == 0
        assert (content(other), other.stats().events) == before


def test_an_import_leaves_what_is_there_as_it_is(mind, tmp_path):
    """Also its links and its history: the file tells of changes that were never made here."""
    ada, bob = mind.remember("Ada prefers dark mode"), mind.remember("Bob likes tea")
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        mind.update(ada.id, text="Ada prefers light mode")
        mind.link(ada.id, bob.id, "supports", 0.25)
        mind.recall("dark mode", recipe="bm25")
        late = mind.remember("The deploy runs on Tuesdays")
        mind.supersede(bob.id, late.id)
        before = {id: (other.store.get([id]), other.history(id), other.recalls(id)) for id in (ada.id, bob.id)}
        assert other.store.links([ada.id]) == []
        mind.export(tmp_path / "late.jsonl")
        assert other.import_(tmp_path / "late.jsonl") == 1
        assert {id: (other.store.get([id]), other.history(id), other.recalls(id)) for id in before} == before
        assert other.store.links([ada.id]) == []
        assert [event.action for event in other.history(late.id)] == ["remember", "supersede"]
        assert [link.kind for link, _ in other.neighbours(late.id)] == ["supersedes"]


def test_a_session_that_goes_on_in_the_file_gives_the_stored_turns_their_views(mind, tmp_path):
    from write.test_views import derived, stored

    mind.ingest(CHAT[:4], session_id="s1", at=AT)
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        mind.ingest(CHAT[:8], session_id="s1", at=AT)
        mind.export(tmp_path / "more.jsonl")
        other.import_(tmp_path / "more.jsonl")
        assert stored(other) == derived(other) == stored(mind)


# Screening ----------------------------------------------------------------------------------------


def _exported(folder, text, **fields):
    """A file with one memory that nobody has screened."""
    with Recollect(":memory:", embedder="hashing") as mind:
        made = mind.remember(text)
        mind.export(Path(folder, "one.jsonl"), overwrite=True)
    lines = [json.loads(line) for line in Path(folder, "one.jsonl").read_text(encoding="utf-8").splitlines()]
    lines[1] |= fields
    Path(folder, "one.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return Path(folder, "one.jsonl"), made.id


def test_text_of_others_is_screened_on_import(mind, tmp_path):
    file, id = _exported(tmp_path, POISON, trust="web")
    mind.import_(file)
    assert mind.get(id).status == "quarantined"
    (event,) = mind.store.events(limit=1)
    assert event.action == "import" and event.detail["quarantine"] == {id: ["orders to ignore instructions"]}


def test_the_owners_text_is_not_screened_on_the_owners_import(mind, tmp_path):
    file, id = _exported(tmp_path, POISON)
    mind.import_(file)
    assert mind.get(id).status == "active"


def test_what_an_agent_imports_is_screened_trusted_as_the_agent_and_brings_no_history(mind, tmp_path):
    file, id = _exported(tmp_path, POISON)
    mind.acting(actor="key:agent", trust="agent").import_(file)
    assert (mind.get(id).status, mind.get(id).trust) == ("quarantined", "agent")
    assert [(event.action, event.actor) for event in mind.history(id)] == [("import", "key:agent")]


def test_what_was_released_stays_released_and_what_was_not_does_not(mind, tmp_path):
    agent = mind.acting(actor="key:agent", trust="agent")
    held, free, again = (agent.remember(f"{POISON} {n}").id for n in range(3))
    mind.restore(free)
    mind.restore(again)
    mind.undo(mind.history(again)[-1].id)
    with moved(mind, tmp_path / "other.db", tmp_path) as other:
        assert [other.get(id).status for id in (held, free, again)] == ["quarantined", "active", "quarantined"]


# Files --------------------------------------------------------------------------------------------


def test_a_namespace_is_exported_with_nothing_of_others(mind, tmp_path):
    own = mind.remember("The deploy runs on Tuesdays", namespace="acme/ops")
    other = mind.remember("Ada prefers dark mode", namespace="acme/ada")
    mind.link(own.id, other.id, "supports")
    mind.supersede(own.id, other.id)
    asked = mind.recall("deploy dark mode", namespace="acme", recipe="bm25")
    inside = mind.recall("deploy", namespace="acme/ops", recipe="bm25", include=["superseded"])
    mind.feedback(inside.id, used=[own.id])
    mind.purge(mind.remember("Eve likes tea", namespace="acme/ada").id)
    mind.export(tmp_path / "ops.jsonl", namespace="acme/ops")
    written = (tmp_path / "ops.jsonl").read_text(encoding="utf-8")
    assert other.id not in written and "dark mode" not in written and asked.id not in written
    with Recollect(tmp_path / "other.db", embedder="hashing") as read:
        read.import_(tmp_path / "ops.jsonl")
        assert [event.action for event in read.history(own.id)] == ["remember", "link", "supersede"]
        assert [recall.id for recall in read.recalls(own.id)] == [inside.id]


def test_an_export_does_not_overwrite_unless_told_to(mind, tmp_path):
    file = tmp_path / "all.jsonl"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists already.*overwrite=True"):
        mind.export(file)
    assert file.read_text(encoding="utf-8") == "mine"
    assert mind.export(file, overwrite=True) == 0
    assert file.read_text(encoding="utf-8").startswith('{"type": "recollect"')


def test_an_export_that_fails_leaves_nothing_behind(mind, tmp_path, monkeypatch):
    file = tmp_path / "out" / "all.jsonl"
    file.parent.mkdir()
    file.write_text("as before", encoding="utf-8")
    mind.remember("Ada prefers dark mode")

    def broken(after="", *, limit):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mind.store, "dump", broken)
    with pytest.raises(InvalidInput, match="No space left"):
        mind.export(file, overwrite=True)
    assert [path.name for path in file.parent.iterdir()] == ["all.jsonl"]
    assert file.read_text(encoding="utf-8") == "as before"


def _twice(kind):
    return lambda lines: lines.insert(-1, dict(_first(lines, kind)))


def _first(lines, kind):
    return next(line for line in lines if line["type"] == kind)


def _given(lines):
    return next(line for line in lines if line.get("feedback"))["feedback"]


EDITS = {
    "a memory twice": (_twice("memory"), "is there twice"),
    "an event twice": (_twice("event"), "is there twice"),
    "a recall twice": (_twice("recall"), "is there twice"),
    "a change twice": (
        lambda lines: _first(lines, "event")["changes"].extend(_first(lines, "event")["changes"]),
        "twice",
    ),
    "feedback twice": (lambda lines: _given(lines).append(_given(lines)[0]), "named twice"),
    "links that are none": (
        lambda lines: _first(lines, "event")["detail"].update(linked=[["a", "b"]]),
        "linked must be",
    ),
    "reasons that are none": (
        lambda lines: _first(lines, "event")["detail"].update(quarantine=5),
        "quarantine must be",
    ),
}


@pytest.mark.parametrize(("edit", "said"), EDITS.values(), ids=EDITS)
def test_a_file_that_was_edited_wrongly_is_refused_in_one_line_and_changes_nothing(edit, said, mind, tmp_path):
    mind.remember("I live in Nantes")
    found = mind.recall("Nantes")
    mind.feedback(found.id, [found.hits[0].memory.id], "helped")
    file = tmp_path / "all.jsonl"
    mind.export(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    edit(lines)
    kinds = [line["type"] for line in lines]
    lines[-1] |= {name: kinds.count(kind) for kind, name in KINDS.items()}
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with Recollect(tmp_path / "other.db", embedder="hashing") as other:
        with pytest.raises(InvalidInput, match=f"line [0-9]+: .*{said}.*nothing was imported"):
            other.import_(file)
        assert not other.list() and not other.store.events()


def _as_version_1(file):
    """The same file as the first version of the format had it."""
    kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in kept[1:-1] if line["type"] in ("memory", "link")]
    counts = {"memories": kept[-1]["memories"], "links": kept[-1]["links"]}
    for line in lines:
        line.pop("about", None)
    made = [{"type": "recollect", "version": 1}, *lines, {"type": "end", **counts}]
    file.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")


def test_a_file_of_version_1_is_still_read_and_its_import_can_be_undone(mind, tmp_path):
    conversation(mind)
    old = mind.remember("I live in Nantes", at="2026-09-02")
    mind.export(tmp_path / "all.jsonl")
    _as_version_1(tmp_path / "all.jsonl")
    with Recollect(tmp_path / "other.db", embedder="hashing") as other:
        other.import_(tmp_path / "all.jsonl")
        assert answers(other) == answers(mind)
        (event,) = other.history(old.id)
        assert event.action == "import"
        other.remember("I moved to Lyon", at="2026-10-20")
        assert other.get(old.id).status == "superseded"


# Any store ----------------------------------------------------------------------------------------


ROUNDS_AGAIN = (
    [("ingest", 0, 5), ("agent's update", 0, 0), ("ingest", 0, 5)],
    [("ingest", 0, 5), ("purge", 0, 0), ("ingest", 0, 5)],
    [("ingest", 0, 5), ("purge", 1, 0), ("ingest", 0, 5)],
)


@pytest.mark.parametrize("taken", ROUNDS_AGAIN)
def test_rounds_that_were_changed_or_purged_and_are_ingested_again_have_the_views_of_an_import(taken, mind, tmp_path):
    live(mind, taken)
    mind.export(tmp_path / "all.jsonl")
    with Recollect(tmp_path / "other.db", embedder="hashing") as other:
        other.import_(tmp_path / "all.jsonl")
        assert content(other) == content(mind)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_any_small_store_survives_export_and_import(steps):
    with tempfile.TemporaryDirectory() as folder, Recollect(":memory:", embedder="hashing") as mind:
        live(mind, steps)
        with moved(mind, ":memory:", folder) as other:
            assert_same(mind, other)
            outcomes = [_superseded(each) for each in (mind, other)]
            assert outcomes[0] == outcomes[1]


def _superseded(mind):
    """What one more update does, but for its own ids."""
    made = mind.remember("I moved to Lyon", at="2026-10-31T09:00:00Z")
    held = {memory["id"]: {**memory, "id": None} for memory, *_ in content(mind)["memories"]}
    own = held.pop(made.id, None)
    return asdict(made) | {"id": None, "merged_into": made.merged_into != made.id}, own, held
