"""Each statement of a recipe's document, and what the recipe does with it. docs/recipes.md shows them as tables.

A row is (statement, verdict, explanation). The verdicts are the three constants below. "Differs" says why.
"""

from __future__ import annotations

WRITTEN, DIFFERS, OTHER = "as written", "differs", "not part of retrieval"
Row = tuple[str, str, str]

_NO_TOKENIZER = (
    "The words of FTS5",
    DIFFERS,
    "The document names no tokenizer and does not say how words are joined. Our analyzer is used, and one content word "
    "of the question is enough; `analyzer` and `match` in the route set others.",
)
_FTS5_IDF = (
    "FTS5's built-in BM25",
    DIFFERS,
    "The formula is FTS5's, with the IDF that the BM25 article prints. FTS5's own IDF is almost zero for a word in "
    "half of the memories, so in a small store it separates nothing. The statistics are those of one tenant and "
    "granularity, not of the whole table.",
)
_ACTIVE = (
    "Which memories are searched",
    DIFFERS,
    "The document does not say. Active memories that are not archived; `include` asks for others.",
)

_OPENMEM: list[Row] = [
    ("Text, gist and entities are searched", WRITTEN, "Only these fields count in the statistics."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("top_k × 4 candidates", WRITTEN, ""),
    ("Queries are escaped", WRITTEN, "A question is never a query expression."),
    ("Scores are divided by the highest", WRITTEN, ""),
    ("activated_neighbor = source × edge weight × decay per hop; 2 hops, 0.5, both directions, max wins", WRITTEN, ""),
    ("0.5 activation + 0.2 recency + 0.2 strength + 0.1 confidence", WRITTEN, ""),
    ("recency = exp(−0.05 × days since last access)", WRITTEN, "A recall counts as access; else the creation."),
    ("Half-life about 14 days, 0.95 after a day, 0.22 after a month", WRITTEN, "`tests/reference/` has these numbers."),
    ("Strength starts at 1.0; reinforce adds 0.1, at most 1.0", WRITTEN, "`recollect reinforce`"),
    ("decay_all: strength × exp(−0.01 × days)", WRITTEN, "`recollect decay`; twice for one moment changes nothing."),
    ("Confidence is set at creation and never changes automatically", WRITTEN, ""),
    ("Status: active 1.0, superseded 0.5, contradicted 0.3", WRITTEN, ""),
    ("Of two contradicting activated memories, the one with less strength × confidence × recency gets × 0.3", WRITTEN,
     "Once for each `contradicts` link. If both are equal, the one with the lower id is the weaker one."),
    ("Tokens are len(text) / 4", WRITTEN, "Parts of tokens count."),
    ("Added in score order until top_k or token_budget", WRITTEN, "The first is always kept; the budget is 2,000."),
    ("access_count and last_accessed of returned memories are updated", WRITTEN, ""),
    ("Which memories are searched", DIFFERS,
     "The document names the three statuses and no tier. Archived memories are not searched; `include` asks for them."),
    ("Deterministic, inspectable, fast, no embeddings, no drift", WRITTEN,
     "Ties are ordered by id; every score is explained."),
    ("\"canine\" does not find \"dog\" unless they share entities or edges", WRITTEN, ""),
]  # fmt: skip

_MEMX: list[Row] = [
    ("Algorithm 1, lines 1–12, in this order", WRITTEN, ""),
    ("The pipeline is deterministic", WRITTEN, "Ties are ordered by id."),
    ("Content, embedding, type, tags, metadata, importance, two counters with their times (3.2)", WRITTEN,
     "Fields of every memory; the type is `kind`."),
    ("Vector recall by cosine, n candidates", DIFFERS,
     "The paper gives no n. 3 × limit, and cosines below 0.3 are left out, as in its code."),
    ("Keyword recall: FTS5 match with the tokenizer unicode61", WRITTEN, "On the text."),
    ("K may be empty", DIFFERS,
     "A memory must have all content words of the question; the paper does not say how the words are joined. With any "
     "word K would almost never be empty, and R1, R3, R4 and R5 would lose their meaning."),
    ("The order within K, which RRF needs", DIFFERS,
     "The paper gives no formula. BM25 with the IDF that the BM25 article prints, within one tenant and granularity."),
    ("RRF, k = 60", WRITTEN, ""),
    ("f_sem: semantic similarity (from RRF score)", DIFFERS,
     "The RRF score divided by the highest candidate's. The paper gives no scale; the raw score is at most 0.033."),
    ("Table 1: 0.45, 0.25, 0.05, 0.10", WRITTEN, ""),
    ("f_rec = 2^(−d/30) of last_retrieved_at, else created_at", WRITTEN, "A turn was created when it was said."),
    ("f_freq = min(1, ln(c + 1) / 10) of retrieval_count, else access_count", WRITTEN, ""),
    ("f_imp: explicit annotation", WRITTEN, "`importance`"),
    ("z-score and sigmoid, skipped if σ < 10⁻⁶", WRITTEN, "Population deviation."),
    ("One memory of each trimmed content, the best", WRITTEN,
     "The same text word for word is one memory already when it is stored; `dedup=False` keeps both."),
    ("One memory of each type and tag set; untagged ones are exempt", WRITTEN,
     "Section 3.5. Table 7 says that untagged facts share one signature: set `exempt_untagged = false` for it."),
    ("Reject if K = ∅ and the highest similarity < τ; τ = 0.50", WRITTEN,
     "With every embedder. The paper says that τ must be recalibrated for another model: `reject.tau`."),
    ("Rules R1 to R5 (Table 10)", WRITTEN, "`reject.rule`"),
    ("Access and retrieval are counted apart", WRITTEN, "`get` counts as access, a recall as retrieval."),
    ("Nothing after a rejection", WRITTEN, ""),
    ("Seven link types, not used by the search", WRITTEN, "All seven can be stored; the recipe follows none."),
    ("DiskANN", DIFFERS, "Exact comparison up to 65,536 rows, above that sign bits and rescoring; HNSW on PostgreSQL."),
    ("libSQL, Rust, the embedding API, latencies", OTHER, "The store and the model are yours to choose."),
    _ACTIVE,
    ("Scenarios, metrics, Tables 3 to 11, Figure 2", OTHER, "`recollect bench memx`"),
    ("Tables 12 and 13", WRITTEN, "`tests/reference/test_printed_numbers.py` has them."),
    ("Temporal, cross-session and multi-topic retrieval, stronger rejection, adaptive deduplication, attribution (6.4)",
     OTHER, "Future work; see `default` and `feedback`."),
]  # fmt: skip

_SIESTAI: list[Row] = [
    ("score = 0.5 × cosine + 0.3 × importance + 0.2 × recency", WRITTEN, ""),
    ("cosine = 1 − (embedding <=> query)", WRITTEN, ""),
    ("importance from 0.0 to 1.0", WRITTEN, ""),
    ("recency = exp(−0.05 × days since last access)", WRITTEN,
     "A recall counts as access; else the creation. The printed curve is in the tests."),
    ("WHERE agent_id, embedding IS NOT NULL, status = 'active'", DIFFERS,
     "An agent is a namespace, with those below it. Archived memories, which Siestai does not have, are searched only "
     "when asked for. The rest is as written."),
    ("ORDER BY score over all rows, LIMIT top_k", DIFFERS,
     "The nearest max(40 × limit, 1,000) are scored. Exact for stores up to that size; a vector index can't order by "
     "the sum."),
    ("HNSW indexes on agent_memories and team_memories", DIFFERS,
     "On PostgreSQL one index for both (they are namespaces), from 20,000 rows on. SQLite compares."),
    ("Dedup check at 0.92", WRITTEN, "By the cosine alone, with every embedder; the importance is raised by 0.1."),
    ("No search threshold", WRITTEN, ""),
    ("Consolidation clustering at 0.80", WRITTEN, "By the cosine alone, three or more, at most twelve members."),
    ("The page on context assembly", OTHER, "`assemble` has the layers ([maintenance](maintenance.md))."),
    ("Session briefs (its schema)", OTHER,
     "`brief` and `recollect brief`: what a session told, replaced and plans, without a model; with one, a summary "
     "besides ([profile](profile.md#the-brief-of-a-session)). Not a layer of `assemble`: its layer *recent* holds the "
     "statements of the last days already, so a brief would repeat them."),
    ("The pages on schema and configuration", OTHER, "Every threshold is a number of the recipe."),
]  # fmt: skip

_BM25: list[Row] = [
    ("TF = f (k1 + 1) / (f + k1 (1 − b + b |D| / avgdl))", WRITTEN, ""),
    ("k1 from 1.2 to 2.0, lower for short entries", WRITTEN, "1.2"),
    ("IDF = ln((N − n + 0.5) / (n + 0.5) + 1)", WRITTEN, ""),
    ("b = 0.75", WRITTEN, ""),
    ("score = Σ IDF × TF over the query's terms", WRITTEN, "Stop-words are terms like others."),
    ("N and avgdl over the corpus", DIFFERS,
     "Over the memories of one tenant and granularity: tenants never see each other's statistics."),
    ("tokenize = 'porter unicode61'", WRITTEN, "SQLite's own tokenizer makes the tokens."),
    ("Columns title, body, tags", WRITTEN, "gist, text, tags"),
    ("bm25(memories, 10.0, 1.0)", WRITTEN, "Title 10, body 1; FTS5 gives the tags 1."),
    ("MATCH 'PgBouncer connection pooling'", DIFFERS,
     "FTS5 reads this as AND. The article says that a document with one term is scored too, so any word matches."),
    ("'{title}: …' restricts to a column", WRITTEN, "`fields = {gist = 1.0}`"),
    ("Lower is better, negative scores", DIFFERS, "Higher is better everywhere here."),
    ("The index maintains itself; mind the rowid", WRITTEN, "Every change is indexed in the same transaction."),
    _ACTIVE,
    ("Deterministic; no GPU, no key, no model", WRITTEN, "Ties are ordered by id."),
    ("BM25 alone handles 70–80% of queries", OTHER, "`recollect bench quality` compares on your data."),
    ("Hybrid search is better than either (the next article)", OTHER, "`default`, `braindb`, `aingram`, `memweave`"),
    ("Three tiers of memory", OTHER, "`pinned`, `searchable`, `archived`"),
    ("Pinecone comparison, when vectors are better", OTHER, "`recollect bench quality` compares on your data."),
]  # fmt: skip

_BRAINDB: list[Row] = [
    ("FTS5 BM25 for keyword search", WRITTEN, "`braindb-keyword`; the score is BM25."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("Embedding similarity for semantic search", WRITTEN, "`braindb-semantic`; the score is the cosine."),
    ("Hybrid retrieval using Reciprocal Rank Fusion", WRITTEN, "`braindb`; k = 60 and 4 × limit candidates are ours."),
    ("Vector search as a secondary signal", DIFFERS, "The article gives no weights, so both routes count the same."),
    ("Type boosts: decision +0.3, issue −0.1; superseded 0 (its code)", WRITTEN, "score × (1 + boost)"),
    ("Half-lives by type (its code)", DIFFERS,
     "No source that we have prints the numbers, so memories do not age. `recency` with `half_life_days_by_kind` adds "
     "yours."),
    ("Which memories are searched", DIFFERS,
     "The document does not say. Active and superseded ones that are not archived; `include` asks for others."),
    ("A single SQLite file, latency, cost, backup", OTHER, "The product's default store."),
]  # fmt: skip

_AINGRAM: list[Row] = [
    ("FTS5 BM25 for keywords", WRITTEN, ""),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("sqlite-vec for semantic search", WRITTEN, "The cosine; the store's own vectors."),
    ("A knowledge graph for entity relationships", DIFFERS,
     "The article gives no formula. Memories whose entities have the question's words, by BM25 over the entities, and "
     "linked ones up to two hops away, half of the value per hop."),
    ("All three merge via Reciprocal Rank Fusion", WRITTEN, "k = 60 and 3 × limit, from its code."),
    ("rrf × importance × confidence × exp(−0.001 × hours) (its code)", WRITTEN, "Hours since the creation."),
    ("Hash chain of entries, signed with Ed25519 (its code)", OTHER,
     "`recollect chain on` makes the event log a hash chain, which `check` verifies ([chain](chain.md)). It has no "
     "signatures: an earlier hash that is kept elsewhere shows whether the log was written anew."),
    ("Roles, redaction, cluster merge, contradiction check (its code)", OTHER,
     "Keys have roles; `redact_secrets`; `consolidate`; updates and `contradict`."),
    _ACTIVE,
]  # fmt: skip

_MEMWEAVE: list[Row] = [
    ("score = 0.7 × vector + 0.3 × BM25, configurable", WRITTEN, "BM25 as r / (1 + r), from its code."),
    ("Exact term matching", DIFFERS, "Our analyzer also finds other forms of a word: \"pools\" finds \"pool\"."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("A relevance threshold", WRITTEN, "0.35, from its code. Words alone never reach it; `exempt_keyword_only`."),
    ("Time decay", WRITTEN, "Half-life 30 days; undated files do not age (its code)."),
    ("Maximal Marginal Relevance", WRITTEN, "λ 0.7, from its code. The score stays; the explanation has `mmr_score`."),
    ("threshold → decay → MMR", WRITTEN, "In this order."),
    ("sqlite-vec ANN", DIFFERS, "Exact comparison up to 65,536 rows."),
    ("Markdown files are the truth (its docs)", OTHER, "`ingest_documents` reads files."),
    _ACTIVE,
]  # fmt: skip

_MEMSENSE: list[Row] = [
    ("Eight routes: full, user, assistant, next user, lexical, three facets", WRITTEN,
     "The views of `ingest` ([ingest](ingest.md#views))."),
    ("PostgreSQL full-text search over task_tag + content", DIFFERS,
     "BM25 over gist and text with our analyzer: `ts_rank` is no BM25, and PostgreSQL requires all words."),
    ("Per route max(max(top_k × 4, 32) × 2, 40)", WRITTEN, ""),
    ("Final candidate limit max(top_k × 4, 32)", WRITTEN, "Applied to the fused list, as its SQL does."),
    ("rrf_score = Σ 1 / (15 + rank)", WRITTEN, ""),
    ("final_score = rrf_score + 0.1 × memory_score", WRITTEN, "`importance`"),
    ("Confidence and temporal decay are not in the score", WRITTEN, ""),
    ("turn_support = min(0.12, 0.6 × best turn); hybrid = session + support", WRITTEN,
     "A session that no route found but of which a turn was found has the support alone."),
    ("Turn chunks do not enter the final top-k", WRITTEN, ""),
    ("Without a session chunk: chunk-level ranking", WRITTEN, ""),
    ("redundancy = max(embedding similarity, 0.35 × tag Jaccard)", WRITTEN, "0 without a vector."),
    ("mmr_score = λ × final_score − (1 − λ) × max_redundancy, λ = 0.78", WRITTEN, "`scale = true` scales both first."),
    ("duplicate_threshold = 0.94", WRITTEN,
     "A candidate with at least this redundancy to a chosen one is left out; the page does not say how it is used."),
    ("Neighbor expansion on the fallback path", WRITTEN, "One before and after by position; shown by `context()`."),
    ("rrf_score, routes, final_score, explain; session_rrf_score, turn_support, supporting_turn_count, "
     "best_turn_routes", WRITTEN, "The parts of the explanation have these names."),
    ("--mode hybrid ingestion", WRITTEN, "`ingest(granularity=\"session+round\")`"),
    ("Timely, confident results, shaped by the type of memory", OTHER,
     "Aims. The page says itself that confidence and time are not in the score, and it prints no term for the type."),
    ("Where its code is split", OTHER, ""),
    _ACTIVE,
]  # fmt: skip

_VECTOR: list[Row] = [
    ("Store the vectors and do a cosine similarity search (the BM25 article)", WRITTEN, ""),
    _ACTIVE,
]

STATEMENTS: dict[str, list[Row]] = {
    "openmem": _OPENMEM,
    "memx": _MEMX,
    "siestai": _SIESTAI,
    "bm25": _BM25,
    "braindb": _BRAINDB,
    "braindb-keyword": _BRAINDB,
    "braindb-semantic": _BRAINDB,
    "aingram": _AINGRAM,
    "memweave": _MEMWEAVE,
    "memsense": _MEMSENSE,
    "vector": _VECTOR,
}


def table(name: str) -> list[str]:
    """The table of a recipe, as lines of Markdown; none for our own recipes, which follow no document."""
    rows = STATEMENTS.get(name, [])
    head = ["What its document says, and what the recipe does:\n", "| statement | recipe | |", "|---|---|---|"]
    lines = [f"| {_cell(statement)} | {verdict} | {_cell(why)} |" for statement, verdict, why in rows]
    return [*head, *lines, ""] if rows else []


def _cell(text: str) -> str:
    return text.replace("|D|", "len(D)").replace("|", "\\|")
