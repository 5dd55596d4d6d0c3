"""Feedback on a recall: used memories gain strength and importance, ignored ones slowly lose strength.

Every step moves a value by a share of its distance to a bound, so values never pass the bounds. The effect of each
feedback is stored. New feedback on the same recall first reverts the old effect. `confidence` never changes: it says
what was known at the time of writing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import checks
from ..errors import InvalidInput, NotFound
from ..namespaces import common
from ..read import ids
from ..store.protocol import Store
from ..store.values import Batch, Feedback, Put, RecallFeedback, RecallRecord
from ..types import Memory
from ..write.stamp import Stamp

USED = 0.05
"""Share of the distance to the upper bound that a used memory gains."""
OUTCOME = 0.10
"""Added to that share for a good outcome; subtracted for a bad one, so that the gain becomes a loss."""
IGNORED = -0.02
MIN_STRENGTH, MAX_STRENGTH = 0.2, 1.0
MIN_IMPORTANCE, MAX_IMPORTANCE = 0.2, 0.8
"""Feedback stays within these bounds. A value that a person set outside them is not moved further out."""
IMPORTANCE_SHARE = 0.2
"""Importance changes a fifth as fast as strength."""

_OUTCOMES = {"helped": 1.0, "failed": -1.0}


def feedback(
    store: Store, recall_id: str, used: Sequence[str], outcome: str | float | None, stamp: Stamp
) -> list[Memory]:
    """Applies feedback to the hits of a recall. Replaces earlier feedback on it. Returns the changed memories."""
    recall_id = ids.recall_id(store, recall_id)
    chosen, score = ids.of_hits(store, recall_id, checks.labels("used", used)), _score(outcome)
    with store.transaction():
        record = _record(store, recall_id)
        hits = _hits(record, chosen)
        held = store.get(hits)
        earlier = {given.memory_id: given for given in record.feedback}
        results = [
            _credit(held[id], earlier.get(id), used=id in chosen, outcome=score if id in chosen else None)
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
    """The ids of the hits, also of memories that were purged."""
    hits = list(dict.fromkeys(memory_id for memory_id, _ in record.entry.hits))
    if unknown := sorted(set(used) - set(hits)):
        raise InvalidInput(f"{unknown[0]} is not among the {len(hits)} hits of recall {record.entry.id}")
    return hits


def no_recall(recall_id: object) -> NotFound:
    return NotFound(f"no recall has the id {recall_id!r}: feedback needs a tracked recall")


def _credit(memory: Memory, earlier: Feedback | None, *, used: bool, outcome: float | None) -> tuple[Memory, Feedback]:
    if earlier is not None and (earlier.used, earlier.outcome) == (used, outcome):
        return memory, earlier
    before = memory if earlier is None else without_feedback(memory, earlier)
    after = with_feedback(before, used=used, outcome=outcome)
    given = Feedback(
        memory_id=memory.id,
        used=used,
        outcome=outcome,
        strength=after.strength - before.strength,
        importance=after.importance - before.importance,
    )
    return after, given


def with_feedback(memory: Memory, *, used: bool, outcome: float | None) -> Memory:
    """The memory after one step of strength and, if it was used, a smaller step of importance."""
    rate = USED + OUTCOME * (outcome or 0.0) if used else IGNORED
    strength = _towards(memory.strength, rate, MIN_STRENGTH, MAX_STRENGTH)
    if not used:
        return replace(memory, strength=strength)
    importance = _towards(memory.importance, rate * IMPORTANCE_SHARE, MIN_IMPORTANCE, MAX_IMPORTANCE)
    return replace(memory, strength=strength, importance=importance)


def _towards(value: float, rate: float, least: float, most: float) -> float:
    """value + rate · (distance to the bound in that direction); a value beyond the bound does not change."""
    if rate >= 0:
        return value + rate * max(0.0, most - value)
    return value + rate * max(0.0, value - least)


def without_feedback(memory: Memory, earlier: Feedback) -> Memory:
    """The memory without the effect of that feedback. It may have decayed since, so the bounds are applied again."""
    return replace(
        memory,
        strength=_bounded(memory.strength, -earlier.strength, MIN_STRENGTH, MAX_STRENGTH),
        importance=_bounded(memory.importance, -earlier.importance, MIN_IMPORTANCE, MAX_IMPORTANCE),
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
