"""Bad input gets a clear error and changes nothing."""

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_store import everything

from recollect import Recollect, recipes
from recollect.errors import (
    EmbedderMismatch,
    InvalidInput,
    NotFound,
    RecollectError,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    StoreTooNew,
    UnknownName,
)

NOBODY = "0190a000-0000-7000-8000-000000000000"


@pytest.fixture
def held(mind):
    """Two memories; `refused` then checks that nothing happened to them."""
    return mind.remember_many([{"text": "Ada prefers dark mode"}, {"text": "The deploy runs on Tuesdays"}])


@contextlib.contextmanager
def refused(path, kind, *names):
    """The block raises that error, whose text names these things, and leaves the store as it was."""
    before = everything(path)
    with pytest.raises(kind) as caught:
        yield
    assert isinstance(caught.value, RecollectError)
    for name in names:
        assert name in str(caught.value)
    assert everything(path) == before


BAD_MEMORIES = {
    "empty text": ({"text": ""}, "text is empty"),
    "only white space": ({"text": " \n\t\u3000"}, "text is empty"),
    "text that is no string": ({"text": 7}, "text must be a string"),
    "5 MB of text": ({"text": "word " * 1_000_000}, "1,000,000"),
    "a NUL in the text": ({"text": "a\0b"}, "NUL"),
    "half a surrogate pair in the text": ({"text": "a\ud800b"}, "surrogate"),
    "half a surrogate pair in a tag": ({"text": "x", "tags": ["\udfff"]}, "tags"),
    "half a surrogate pair in an entity": ({"text": "x", "entities": ["\udfff"]}, "entities"),
    "half a surrogate pair in a metadata key": ({"text": "x", "metadata": {"\ud800": 1}}, "metadata"),
    "half a surrogate pair in a metadata value": ({"text": "x", "metadata": {"a": ["\ud800"]}}, "metadata"),
    "half a surrogate pair in the namespace": ({"text": "x", "namespace": "a/\ud800"}, "namespace"),
    "half a surrogate pair in the gist": ({"text": "x", "gist": "\ud800"}, "gist"),
    "importance above 1": ({"text": "x", "importance": 1.5}, "importance"),
    "importance below 0": ({"text": "x", "importance": -0.1}, "importance"),
    "importance NaN": ({"text": "x", "importance": float("nan")}, "importance"),
    "importance as text": ({"text": "x", "importance": "high"}, "importance"),
    "importance true": ({"text": "x", "importance": True}, "importance"),
    "importance None": ({"text": "x", "importance": None}, "importance"),
    "confidence infinite": ({"text": "x", "confidence": float("inf")}, "confidence"),
    "tags as one string": ({"text": "x", "tags": "ui"}, "tags must be a list"),
    "an empty tag": ({"text": "x", "tags": [" "]}, "tags"),
    "a tag that is a number": ({"text": "x", "tags": [3]}, "tags"),
    "a tag that is very long": ({"text": "x", "tags": ["x" * 129]}, "tags"),
    "very many tags": ({"text": "x", "tags": [f"t{n}" for n in range(257)]}, "257"),
    "metadata that is no dict": ({"text": "x", "metadata": [1]}, "metadata"),
    "metadata that is not JSON": ({"text": "x", "metadata": {"a": object()}}, "metadata"),
    "metadata with NaN": ({"text": "x", "metadata": {"a": float("nan")}}, "metadata"),
    "metadata with a numeric key": ({"text": "x", "metadata": {1: 2}}, "metadata"),
    "a malformed date": ({"text": "x", "at": "last Tuesday-ish"}, "at"),
    "a date that does not exist": ({"text": "x", "occurred_at": "2023-02-30"}, "occurred_at"),
    "a date beyond the calendar": ({"text": "x", "expires_at": "99999-01-01"}, "expires_at"),
    "a date that is a number": ({"text": "x", "at": 1700000000}, "at"),
    "a namespace with ..": ({"text": "x", "namespace": "acme/../other"}, "'..'"),
    "a namespace with an empty part": ({"text": "x", "namespace": "acme//ada"}, "''"),
    "a namespace that ends in a slash": ({"text": "x", "namespace": "acme/"}, "acme/"),
    "an empty namespace": ({"text": "x", "namespace": ""}, "namespace"),
    "a namespace with a line break": ({"text": "x", "namespace": "a\nb"}, "namespace"),
    "a namespace that is no string": ({"text": "x", "namespace": 3}, "namespace"),
    "a very long namespace": ({"text": "x", "namespace": "a" * 257}, "namespace"),
    "a kind that is no string": ({"text": "x", "kind": 3}, "kind"),
    "a turn that is no number": ({"text": "x", "turn": "first"}, "turn"),
    "a turn below 0": ({"text": "x", "turn": -1}, "turn"),
    "a turn too large for the store": ({"text": "x", "turn": 1 << 63}, "turn"),
    "an unknown granularity": ({"text": "x", "granularity": "turns"}, "'turn'"),
    "an unknown field": ({"text": "x", "importnace": 1}, "'importance'"),
}


