"""Siestai, "Relevance Scoring" (document 002)."""

import math

from reference.bm25 import best, in_sight
from reference.vector import similar

COSINE, IMPORTANCE, RECENCY = 0.5, 0.3, 0.2  # [Component Weights]
DEDUP, CLUSTER = 0.92, 0.80  # [Deduplication vs. Search]


def recency_decay(days):
    """[Scoring Formula] exp(-0.05 x days_since_last_access)"""
    return math.exp(-0.05 * days)


def last_access(m):
    """[Full SQL Query] last_accessed_at; notes: a recall counts as access, and creation as the first"""
    return min([age for age in (m.accessed, m.retrieved) if age is not None], default=m.created)


def is_duplicate(cosine):
    """[Deduplication vs. Search] "Prevent near-identical memories" """
    return cosine >= DEDUP


def raised(stored, repeated):
    """notes: the existing row's importance is raised instead of a new row; ours: by 0.1"""
    return min(1.0, max(stored, repeated) + 0.1)


def is_related(cosine):
    """[Deduplication vs. Search] "Group related memories" """
    return cosine >= CLUSTER


def rank(memories, links, question, vector, limit):
    """[Full SQL Query] active memories with an embedding, ordered by the score; no threshold"""
    by_id = {m.id: m for m in memories}
    scores = {
        id: COSINE * cosine + IMPORTANCE * by_id[id].importance + RECENCY * recency_decay(last_access(by_id[id]))
        for id, cosine in similar(in_sight(memories), "full", vector).items()
    }
    return best(scores, limit)
