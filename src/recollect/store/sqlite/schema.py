"""The file's tables as numbered migrations. A released migration is never changed."""

from __future__ import annotations

import string
from functools import cache

import apsw

from ...errors import StoreDamaged, StoreTooNew
from ..sql.carry_over import carry_over
from . import postings
from .connections import Database
from .covered import COVERED, fill
from .dialect import SQLITE
from .lexicon import fill_keys

APPLICATION_ID = 0x5EC0_11EC
"""Stored in the file's header, so that the database of another program is recognised and refused."""

# The terms are analysed already and separated by blanks. The tokenizer must split only at blanks.
_TOKEN_CHARS = "".join(c for c in string.punctuation if c not in "\"'")

# Up to schema 5. Holds the analysed terms, not the text.
_LEXICON = f"""
    CREATE VIRTUAL TABLE lexicon USING fts5 (
        gist, text, entities, tags, scope, tokenize = "ascii tokenchars '{_TOKEN_CHARS}'"
    );
    INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 1);
"""

MIGRATIONS = (
    f"""
    CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE memory (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL,
        kind TEXT NOT NULL,
        tags TEXT NOT NULL,
        entities TEXT NOT NULL,
        gist TEXT NOT NULL,
        importance REAL NOT NULL,
        confidence REAL NOT NULL,
        strength REAL NOT NULL,
        status TEXT NOT NULL,
        tier TEXT NOT NULL,
        namespace TEXT NOT NULL,
        session_id TEXT,
        turn INTEGER,
        role TEXT,
        granularity TEXT NOT NULL,
        source TEXT,
        origin TEXT NOT NULL,
        trust TEXT NOT NULL,
        metadata TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        occurred_at INTEGER,
        valid_from INTEGER,
        valid_to INTEGER,
        expires_at INTEGER,
        access_count INTEGER NOT NULL,
        last_accessed_at INTEGER,
        retrieval_count INTEGER NOT NULL,
        last_retrieved_at INTEGER,
        decayed_at INTEGER,
        tenant TEXT NOT NULL,
        digest BLOB,
        about TEXT
    ) STRICT;
    CREATE INDEX memory_by_namespace ON memory (namespace, status, created_at, id);
    CREATE INDEX memory_by_about ON memory (about, namespace) WHERE about IS NOT NULL;
    CREATE INDEX memory_by_digest ON memory (digest, namespace);
    CREATE INDEX memory_by_session ON memory (session_id, turn) WHERE session_id IS NOT NULL;

    {_LEXICON}

    CREATE TABLE corpus (
        number INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        granularity TEXT NOT NULL,
        documents INTEGER NOT NULL,
        gist INTEGER NOT NULL,
        text INTEGER NOT NULL,
        entities INTEGER NOT NULL,
        tags INTEGER NOT NULL,
        UNIQUE (tenant, granularity)
    ) STRICT;
    CREATE TABLE term (
        corpus INTEGER NOT NULL, term TEXT NOT NULL, documents INTEGER NOT NULL,
        PRIMARY KEY (corpus, term)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE vector (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, data BLOB NOT NULL) STRICT;
    CREATE TABLE view (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        row INTEGER NOT NULL, name TEXT NOT NULL, vector INTEGER NOT NULL,
        UNIQUE (row, name)
    ) STRICT;
    CREATE INDEX view_by_vector ON view (vector);

    CREATE TABLE link (
        a TEXT NOT NULL, b TEXT NOT NULL, kind TEXT NOT NULL, weight REAL NOT NULL, created_at INTEGER,
        PRIMARY KEY (a, b, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX link_by_b ON link (b);

    CREATE TABLE event (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        namespace TEXT NOT NULL,
        detail TEXT NOT NULL,
        undone_by TEXT
    ) STRICT;
    -- The only place of the log that holds text; purge empties it.
    CREATE TABLE revision (
        event INTEGER NOT NULL, memory_id TEXT NOT NULL, before TEXT,
        PRIMARY KEY (memory_id, event)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX revision_by_event ON revision (event);

    CREATE TABLE recall (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        namespace TEXT NOT NULL,
        query TEXT NOT NULL,
        recipe TEXT NOT NULL,
        rejected TEXT,
        confidence REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE recalled (
        recall TEXT NOT NULL, memory_id TEXT NOT NULL, rank INTEGER NOT NULL, score REAL NOT NULL,
        PRIMARY KEY (recall, rank)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX recalled_by_memory ON recalled (memory_id);
    CREATE TABLE feedback (
        recall TEXT NOT NULL, memory_id TEXT NOT NULL, used INTEGER NOT NULL, outcome REAL,
        strength REAL NOT NULL, importance REAL NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (recall, memory_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feedback_by_memory ON feedback (memory_id);

    INSERT INTO setting VALUES ('vector_generation', '0');
    """,
    "CREATE INDEX memory_by_time ON memory (coalesce(occurred_at, created_at))",
    # small tables for rows of `setting`; `carry_over` moves the rows
    """
    CREATE TABLE api_key (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        namespace TEXT NOT NULL,
        role TEXT NOT NULL,
        trust TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE login_link (
        sha256 TEXT PRIMARY KEY, key_id TEXT NOT NULL, expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE reply (
        name TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        status INTEGER NOT NULL,
        body TEXT NOT NULL,
        expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reply_by_end ON reply (expires_at);
    CREATE TABLE retention (
        namespace TEXT PRIMARY KEY, expires_after_days INTEGER, most_memories INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mark (
        task TEXT NOT NULL, namespace TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (task, namespace)
    ) STRICT, WITHOUT ROWID;
    """,
    # NULL for events outside the hash chain
    "ALTER TABLE event ADD COLUMN hash TEXT",
    # `fill` computes the checksums of the rows that are there
    ";".join(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER" for table in ("vector", *COVERED)),
    # posting lists of our own in place of FTS5, and sketches of the vectors; `_fill_indexes` makes both
    """
    CREATE TABLE document (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        row INTEGER NOT NULL,
        corpus INTEGER NOT NULL,
        gist TEXT NOT NULL,
        text TEXT NOT NULL,
        entities TEXT NOT NULL,
        tags TEXT NOT NULL
    ) STRICT;
    CREATE TABLE segment (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        corpus INTEGER NOT NULL,
        last INTEGER NOT NULL,
        version INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE posting (
        segment INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL, large BLOB,
        PRIMARY KEY (segment, term)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE corpus ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE corpus ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE corpus ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

    INSERT INTO document (row, corpus, gist, text, entities, tags)
    SELECT m.row, c.number, c0, c1, c2, c3 FROM lexicon_content l JOIN memory m ON m.row = l.id
    JOIN corpus c ON c.tenant = m.tenant AND c.granularity = m.granularity ORDER BY m.row;
    CREATE UNIQUE INDEX document_by_row ON document (row);
    CREATE INDEX document_by_corpus ON document (corpus);
    CREATE INDEX segment_by_corpus ON segment (corpus, last);
    UPDATE corpus SET pending = gist + text + entities + tags + 16 * documents;
    DROP TABLE lexicon;

    ALTER TABLE view ADD COLUMN bits BLOB NOT NULL DEFAULT x'';
    """,
    # the key of what a memory states; `fill_keys` makes those of the rows that are there. `stats` counts in an index
    """
    ALTER TABLE document ADD COLUMN same INTEGER;
    CREATE INDEX document_by_same ON document (same) WHERE same IS NOT NULL;
    CREATE INDEX memory_by_group ON memory (status, kind, tier, granularity);
    """,
    # how long a recall took; a log entry's checksum leaves it out
    "ALTER TABLE recall ADD COLUMN ms REAL",
    # the list of sessions, newest first
    "CREATE INDEX IF NOT EXISTS memory_by_first_turn ON memory (tenant, coalesce(valid_from, created_at), id) "
    "WHERE turn = 0",
    # document frequencies are written some hundred documents at a time: those up to `counted` are in `term`
    """
    ALTER TABLE corpus ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE corpus ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0;
    UPDATE corpus SET counted = coalesce((SELECT max(seq) FROM document WHERE corpus = number), 0);
    """,
)
SMALL_TABLES = 3
"""The migration that moved rows of `setting` to small tables."""
CHECKSUMS = 5
"""The migration that gave rows a checksum."""
OWN_INDEXES = 6
"""The migration that made posting lists of our own, and sketches of the vectors."""
STATEMENT_KEYS = 7
"""The migration that gave documents the key of their statement, and `stats` an index."""


def version(db: Database) -> int:
    return int(db.pragma("user_version"))


def migrate(db: Database, path: str) -> None:
    """Migrates the file to the current version. The caller holds the write lock."""
    verify(db, path)
    found = version(db)
    for number, script in enumerate(MIGRATIONS[found:], start=found + 1):
        db.execute(script)
        if number == SMALL_TABLES:
            carry_over(db, SQLITE)
        if number == CHECKSUMS:
            fill(db)
        if number == OWN_INDEXES:
            _fill_indexes(db)
        if number == STATEMENT_KEYS:
            fill_keys(db)
        db.pragma("user_version", number)
    if found == 0:
        db.pragma("application_id", APPLICATION_ID)


def _fill_indexes(db: Database) -> None:
    from . import stored_sketches  # imports numpy

    for corpus in db.execute("SELECT number, pending, sealed FROM corpus").fetchall():
        postings.seal(db, *corpus)
    stored_sketches.fill(db)


def verify(db: Database, path: str) -> None:
    """Refuses a database of another program, and one with a newer schema."""
    found = version(db)
    used = found or db.execute("SELECT count(*) FROM sqlite_schema").get
    # read last: another process may be creating the store right now
    if used and int(db.pragma("application_id")) & 0xFFFF_FFFF != APPLICATION_ID:
        raise StoreDamaged(f"{path} is another program's SQLite database: choose another file with --db")
    if found < 0:
        raise StoreDamaged(
            f"{path} says that it has the schema {found}, so its header is damaged: restore a copy with "
            f"`recollect restore-backup`, or save what can be read with `recollect recover {path} NEW`"
        )
    if found > len(MIGRATIONS):
        raise StoreTooNew(
            f"{path} was written by a newer recollect (schema {found}, this one knows {len(MIGRATIONS)}): "
            "open it with that version, or a later one"
        )


def schema_of(db: Database) -> set[tuple[str, ...]]:
    """The tables and indexes of a file, without those that FTS5 makes by itself."""
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE substr(name, 1, 8) <> 'lexicon_'")
    return {(*map(str, row[:3]), " ".join(str(row[3]).split())) for row in rows}


@cache
def expected_schema() -> frozenset[tuple[str, ...]]:
    """The tables and indexes that a file of this version has."""
    db = apsw.Connection(":memory:")
    try:
        for script in MIGRATIONS:
            db.execute(script)
        return frozenset(schema_of(db))
    finally:
        db.close()
