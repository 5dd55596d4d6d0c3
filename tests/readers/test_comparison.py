"""The reader compares the passages of a question, and says whether the answer is among them."""

import math
from datetime import UTC, datetime

import numpy as np

from recollect.readers.comparison import HEADS, LAYERS, Comparison
from recollect.readers.protocol import Passage
from recollect.readers.recollect_reader import RecollectReader, features

NOW = datetime(2026, 11, 1, tzinfo=UTC)
WIDE, DIM, FEATURES = 8, 6, 9


def random_weights(chance):
    sizes = {"inp": (WIDE, DIM + FEATURES + 2), "none": (1, WIDE)}
    for n in range(LAYERS):
        sizes |= {f"layers.{n}.qkv": (3 * WIDE, WIDE), f"layers.{n}.o": (WIDE, WIDE)}
        sizes |= {f"layers.{n}.f1": (2 * WIDE, WIDE), f"layers.{n}.f2": (WIDE, 2 * WIDE)}
    held = {f"{name}.weight": chance.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    held |= {f"{name}.bias": chance.normal(size=size[0]).astype(np.float32) for name, size in sizes.items()}
    for name in ("norm", *(f"layers.{n}.n{k}" for n in range(LAYERS) for k in (1, 2))):
        held |= {f"{name}.weight": chance.normal(size=WIDE).astype(np.float32)}
        held |= {f"{name}.bias": chance.normal(size=WIDE).astype(np.float32)}
    return held | {"null": chance.normal(size=WIDE).astype(np.float32)}


def plainly(held, rows):
    """The same network, one row and one head at a time, in float64."""

    def linear(name, row):
        return [float(np.dot(w, row)) + b for w, b in zip(held[f"{name}.weight"], held[f"{name}.bias"], strict=True)]

    def norm(name, row):
        mean = sum(row) / len(row)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
        scaled = zip(row, held[f"{name}.weight"], held[f"{name}.bias"], strict=True)
        return [(x - mean) / deviation * w + b for x, w, b in scaled]

    def attended(name, rows):
        made = [linear(f"{name}.qkv", norm(f"{name}.n1", row)) for row in rows]
        wide, found = WIDE // HEADS, [[0.0] * WIDE for _ in rows]
        for i, own in enumerate(made):
            for head in range(HEADS):
                part = slice(head * wide, (head + 1) * wide)
                query = own[:WIDE][part]
                shares = [math.exp(np.dot(query, other[WIDE : 2 * WIDE][part]) / math.sqrt(wide)) for other in made]
                for share, other in zip(shares, made, strict=True):
                    for k, value in enumerate(other[2 * WIDE :][part]):
                        found[i][part.start + k] += share / sum(shares) * value
        return found

    rows = [list(map(float, held["null"])), *(linear("inp", row) for row in rows)]
    for n in range(LAYERS):
        name = f"layers.{n}"
        added = [linear(f"{name}.o", row) for row in attended(name, rows)]
        rows = [[a + b for a, b in zip(row, more, strict=True)] for row, more in zip(rows, added, strict=True)]
        for row in rows:
            wide = [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in linear(f"{name}.f1", norm(f"{name}.n2", row))]
            row[:] = [a + b for a, b in zip(row, linear(f"{name}.f2", wide), strict=True)]
    return linear("none", norm("norm", rows[0]))[0]


def test_the_comparison_is_what_plain_loops_compute():
    for seed in range(20):
        chance = np.random.default_rng(seed)
        held, count = random_weights(chance), int(chance.integers(1, 6))
        first = chance.normal(size=(count, DIM)).astype(np.float32)
        log_odds = chance.normal(size=(count, 2)).astype(np.float32)
        others = chance.normal(size=(count, FEATURES)).astype(np.float32)
        rows = np.concatenate([first, others, log_odds / 4], axis=1)
        assert abs(Comparison(held).among(first, log_odds, others) - plainly(held, rows)) < 1e-3


def told(text, month=6, speaker="user"):
    return Passage(text=text, speaker=speaker, said_at=datetime(2026, month, 1, tzinfo=UTC), ranked=0.5)


NOISE = [
    told("The new bakery on the corner closes at noon on Mondays, which is no use to me."),
    told("My sister's dog Biscuit had to go to the vet again, the left ear this time.", month=7),
    told("Could you remind me how to get candle wax out of a tablecloth?", month=8),
    told("We painted the hallway on Saturday, two coats, and my arms still hurt.", month=9),
]


def test_the_answer_is_more_likely_among_passages_that_hold_it():
    reader, question = RecollectReader(), "what colour did I choose for the kitchen?"
    without = reader.read(question, NOISE, NOW)
    answer = told("I went for sage green in the kitchen in the end, the tin is in the shed.", month=9)
    beside = reader.read(question, [*NOISE, answer], NOW)
    assert beside.among > without.among + 1
    assert max(beside.each, key=lambda each: each.answers) == beside.each[-1]


def test_the_features_of_a_passage_are_its_age_its_place_and_who_said_it():
    passages = [told("a", month=10), told("b", month=6, speaker="assistant"), told("c", month=10, speaker="Ada")]
    rows = features(passages, NOW)
    assert rows.shape == (3, FEATURES)
    assert rows[:, 1].tolist() == [0.0, np.float32(2 / 3), 0.0]  # the share that is newer
    assert rows[:, 4].tolist() == [0.0, np.float32(0.05), np.float32(0.1)]  # the place
    assert rows[:, 7:].tolist() == [[1, 0], [0, 1], [0, 0]]
