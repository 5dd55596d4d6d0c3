"""OpenMem, "Retrieval Model" (document 000)."""

import math

from reference.bm25 import best, by_corpus, in_sight, words

WEIGHTS = {"activation": 0.5, "recency": 0.2, "strength": 0.2, "confidence": 0.1}  # [Default weights]
PENALTY = {"active": 1.0, "superseded": 0.5, "contradicted": 0.3}  # [Status penalty]
MAX_HOPS, DECAY_PER_HOP = 2, 0.5  # [Stage 3]
CONFLICT = 0.3  # [Stage 5]
NOT_EDGES = ("temporal", "extends", "similar")  # ours: links that ingesting and maintenance make; OpenMem has none


def seeds(memories, question, top_k):
    """[Stage 1, Stage 2] BM25 over text, gist and entities; top_k x 4; divided by the highest."""

    def columns(m):
        return [(1.0, words(m.text)), (1.0, words(m.gist)), (1.0, words(*m.entities))]

    found = by_corpus(memories, columns, words(question))
    admitted = {m.id for m in in_sight(memories, PENALTY)}
    first = best({id: score for id, score in found.items() if id in admitted}, top_k * 4)
    top = first[0][1] if first else 1.0
    return {id: score / top for id, score in first}


def spread(active, memories, links):
    """[Stage 3] activated_neighbor = source_activation x edge_weight x decay_per_hop; both directions; max wins."""
    known = {m.id for m in in_sight(memories, PENALTY)}
    values = dict(active)
    for _ in range(MAX_HOPS):
        before = dict(values)
        for a, b, kind, weight in links:
            if kind in NOT_EDGES:
                continue
            for source, neighbour in ((a, b), (b, a)):
                if source in before and neighbour in known:
                    value = before[source] * weight * DECAY_PER_HOP
                    values[neighbour] = max(values.get(neighbour, 0.0), value)
    return values


def recency(m):
    """[Stage 4] exp(-0.05 x days_since_last_access); notes: a recall counts as access"""
    touched = [age for age in (m.accessed, m.retrieved) if age is not None]
    return math.exp(-0.05 * min(touched, default=m.created))


def reinforced(strength):
    """[Strength] "adds 0.1 (clamped to 1.0)" """
    return min(1.0, strength + 0.1)


def decayed(strength, days):
    """[Strength] strength x exp(-0.01 x days_elapsed)"""
    return strength * math.exp(-0.01 * days)


def score(m, activation):
    """[Stage 4]"""
    added = (
        WEIGHTS["activation"] * activation
        + WEIGHTS["recency"] * recency(m)
        + WEIGHTS["strength"] * m.strength
        + WEIGHTS["confidence"] * m.confidence
    )
    return added * PENALTY[m.status]


def resolve(scores, by_id, links):
    """[Stage 5] of two activated memories that contradict, the one with less strength x confidence x recency"""

    def effective(id):
        return by_id[id].strength * by_id[id].confidence * recency(by_id[id]), id

    for a, b, kind, _weight in links:
        if kind == "contradicts" and a in scores and b in scores:
            scores[min(a, b, key=effective)] *= CONFLICT
    return scores


def pack(ranked, by_id, top_k, token_budget):
    """[Stage 6] len(text) / 4, until top_k or token_budget is reached; notes: the first is always kept"""
    kept, used = [], 0.0
    for id, value in ranked[:top_k]:
        used += len(by_id[id].text) / 4
        if kept and used > token_budget:
            break
        kept.append((id, value))
    return kept


def rank(memories, links, question, vector, limit, token_budget=2000):
    """[Pipeline overview] stages 1 to 6; notes: the budget"""
    by_id = {m.id: m for m in memories}
    active = spread(seeds(memories, question, limit), memories, links)
    scores = resolve({id: score(by_id[id], value) for id, value in active.items()}, by_id, links)
    return pack(best(scores, len(scores)), by_id, limit, token_budget)