@pytest.mark.parametrize(("item", "named"), BAD_MEMORIES.values(), ids=BAD_MEMORIES)
def test_a_memory_that_can_not_be_stored_is_refused(mind, path, held, item, named):
    with refused(path, InvalidInput, named):
        mind.remember_many([item])


def test_one_bad_item_among_many_stores_none_of_them_and_says_which(mind, path, held):
    with refused(path, InvalidInput, "item 600", "importance"):
        mind.remember_many([{"text": f"fine {n}"} for n in range(600)] + [{"text": "bad", "importance": 2}])
    with refused(path, InvalidInput, "item 1", "dict"):
        mind.remember_many([{"text": "fine"}, "bad"])


def test_metadata_nested_beyond_reason_is_refused(mind, path, held):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with refused(path, InvalidInput, "metadata"):
        mind.remember("x", metadata={"deep": deep})
    del deep[:]


def test_a_text_at_the_limit_is_stored_whole(mind):
    text = "word " * 199_999 + "final"
    kept = mind.remember(text)
    assert mind.get(kept.id).text == text
    assert mind.recall("final word", recipe="bm25").hits[0].memory.id == kept.id


BAD_QUERIES = {
    "an empty query": ({"query": ""}, "query is empty"),
    "only white space": ({"query": "  \n"}, "query is empty"),
    "a query that is no string": ({"query": None}, "query"),
    "a NUL": ({"query": "a\0b"}, "NUL"),
    "half a surrogate pair": ({"query": "a\ud800"}, "surrogate"),
    "a limit of 0": ({"query": "x", "limit": 0}, "limit"),
    "a limit of -1": ({"query": "x", "limit": -1}, "limit"),
    "a limit of 2.5": ({"query": "x", "limit": 2.5}, "limit"),
    "a budget of 0": ({"query": "x", "budget_tokens": 0}, "budget_tokens"),
    "a malformed date": ({"query": "x", "at": "yesterday?"}, "at"),
    "a malformed since": ({"query": "x", "since": "2023-13-01"}, "since"),
    "since after until": ({"query": "x", "since": "2024-01-02", "until": "2024-01-01"}, "since"),
    "an unknown status": ({"query": "x", "include": ["forgoten"]}, "'forgotten'"),
    "an unknown granularity": ({"query": "x", "granularity": "turns"}, "'turn'"),
    "a namespace with ..": ({"query": "x", "namespace": "../x"}, "'..'"),
    "an empty namespace": ({"query": "x", "namespace": ""}, "namespace"),
    "a bad one of several namespaces": ({"query": "x", "namespaces": ["a", "b//c"]}, "b//c"),
    "namespaces as a string": ({"query": "x", "namespaces": "acme"}, "namespaces must be a list"),
    "namespace and namespaces": ({"query": "x", "namespace": "a", "namespaces": ["b"]}, "not both"),
    "tags as a number": ({"query": "x", "tags": 7}, "tags"),
    "an empty tag": ({"query": "x", "tags": ""}, "tags"),
    "half a surrogate pair in tags": ({"query": "x", "tags": ["\ud800"]}, "tags"),
    "half a surrogate pair in kinds": ({"query": "x", "kinds": ["\ud800"]}, "kinds"),
    "half a surrogate pair in the session": ({"query": "x", "session_id": "\ud800"}, "session_id"),
    "where that is no dict": ({"query": "x", "where": "team"}, "where"),
    "where with an unknown operator": ({"query": "x", "where": {"n": {"gtt": 1}}}, "'gt'"),
    "where with no operator": ({"query": "x", "where": {"n": {}}}, "n needs an operator"),
    "where with a key that is no string": ({"query": "x", "where": {3: 1}}, "3"),
    "where in without a list": ({"query": "x", "where": {"n": {"in": 3}}}, "n in needs a list"),
    "where more than nothing": ({"query": "x", "where": {"n": {"gt": None}}}, "n gt"),
    "where with NaN": ({"query": "x", "where": {"n": float("nan")}}, "'n'"),
    "where with a huge number": ({"query": "x", "where": {"n": 1 << 70}}, "'n'"),
    "where with an object": ({"query": "x", "where": {"n": object()}}, "'n'"),
    "half a surrogate pair in where": ({"query": "x", "where": {"n": "\ud800"}}, "'n'"),
    "half a surrogate pair in a key of where": ({"query": "x", "where": {"\ud800": 1}}, "\\ud800"),
    "where with very many values": ({"query": "x", "where": {"n": {"in": list(range(501))}}}, "500"),
    "OR of nothing": ({"query": "x", "where": {"OR": []}}, "OR"),
}


