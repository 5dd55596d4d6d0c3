"""Records of an export and files of conversations that are not what they should be are refused, with the reason."""

import pytest

from recollect.errors import InvalidInput
from recollect.keep import lines
from recollect.write.conversations.transcripts import conversations

EVENT = {"id": "e1", "at": "2026-01-01", "action": "forget"}
CHANGE = {"memory_id": "m1", "before": {"status": "active"}}
RECALL = {
    "id": "r1", "at": "2026-01-01", "query": "?", "recipe": "default", "namespace": "default", "confidence": 0.5,
}  # fmt: skip


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"text": 7}, "text must be a string"),
        ({"text": "  "}, "text is empty"),
    ],
)
def test_a_memory_is_refused(record, why):
    with pytest.raises(InvalidInput, match=why):
        lines.memory_of({"id": "m1", "namespace": "default", "created_at": "2026-01-01", **record})


def test_a_link_of_a_memory_with_itself_is_refused():
    with pytest.raises(InvalidInput, match="linked to itself"):
        lines.link_of({"a": "m1", "b": "m1", "kind": "related", "created_at": "2026-01-01"})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"changes": 7}, "changes must be a list"),
        ({"changes": [7]}, "changes must be objects"),
        ({"changes": [{"memory_id": "m1", "before": {"colour": "red"}}]}, "no field 'colour'"),
        ({"changes": [CHANGE, CHANGE]}, "named twice"),
        ({"detail": {"linked": [["a", "b"]]}}, "two ids, a kind"),
        ({"detail": {"unlinked": [["a", 7, "related", 0.5]]}}, "two ids, a kind"),
        ({"detail": {"quarantine": []}}, "quarantine must be an object"),
        ({"action": None}, "lacks 'action'"),
    ],
)
def test_an_event_is_refused(fields, why):
    assert lines.event_of({**EVENT, "changes": [CHANGE]}).changes[0].memory_id == "m1"
    with pytest.raises(InvalidInput, match=why):
        lines.event_of({**EVENT, **fields})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"hits": [["m1"]]}, "pairs of a memory's id"),
        ({"hits": [["m1", "high"]]}, "score must be a number"),
        ({"feedback": [{"memory_id": "m1"}, {"memory_id": "m1"}]}, "named twice"),
        ({"feedback": [7]}, "feedback must be objects"),
        ({"feedback": [{"memory_id": "m1", "outcome": True}]}, "outcome must be a number"),
    ],
)
def test_a_recall_is_refused(fields, why):
    with pytest.raises(InvalidInput, match=why):
        lines.recall_of({**RECALL, "hits": [], "feedback": [], **fields})


@pytest.mark.parametrize("rows", [[], [7], [{"role": "user"}, 7]])
def test_rows_without_a_conversation_are_refused(rows):
    with pytest.raises(InvalidInput, match="holds no conversation"):
        conversations(rows, "chat.json")


def test_messages_that_are_no_list_are_refused():
    with pytest.raises(InvalidInput, match="conversation 2: messages must be a list"):
        conversations([{"messages": []}, {"messages": 7}], "chat.json")
