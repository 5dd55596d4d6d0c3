"""Vector search alone: "do a cosine similarity search" (the BM25 article, opening)."""

from reference.bm25 import best, in_sight


def cosine(a, b):
    """ "do a cosine similarity search"; the vectors are of length 1"""
    return sum(x * y for x, y in zip(a, b, strict=True))


def similar(memories, view, vector):
    """ "store the vectors": the cosine of every memory that has this view"""
    return {m.id: cosine(m.views[view], vector) for m in memories if view in m.views}


def rank(memories, links, question, vector, limit):
    """ "do a cosine similarity search" among all in sight"""
    return best(similar(in_sight(memories), "full", vector), limit)
