"""Small values for tests of pure stages."""

from datetime import UTC, datetime, timedelta

from recollect.explanation import Explanation
from recollect.types import Candidate, Hit, Memory, Ranking, Recall, Signals

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def days_ago(days):
    return NOW - timedelta(days=days)


def memory(id="m", text="text", **fields):
    return Memory(**{"id": id, "text": text, "created_at": NOW, **fields})


def candidate(id="m", score=0.0, **fields):
    return Candidate(memory(id, **fields), (), Explanation("relevance", score))


def hit(id="m", score=1.0, earlier_than=None, **fields):
    explanation = Explanation("score", score)
    return Hit(memory=memory(id, **fields), explanation=explanation, routes={}, earlier_than=earlier_than)


def recall(**fields):
    empty = {"hits": (), "rejected": None, "confidence": 0.5, "signals": Signals(), "trace": ()}
    return Recall(**{"id": "r", "query": "?", "recipe": "default", "at": NOW, **empty, **fields})


def rankings(**seen):
    """Memory → route → (rank, raw), as a ranking of each route."""
    by_route = {}
    for id, routes in seen.items():
        for route, (rank, raw) in routes.items():
            by_route.setdefault(route, []).append((id, rank, raw))
    return [ranking(route, found) for route, found in by_route.items()]


def ranking(route, found):
    """(id, rank, raw) of each memory that a route found."""
    ids, ranks, raws = zip(*found, strict=True)
    return Ranking(route, "cosine" if route == "vector" else "raw", ids, raws, ranks=ranks)
