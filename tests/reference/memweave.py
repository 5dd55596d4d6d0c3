"""memweave, as the BM25 article draws it [memweave: Zero-Infra Agent Memory]."""

from reference.bm25 import all_fields, best, by_corpus, in_sight, words
from reference.vector import cosine, similar

VECTOR, BM25 = 0.7, 0.3
DEPTH = 4  # notes: candidate multiplier
THRESHOLD = 0.35  # notes
HALF_LIFE = 30.0  # notes
LAMBDA = 0.7  # notes


def merged(memories, question, vector, limit):
    """ "score = 0.7 x vector + 0.3 x BM25"; notes: BM25 as r / (1 + r)"""
    seen = {m.id for m in in_sight(memories)}
    said = {id: r for id, r in by_corpus(memories, all_fields, words(question)).items() if id in seen}
    scores = {}
    for id, r in best(said, limit * DEPTH):
        scores[id] = BM25 * (r / (1 + r))
    for id, similarity in best(similar(in_sight(memories), "full", vector), limit * DEPTH):
        scores[id] = scores.get(id, 0.0) + VECTOR * similarity
    return scores


def decay(m):
    """ "decay"; notes: half-life of 30 days, undated files never decay"""
    if m.granularity == "chunk" and m.happened is None:
        return 1.0
    return 2 ** (-max(0.0, m.created if m.happened is None else m.happened) / HALF_LIFE)


def mmr(ranked, redundancy, limit, lambda_, duplicate=2.0):
    """ "Maximal Marginal Relevance": the highest lambda * score - (1 - lambda) * redundancy to what was chosen"""
    chosen, remaining = [], list(ranked)
    while remaining and len(chosen) < limit:

        def value(pair):
            most = max((redundancy(pair[0], id) for id, _ in chosen), default=0.0)
            return lambda_ * pair[1] - (1 - lambda_) * max(0.0, most)

        best_one = max(remaining, key=value)  # of equal ones the first
        chosen.append(best_one)
        remaining = [p for p in remaining if p is not best_one and redundancy(p[0], best_one[0]) < duplicate]
    return chosen


def rank(memories, links, question, vector, limit):
    """ "threshold, decay, MMR", in this order"""
    by_id = {m.id: m for m in memories}
    passed = {id: s for id, s in merged(memories, question, vector, limit).items() if s >= THRESHOLD}
    aged = best({id: score * decay(by_id[id]) for id, score in passed.items()}, len(passed))

    def redundancy(a, b):
        first, second = by_id[a].views.get("full"), by_id[b].views.get("full")
        return cosine(first, second) if first is not None and second is not None else 0.0

    return mmr(aged, redundancy, limit, LAMBDA)
