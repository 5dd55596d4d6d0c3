"""The libraries that are measured, with the versions of their packages."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InvalidInput

NUMPY = "numpy==2.4.6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    name: str
    packages: tuple[str, ...]
    """Pinned. The first one's version is shown."""
    store: str
    """The module in `stores/`."""
    variant: str = ""
    about: str = ""

    @property
    def library(self) -> str:
        return self.name.partition(",")[0]

    @property
    def distribution(self) -> str:
        return self.packages[0].partition("==")[0]

    @property
    def version(self) -> str:
        return self.packages[0].partition("==")[2]


OURS = Peer(
    name="recollect",
    packages=("recollect",),
    store="store_recollect",
    about="One SQLite file. Recipes default-fast, vector, bm25 and openmem; each recall is counted.",
)
_LANGGRAPH = "langgraph==1.2.22"
_SQLITE = "pysqlite3-binary==0.5.4.post2; sys_platform == 'linux'"
_LANCEDB = ("lancedb==0.40.0", "pyarrow==26.0.1", NUMPY)
_TXTAI = ("txtai==9.14.0", NUMPY)

PEERS = (
    Peer(
        name="chromadb",
        packages=("chromadb==1.5.9", NUMPY),
        store="store_chromadb",
        about="PersistentClient, HNSW index, cosine. Its local store has no search by words.",
    ),
    Peer(
        name="lancedb",
        packages=_LANCEDB,
        store="store_lancedb",
        about="Index of words; vectors are compared one by one, as without a call of create_index.",
    ),
    Peer(
        name="lancedb, HNSW",
        packages=_LANCEDB,
        store="store_lancedb",
        variant="hnsw",
        about="The same with an index of vectors (IVF_HNSW_SQ, one partition).",
    ),
    Peer(
        name="mem0",
        packages=("mem0ai==2.2.1", NUMPY),
        store="store_mem0",
        about="infer=False, Qdrant's local store in a folder. Without its extra packages it searches by vectors only.",
    ),
    Peer(
        name="langgraph, memory",
        packages=(_LANGGRAPH, NUMPY),
        store="store_langgraph_memory",
        about="InMemoryStore with an index. Nothing is kept on disk.",
    ),
    Peer(
        name="langgraph, sqlite",
        packages=("langgraph-checkpoint-sqlite==3.1.2", _LANGGRAPH, _SQLITE, NUMPY),
        store="store_langgraph_sqlite",
        about="SqliteStore with an index. It needs extensions of SQLite; where Python has none, with pysqlite3.",
    ),
    Peer(
        name="txtai",
        packages=_TXTAI,
        store="store_txtai",
        about="content=True, hybrid=True. All is written to disk at the end.",
    ),
    Peer(
        name="txtai, vectors",
        packages=_TXTAI,
        store="store_txtai",
        variant="vectors",
        about="The same without words.",
    ),
    Peer(
        name="openmem-engine",
        packages=("openmem-engine==0.4.0", NUMPY),
        store="store_openmem",
        about="Words and links, no vectors. One memory per call.",
    ),
)


def named(libraries: str) -> tuple[Peer, ...]:
    """Those of the given libraries, or all. A library may be run in several ways."""
    wanted = {word.strip() for word in libraries.split(",") if word.strip()}
    known = {peer.library for peer in PEERS}
    if not wanted or wanted - known - {"all"}:
        raise InvalidInput(f"--libraries must be of all, {', '.join(sorted(known))}, not {libraries!r}")
    return tuple(peer for peer in PEERS if wanted & {"all", peer.library})
