"""What is loaded, what is searched, what is out of the way."""

import pytest
from tend.tended import NOW, by_text, event_of, mind, plant

from recollect.errors import InvalidInput


def tier(filled, text):
    return by_text(filled, text).tier


SAID = {"granularity": "turn", "session_id": "s1"}


def test_a_message_that_nobody_used_for_a_month_is_archived_and_still_found():
    filled = mind()
    plant(filled, ["The old lighthouse keeper is called Tobias"], at="2026-09-01", **SAID, turn=0)
    plant(filled, ["Harbour fees are due in spring"], at="2026-10-20", **SAID, turn=1)
    report = filled.tend(at=NOW)
    assert len(report.archived) == 1
    assert filled.recall("Who keeps the old lighthouse?", at=NOW, include=["active"]).hits == ()
    (hit, *_) = filled.recall("Who keeps the old lighthouse?", at=NOW).hits
    assert hit.memory.id == report.archived[0] and hit.explanation.find("tier").value < 1


def test_age_alone_archives_nothing_that_somebody_stated():
    filled = mind()
    plant(filled, ["Ellen can't swim well"], at="2026-06-01")
    filled.ingest([{"role": "user", "content": "I prefer the window seat."}], session_id="june", at="2026-06-02")
    assert all(filled.get(id).granularity == "turn" for id in filled.tend(at=NOW).archived)
    plant(filled, ["Ellen called about the weather"], at=NOW)
    assert filled.recall("what can't Ellen do well?", at=NOW).hits[0].memory.text == "Ellen can't swim well"


def test_what_is_important_pinned_used_or_edited_is_not_archived():
    filled = mind()
    plant(filled, ["important"], at="2026-09-01", importance=0.8, **SAID)
    for text in ("pinned", "recalled", "edited", "idle"):
        plant(filled, [text], at="2026-09-01", **SAID)
    filled.pin(by_text(filled, "pinned").id)
    filled.recall("recalled", at="2026-10-15", limit=1)
    at = (
        filled.update(by_text(filled, "edited").id, gist="changed")
        and filled.history(by_text(filled, "edited").id)[-1].at
    )
    filled.tend(at=max(at.isoformat(), NOW))
    assert tier(filled, "idle") == "archived"
    assert tier(filled, "edited") == "searchable"
    assert tier(filled, "important") == "searchable"
    assert tier(filled, "pinned") == "pinned"


def test_a_recall_keeps_a_memory_in_sight():
    filled = mind()
    plant(filled, ["recalled in time", "never asked for"], at="2026-09-01", **SAID)
    filled.recall("recalled in time", at="2026-10-15", limit=1)
    filled.tend(at=NOW)
    assert (tier(filled, "recalled in time"), tier(filled, "never asked for")) == ("searchable", "archived")


def test_documents_are_not_archived():
    filled = mind()
    plant(filled, ["a chunk of a handbook"], at="2020-01-01", granularity="chunk")
    assert filled.tend(at=NOW).archived == ()


def test_archiving_by_hand_can_be_previewed_taken_back_and_spares_the_pinned():
    filled = mind()
    first, second = plant(filled, ["one", "two"], tags=["old"])
    filled.pin(second.id)
    assert [m.id for m in filled.archive(tags=["old"], preview=True)] == [first.id]
    assert filled.get(first.id).tier == "searchable"
    assert [m.tier for m in filled.archive(tags=["old"])] == ["archived"]
    assert filled.archive(first.id) == []
    assert filled.update(first.id, tier="searchable").tier == "searchable"
    filled.archive(first.id)
    filled.undo(filled.history(first.id)[-1].id)
    assert filled.get(first.id).tier == "searchable"


