"""What a system does to memories outside of a recall: the engine gives what the plain code gives, on random numbers."""

import os
import random

import pytest
from factories import NOW, days_ago, memory
from given_vectors import GivenVectors, put, unit, with_cosine, write

from recollect import Recollect
from reference import openmem, siestai

COUNT = int(os.environ.get("RECOLLECT_TEST_STORES", "40"))  # read at import: tests start without such variables
ROUNDING = 0.002  # vectors are stored as float16


def numbers():
    return random.Random(20)


def test_openmem_s_reinforce_adds_as_printed():
    chosen = numbers()
    strengths = {f"m{n}": chosen.choice((chosen.random(), chosen.uniform(0.88, 1.0), 0.9, 1.0)) for n in range(COUNT)}
    with Recollect(":memory:", embedder=GivenVectors(), recipe="openmem") as mind:
        write(mind, [put(memory(id, f"note {id}", strength=value)) for id, value in strengths.items()])
        for id, value in strengths.items():
            assert mind.reinforce(id).strength == pytest.approx(openmem.reinforced(value), abs=1e-6)


def test_openmem_s_decay_is_as_printed_and_the_same_after_any_number_of_calls():
    chosen = numbers()
    held = {f"m{n}": (chosen.random(), chosen.uniform(0, 400)) for n in range(COUNT)}
    with Recollect(":memory:", embedder=GivenVectors(), recipe="openmem") as mind:
        puts = [put(memory(id, f"note {id}", strength=s, created_at=days_ago(d))) for id, (s, d) in held.items()]
        write(mind, puts)
        for _ in range(3):  # its code decays at each call; the text says: by the days elapsed
            mind.decay(at=NOW, force=True)
        for id, (strength, days) in held.items():
            assert mind.get(id).strength == pytest.approx(openmem.decayed(strength, days), abs=1e-6)


def test_siestai_merges_what_is_a_duplicate_and_raises_its_importance():
    chosen = numbers()
    for n in range(COUNT):
        cosine = chosen.uniform(0.85, 1.0)
        if abs(cosine - siestai.DEDUP) < ROUNDING:
            continue
        stored, repeated = chosen.random(), chosen.random()
        given = GivenVectors()
        given.give("first", [1.0])
        given.give("second", with_cosine(cosine))
        with Recollect(":memory:", embedder=given, recipe="siestai") as mind:
            first = mind.remember("first", importance=stored)
            second = mind.remember("second", importance=repeated)
            merged = siestai.is_duplicate(cosine)
            assert (second.merged_into == first.id) is merged, (n, cosine)
            wanted = siestai.raised(stored, repeated) if merged else stored
            assert mind.get(first.id).importance == pytest.approx(wanted, abs=1e-6)


def test_siestai_groups_three_that_are_related():
    chosen = numbers()
    for n in range(max(4, COUNT // 10)):
        cosine = chosen.uniform(0.70, 0.90)
        if abs(cosine - siestai.CLUSTER) < ROUNDING:
            continue
        apart = (cosine / (1 - cosine)) ** 0.5  # (apart, 1, 0) and (apart, 0, 1) have this cosine
        texts = [f"note {number}" for number in range(23)]
        given = GivenVectors(dim=32)
        for place, text in enumerate(texts):
            own = [0.0] * (place + 1) + [1.0]
            own[0] = apart if place < 3 else 0.0
            given.give(text, unit(own, 32))
        with Recollect(":memory:", embedder=given, recipe="siestai") as mind:
            mind.remember_many([{"text": text} for text in texts])
            assert len(mind.consolidate()) == siestai.is_related(cosine), (n, cosine)
