"""The numbers that the MemX paper printed. Shares are in percent, as in the paper."""

from __future__ import annotations

EMBEDDER = "Qwen3-Embedding-0.6B, 1,024 dimensions"

TABLE_3 = {
    "default": {
        "Records": "1,014",
        "Hit@1": "91.3 [73, 98]",
        "Hit@5": "95.7 [79, 99]",
        "Coverage@5": "91.3",
        "MRR": "0.935",
        "Miss-Empty": "50.0 [9, 91]",
        "Miss-Strict": "100.0 [34, 100]",
        "Avg ms": "538.3",
        "P95 ms": "679.0",
    },
    "high_confusion": {
        "Records": "600",
        "Hit@1": "100.0 [78, 100]",
        "Hit@5": "100.0 [78, 100]",
        "Coverage@5": "75.0",
        "MRR": "1.000",
        "Miss-Empty": "75.0 [30, 95]",
        "Miss-Strict": "75.0 [30, 95]",
        "Avg ms": "397.7",
        "P95 ms": "459.8",
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

TABLE_7 = {
    "V": ("30.2", "56.6", "0.406", "44.2", "89.6"),
    "Full, as printed": ("29.8", "51.6", "0.380", "41.5", "88.2"),
}
"""Configuration → Hit@1, Hit@5, MRR, TC@5, average ms; 220,349 facts."""

TABLE_8 = (
    ("Default", "1,014", "545", "2.2", "538", "679"),
    ("High-Confusion", "600", "389", "1.6", "398", "460"),
    ("Session (LIKE)", "19,195", "98.6", "286.7", "385", "1,418"),
    ("Session (FTS5)", "19,195", "15.8", "1.6", "17.3", "20"),
    ("Round (LIKE)", "100,486", "177.8", "3,305", "3,483", "6,919"),
    ("Round (FTS5)", "100,486", "31.7", "2.9", "34.6", "60"),
    ("Fact (FTS5)", "220,349", "87.1", "1.1", "88.2", "134"),
)
"""Scenario, records, vector, keyword, total, p95 ms."""

TABLE_9 = {
    "V": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "0.0 [0, 39]", "83.3 [44, 97]"),
    "V+K": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "0.0 [0, 39]", "83.3 [44, 97]"),
    "V+K+Rej": ("94.6 [82, 99]", "94.6 [82, 99]", "81.0", "66.7 [30, 90]", "83.3 [44, 97]"),
    "Full": ("94.6 [82, 99]", "97.3 [86, 100]", "83.2", "66.7 [30, 90]", "83.3 [44, 97]"),
}
"""Configuration → Hit@1, Hit@3, TC@k, Miss-Empty, Miss-Strict over 37 + 6 questions."""

TABLE_11 = {"R1": (0, 1), "R2": (1, 1), "R3": (18, 1), "R4": (19, 0), "R5": (1, 1)}
"""Rule → valid questions that were refused (of 21), misses that were let through (of 3)."""

ABILITIES = {
    "single-session-user": "information extraction",
    "single-session-assistant": "information extraction",
    "single-session-preference": "information extraction",
    "knowledge-update": "knowledge update",
    "multi-session": "multi-session reasoning",
    "temporal-reasoning": "temporal reasoning",
}
"""LongMemEval's question types under the paper's names."""
