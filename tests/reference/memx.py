"""MemX, "A Local-First Long-Term Memory System for AI Assistants" (document 001)."""

import math

from reference.bm25 import best, by_corpus, in_sight, tokens
from reference.vector import similar

SEMANTIC, RECENCY, FREQUENCY, IMPORTANCE = 0.45, 0.25, 0.05, 0.10  # [Table 1]
HALF_LIFE = 30.0  # [Equation 2]
TAU = 0.50  # [3.6]
K = 60  # [Figure 1]
FLOOR = 0.3  # notes: memories below this cosine are not recalled
CANDIDATES = 3  # notes: three times the limit for each path
STOP_WORDS = {"the", "is", "a", "what", "don", "t"}  # ours: K holds memories with all content words; these are none


def words(text):
    """[5.1] "FTS5 with unicode61 tokenizer" """
    return tokens(text, porter=False)


def vector_recall(memories, vector, n):
    """[Algorithm 1, line 2]"""
    found = similar(in_sight(memories), "full", vector)
    return best({id: cosine for id, cosine in found.items() if cosine >= FLOOR}, n)


def keyword_recall(memories, question, n):
    """[Algorithm 1, line 3; 5.1] FTS5 with unicode61: all content words, as FTS5's own default joins words"""
    wanted = words(question)
    needed = set(wanted) - STOP_WORDS or set(wanted)
    found = by_corpus(memories, lambda m: [(1.0, words(m.text))], wanted)
    matching = {m.id for m in in_sight(memories) if needed <= set(words(m.text))}
    return best({id: score for id, score in found.items() if id in matching}, n)


def fused(*routes):
    """[Algorithm 1, line 4] Reciprocal Rank Fusion"""
    scores = {}
    for route in routes:
        for place, (id, _) in enumerate(route, start=1):
            scores[id] = scores.get(id, 0.0) + 1 / (K + place)
    return scores


def f_rec(age):
    """[Equation 2] 2^(-d/h)"""
    return 2 ** (-age / HALF_LIFE)


def f_freq(count):
    """[Equation 3] min(1, ln(c + 1) / 10)"""
    return min(1.0, math.log(count + 1) / 10)


def composite(f_sem, recency, frequency, importance):
    """[Equation 1]"""
    return SEMANTIC * f_sem + RECENCY * recency + FREQUENCY * frequency + IMPORTANCE * importance


def of_memory(m, f_sem):
    """[Table 1] prefer last_retrieved_at, fall back to created_at; prefer retrieval_count, fall back to access_count"""
    age = m.created if m.retrieved is None else m.retrieved
    return composite(f_sem, f_rec(age), f_freq(m.retrieval_count or m.access_count), m.importance)


def normalised(scores):
    """[Equation 4] z-score and sigmoid, skipped if the deviation is below 10^-6"""
    if not scores:
        return scores
    mean = math.fsum(scores.values()) / len(scores)
    deviation = math.sqrt(math.fsum((s - mean) ** 2 for s in scores.values()) / len(scores))
    if deviation < 1e-6:
        return scores
    return {id: 1 / (1 + math.exp(-(s - mean) / deviation)) for id, s in scores.items()}


def rejects(rule, keyword, v_max, tau=TAU):
    """[Table 10]"""
    return {
        "R1": not keyword and v_max < tau,
        "R2": v_max < tau,
        "R3": not keyword,
        "R4": not keyword or v_max < tau,
        "R5": not keyword and v_max < 0.55,
    }[rule]


def deduplicated(ranked, by_id, exempt=True):
    """[3.5] one of each trimmed content, then one of each tag signature; untagged memories are exempt. [5.4] or not"""
    texts, signatures, kept = set(), set(), []
    for id, score in ranked:
        m = by_id[id]
        if m.text.strip() in texts:
            continue
        texts.add(m.text.strip())
        signature = f"{m.kind}::{'|'.join(sorted(m.tags))}" if m.tags or not exempt else None
        if signature is None or signature not in signatures:
            kept.append((id, score))
        signatures.add(signature)
    return kept


def rank(memories, links, question, vector, limit, rule="R1", tau=TAU, exempt=True):
    """[Algorithm 1] with one of the rules of Table 10"""
    by_id = {m.id: m for m in memories}
    near = vector_recall(memories, vector, limit * CANDIDATES)
    said = keyword_recall(memories, question, limit * CANDIDATES)
    found = fused(near, said)
    if not found:
        return []
    top = max(found.values())  # notes: f_sem is the RRF score as a share of the highest
    scores = normalised({id: of_memory(by_id[id], rrf / top) for id, rrf in found.items()})
    if rejects(rule, bool(said), max((cosine for _, cosine in near), default=-1.0), tau):
        return []
    return deduplicated(best(scores, len(scores)), by_id, exempt)[:limit]
