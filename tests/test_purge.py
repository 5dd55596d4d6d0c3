"""What is purged is gone from the file, not only from sight."""

import random
import string

import apsw
import numpy as np
import pytest

from recollect import Recollect


@pytest.fixture
def words():
    """Words that occur nowhere else."""
    chosen = random.Random(7)
    return ["q" + "".join(chosen.choices(string.ascii_lowercase, k=11)) for _ in range(40)]


def left_in(path, pieces):
    """Which of the pieces any file of the store still holds."""
    files = [file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)]
    assert files
    return [piece for piece in pieces if any(piece in content for content in files)]


def traces(mind, memory, words):
    """The bytes that give a memory away: its words as written and as indexed, and its vector."""
    from recollect.text.analyze import analyze

    vector = np.asarray(mind.embedder.embed([memory.text])[0], np.float16).tobytes()
    terms = [term for word in words for term in analyze(word)]
    return [piece.encode() for piece in (memory.text, *words, *terms)] + [vector, vector[32:96]]


def fill(mind, count, start=0):
    mind.remember_many(
        {"text": f"ordinary entry {n} about nothing in particular", "granularity": "turn"}
        for n in range(start, start + count)
    )


def test_the_traces_are_there_before_the_purge(mind, path, words):
    kept = mind.remember(" ".join(words), dedup=False)
    assert len(left_in(path, traces(mind, kept, words))) == len(traces(mind, kept, words))


@pytest.mark.parametrize("crowd", [0, 1_500])
def test_nothing_of_a_purged_memory_is_left_in_any_file(mind, path, words, crowd):
    fill(mind, crowd)
    kept = mind.remember(
        " ".join(words[:30]), tags=words[30:33], entities=words[33:36], gist=words[36], metadata={words[37]: words[38]}
    )
    fill(mind, crowd, start=crowd)
    mind.recall("ordinary entry")
    mind.purge(kept.id)
    assert left_in(path, traces(mind, kept, words)) == []
    assert mind.check() == []


def test_the_text_before_an_update_goes_with_the_purge(mind, path, words):
    fill(mind, 200)
    old, new = words[:20], words[20:]
    kept = mind.remember(" ".join(old))
    mind.update(kept.id, text=" ".join(new), tags=[old[0]])
    mind.update(kept.id, tags=[])
    mind.forget(kept.id)
    pieces = traces(mind, kept, words)
    mind.purge(kept.id)
    assert left_in(path, pieces) == []


def test_a_purge_by_filter_removes_all_of_them_and_only_them(mind, path, words):
    secret = [mind.remember(f"{word} is the secret", namespace="secret") for word in words]
    kept = mind.remember("an open word", namespace="secrets")
    mind.link(secret[0].id, kept.id)
    assert len(mind.purge(namespace="secret")) == len(secret)
    assert left_in(path, [word.encode() for word in words]) == []
    assert mind.list(namespace="secrets") == [kept]
    assert mind.check() == []


def test_a_purge_in_pieces_of_a_growing_store_leaves_nothing(mind, path, words):
    chosen = random.Random(3)
    for round_ in range(6):
        fill(mind, 150, start=round_ * 150)
        part = words[round_ * 6 : round_ * 6 + 6]
        kept = mind.remember_many([{"text": f"{word} " * chosen.randint(1, 60), "dedup": False} for word in part])
        mind.update(kept[0].id, text=f"{part[0]} again, and longer " * 20)
        chosen.shuffle(kept)
        for memory in kept:
            mind.purge(memory.id)
    assert left_in(path, [word.encode() for word in words]) == []
    assert mind.check() == []


def test_the_questions_that_found_it_go_too(mind, path, words):
    kept = mind.remember(" ".join(words[:5]))
    found = mind.recall(f"{words[0]} {words[9]}", recipe="bm25")
    mind.recall(f"other {words[20]}", recipe="bm25")
    assert [hit.memory.id for hit in found.hits] == [kept.id]
    mind.purge(kept.id)
    assert left_in(path, [words[0].encode(), words[9].encode()]) == []
    assert left_in(path, [words[20].encode()])
    assert mind.stats().recalls == 2


def test_while_another_process_has_the_file_open_nothing_is_left_either(mind, path, words):
    with Recollect(path) as other:
        kept = mind.remember(" ".join(words))
        assert other.recall(words[0], recipe="bm25").hits
        assert other.recall("anything at all", recipe="vector").hits
        mind.purge(kept.id)
        assert left_in(path, traces(mind, kept, words)) == []


def test_two_memories_of_the_same_text_share_a_vector_and_the_other_keeps_it(mind):
    first, second = mind.remember_many([{"text": "Ada prefers dark mode", "dedup": False}] * 2)
    mind.purge(first.id)
    assert mind.recall("Ada prefers dark mode", recipe="vector").hits[0].memory.id == second.id
    assert mind.check() == []


def test_the_log_keeps_that_it_happened(mind, path):
    kept = mind.remember("Ada prefers dark mode")
    mind.purge(kept.id)
    from inspect_store import everything

    (event,) = [row for row in everything(path)["event"] if row[4] == "purge"]
    assert kept.id in event[6] and "dark" not in str(everything(path))


def test_a_purge_that_was_undone_is_not_called_a_purge_later(mind, path, caplog):
    kept = mind.remember("a text that stays")
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM memory").get
    with pytest.raises(RuntimeError), mind.store.transaction():
        mind.purge(kept.id)
        raise RuntimeError("the disk is full")
    with mind.store.transaction():
        mind.remember("another")
    reader.close()
    assert mind.get(kept.id).text == "a text that stays" and "purged" not in caplog.text
