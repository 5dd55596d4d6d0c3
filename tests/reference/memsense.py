"""MemSense, how it ranks and selects memories (document 004). The page has no headings, so functions quote it."""

from reference.bm25 import best, by_corpus, in_sight, words
from reference.memweave import mmr
from reference.vector import cosine, similar

VIEWS = {
    "vec_full": "full",
    "vec_user": "user",
    "vec_asst": "assistant",
    "vec_next_user": "next_user",
    "facet_personal_info": "personal_info",
    "facet_preferences": "preferences",
    "facet_events": "events",
}
K = 15
MEMORY_SCORE = 0.1
CAP, FACTOR = 0.12, 0.6
LAMBDA, DUPLICATE, TAGS = 0.78, 0.94, 0.35


def per_route(top_k):
    """ "per-route candidates: max(max(top_k * 4, 32) * 2, 40)" """
    return max(max(top_k * 4, 32) * 2, 40)


def final_limit(top_k):
    """ "final candidate limit before MMR: max(top_k * 4, 32)" """
    return max(top_k * 4, 32)


def routes(memories, question, vector, top_k):
    """ "Memsense recalls candidates from eight parallel routes"; the lexical one over task_tag + content"""
    visible = in_sight(memories)
    seen = {m.id for m in visible}
    said = by_corpus(memories, lambda m: [(1.0, words(m.gist)), (1.0, words(m.text))], words(question))
    found = {name: similar(visible, view, vector) for name, view in VIEWS.items()}
    found["lexical"] = {id: score for id, score in said.items() if id in seen}
    return {name: best(scores, per_route(top_k)) for name, scores in found.items()}


def rrf(ranked, top_k):
    """ "rrf_score = sum(1 / (15 + rank_in_route))", in the order of the names, so that it rounds alike"""
    scores = {}
    for name in sorted(ranked):
        for place, (id, _) in enumerate(ranked[name], start=1):
            scores[id] = scores.get(id, 0.0) + 1 / (K + place)
    return dict(best(scores, final_limit(top_k)))


def turn_support(best_turn):
    """ "turn_support = min(0.12, 0.6 * best_turn_rrf_score_for_same_session)" """
    return min(CAP, FACTOR * best_turn)


def session_first(scores, memories):
    """ "hybrid_rrf_score = session_rrf_score + turn_support"; without one "the normal chunk-level ranking" """
    by_id = {m.id: m for m in memories}
    turns = {}
    for id, score in scores.items():
        m = by_id[id]
        if m.granularity != "session" and m.session_id:
            turns[m.session_id] = max(turns.get(m.session_id, 0.0), score)
    sessions = {
        m.id: scores.get(m.id, 0.0) + (turn_support(turns[m.session_id]) if m.session_id in turns else 0.0)
        for m in in_sight(memories)
        if m.granularity == "session" and (m.id in scores or m.session_id in turns)
    }
    return sessions or scores


def redundancy_of(by_id):
    """ "redundancy = max(embedding_similarity, 0.35 * tag_jaccard)" """

    def redundancy(a, b):
        first, second = by_id[a], by_id[b]
        both = "full" in first.views and "full" in second.views
        embedding = cosine(first.views["full"], second.views["full"]) if both else 0.0
        union = set(first.tags) | set(second.tags)
        jaccard = len(set(first.tags) & set(second.tags)) / len(union) if union else 0.0
        return max(embedding, TAGS * jaccard)

    return redundancy


def neighbours(memories, id):
    """neighbor expansion; notes: one before and after in the same session, only on the fallback path"""
    own = next(m for m in memories if m.id == id)
    beside = [m for m in in_sight(memories) if (m.session_id, m.granularity) == (own.session_id, own.granularity)]
    order = [m.id for m in sorted(beside, key=lambda m: (m.turn, m.id))] if own.session_id else [id]
    place = order.index(id)
    return order[max(0, place - 1) : place] + order[place + 1 : place + 2]


def rank(memories, links, question, vector, limit):
    """ "final_score = rrf_score + 0.1 * memory_score", then "mmr_score = lambda * final_score - (1 - lambda) * …" """
    by_id = {m.id: m for m in memories}
    scores = session_first(rrf(routes(memories, question, vector, limit), limit), memories)
    final = {id: score + MEMORY_SCORE * by_id[id].importance for id, score in scores.items()}
    return mmr(best(final, len(final)), redundancy_of(by_id), limit, LAMBDA, DUPLICATE)
