"""Did it help? Memories that were used gain, ignored ones slowly lose, and neither can run away.

Every step goes a share of the way to a bound, so no number of steps passes it. What one feedback did to a
memory is kept beside it: giving feedback on the same recall again takes the former effect back first.
`confidence` is what was known at the time of writing, and never moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import checks
from ..errors import InvalidInput, NotFound
from ..namespaces import common
from ..store.protocol import Store
from ..store.values import Batch, Feedback, Put, RecallFeedback, RecallRecord
from ..types import Memory
from ..write.stamp import Stamp

USED = 0.05
"""Share of the way to the ceiling that a use is worth …"""
OUTCOME = 0.10
"""… and what a good outcome adds; a bad one turns the gain into a loss of the same size."""
IGNORED = -0.02
WEAKEST, STRONGEST = 0.2, 1.0
LEAST_IMPORTANT, MOST_IMPORTANT = 0.2, 0.8
"""Feedback never makes a memory as important as a person can, nor moves what a person set beyond."""
IMPORTANCE_SHARE = 0.2
"""Importance moves a fifth as fast as strength."""

_OUTCOMES = {"helped": 1.0, "failed": -1.0}


def feedback(
    store: Store, recall_id: str, used: Sequence[str], outcome: str | float | None, stamp: Stamp
) -> list[Memory]:
    """Credits the hits of a recall, in place of what was said of them before; returns them as they are now."""
    chosen, score = checks.labels("used", used), _score(outcome)
    with store.transaction():
        record = _record(store, recall_id)
        hits = _hits(record, chosen)
        held = store.get(hits)
        former = {given.memory_id: given for given in record.feedback}
        results = [
            _credit(held[id], former.get(id), used=id in chosen, outcome=score if id in chosen else None)
            for id in hits
            if id in held
        ]
        _save(store, recall_id, results, held, score, stamp)
    return [memory for memory, _ in results]


def _score(outcome: str | float | None) -> float | None:
    if outcome is None:
        return None
    if isinstance(outcome, str) and outcome in _OUTCOMES:
        return _OUTCOMES[outcome]
    if isinstance(outcome, bool) or not isinstance(outcome, int | float) or not -1 <= outcome <= 1:
        raise InvalidInput(f"outcome must be 'helped', 'failed' or a number from -1 to 1, not {outcome!r}")
    return float(outcome)


def _record(store: Store, recall_id: str) -> RecallRecord:
    found = store.recalls(id=recall_id)
    if not found:
        raise no_recall(recall_id)
    return found[0]


def _hits(record: RecallRecord, used: Iterable[str]) -> list[str]:
    """The ids of the hits, whether or not they are still there."""
    hits = list(dict.fromkeys(memory_id for memory_id, _ in record.entry.hits))
    if strange := sorted(set(used) - set(hits)):
        raise InvalidInput(f"{strange[0]} is not among the {len(hits)} hits of recall {record.entry.id}")
    return hits


def no_recall(recall_id: object) -> NotFound:
    return NotFound(f"no recall has the id {recall_id!r}: only tracked recalls can be given feedback")


def _credit(memory: Memory, former: Feedback | None, *, used: bool, outcome: float | None) -> tuple[Memory, Feedback]:
    if former is not None and (former.used, former.outcome) == (used, outcome):
        return memory, former
    before = memory if former is None else taken_back(memory, former)
    after = credited(before, used=used, outcome=outcome)
    given = Feedback(
        memory_id=memory.id,
        used=used,
        outcome=outcome,
        strength=after.strength - before.strength,
        importance=after.importance - before.importance,
    )
    return after, given


def credited(memory: Memory, *, used: bool, outcome: float | None) -> Memory:
    """One step of strength and, for what was used, a smaller one of importance."""
    rate = USED + OUTCOME * (outcome or 0.0) if used else IGNORED
    strength = _towards(memory.strength, rate, WEAKEST, STRONGEST)
    if not used:
        return replace(memory, strength=strength)
    importance = _towards(memory.importance, rate * IMPORTANCE_SHARE, LEAST_IMPORTANT, MOST_IMPORTANT)
    return replace(memory, strength=strength, importance=importance)


def _towards(value: float, rate: float, least: float, most: float) -> float:
    """value + rate · (distance to the bound it moves to); what lies beyond that bound stays."""
    if rate >= 0:
        return value + rate * max(0.0, most - value)
    return value + rate * max(0.0, value - least)


def taken_back(memory: Memory, former: Feedback) -> Memory:
    """As if that feedback had not been given; decay may have come since, so the bounds are kept again."""
    return replace(
        memory,
        strength=_bounded(memory.strength, -former.strength, WEAKEST, STRONGEST),
        importance=_bounded(memory.importance, -former.importance, LEAST_IMPORTANT, MOST_IMPORTANT),
    )


def _bounded(value: float, change: float, least: float, most: float) -> float:
    return max(min(value, least), min(max(value, most), value + change))


def _save(
    store: Store,
    recall_id: str,
    results: Sequence[tuple[Memory, Feedback]],
    held: dict[str, Memory],
    score: float | None,
    stamp: Stamp,
) -> None:
    changed = [memory for memory, _ in results if memory != held[memory.id]]
    said = RecallFeedback(recall_id=recall_id, given=[given for _, given in results], at=stamp.at)
    store.write(Batch(feedback=[said]))
    if changed:
        count = sum(given.used for _, given in results)
        detail = {"recall": recall_id, "used": count, "ignored": len(results) - count, "outcome": score}
        event = stamp.event("feedback", common(memory.namespace for memory in changed), detail=detail)
        store.write(Batch(puts=[Put(memory=memory) for memory in changed], events=[event]))
