"""Our store in the place of LangGraph's own ones, for the tests that LangGraph's packages publish."""

from contextlib import contextmanager

from recollect import Recollect
from recollect.adapters.langgraph import RecollectStore


class InMemoryStore(RecollectStore):
    """`index` names an embedder too. Ours is that of the memory."""

    def __init__(self, *, index=None, path=":memory:"):
        fields = {"fields": index["fields"]} if index and index.get("fields") else {}
        super().__init__(Recollect(path, embedder="hashing"), **fields)
        self.index_config = index


class SqliteStore(InMemoryStore):
    MIGRATIONS = ()

    @classmethod
    @contextmanager
    def from_conn_string(cls, path, *, index=None):
        store = cls(index=index, path=path)
        with store.mind:
            yield store
