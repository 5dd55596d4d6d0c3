"""Checks that the tables agree with each other."""

from __future__ import annotations

from collections import Counter, defaultdict

from ...types import FIELDS
from ..checksums import row_checksum, vector_checksum
from ..values import Finding
from .connections import Database

_REPAIR = "run `recollect check --repair`"
_RESTORE = "restore a backup of the database"

_ORPHANS = {
    "memories without a lexical row": (
        "SELECT count(*) FROM memory m WHERE NOT EXISTS "
        "(SELECT 1 FROM lexicon l WHERE l.tenant = m.tenant AND l.id = m.id AND l.part = 0)"
    ),
    "lexical rows without a memory": (
        "SELECT count(*) FROM lexicon l WHERE NOT EXISTS "
        "(SELECT 1 FROM memory m WHERE m.tenant = l.tenant AND m.id = l.id)"
    ),
    "vector views without a memory": (
        "SELECT count(*) FROM view v WHERE NOT EXISTS "
        "(SELECT 1 FROM memory m WHERE m.tenant = v.tenant AND m.id = v.id)"
    ),
    "links to a missing memory": (
        "SELECT count(*) FROM link l WHERE NOT EXISTS "
        "(SELECT 1 FROM memory m WHERE m.tenant = l.tenant AND m.id = l.a) "
        "OR NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = l.b)"
    ),
}

_LOST = {
    "memories whose tenant is not that of their namespace": (
        "SELECT count(*) FROM memory WHERE tenant <> split_part(namespace, '/', 1)"
    ),
    "memories with the same id": "SELECT count(*) - count(DISTINCT id) FROM memory",
    "changes without their event": (
        "SELECT count(*) FROM revision r WHERE NOT EXISTS "
        "(SELECT 1 FROM event e WHERE e.tenant = r.tenant AND e.seq = r.event)"
    ),
    "hits without their recall": (
        "SELECT count(*) FROM recalled h WHERE NOT EXISTS "
        "(SELECT 1 FROM recall r WHERE r.tenant = h.tenant AND r.id = h.recall)"
    ),
    "feedback without its recall": (
        "SELECT count(*) FROM feedback f WHERE NOT EXISTS "
        "(SELECT 1 FROM recall r WHERE r.tenant = f.tenant AND r.id = f.recall)"
    ),
}
"""What can't be made again from other rows."""


def check(db: Database) -> list[Finding]:
    findings = _checksums(db)
    for what, sql in (_ORPHANS | _LOST).items():
        if count := _number(db, sql):
            derived = what in _ORPHANS
            findings.append(Finding(what=what, count=count, mend=_REPAIR if derived else _RESTORE, derived=derived))
    sizes = _number(db, "SELECT count(DISTINCT vector_dims(embedding)) FROM view")
    if sizes > 1:
        findings.append(Finding(what="vectors of different lengths", count=sizes, mend="run `recollect reembed`"))
    broken = _number(
        db,
        "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = 'view'::regclass AND NOT i.indisvalid",
    )
    if broken:
        mend = "nothing to do: it is built again after the next thousand vectors"
        findings.append(Finding(what="vector indexes that were not finished", count=broken, mend=mend))
    return findings + _statistics(db)


def _checksums(db: Database) -> list[Finding]:
    """Computes the checksums of texts and vectors again. Rows of older versions have none."""
    findings = []
    with db.cursor("texts") as rows:
        rows.execute("SELECT id, text, checksum FROM memory WHERE checksum IS NOT NULL")
        wrong = sum(row_checksum((id, text)) != held for id, text, held in rows)
    if wrong:
        findings.append(Finding(what="memories with a wrong checksum", count=wrong, mend=_RESTORE))
    if bad := len(damaged_views(db)):
        findings.append(Finding(what="vectors with a wrong checksum", count=bad, mend=_REPAIR, derived=True))
    return findings


def damaged_views(db: Database) -> list[tuple[str, str]]:
    """(tenant, id) of the memories with a vector whose checksum is wrong."""
    with db.cursor("vectors") as rows:
        rows.execute(
            "SELECT tenant, id, halfvec_send(embedding), checksum FROM view WHERE checksum IS NOT NULL ORDER BY 1, 2"
        )
        bad = [(tenant, id) for tenant, id, data, held in rows if vector_checksum(bytes(data)) != held]
    return list(dict.fromkeys(bad))


def _number(db: Database, sql: str) -> int:
    row = db.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _statistics(db: Database) -> list[Finding]:
    """Compares the statistics with a new count of all terms."""
    terms: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    sizes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with db.cursor("words") as rows:
        rows.execute(
            f"SELECT m.tenant, m.granularity, {', '.join(f'l.{name}' for name in FIELDS)} "
            "FROM lexicon l JOIN memory m ON m.tenant = l.tenant AND m.id = l.id WHERE l.part = 0"
        )
        for tenant, granularity, *columns in rows:
            split = [column.split() for column in columns]
            terms[tenant, granularity].update({t for column in split for t in column})
            sizes[tenant, granularity]["documents"] += 1
            for name, column in zip(FIELDS, split, strict=True):
                sizes[tenant, granularity][name] += len(column)
    wrong = _wrong_terms(db, terms) + _wrong_sizes(db, sizes)
    what = "term statistics that do not add up"
    return [Finding(what=what, count=wrong, mend=_REPAIR, derived=True)] if wrong else []


def _wrong_terms(db: Database, counted: dict[tuple[str, str], Counter[str]]) -> int:
    wrong = 0
    for tenant, granularity, term, documents in db.execute("SELECT tenant, granularity, term, documents FROM term"):
        wrong += documents != counted.get((tenant, granularity), Counter()).pop(term, 0)
    return wrong + sum(map(len, counted.values()))


def _wrong_sizes(db: Database, counted: dict[tuple[str, str], Counter[str]]) -> int:
    names = ("documents", *FIELDS)
    wrong = 0
    for tenant, granularity, *held in db.execute(f"SELECT tenant, granularity, {', '.join(names)} FROM corpus"):
        sizes = counted.pop((tenant, granularity), Counter())
        wrong += held != [sizes[name] for name in names]
    return wrong + len(counted)
