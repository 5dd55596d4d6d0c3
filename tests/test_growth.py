"""Ten times as many items make about ten times as many rows, events and statements, never a hundred times."""

import gc

import pytest

from recollect import Recollect

FEW = 60
MOST_GROWTH = 20
"""For ten times the items. A square would give 100."""


def distinct(n):
    return {"text": f"Parcel {n * 7919 % 100_003} of crate {n * 104_729 % 1_299_709} is on shelf {n}"}


def remember_distinct(mind, count):
    mind.remember_many([distinct(n) for n in range(count)])


def remember_alike(mind, count):
    mind.remember_many([{"text": f"The red lamp number {n} in the hall is broken today"} for n in range(count)])


def remember_the_same(mind, count):
    mind.remember_many([{"text": "The red lamp is broken"}] * count)


def remember_near_copies(mind, count):
    openings = ["", "By the way, ", "Well, ", "Actually, ", "To be honest, "]
    mind.remember_many([{"text": f"{openings[n % 5]}the red lamp {n // 5} is broken"} for n in range(count)])


def town(n):
    """A name without digits: a number is no value that another one replaces."""
    return "Port" + "".join(chr(ord("a") + n // 26**place % 26) for place in range(3))


def remember_contradictions(mind, count):
    mind.remember_many([{"text": f"I live in {town(n)}"} for n in range(count)])


def remember_updates(mind, count):
    mind.remember_many([{"text": f"I live in {town(n)}", "at": f"{1400 + n}-01-01"} for n in range(count)])


def ingest_updates(mind, count):
    mind.ingest([{"role": "user", "content": f"I live in {town(n)}."} for n in range(count)], session_id="moves")


def remember_one_by_one(mind, count):
    for n in range(count // 3):
        mind.remember(f"My favourite colour is number {n}", at=f"2026-01-{n % 28 + 1:02}")


def remember_one_name(mind, count):
    mind.remember_many([{"text": f"Ada saw bird {n}", "entities": ["Ada"]} for n in range(count)])


def ingest_long(mind, count):
    mind.ingest([{"role": "user", "content": f"I saw bird {n} in town {n * 31 % 977}."} for n in range(count)])


def ingest_alike(mind, count):
    said = [{"role": "user", "content": f"The weather was cloudy today and lamp {n} was red"} for n in range(count)]
    mind.ingest(said, session_id="weather")


def ingest_longer_and_longer(mind, count):
    """A client that sends the whole conversation again after every message; ten times in all."""
    said = [{"role": "user", "content": f"I saw bird {n}."} for n in range(count)]
    for part in range(1, 11):
        mind.ingest(said[: count * part // 10], session_id="birds")


def recall(mind, count):
    mind.remember("Ada sails a boat")
    for _ in range(count // 3):
        mind.recall("who sails?")


def link_all_to_one(mind, count):
    ids = [memory.id for memory in mind.remember_many([distinct(n) for n in range(count)])]
    for other in ids[1:]:
        mind.link(ids[0], other)


def forget_and_undo(mind, count):
    remember_distinct(mind, count)
    mind.forget(namespace="default")
    mind.undo(mind.store.events(limit=1)[0].id)


def purge(mind, count):
    remember_distinct(mind, count)
    mind.purge(namespace="default")


def tend_distinct(mind, count):
    remember_distinct(mind, count)
    mind.tend()


def tend_alike(mind, count):
    remember_alike(mind, count)
    mind.tend()


def tend_one_name(mind, count):
    remember_one_name(mind, count)
    mind.tend()


KINDS = [
    remember_distinct,
    remember_alike,
    remember_the_same,
    remember_near_copies,
    remember_contradictions,
    remember_updates,
    remember_one_by_one,
    remember_one_name,
    ingest_long,
    ingest_alike,
    ingest_updates,
    ingest_longer_and_longer,
    recall,
    link_all_to_one,
    forget_and_undo,
    purge,
    tend_distinct,
    tend_alike,
    tend_one_name,
]
RELATED = {remember_contradictions, remember_updates, ingest_updates, link_all_to_one}
"""Inputs of which each item is linked with another one."""
TABLES = ("memory", "link", "event", "revision", "recalled", "view", "vector")


def measured(tmp_path, put_in, count):
    """Table → its rows, and the number of SQL statements that ran."""
    with Recollect(tmp_path / f"{count}.db", embedder="hashing") as mind:
        writer = mind.store._db._writer
        statements = [0]

        def counted(cursor, sql, bindings):
            statements[0] += 1
            return True

        writer.exec_trace = counted
        put_in(mind, count)
        writer.exec_trace = None
        rows = {table: writer.execute(f"SELECT count(*) FROM {table}").get for table in TABLES}
    gc.collect()
    return {**rows, "statements": statements[0]}


@pytest.mark.parametrize("put_in", KINDS, ids=lambda kind: kind.__name__)
def test_ten_times_the_input_never_makes_a_hundred_times_the_rows_events_or_statements(tmp_path, put_in):
    few, many = measured(tmp_path, put_in, FEW), measured(tmp_path, put_in, 10 * FEW)
    assert many["link"] >= 10 * FEW - 1 or put_in not in RELATED
    grown = {what: many[what] / max(few[what], FEW / 10) for what in few}
    assert {what: growth for what, growth in grown.items() if growth > MOST_GROWTH} == {}
