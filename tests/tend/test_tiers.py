"""What is loaded, what is searched, what is out of the way."""

import pytest
from tend.garden import NOW, by_text, event_of, mind, plant

from recollect.errors import InvalidInput


def tier(garden, text):
    return by_text(garden, text).tier


def test_what_nobody_used_for_a_month_is_archived_and_still_found_when_asked_for():
    garden = mind()
    plant(garden, ["The old lighthouse keeper is called Tobias"], at="2026-09-01")
    plant(garden, ["Harbour fees are due in spring"], at="2026-10-20")
    report = garden.tend(at=NOW)
    assert len(report.archived) == 1
    assert garden.recall("Who keeps the old lighthouse?", at=NOW, include=["active"]).hits == ()
    found = garden.recall("Who keeps the old lighthouse?", at=NOW, include=["archived"])
    assert found.hits[0].memory.id == report.archived[0]


def test_what_is_important_pinned_used_or_edited_is_not_archived():
    garden = mind()
    plant(garden, ["important"], at="2026-09-01", importance=0.8)
    for text in ("pinned", "recalled", "edited", "idle"):
        plant(garden, [text], at="2026-09-01")
    garden.pin(by_text(garden, "pinned").id)
    garden.recall("recalled", at="2026-10-15", limit=1)
    at = (
        garden.update(by_text(garden, "edited").id, gist="changed")
        and garden.history(by_text(garden, "edited").id)[-1].at
    )
    garden.tend(at=max(at.isoformat(), NOW))
    assert tier(garden, "idle") == "archived"
    assert tier(garden, "edited") == "searchable"
    assert tier(garden, "important") == "searchable"
    assert tier(garden, "pinned") == "pinned"


def test_a_recall_keeps_a_memory_in_sight():
    garden = mind()
    plant(garden, ["recalled in time", "never asked for"], at="2026-09-01")
    garden.recall("recalled in time", at="2026-10-15", limit=1)
    garden.tend(at=NOW)
    assert (tier(garden, "recalled in time"), tier(garden, "never asked for")) == ("searchable", "archived")


def test_documents_are_not_archived():
    garden = mind()
    plant(garden, ["a chunk of a handbook"], at="2020-01-01", granularity="chunk")
    assert garden.tend(at=NOW).archived == ()


def test_archiving_by_hand_can_be_previewed_taken_back_and_spares_the_pinned():
    garden = mind()
    first, second = plant(garden, ["one", "two"], tags=["old"])
    garden.pin(second.id)
    assert [m.id for m in garden.archive(tags=["old"], preview=True)] == [first.id]
    assert garden.get(first.id).tier == "searchable"
    assert [m.tier for m in garden.archive(tags=["old"])] == ["archived"]
    assert garden.archive(first.id) == []
    assert garden.update(first.id, tier="searchable").tier == "searchable"
    garden.archive(first.id)
    garden.undo(garden.history(first.id)[-1].id)
    assert garden.get(first.id).tier == "searchable"


def test_pinning_is_refused_beyond_four_thousand_tokens():
    garden = mind()
    long, longer, brief = plant(garden, ["a" * 12_000, "b" * 4_004, "c" * 4_000])
    garden.pin(long.id)
    with pytest.raises(InvalidInput, match=r"1,001 tokens .* 3,000, together more than 4,000"):
        garden.pin(longer.id)
    assert garden.pin(brief.id).tier == "pinned"
    assert garden.pin(brief.id).tier == "pinned"
    with pytest.raises(InvalidInput, match="unpin one or shorten it"):
        garden.update(brief.id, text="c" * 4_001)
    assert garden.pin(long.id, False).tier == "searchable"
    assert garden.pin(longer.id).tier == "pinned"


def test_each_namespace_has_its_own_room_for_pinned_memories():
    garden = mind()
    for namespace in ("acme", "acme/agents/ada", "acme/agents/bob"):
        (long,) = plant(garden, [f"{namespace} {'a' * 15_000}"], namespace=namespace)
        assert garden.pin(long.id).tier == "pinned"


def test_expired_memories_say_so_and_are_kept():
    garden = mind()
    plant(garden, ["the sale ends tonight"], expires_at="2026-11-01T11:59:59Z")
    plant(garden, ["the sale ends tomorrow"], expires_at="2026-11-01T12:00:01Z")
    (ended,) = garden.tend(at=NOW).expired
    assert (garden.get(ended).text, garden.get(ended).status) == ("the sale ends tonight", "expired")
    garden.undo(event_of(garden, ended, "expire").id)
    assert garden.get(ended).status == "active"


def test_a_task_nobody_touched_for_a_week_is_completed():
    garden = mind()
    plant(garden, ["renew the certificate"], at="2026-10-24", kind="task")
    plant(garden, ["call the harbour master"], at="2026-10-26", kind="task")
    plant(garden, ["sail north"], at="2026-10-01", kind="plan")
    (done,) = garden.tend(at=NOW).completed
    assert (garden.get(done).text, garden.get(done).status) == ("renew the certificate", "completed")


def test_retention_expires_the_old_and_archives_the_surplus():
    garden = mind()
    plant(garden, ["ancient"], at="2026-10-01")
    plant(garden, ["weak", "middling", "strong"], at="2026-10-20")
    for text, importance in (("weak", 0.1), ("middling", 0.4), ("strong", 0.7)):
        garden.update(by_text(garden, text).id, importance=importance)
    garden.set_retention(expires_after_days=20, most_memories=2)
    preview = garden.tend(at=NOW, preview=True)
    assert tier(garden, "weak") == "searchable"
    assert preview.to_dict()["counts"] == garden.tend(at=NOW).counts
    assert by_text(garden, "ancient").status == "expired"
    assert (tier(garden, "weak"), tier(garden, "middling")) == ("archived", "searchable")
    assert garden.tend(at=NOW).counts["archived"] == 0


def test_a_rule_holds_below_a_namespace_unless_there_is_a_nearer_one():
    garden = mind(namespace="acme")
    garden.set_retention("acme", expires_after_days=10)
    garden.set_retention("acme/archive", expires_after_days=1000)
    plant(garden, ["short"], at="2026-10-15", namespace="acme/agents/ada")
    plant(garden, ["long"], at="2026-10-15", namespace="acme/archive/2026")
    plant(garden, ["elsewhere"], at="2026-10-15", namespace="other")
    assert len(garden.tend(at=NOW, namespace="acme/agents").expired) == 1
    assert garden.tend(at=NOW).expired == ()
    assert garden.retention("acme").expires_after_days == 10
    with pytest.raises(InvalidInput, match="most_memories"):
        garden.set_retention(most_memories=0)


def test_pinned_memories_outlive_the_default_but_not_their_own_end():
    garden = mind()
    garden.set_retention(expires_after_days=1)
    kept, ended = plant(garden, ["kept"]) + plant(garden, ["ended"], expires_at="2026-10-31")
    garden.pin(kept.id)
    garden.pin(ended.id)
    assert garden.tend(at=NOW).expired == (ended.id,)
