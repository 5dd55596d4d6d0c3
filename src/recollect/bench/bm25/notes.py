"""Small memories with title, body and tags, in the form of the article's table, and questions about them."""

from __future__ import annotations

NOTES: tuple[tuple[str, str, str], ...] = (
    (
        "Database pooling",
        "PgBouncer keeps connection pooling in transaction mode with twenty servers",
        "database infra",
    ),
    ("Postgres upgrade", "The upgrade of the database needs an hour without writes", "database maintenance"),
    ("Proxy choice", "We compared three proxies before the move", "pgbouncer haproxy"),
    ("Billing retries", "Error E0427 means that the billing retry gave up", "billing incident"),
    ("Export endpoint", "Clients call POST /v2/exports for a nightly dump", "api"),
    ("Import endpoint", "Clients call POST /v2/imports with a signed file", "api"),
    ("Login flow", "Users authenticate with a passkey and a short code", "security"),
    ("Morning run", "The team runs along the river on Tuesdays", "habits"),
    ("Editor", "Ada prefers vim keybindings in every editor", "preference"),
    ("Standby", "Whoever is on call keeps the phone connected", "oncall"),
)
"""Title, body, tags."""

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("PgBouncer connection pooling", "several words, one of them also in a title"),
    ("pgbouncer", "a word that one memory has only among its tags"),
    ("E0427", "an identifier"),
    ("exports", "one of two similar endpoints"),
    ("authentication", "stemming: the memory says “authenticate”"),
    ("running", "stemming: the memories say “run” and “runs”"),
    ("vim keybindings", "a short entry"),
    ("kubernetes", "a word that no memory has"),
)
"""Question, and what it shows."""
