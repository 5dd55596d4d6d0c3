"""Stores for tests of tending. pytest does not collect this."""

from recollect import Recollect

NOW = "2026-11-01T12:00:00Z"
LATELY = "2026-10-30T12:00:00Z"
NAMESPACE = "acme/agents/ada"

TEA = (
    "The user drinks green tea at the small shop on the corner",
    "The user drinks green tea at that small shop on the corner",
    "The user drinks green tea at a small shop on the corner",
)
BIKE = (
    "The user rides a red bicycle to the office by the river",
    "The user rides the red bicycle to the office by the river",
    "The user rides that red bicycle to the office by the river",
)
# No two of these are near each other for the hashing embedder.
OTHERS = tuple(
    f"{word} {word[::-1]} {word * 2}"
    for word in (
        "anchor bramble candle dynamo ember falcon glacier harbour indigo juniper kettle lantern meadow nickel "
        "orchid pepper quartz ribbon saddle timber umbrella velvet"
    ).split()
)


def mind(path=":memory:", **settings):
    return Recollect(path, **{"embedder": "hashing", "namespace": NAMESPACE, "actor": "gardener", **settings})


def plant(filled, texts, at=LATELY, **fields):
    return filled.remember_many([{"text": text, "at": at, "dedup": False, **fields} for text in texts])


def full(path=":memory:", clusters=(TEA, BIKE)):
    """More than twenty memories, with these clusters among them."""
    filled = mind(path)
    plant(filled, [*OTHERS, *(text for cluster in clusters for text in cluster)])
    return filled


def everything(filled):
    """All that tending may change, so that two states can be compared."""
    statuses = ["active", "superseded", "contradicted", "consolidated", "completed", "quarantined", "expired"]
    found = filled.list(namespaces=["acme", "other"], statuses=[*statuses, "forgotten"])
    return {
        memory.id: (memory.text, memory.status, memory.tier, memory.strength, memory.importance, memory.confidence)
        for memory in found
    }, filled.stats().links


def by_text(filled, text, **filters):
    (found,) = [memory for memory in filled.list(**filters) if memory.text == text]
    return found


def event_of(filled, memory_id, action):
    (found,) = [event for event in filled.history(memory_id) if event.action == action]
    return found
