"""Tending may be repeated, doubled and killed, and deletes nothing."""

import signal
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tend.tended import NAMESPACE, NOW, OTHERS, TEA, everything, full, mind, plant

TESTS = Path(__file__).parents[1]
SCRIPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from tend.tended import NOW, mind

count = 0
def summarise(cluster):
    global count
    count += 1
    if sys.argv[3] == "die" and count == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return cluster[0].text

with mind(sys.argv[2]) as filled:
    filled.tend(at=NOW, summarise=summarise)
"""

AGES = st.sampled_from(["2026-09-01", "2026-10-02", "2026-10-20", "2026-10-31"])
MEMORIES = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.sampled_from(
                [*OTHERS[:6], "Ada rides to work", "Ada rides on to work", "Ada rides off to work"]
            ),
            "at": AGES,
            "kind": st.sampled_from(["fact", "task"]),
            "importance": st.sampled_from([0.2, 0.5, 0.9]),
            "granularity": st.sampled_from(["memory", "turn", "chunk"]),
            "expires_at": st.sampled_from([None, "2026-10-31", "2027-01-01"]),
            "namespace": st.sampled_from([NAMESPACE, f"{NAMESPACE}/below", "other"]),
        }
    ),
    max_size=40,
)


def start(path, how):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(TESTS), str(path), how])


@settings(max_examples=20, deadline=None)
@given(MEMORIES, st.one_of(st.none(), st.integers(1, 40)))
def test_tending_twice_is_tending_once_and_deletes_nothing(items, most):
    filled = full(clusters=[TEA])
    filled.remember_many([{**item, "dedup": False} for item in items])
    if most is not None:
        filled.set_retention(most_memories=most)
    ids = set(everything(filled)[0])
    outside = {id: kept for id, kept in everything(filled)[0].items() if filled.get(id).namespace == "other"}
    expected = filled.tend(at=NOW, preview=True)
    assert set(everything(filled)[0]) == ids
    report = filled.tend(at=NOW)
    once = everything(filled)
    assert report.counts == expected.counts
    assert set(filled.tend(at=NOW).counts.values()) == {0}
    assert everything(filled) == once
    assert ids <= set(once[0])
    assert {id: kept for id, kept in once[0].items() if id in outside} == outside
    assert all(kept[1] != "forgotten" and kept[5] == 1.0 for kept in once[0].values())


@settings(max_examples=10, deadline=None)
@given(MEMORIES)
def test_decaying_twice_is_decaying_once(items):
    filled = mind()
    filled.remember_many([{**item, "dedup": False} for item in items])
    filled.decay(at=NOW)
    once = everything(filled)
    assert filled.decay(at=NOW) == 0
    assert everything(filled) == once


def test_a_preview_archives_by_the_strength_that_memories_will_have():
    filled = mind()
    old = filled.remember("the attic key hangs in the hall", importance=0.50, at="2026-10-10", dedup=False)
    new = filled.remember("tea is in the blue tin", importance=0.45, at="2026-10-31", dedup=False)
    filled.set_retention(most_memories=1)
    assert filled.tend(at=NOW, preview=True).archived == (old.id,)
    assert filled.tend(at=NOW).archived == (old.id,)
    assert filled.get(new.id).tier == "searchable"


def test_decay_is_due_daily_and_consolidation_weekly():
    filled = full()
    assert filled.tend(at=NOW).counts["summaries"] == 2
    plant(filled, [f"Bob rows {one} small wooden boat on the lake" for one in ("the", "a", "that")])
    assert filled.tend(at="2026-11-02T11:00:00Z").counts["decayed"] == 0
    next_day = filled.tend(at="2026-11-02T12:00:00Z").counts
    assert next_day["decayed"] > 0
    assert next_day["summaries"] == 0
    assert filled.tend(at="2026-11-08T12:00:00Z").counts["summaries"] == 1


def test_tending_an_earlier_moment_undoes_nothing():
    filled = full()
    filled.tend(at=NOW)
    before = everything(filled)
    filled.tend(at="2026-10-31")
    assert everything(filled) == before


def test_a_tending_that_was_killed_is_finished_by_the_next(tmp_path):
    path = tmp_path / "filled.db"
    full(path).close()
    process = start(path, "die")
    assert process.wait(30) == -signal.SIGKILL
    with mind(path) as filled:
        assert filled.check() == []
        assert filled.stats().by_status["consolidated"] == 3
        assert filled.tend(at=NOW).counts["summaries"] == 1
        assert filled.stats().by_status["consolidated"] == 6
        assert filled.check() == []


def test_two_processes_that_tend_at_once_do_it_once(tmp_path):
    path = tmp_path / "filled.db"
    with full(path) as filled:
        plant(filled, [f"old {word}" for word in OTHERS], at="2026-09-01", granularity="turn")
    both = [start(path, "live"), start(path, "live")]
    assert [process.wait(30) for process in both] == [0, 0]
    with mind(path) as filled:
        counts = filled.stats()
        assert (counts.by_status["consolidated"], counts.by_tier["archived"]) == (6, len(OTHERS))
        summaries = [m for m in filled.list() if m.origin == "tend"]
        assert len(summaries) == 2
        assert all(m.strength <= 1 for m in filled.list())
        assert filled.check() == []
        assert set(filled.tend(at=NOW).counts.values()) == {0}
