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
_COSINES = (
    "Precision of the cosines",
    DIFFERS,
    "Vectors are stored as float16, so a cosine has three digits. Up to 65,536 rows all are compared; above that, "
    "sketches choose which ones. PostgreSQL has an HNSW index from 20,000 rows on.",
)

_OPENMEM: list[Row] = [
    ("Text, gist and entities are searched", WRITTEN, "Only these fields count in the statistics."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("top_k × 4 candidates", WRITTEN, ""),
    ("Queries are escaped", WRITTEN, "A question is never a query expression."),
    ("Scores are divided by the highest", WRITTEN, ""),
    ("activated_neighbor = source × edge weight × decay per hop; 2 hops, 0.5, both directions, max wins", WRITTEN, ""),
    ("Edges: mentions, supports, contradicts, depends_on, same_as (its code)", DIFFERS,
     "All kinds of links are followed but `temporal`, `extends` and `similar`. Ingesting and maintenance make those, "
     "partly from embeddings; OpenMem has no such edges. `tend` also makes `mentions`, by rare names."),
    ("0.5 activation + 0.2 recency + 0.2 strength + 0.1 confidence", WRITTEN, ""),
    ("recency = exp(−0.05 × days since last access)", WRITTEN, "A recall counts as access; else the creation."),
    ("Half-life about 14 days, 0.95 after a day, 0.22 after a month", WRITTEN, "`tests/reference/` has these numbers."),
    ("Strength starts at 1.0; reinforce adds 0.1, at most 1.0", WRITTEN, "`recollect reinforce`"),
    ("decay_all: strength × exp(−0.01 × days)", WRITTEN, "`recollect decay`; twice for one moment changes nothing."),
    ("A memory that is no keyword hit surfaces if it is connected to one", WRITTEN, ""),
    ("A score is (…) × status penalty", WRITTEN, "The explanation has each part."),
    ("Confidence is set at creation and never changes automatically", WRITTEN, ""),
    ("Status: active 1.0, superseded 0.5, contradicted 0.3", WRITTEN, ""),
    ("Of two contradicting activated memories, the one with less strength × confidence × recency gets × 0.3", WRITTEN,
     "Once for each `contradicts` link. If both are equal, the one with the lower id is the weaker one."),
    ("supersede links both with 0.3, contradict with 0.8 (its code)", WRITTEN,
     "`recollect supersede` and `contradict`. The first link is of the kind `supersedes`."),
    ("Tokens are len(text) / 4", WRITTEN, "Parts of tokens count."),
    ("Added in score order until top_k or token_budget", WRITTEN, "The first is always kept; the budget is 2,000."),
    ("access_count and last_accessed of returned memories are updated", WRITTEN, ""),
    ("Which memories are searched", DIFFERS,
     "The document names the three statuses and no tier. Archived memories are not searched; `include` asks for them."),
    ("Deterministic, inspectable, fast, no embeddings, no drift", WRITTEN,
     "Ties are ordered by id; every score is explained."),
    ("\"canine\" does not find \"dog\" unless they share entities or edges", WRITTEN, ""),
    ("Lexical overlap and links cover the important cases", OTHER, "`recollect bench quality` compares on your data."),
    ("Memories are activated by cues, spread and compete, like human memory", OTHER, "The idea of the stages above."),
]  # fmt: skip

_MEMX: list[Row] = [
    ("Algorithm 1, lines 1–12, in this order", WRITTEN, ""),
    ("Both recall paths in parallel", DIFFERS,
     "One after the other on SQLite, where they share one processor; at the same time on PostgreSQL. The result is the "
     "same."),
    ("The pipeline is deterministic", WRITTEN, "Ties are ordered by id."),
    ("Content, embedding, type, tags, metadata, importance, two counters with their times (3.2)", WRITTEN,
     "Fields of every memory; the type is `kind`."),
    ("Vector recall by cosine, n candidates", DIFFERS,
     "The paper gives no n. 3 × limit, and cosines below 0.3 are left out, as in its code."),
    ("Keyword recall: FTS5 match with the tokenizer unicode61", WRITTEN, "On the text."),
    ("K may be empty", DIFFERS,
     "A memory must have all content words of the question; the paper does not say how the words are joined. With any "
     "word K would almost never be empty, and R1, R3, R4 and R5 would lose their meaning. A run of Chinese characters "
     "is one word of `unicode61`, so in Chinese K is empty for nearly every question."),
    ("The order within K, which RRF needs", DIFFERS,
     "The paper gives no formula. BM25 with the IDF that the BM25 article prints, within one tenant and granularity."),
    ("RRF, k = 60", WRITTEN, ""),
    ("f_sem: semantic similarity (from RRF score)", DIFFERS,
     "The RRF score divided by the highest candidate's. The paper gives no scale; the raw score is at most 0.033."),
    ("Table 1: 0.45, 0.25, 0.05, 0.10", WRITTEN, ""),
    ("The weights sum to 0.85; only their ratios affect the ranking", WRITTEN, "Because of the z-score."),
    ("f_rec = 2^(−d/h), h configurable, 30 days, of last_retrieved_at, else created_at", WRITTEN,
     "`half_life_days`. A turn was created when it was said."),
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
    ("Seven directed link types, not used by the search", WRITTEN, "All seven can be stored; the recipe follows none."),
    ("DiskANN", DIFFERS, "See the precision of the cosines."),
    _COSINES,
    ("Qwen3-Embedding-0.6B with 1,024 dimensions (5.1)", OTHER, "The model is yours to choose: `--embedder`."),
    ("libSQL, Rust, the embedding API, latencies", OTHER, "The store is yours to choose."),
    ("Local-first, simple, explainable, stability over recall (1, 7)", OTHER, "Aims. Every score is explained."),
    ("Related work (2)", OTHER, "It describes other systems."),
    ("The benchmark framework (4.1)", OTHER,
     "`recollect bench memx` calls the engine directly, makes a store for each run, sweeps τ and writes JSON."),
    ("Metrics and Wilson's interval, z = 1.96 (4.3)", OTHER, "`recollect bench memx`, with the same formulas."),
    _ACTIVE,
    ("Scenarios, Tables 3 to 11, Figure 2, latency (4.2, 5)", OTHER,
     "`recollect bench memx` prints each beside ours, and first what differs."),
    ("Finer granularity is better; deduplication depends on the data (5.4, 5.6)", OTHER,
     "Measured in Tables 5, 7 and 9 of `recollect bench memx`."),
    ("No threshold on the similarity separates the hardest valid query from the easiest miss (5.7)", OTHER,
     "Table 11 of `recollect bench memx`. `default` reads the candidates instead."),
    ("Failure cases and threats to validity (6.1, 6.3)", OTHER, "They hold for this recipe too; see the pitfalls."),
    ("Tables 12 and 13", WRITTEN, "`tests/reference/test_printed_numbers.py` has them."),
    ("Temporal, cross-session and multi-topic retrieval, stronger rejection, adaptive deduplication, attribution (6.4)",
     OTHER, "Future work; see `default` and `feedback`."),
]  # fmt: skip

_SIESTAI: list[Row] = [
    ("score = 0.5 × cosine + 0.3 × importance + 0.2 × recency", WRITTEN, ""),
    ("cosine = 1 − (embedding <=> query)", WRITTEN, ""),
    ("importance from 0.0 to 1.0, by user or system", WRITTEN, ""),
    ("Columns id, agent_id, content, memory_type, importance, created_at, last_accessed_at", WRITTEN,
     "Fields of every memory; agent_id is the namespace, memory_type the `kind`."),
    ("The decay values of 0 to 60 days; after 30 days recency contributes little", WRITTEN,
     "The printed values are in the tests and in `recollect bench siestai`."),
    ("recency = exp(−0.05 × days since last access)", WRITTEN,
     "A recall counts as access; else the creation."),
    ("WHERE agent_id, embedding IS NOT NULL, status = 'active'", DIFFERS,
     "An agent is a namespace, with those below it. Archived memories, which Siestai does not have, are searched only "
     "when asked for. The rest is as written."),
    ("ORDER BY score over all rows, LIMIT top_k", DIFFERS,
     "The nearest max(40 × limit, 1,000) are scored. Exact for stores up to that size; a vector index can't order by "
     "the sum."),
    ("HNSW indexes on agent_memories and team_memories", DIFFERS,
     "On PostgreSQL one index for both (they are namespaces), from 20,000 rows on. SQLite compares."),
    ("vector_cosine_ops: cosine distance", WRITTEN, "Compared as 1 − distance."),
    _COSINES,
    ("Dedup check at 0.92", WRITTEN,
     "By the cosine alone, with every embedder. The page prints no amount: the importance is the higher one + 0.1."),
    ("No search threshold", WRITTEN, ""),
    ("Consolidation clustering at 0.80", WRITTEN,
     "By the cosine alone. Three or more members (its code), at most twelve (ours)."),
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
    ("score = Σ IDF × TF over the query's terms, sorted descending", WRITTEN, "Stop-words are terms like others."),
    ("The tenth occurrence adds almost nothing; a term in every document has an IDF near zero", WRITTEN,
     "`tests/reference/` has both."),
    ("b = 1 normalises fully, b = 0 not at all", WRITTEN, "`b` in the route."),
    ("N and avgdl over the corpus", DIFFERS,
     "Over the memories of one tenant and granularity: tenants never see each other's statistics."),
    ("tokenize = 'porter unicode61'", WRITTEN, "SQLite's own tokenizer makes the tokens."),
    ("Columns title, body, tags", WRITTEN, "gist, text, tags"),
    ("bm25(memories, 10.0, 1.0)", WRITTEN, "Title 10, body 1; FTS5 gives the tags 1."),
    ("MATCH 'PgBouncer connection pooling'", DIFFERS,
     "FTS5 reads this as AND. The article says that a document with one term is scored too, so any word matches."),
    ("'{title}: …' restricts to a column", DIFFERS,
     "`fields = {gist = 10.0}` in the route. Lengths are then those of the title; FTS5 counts the whole row."),
    ("Lower is better, negative scores", DIFFERS, "Higher is better everywhere here."),
    ("The sample's SQL: content=memories, memories_bm25()", DIFFERS,
     "It is not valid in SQLite: a table can't be its own content, and there is no such function. FTS5's own "
     "documentation is followed."),
    ("The index maintains itself; mind the rowid", WRITTEN, "Every change is indexed in the same transaction."),
    _ACTIVE,
    ("Deterministic; no GPU, no key, no model", WRITTEN, "Ties are ordered by id."),
    ("BM25 alone handles 70–80% of queries", OTHER, "`recollect bench quality` compares on your data."),
    ("Hybrid search is better than either (the next article)", OTHER, "`default`, `braindb`, `aingram`, `memweave`"),
    ("Three tiers of memory", OTHER, "`pinned`, `searchable`, `archived`"),
    ("Identifiers, names, short entries: BM25 is better. Paraphrases, concepts, other languages, long texts: vectors",
     OTHER, "`recollect bench bm25` measures each kind and says where ours differs."),
    ("Under a millisecond; Pinecone's latency and cost", OTHER, "`recollect bench bm25` has our times beside them."),
    ("Elasticsearch, Redis, Meilisearch; why vectors alone miss exact matches", OTHER, "Background."),
]  # fmt: skip

_BRAINDB: list[Row] = [
    ("FTS5 BM25 for keyword search", WRITTEN, "`braindb-keyword`; the score is BM25."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("Embedding similarity for semantic search", WRITTEN, "`braindb-semantic`; the score is the cosine."),
    _COSINES,
    ("Hybrid retrieval using Reciprocal Rank Fusion", WRITTEN, "`braindb`; k = 60 and 4 × limit candidates are ours."),
    ("Vector search as a secondary signal", DIFFERS, "The article gives no weights, so both routes count the same."),
    ("Type boosts: decision +0.3, issue −0.1; superseded 0 (its code)", WRITTEN, "score × (1 + boost)"),
    ("Half-lives by type (its code)", DIFFERS,
     "No source that we have prints the numbers, so memories do not age. `recency` with `half_life_days_by_kind` adds "
     "yours."),
    ("Which memories are searched", DIFFERS,
     "The document does not say. Active and superseded ones that are not archived; `include` asks for others."),
    ("A single SQLite file, latency, cost, backup", OTHER,
     "The product's default store; `recollect bench bm25` has the article's table."),
    ("BM25 alone handles the vast majority of queries", OTHER, "`recollect bench bm25` measures it."),
]  # fmt: skip

_AINGRAM: list[Row] = [
    ("FTS5 BM25 for keywords", WRITTEN, ""),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("sqlite-vec for semantic search", WRITTEN, "The cosine; the store's own vectors."),
    _COSINES,
    ("An exact error text is found by its words", WRITTEN, "By the lexical route."),
    ("All signals run in parallel", DIFFERS, "One after the other on SQLite, at the same time on PostgreSQL."),
    ("A knowledge graph for entity relationships", DIFFERS,
     "The article gives no formula. Memories whose entities have the question's words, by BM25 over the entities, and "
     "linked ones up to two hops away, half of the value per hop. Links that ingesting and maintenance make by order, "
     "source or similarity are not followed."),
    ("All three merge via Reciprocal Rank Fusion", WRITTEN, "k = 60 and 3 × limit, from its code."),
    ("rrf × importance × confidence × exp(−0.001 × hours) (its code)", WRITTEN, "Hours since the creation."),
    ("Hash chain of entries, signed with Ed25519 (its code)", OTHER,
     "`recollect chain on` makes the event log a hash chain, which `check` verifies ([chain](chain.md)). It has no "
     "signatures: an earlier hash that is kept elsewhere shows whether the log was written anew."),
    ("Roles, redaction, cluster merge, contradiction check (its code)", OTHER,
     "Keys have roles; `redact_secrets`; `contradict`. `consolidate` and the recognition of updates are those of "
     "`default`: this recipe leaves both out."),
    _ACTIVE,
]  # fmt: skip

_MEMWEAVE: list[Row] = [
    ("score = 0.7 × vector + 0.3 × BM25, configurable", WRITTEN, "BM25 as r / (1 + r), from its code."),
    ("Exact term matching", DIFFERS, "Our analyzer also finds other forms of a word: \"pools\" finds \"pool\"."),
    _FTS5_IDF,
    _NO_TOKENIZER,
    ("A relevance threshold", WRITTEN, "0.35, from its code. Words alone never reach it; `exempt_keyword_only`."),
    ("Time decay", WRITTEN, "Half-life 30 days; undated files do not age (its code)."),
    ("Maximal Marginal Relevance", WRITTEN, 
     "λ 0.7, from its code. A cosine below 0 counts as 0. The score stays; the explanation has `mmr_score`."),
    ("threshold → decay → MMR", WRITTEN, "In this order."),
    ("sqlite-vec ANN", DIFFERS, "See the precision of the cosines."),
    _COSINES,
    ("Both searches run side by side", DIFFERS, "One after the other on SQLite, at the same time on PostgreSQL."),
    ("list[SearchResult]", DIFFERS, "A `Recall` with hits and their explanations."),
    ("Vectors alone returned too many close but not quite right results", OTHER, "Its developers' reason for BM25."),
    ("Markdown files are the truth (its docs)", OTHER, "`ingest_documents` reads files."),
    _ACTIVE,
]  # fmt: skip

_MEMSENSE: list[Row] = [
    ("Eight routes: full, user, assistant, next user, lexical, three facets", WRITTEN,
     "The views of `ingest` ([ingest](ingest.md#views))."),
    ("The routes run in parallel", DIFFERS, "One after the other on SQLite, at the same time on PostgreSQL."),
    _COSINES,
    ("The next user turn is added to the previous chunk later", WRITTEN, "Each `ingest` fills it in."),
    ("PostgreSQL full-text search over task_tag + content", DIFFERS,
     "BM25 over gist and text with our analyzer: `ts_rank` is no BM25, and PostgreSQL requires all words."),
    ("Per route max(max(top_k × 4, 32) × 2, 40)", WRITTEN, ""),
    ("Final candidate limit max(top_k × 4, 32)", WRITTEN, "Applied to the fused list, as its SQL does."),
    ("rrf_score = Σ 1 / (15 + rank)", WRITTEN, ""),
    ("Routes are fused by rank, without their similarities", WRITTEN, ""),
    ("final_score = rrf_score + 0.1 × memory_score, the stored quality score", WRITTEN, "`importance`"),
    ("Confidence and temporal decay are not in the score", WRITTEN, ""),
    ("turn_support = min(0.12, 0.6 × best turn); hybrid = session + support", WRITTEN,
     "A session that no route found but of which a turn was found has the support alone."),
    ("Turn chunks do not enter the final top-k", WRITTEN, ""),
    ("Without a session chunk: chunk-level ranking", WRITTEN, ""),
    ("redundancy = max(embedding similarity, 0.35 × tag Jaccard)", WRITTEN,
     "Without a vector the similarity is 0."),
    ("mmr_score = λ × final_score − (1 − λ) × max_redundancy, λ = 0.78", WRITTEN, "`scale = true` scales both first."),
    ("duplicate_threshold = 0.94", WRITTEN,
     "A candidate with at least this redundancy to a chosen one is left out; the page does not say how it is used."),
    ("Neighbor expansion on the fallback path only", WRITTEN, "One before and after, by position in the session."),
    ("Whether neighbours are among the top-k", DIFFERS,
     "The page does not say. Ours belong to their hit (`Hit.neighbours`), are shown by `context()` and take no place."),
    ("Session chunks remain the memory that the prompt sees", WRITTEN, ""),
    ("session_rrf_score, turn_support, supporting_turn_count, best_turn_routes", WRITTEN,
     "The parts of the explanation have these names."),
    ("rrf_score, routes, final_score, explain", DIFFERS,
     "Names only: the part `relevance` of the explanation, `Hit.routes`, `Hit.score` and `Hit.explanation`."),
    ("--mode hybrid ingestion", WRITTEN, "`ingest(granularity=\"session+round\")`"),
    ("Timely, confident results, shaped by the type of memory", OTHER,
     "Aims. The page says itself that confidence and time are not in the score, and it prints no term for the type."),
    ("Too literal, too repetitive, too stale: what a naive memory does wrong", OTHER,
     "Reasons for the routes, for the MMR and for aims that the score does not have."),
    ("Where its code is split", OTHER, "`ARCHITECTURE.md` says where ours is."),
    _ACTIVE,
]  # fmt: skip

_VECTOR: list[Row] = [
    ("Store the vectors and do a cosine similarity search (the BM25 article)", WRITTEN, ""),
    _COSINES,
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