def test_pinning_is_refused_beyond_four_thousand_tokens():
    filled = mind()
    long, longer, brief = plant(filled, ["a" * 12_000, "b" * 4_004, "c" * 4_000])
    filled.pin(long.id)
    with pytest.raises(InvalidInput, match=r"1,001 tokens .* 3,000, together more than 4,000"):
        filled.pin(longer.id)
    assert filled.pin(brief.id).tier == "pinned"
    assert filled.pin(brief.id).tier == "pinned"
    with pytest.raises(InvalidInput, match="unpin one or shorten it"):
        filled.update(brief.id, text="c" * 4_001)
    assert filled.pin(long.id, False).tier == "searchable"
    assert filled.pin(longer.id).tier == "pinned"


def test_each_namespace_has_its_own_room_for_pinned_memories():
    filled = mind()
    for namespace in ("acme", "acme/agents/ada", "acme/agents/bob"):
        (long,) = plant(filled, [f"{namespace} {'a' * 15_000}"], namespace=namespace)
        assert filled.pin(long.id).tier == "pinned"


def test_expired_memories_say_so_and_are_kept():
    filled = mind()
    plant(filled, ["the sale ends tonight"], expires_at="2026-11-01T11:59:59Z")
    plant(filled, ["the sale ends tomorrow"], expires_at="2026-11-01T12:00:01Z")
    (ended,) = filled.tend(at=NOW).expired
    assert (filled.get(ended).text, filled.get(ended).status) == ("the sale ends tonight", "expired")
    filled.undo(event_of(filled, ended, "expire").id)
    assert filled.get(ended).status == "active"


def test_a_task_nobody_touched_for_a_week_is_completed():
    filled = mind()
    plant(filled, ["renew the certificate"], at="2026-10-24", kind="task")
    plant(filled, ["call the harbour master"], at="2026-10-26", kind="task")
    plant(filled, ["sail north"], at="2026-10-01", kind="plan")
    (done,) = filled.tend(at=NOW).completed
    assert (filled.get(done).text, filled.get(done).status) == ("renew the certificate", "completed")


def test_retention_expires_the_old_and_archives_the_surplus():
    filled = mind()
    plant(filled, ["ancient"], at="2026-10-01")
    plant(filled, ["weak", "middling", "strong"], at="2026-10-20")
    for text, importance in (("weak", 0.1), ("middling", 0.4), ("strong", 0.7)):
        filled.update(by_text(filled, text).id, importance=importance)
    filled.set_retention(expires_after_days=20, most_memories=2)
    preview = filled.tend(at=NOW, preview=True)
    assert tier(filled, "weak") == "searchable"
    assert preview.to_dict()["counts"] == filled.tend(at=NOW).counts
    assert by_text(filled, "ancient").status == "expired"
    assert (tier(filled, "weak"), tier(filled, "middling")) == ("archived", "searchable")
    assert filled.tend(at=NOW).counts["archived"] == 0


def test_a_rule_holds_below_a_namespace_unless_there_is_a_nearer_one():
    filled = mind(namespace="acme")
    filled.set_retention("acme", expires_after_days=10)
    filled.set_retention("acme/archive", expires_after_days=1000)
    plant(filled, ["short"], at="2026-10-15", namespace="acme/agents/ada")
    plant(filled, ["long"], at="2026-10-15", namespace="acme/archive/2026")
    plant(filled, ["elsewhere"], at="2026-10-15", namespace="other")
    assert len(filled.tend(at=NOW, namespace="acme/agents").expired) == 1
    assert filled.tend(at=NOW).expired == ()
    assert filled.retention("acme").expires_after_days == 10
    with pytest.raises(InvalidInput, match="most_memories"):
        filled.set_retention(most_memories=0)


def test_pinned_memories_outlive_the_default_but_not_their_own_end():
    filled = mind()
    filled.set_retention(expires_after_days=1)
    kept, ended = plant(filled, ["kept"]) + plant(filled, ["ended"], expires_at="2026-10-31")
    filled.pin(kept.id)
    filled.pin(ended.id)
    assert filled.tend(at=NOW).expired == (ended.id,)
