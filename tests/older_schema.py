"""Makes a SQLite file one of an older schema."""

from recollect.store.sqlite import frequencies


def take_back_counting_later(file):
    """The tables of schema 9: the frequencies of terms count all documents."""
    for number, counted in file.execute("SELECT number, counted FROM corpus").fetchall():
        frequencies.count(file, number, frequencies.AT_ONCE, counted)
    file.execute("ALTER TABLE corpus DROP COLUMN counted; ALTER TABLE corpus DROP COLUMN uncounted")


def take_back_statement_keys(file):
    """The tables of schema 6: documents without the key of their statement, recalls without their duration."""
    take_back_counting_later(file)
    file.execute("ALTER TABLE recall DROP COLUMN ms")
    file.execute("DROP INDEX memory_by_group; DROP INDEX document_by_same; ALTER TABLE document DROP COLUMN same")


def take_back_own_indexes(file):
    """The tables of schema 5: terms in FTS5, vectors without sketches."""
    take_back_statement_keys(file)
    file.execute(
        "CREATE VIRTUAL TABLE lexicon USING fts5 (gist, text, entities, tags, scope);"
        "INSERT INTO lexicon (rowid, gist, text, entities, tags) SELECT row, gist, text, entities, tags FROM document;"
        "DROP TABLE document; DROP TABLE segment; DROP TABLE posting;"
        "ALTER TABLE corpus DROP COLUMN pending; ALTER TABLE corpus DROP COLUMN sealed;"
        "ALTER TABLE corpus DROP COLUMN removed; ALTER TABLE view DROP COLUMN bits;"
    )
