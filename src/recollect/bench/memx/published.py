"""The numbers that the MemX paper printed. Shares are in percent, as in the paper."""

from __future__ import annotations

EMBEDDER = "Qwen3-Embedding-0.6B, 1,024 dimensions"
TAU = 0.50
"""The rejection threshold of section 5.1."""
LIMIT = 5
"""Hits per question. The paper names no number, but its MRR of 0.935 in table 3 is that of a list of five: the answer
that is not among the first five counts nothing."""

TABLE_3 = {
    "default": {
        "Records": "1,014",
        "Queries (rel / miss)": "23 / 2",
        "Hit@1": "91.3 [73, 98]",
        "Hit@5": "95.7 [79, 99]",
        "Coverage@5": "91.3",
        "MRR": "0.935",
        "Miss-Empty": "50.0 [9, 91]",
        "Miss-Strict": "100.0 [34, 100]",
        "Avg ms": "538.32",
        "P95 ms": "679.01",
    },
    "high_confusion": {
        "Records": "600",
        "Queries (rel / miss)": "14 / 4",
        "Hit@1": "100.0 [78, 100]",
        "Hit@5": "100.0 [78, 100]",
        "Coverage@5": "75.0",
        "MRR": "1.000",
        "Miss-Empty": "75.0 [30, 95]",
        "Miss-Strict": "75.0 [30, 95]",
        "Avg ms": "397.68",
        "P95 ms": "459.84",
    },
}
"""Scenario → metric → value."""

TABLE_4 = {
    0.48: ("95.7", "62.5", "87.5"),
    0.50: ("95.7", "62.5", "87.5"),
    0.52: ("93.5", "62.5", "87.5"),
    0.64: ("87.0", "100.0", "87.5"),
}
"""tau → average Hit@1, Miss-Empty, Miss-Strict."""

QUESTIONS = 500
"""Of LongMemEval; 30 of them have ids that end in `_abs`."""

TABLE_5 = {
    "session": ("19,195", "14.8", "24.6", "0.183", "19.5"),
    "round": ("100,486", "17.2", "27.0", "0.207", "21.0"),
    "fact": ("220,349", "29.8", "51.6", "0.380", "41.5"),
}
"""Granularity → records, Hit@1, Hit@5, MRR, TC@5."""

TABLE_6 = {
    "information extraction": {"session": ("36.5", ".298"), "round": ("39.7", ".324"), "fact": ("55.8", ".379")},
    "knowledge update": {"session": ("30.8", ".218"), "round": ("44.9", ".360"), "fact": ("75.6", ".624")},
    "multi-session reasoning": {"session": ("18.0", ".117"), "round": ("15.0", ".110"), "fact": ("43.6", ".323")},
    "temporal reasoning": {"session": ("13.5", ".093"), "round": ("13.5", ".078"), "fact": ("40.6", ".296")},
}
"""Ability → granularity → Hit@5, MRR."""

ABILITY_COUNTS = {
    "information extraction": 156,
    "knowledge update": 78,
    "multi-session reasoning": 133,
    "temporal reasoning": 133,
}

TABLE_7 = {
    "V": ("30.2", "56.6", "0.406", "44.2", "89.6"),
    "Full": ("29.8", "51.6", "0.380", "41.5", "88.2"),
}
"""Configuration → Hit@1, Hit@5, MRR, TC@5, average ms; 220,349 facts."""

TABLE_8: dict[str, tuple[int, float, float, float, float]] = {
    "Default": (1_014, 545, 2.2, 538, 679),
    "High-Confusion": (600, 389, 1.6, 398, 460),
    "Session (LIKE)": (19_195, 98.6, 286.7, 385, 1_418),
    "Session (FTS5)": (19_195, 15.8, 1.6, 17.3, 20),
    "Round (LIKE)": (100_486, 177.8, 3_305, 3_483, 6_919),
    "Round (FTS5)": (100_486, 31.7, 2.9, 34.6, 60),
    "Fact (FTS5)": (220_349, 87.1, 1.1, 88.2, 134),
}
"""Scenario → records; milliseconds of vector search, keyword search and the whole search: means, and the P95."""

TABLE_9 = {
    "V": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "0.0 [0, 39]", "83.3 [44, 97]"),
    "V+K": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "0.0 [0, 39]", "83.3 [44, 97]"),
    "V+K+Rej": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "66.7 [30, 90]", "83.3 [44, 97]"),
    "Full": ("94.6 [82, 99]", "97.3 [86, 100]", "83.2", "66.7 [30, 90]", "83.3 [44, 97]"),
}
"""Configuration → Hit@1, Hit@3, TC@k, Miss-Empty, Miss-Strict over 37 + 6 questions."""

TABLE_10 = {
    "R1": "no keyword hit and v_max < tau",
    "R2": "v_max < tau",
    "R3": "no keyword hit",
    "R4": "no keyword hit or v_max < tau",
    "R5": "no keyword hit and v_max < 0.55",
}
"""Rule → the condition to reject."""

TABLE_11_QUERIES: dict[str, tuple[float, bool, bool, str]] = {
    "job_lookup": (0.504, False, True, "yynnn"),
    "incident_kw": (0.490, True, True, "ynyny"),
    "hard_miss": (0.453, False, False, "nnnnn"),
    "cloud_region_miss": (0.621, False, False, "yynny"),
}
"""Query → v_max, whether there is a keyword hit, whether it has an answer, and whether R1 to R5 accept it (y or n)."""

TABLE_11 = {"R1": (0, 1), "R2": (1, 1), "R3": (18, 1), "R4": (19, 0), "R5": (1, 1)}
"""Rule → valid questions that were refused (of 21), misses that were let through (of 3)."""

TABLE_12 = {"A": (50, 2, 1, 15), "B": (3, 25, 30, 1), "C": (40, 40, 60, 60)}
"""Profile → accesses, retrievals, days since the last access, days since the last retrieval."""
TABLE_12_NAMES = {"A": "admin-heavy", "B": "search-heavy", "C": "stale"}

TABLE_13 = {
    "retrieval": {"A": (0.707, 0.110, 0.577), "B": (0.977, 0.326, 0.656), "C": (0.250, 0.371, 0.476)},
    "access": {"A": (0.977, 0.393, 0.659), "B": (0.500, 0.139, 0.527), "C": (0.250, 0.371, 0.476)},
}
"""Strategy → profile → f_rec, f_freq, score. f_sem is 0.70 and f_imp 0.80 for all."""
TABLE_13_RANKING = {"retrieval": "B > A > C", "access": "A > B > C"}

ABILITIES = {
    "single-session-user": "information extraction",
    "single-session-assistant": "information extraction",
    "single-session-preference": "information extraction",
    "knowledge-update": "knowledge update",
    "multi-session": "multi-session reasoning",
    "temporal-reasoning": "temporal reasoning",
}
"""LongMemEval's question types under the paper's names."""