@pytest.mark.parametrize(("asked", "named"), BAD_QUERIES.values(), ids=BAD_QUERIES)
def test_a_question_that_can_not_be_asked_is_refused(mind, path, held, asked, named):
    with refused(path, InvalidInput, named):
        mind.recall(**asked)


def test_a_filter_nested_beyond_reason_is_refused(mind, path, held):
    where = {"n": 1}
    for _ in range(2_000):
        where = {"NOT": [where]}
    with refused(path, InvalidInput, "16 deep"):
        mind.recall("x", where=where)


def test_an_unknown_recipe_is_refused_with_the_nearest_name(mind, path, held):
    with refused(path, UnknownName, "memxx", "'memx'"):
        mind.recall("x", recipe="memxx")
    with pytest.raises(UnknownName, match="'bm25'"):
        Recollect(path, recipe="bm52")


def test_a_store_that_is_named_by_something_else_than_a_path_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="dict"):
        Recollect({"path": "agent.db"})
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_embedder_is_refused_with_the_nearest_name(path):
    with pytest.raises(UnknownName, match="'hashing'"):
        Recollect(path, embedder="hashin")


UNKNOWN_IDS = {
    "get": lambda mind, id: mind.get(NOBODY),
    "update": lambda mind, id: mind.update(NOBODY, text="new"),
    "forget": lambda mind, id: mind.forget(NOBODY),
    "restore": lambda mind, id: mind.restore(NOBODY),
    "purge": lambda mind, id: mind.purge(NOBODY),
    "history": lambda mind, id: mind.history(NOBODY),
    "undo": lambda mind, id: mind.undo(NOBODY),
    "link from": lambda mind, id: mind.link(NOBODY, id),
    "link to": lambda mind, id: mind.link(id, NOBODY),
    "unlink": lambda mind, id: mind.unlink(id, NOBODY),
    "neighbours": lambda mind, id: mind.neighbours(NOBODY),
    "supersede": lambda mind, id: mind.supersede(NOBODY, id),
    "superseded by": lambda mind, id: mind.supersede(id, NOBODY),
    "contradict": lambda mind, id: mind.contradict(id, NOBODY),
    "reinforce": lambda mind, id: mind.reinforce(NOBODY),
    "pin": lambda mind, id: mind.pin(NOBODY),
}


