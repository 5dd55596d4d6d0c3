"""Makes a SQLite file one of an older schema."""


def take_back_statement_keys(file):
    """The tables of schema 6: documents without the key of their statement."""
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
