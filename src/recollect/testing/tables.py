"""`store.protocol.Tables`: rows of the small tables."""

from __future__ import annotations

from dataclasses import replace

from ..store.protocol import Store
from ..store.tables import ApiKey, LoginLink, Mark, Reply, RetentionRule, Row, Setting
from ..store.values import Batch
from .samples import moment

_KEY = ApiKey(
    id="k1", name="laptop", sha256="00ff", namespace="acme/x", role="read", trust="agent", created_at=moment(1)
)
_ROWS: tuple[Row, ...] = (
    Setting(key="embedder", value="ünï"),
    _KEY,
    replace(_KEY, id="k2", expires_at=moment(9), revoked_at=moment(8)),
    LoginLink(sha256="ab", key_id="k1", expires_at=moment(3)),
    Reply(name="n", digest="d", status=201, body='{"ü": [1, null]}', expires_at=moment(5)),
    RetentionRule(namespace="acme", expires_after_days=30),
    RetentionRule(namespace="acme/x", most_memories=1),
    Mark(task="decay", namespace="acme", value="2026-01-01"),
)


def every_row_comes_back_as_it_was(store: Store) -> None:
    store.write(Batch(rows=_ROWS))
    for kind in {type(row) for row in _ROWS}:
        own = [row for row in store.rows(kind) if row in _ROWS]
        assert own == [row for row in _ROWS if isinstance(row, kind)]


def rows_are_chosen_by_their_columns_and_ordered_by_key(store: Store) -> None:
    made = [Mark(task=task, namespace=path, value="1") for task in ("b", "a") for path in ("y", "x")]
    store.write(Batch(rows=made))
    assert [(row.task, row.namespace) for row in store.rows(Mark)] == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    assert [row.namespace for row in store.rows(Mark, task="a")] == ["x", "y"]
    assert store.rows(Mark, task="a", namespace="z") == []


def a_row_takes_the_place_of_one_with_the_same_key(store: Store) -> None:
    store.write(Batch(rows=[Mark(task="t", namespace="n", value="old")]))
    store.write(Batch(rows=[Mark(task="t", namespace="n", value="older"), Mark(task="t", namespace="n", value="new")]))
    assert [row.value for row in store.rows(Mark, task="t")] == ["new"]


def deleting_says_how_many_rows_there_were(store: Store) -> None:
    store.write(Batch(rows=_ROWS))
    assert store.delete_rows(LoginLink, sha256="ab") == 1 and store.delete_rows(LoginLink, sha256="ab") == 0
    assert store.delete_rows(Reply, expired_by=moment(4)) == 0 and store.delete_rows(Reply, expired_by=moment(5)) == 1
    assert store.delete_rows(RetentionRule) == 2 and store.rows(RetentionRule) == []
    assert len(store.rows(ApiKey)) == 2


def a_table_is_cut_to_the_rows_that_expire_last(store: Store) -> None:
    made = [Reply(name=f"n{n}", digest="d", status=200, body="{}", expires_at=moment(9 - n)) for n in range(5)]
    store.write(Batch(rows=made))
    assert store.delete_rows(Reply, beyond=5) == 0 and store.delete_rows(Reply, beyond=9) == 0
    assert store.delete_rows(Reply, beyond=3) == 2
    assert [row.name for row in store.rows(Reply)] == ["n0", "n1", "n2"]
    assert store.delete_rows(Reply, beyond=0) == 3


CHECKS = (
    every_row_comes_back_as_it_was,
    rows_are_chosen_by_their_columns_and_ordered_by_key,
    a_row_takes_the_place_of_one_with_the_same_key,
    deleting_says_how_many_rows_there_were,
    a_table_is_cut_to_the_rows_that_expire_last,
)