@pytest.mark.parametrize("call", UNKNOWN_IDS.values(), ids=UNKNOWN_IDS)
def test_an_unknown_id_is_refused_by_name(mind, path, held, call):
    with refused(path, NotFound, NOBODY):
        call(mind, held[0].id)


@pytest.mark.parametrize("odd", ["", "x" * 10_000, "\ud800", "a\0b", "%", "'; DROP TABLE memory; --"])
def test_an_id_that_is_no_id_is_simply_unknown(mind, path, held, odd):
    with refused(path, NotFound):
        mind.get(odd)
    with refused(path, NotFound):
        mind.history(odd)


def test_an_unknown_link_kind_is_refused_with_the_nearest_name(mind, path, held):
    a, b = (memory.id for memory in held)
    with refused(path, UnknownName, "suports", "'supports'"):
        mind.link(a, b, "suports")
    with refused(path, UnknownName, "'supports'"):
        mind.unlink(a, b, "suports")


def test_a_self_link_is_refused(mind, path, held):
    a = held[0].id
    with refused(path, InvalidInput, a):
        mind.link(a, a)
    with refused(path, InvalidInput, a):
        mind.supersede(a, a)
    with refused(path, InvalidInput, a):
        mind.contradict(a, a)


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), "heavy", None])
def test_a_weight_outside_0_to_1_is_refused(mind, path, held, weight):
    with refused(path, InvalidInput, "weight"):
        mind.link(held[0].id, held[1].id, "related", weight)


BAD_UPDATES = {
    "an unknown field": ({"txt": "x"}, "'text'"),
    "a field that is not the user's": ({"access_count": 5}, "access_count"),
    "empty text": ({"text": " "}, "text"),
    "no text": ({"text": None}, "text"),
    "importance 1.5": ({"importance": 1.5}, "importance"),
    "an unknown status": ({"status": "activ"}, "'active'"),
    "an unknown tier": ({"tier": "pined"}, "'pinned'"),
    "a malformed date": ({"valid_to": "soon"}, "valid_to"),
    "bad metadata": ({"metadata": 3}, "metadata"),
}


@pytest.mark.parametrize(("fields", "named"), BAD_UPDATES.values(), ids=BAD_UPDATES)
def test_a_change_that_can_not_be_made_is_refused(mind, path, held, fields, named):
    with refused(path, InvalidInput, named):
        mind.update(held[0].id, **fields)


def test_forgetting_and_purging_want_an_id_or_a_filter(mind, path, held):
    for call in (mind.forget, mind.purge):
        with refused(path, InvalidInput, "filter"):
            call()
        with refused(path, InvalidInput, "'kinds'"):
            call(kind="fact")
        with refused(path, InvalidInput, "tags"):
            call(tags=7)


def test_moving_a_namespace_checks_both_names(mind, path, held):
    with refused(path, NotFound, "nowhere"):
        mind.move("nowhere", "acme")
    with refused(path, InvalidInput, "itself"):
        mind.move("default", "default/below")
    with refused(path, InvalidInput, "'..'"):
        mind.move("default", "../x")
    with refused(path, InvalidInput, "namespace"):
        mind.move("default", "a" * 257)


def test_moving_may_not_make_a_path_that_is_too_long(mind, path):
    mind.remember("deep down", namespace="a/" + "b" * 200)
    with refused(path, InvalidInput, "256"):
        mind.move("a", "c" * 100)


ODD_QUERIES = [
    '"',
    '"dark',
    "*",
    "dark*",
    "NEAR",
    "NEAR(dark mode, 2)",
    "dark AND",
    "AND",
    "NOT dark",
    "OR OR",
    "-",
    "-dark",
    "^dark",
    "text:dark",
    "{text} : dark",
    "(dark",
    "dark)",
    "' OR 1=1 --",
    "the of and",
    "to be or not to be",
    "?!… — …",
    "🙂",
    "👨‍👩‍👧‍👦🇩🇪",
    "\u200b\u200d",
    "\x01\x02",
    "e\u0301" * 50,
    "ﷺ",
    "𝔡𝔞𝔯𝔨",
    "dark " * 5_000,
    " ".join(f"word{n}" for n in range(5_000)),
]


