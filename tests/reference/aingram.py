"""AIngram, as the BM25 article draws it [AIngram: Three-Signal Hybrid Retrieval]."""

import math

from reference.bm25 import all_fields, best, by_corpus, in_sight, words
from reference.openmem import NOT_EDGES
from reference.vector import similar

K = 60  # notes
DEPTH = 3  # notes: limit x 3 for each signal
HOPS, PER_HOP = 2, 0.5  # notes: two hops; ours: a memory one link away counts half


def entities(memories, links, question, limit):
    """ "a knowledge graph for entity relationships": memories that name an entity of the question, and linked ones"""
    seen = {m.id for m in in_sight(memories)}
    naming = by_corpus(memories, lambda m: [(1.0, words(*m.entities))], words(question))
    found = dict(best({id: score for id, score in naming.items() if id in seen}, limit * DEPTH))
    edge = set(found)
    for _ in range(HOPS):
        reached = {}
        for a, b, kind, weight in links:
            if kind in NOT_EDGES:
                continue
            for start, end in ((a, b), (b, a)):
                if start in edge and end in seen and end not in found:
                    reached[end] = max(reached.get(end, 0.0), found[start] * weight * PER_HOP)
        found |= reached
        edge = set(reached)
    return best(found, limit * DEPTH)


def final(m, rrf):
    """notes: rrf * importance * confidence * exp(-0.001 * hours)"""
    return rrf * m.importance * m.confidence * math.exp(-0.001 * m.created * 24)


def rank(memories, links, question, vector, limit):
    """ "All three signals run in parallel and merge via Reciprocal Rank Fusion" """
    by_id = {m.id: m for m in memories}
    seen = {m.id for m in in_sight(memories)}
    found = by_corpus(memories, all_fields, words(question))
    signals = (
        entities(memories, links, question, limit),
        best({id: score for id, score in found.items() if id in seen}, limit * DEPTH),
        best(similar(in_sight(memories), "full", vector), limit * DEPTH),
    )
    rrf = {}
    for signal in signals:
        for place, (id, _) in enumerate(signal, start=1):
            rrf[id] = rrf.get(id, 0.0) + 1 / (K + place)
    return best({id: final(by_id[id], value) for id, value in rrf.items()}, limit)
