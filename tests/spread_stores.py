"""Stores that are spread over several servers."""

import contextlib

from recollect import Recollect
from recollect.store import open_store
from recollect.store.postgres.partitions.apply import apply
from recollect.store.postgres.partitions.layout import TABLES
from recollect.store.tables import KINDS


@contextlib.contextmanager
def databases(three):
    urls = [server.database() for server in three]
    try:
        yield urls
    finally:
        for server, url in zip(three, urls, strict=True):
            server.drop(url)


def spread(urls, buckets=6):
    """An empty store whose buckets are on all of these servers. Returns its URL."""
    Recollect(urls[0], embedder="hashing").close()
    apply(urls[0], buckets=buckets, servers=dict(zip(("east", "west"), urls[1:], strict=False)))
    return urls[0]


def emptied(url):
    """Makes a spread store empty again, which is faster than making a new one."""
    store = open_store(url)
    store.drop_vectors()
    tables = ", ".join([*TABLES, *(kind.TABLE for kind in KINDS if kind.TABLE != "setting")])
    with store._db.transaction() as db:
        db.execute(f"TRUNCATE {tables}")
        db.execute("DELETE FROM setting WHERE key <> 'postgres:schema_version'")
        db.execute("ALTER SEQUENCE memory_order RESTART; ALTER SEQUENCE event_order RESTART")
    store.close()
    return url