@pytest.mark.parametrize("recipe", ["bm25", "default", "memx"])
def test_odd_queries_are_harmless(mind, held, recipe):
    for query in ODD_QUERIES:
        found = mind.recall(query, recipe=recipe, track=False)
        assert {hit.memory.id for hit in found.hits} <= {memory.id for memory in held}
        assert found.hits or found.rejected


def test_operators_in_a_query_are_only_words(mind, held):
    for query in ('"dark', "dark*", "-dark", "NEAR dark", "(dark", "text:dark", "dark AND nothing"):
        assert mind.recall(query, recipe="bm25").hits[0].memory.id == held[0].id


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=60))
def test_any_query_is_answered_or_refused(mind, query):
    with contextlib.suppress(InvalidInput):
        mind.recall(query, recipe="bm25", track=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=60))
def test_any_text_is_kept_as_it_is_or_refused(mind, text):
    with contextlib.suppress(InvalidInput):
        assert mind.get(mind.remember(text, dedup=False).id).text == text


def test_a_query_of_more_than_20_000_characters_is_answered_by_its_beginning(mind, held):
    assert mind.recall("dark " + "padding " * 10_000, recipe="bm25").hits[0].memory.id == held[0].id


def test_an_emoji_is_remembered_and_recalled(mind):
    kept = mind.remember("🦊")
    assert mind.recall("🦊", recipe="bm25").hits[0].memory.id == kept.id


# Files --------------------------------------------------------------------------------------------


def test_a_directory_as_the_path_is_refused(tmp_path):
    with pytest.raises(StoreError, match="is a directory") as caught:
        Recollect(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(StoreError, match="does not exist"):
        Recollect(tmp_path / "no" / "agent.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"just some notes\n" * 100, b"\x00" * 4096, b"SQLite format 3\0 not really" * 50])
def test_a_file_that_is_not_sqlite_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreDamaged) as caught:
        Recollect(path, embedder="hashing")
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("version", [0, 1, 7])
def test_another_programs_database_is_refused_and_left_alone(path, version):
    other = apsw.Connection(str(path))
    other.execute(f"CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine'); PRAGMA user_version = {version}")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        Recollect(path, embedder="hashing")
    assert path.read_bytes() == before


def test_a_store_made_by_a_newer_version_is_refused_and_left_alone(mind, path, held):
    mind.close()
    file = apsw.Connection(str(path))
    file.execute("PRAGMA user_version = 999")
    file.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="open it with that version") as caught:
        Recollect(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_damaged_store_is_named(mind, path, held):
    mind.close()
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="restore-backup"), Recollect(path, embedder="hashing") as broken:
        broken.list()


