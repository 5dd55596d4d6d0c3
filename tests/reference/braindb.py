"""BrainDB, as the BM25 article describes it [BrainDB: SQLite + FTS5 as the Complete Memory Backend]."""

from reference.bm25 import all_fields, best, by_corpus, in_sight, words
from reference.memx import fused
from reference.vector import similar

BOOST = {"decision": 0.3, "issue": -0.1}  # notes
STATUSES = ("active", "superseded")
DEPTH = 4  # ours: candidates for each search, times the limit


def boosted(scores, memories):
    """notes: type boosts; a superseded memory scores 0"""
    by_id = {m.id: m for m in memories}
    return {
        id: 0.0 if by_id[id].status == "superseded" else score * (1 + BOOST.get(by_id[id].kind, 0.0))
        for id, score in scores.items()
    }


def said(memories, question, limit):
    """ "FTS5 BM25 for keyword search" """
    found = by_corpus(memories, all_fields, words(question))
    admitted = {m.id for m in in_sight(memories, STATUSES)}
    return best({id: score for id, score in found.items() if id in admitted}, limit * DEPTH)


def near(memories, vector, limit):
    """ "embedding similarity for semantic search" """
    return best(similar(in_sight(memories, STATUSES), "full", vector), limit * DEPTH)


def keyword(memories, links, question, vector, limit):
    """The first of "three search modes": "FTS5 BM25 for keyword search" """
    return best(boosted(dict(said(memories, question, limit)), memories), limit)


def semantic(memories, links, question, vector, limit):
    """The second: "embedding similarity for semantic search" """
    return best(boosted(dict(near(memories, vector, limit)), memories), limit)


def rank(memories, links, question, vector, limit):
    """ "hybrid retrieval using Reciprocal Rank Fusion" """
    found = fused(said(memories, question, limit), near(memories, vector, limit))
    return best(boosted(found, memories), limit)