@contextlib.contextmanager
def _powerless():
    """Root may write anything: become nobody for a while."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file permissions work differently here")
def test_a_read_only_file_can_be_recalled_from_and_says_why_it_can_not_be_written():
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "agent.db"
        with Recollect(path, embedder="hashing") as mind:
            kept = mind.remember("Ada prefers dark mode")
        folder.chmod(0o755)
        path.chmod(0o444)
        before = path.read_bytes()
        with _powerless(), Recollect(path) as mind:
            assert mind.recall("dark mode", recipe="bm25").hits[0].memory.id == kept.id
            assert mind.recall("dark mode").hits and mind.get(kept.id) == kept
            for change in (lambda: mind.remember("more"), lambda: mind.forget(kept.id), lambda: mind.purge(kept.id)):
                with pytest.raises(StoreReadOnly, match="read-only") as caught:
                    change()
                assert str(path) in str(caught.value)
            assert mind.check() == []
        assert path.read_bytes() == before
    finally:
        shutil.rmtree(folder)


def test_a_different_embedder_is_refused_with_the_reembed_line(mind, path, held):
    before = everything(path)
    with pytest.raises(EmbedderMismatch, match="recollect reembed --embedder granite"):
        Recollect(path, embedder="granite")
    assert everything(path) == before


def test_an_unknown_durability_is_refused(path):
    from recollect.config import Settings

    with pytest.raises(UnknownName, match="'full'"):
        Recollect(path, settings=Settings(synchronous="ful"))


def test_a_closed_memory_says_so(path):
    mind = Recollect(path, embedder="hashing")
    mind.close()
    for use in (lambda: mind.recall("x"), lambda: mind.remember("x"), lambda: mind.list()):
        with pytest.raises(StoreError, match="closed"):
            use()


# Exports ------------------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path):
    target = tmp_path / "export.jsonl"
    with Recollect(":memory:", embedder="hashing") as other:
        a, b = other.remember_many([{"text": "one thing"}, {"text": "quite another"}])
        other.link(a.id, b.id)
        other.export(target)
    return target


def test_an_export_cut_in_half_changes_nothing(mind, path, held, exported):
    whole = exported.read_bytes()
    for size in {len(whole) // 2, len(whole) - 10, whole.rindex(b"\n", 0, -1) + 1, 1, 0}:
        exported.write_bytes(whole[:size])
        with refused(path, InvalidInput, str(exported)):
            mind.import_(exported)


BAD_RECORDS = {
    "not JSON": ("{", "line 2"),
    "not an object": ("[]", "line 2"),
    "nested beyond reason": ("[" * 100_000, "line 2"),
    "of an unknown type": ('{"type": "memo"}', "'memo'"),
    "without text": ({"text": None}, "text"),
    "with an id that is no text": ({"id": 7}, "id"),
    "with a bad status": ({"status": "activ"}, "'active'"),
    "with a bad importance": ({"importance": 7}, "importance"),
    "with bad tags": ({"tags": "ui"}, "tags"),
    "with bad metadata": ({"metadata": []}, "metadata"),
    "with a bad count": ({"access_count": "x"}, "access_count"),
    "with a bad moment": ({"created_at": "then"}, "created_at"),
    "with a bad namespace": ({"namespace": "a//b"}, "a//b"),
    "with half a surrogate pair": ({"text": "\ud800"}, "surrogate"),
    "with a bad turn": ({"turn": 1.5}, "turn"),
}


@pytest.mark.parametrize(("change", "named"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_bad_record_in_an_export_is_named_by_its_line(mind, path, held, exported, change, named):
    lines = exported.read_text(encoding="utf-8").splitlines()
    lines[1] = change if isinstance(change, str) else json.dumps(json.loads(lines[1]) | change)
    exported.write_text("\n".join(lines), encoding="utf-8")
    with refused(path, InvalidInput, str(exported), "line 2", named):
        mind.import_(exported)


def test_an_id_that_is_twice_in_an_export_is_refused(mind, path, held, exported):
    lines = exported.read_text(encoding="utf-8").splitlines()
    lines[2] = lines[1]
    exported.write_text("\n".join(lines), encoding="utf-8")
    with refused(path, InvalidInput, "twice", "line 3"):
        mind.import_(exported)


def test_what_is_no_export_is_refused(mind, path, held, tmp_path):
    odd = tmp_path / "odd"
    for content in (b"\xff\xfe\x00", b'{"type": "recollect", "version": 99}\n', b'{"type": "memory"}\n', b"hello"):
        odd.write_bytes(content)
        with refused(path, InvalidInput, str(odd)):
            mind.import_(odd)
    for missing in (tmp_path / "none", tmp_path):
        with refused(path, InvalidInput, str(missing)):
            mind.import_(missing)


def test_an_export_never_overwrites_the_store_and_says_where_it_can_not_write(mind, path, held, tmp_path):
    with refused(path, InvalidInput, str(path)):
        mind.export(path)
    with refused(path, InvalidInput, "no"):
        mind.export(tmp_path / "no" / "x.jsonl")


def test_every_recipe_takes_the_odd_queries(mind, held):
    for name in recipes.names():
        for query in ('"', "the", "🙂"):
            mind.recall(query, recipe=name, track=False)
