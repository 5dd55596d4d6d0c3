"""What leaves as `to_dict` comes back as it was: over JSON, in any language, with moments to the microsecond."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect import Event, Explanation, Hit, Link, Memory, Recall
from recollect.types import (
    GRANULARITIES,
    LINK_KINDS,
    STATUSES,
    TIERS,
    Change,
    Context,
    Layer,
    Profile,
    ProfileGroup,
    ProfileSource,
    ProfileStatement,
    ProfileSubject,
    Replaced,
    Signals,
    Step,
    Tended,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SOME = st.none() | TEXT
SHARE = st.floats(0, 1)
COUNT = st.integers(0, 2**53)
MOMENT = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
MAYBE = st.none() | MOMENT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)


def several(strategy, most=3):
    return st.lists(strategy, max_size=most).map(tuple)


MEMORY = st.builds(
    Memory,
    id=TEXT,
    text=TEXT,
    kind=TEXT,
    tags=several(TEXT),
    entities=several(TEXT),
    importance=SHARE,
    status=st.sampled_from(STATUSES),
    tier=st.sampled_from(TIERS),
    session_id=SOME,
    turn=st.none() | COUNT,
    granularity=st.sampled_from(GRANULARITIES),
    metadata=OBJECT,
    created_at=MOMENT,
    occurred_at=MAYBE,
    valid_from=MAYBE,
    valid_to=MAYBE,
    expires_at=MAYBE,
    last_accessed_at=MAYBE,
    decayed_at=MAYBE,
    merged_into=SOME,
    superseded=several(TEXT),
)
LINK = st.builds(Link, a=TEXT, b=TEXT, kind=st.sampled_from(LINK_KINDS), weight=SHARE, created_at=st.none() | MOMENT)
CHANGE = st.builds(Change, memory_id=TEXT, before=st.none() | OBJECT)
EVENT = st.builds(
    Event,
    id=TEXT,
    at=MOMENT,
    actor=TEXT,
    action=TEXT,
    namespace=TEXT,
    changes=several(CHANGE),
    detail=OBJECT,
    undone_by=SOME,
)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
LEAF = st.builds(Explanation, TEXT, FLOAT, note=TEXT)
TREE = st.recursive(LEAF, lambda inner: st.builds(Explanation, TEXT, FLOAT, TEXT, several(inner), TEXT), max_leaves=5)
PART = st.builds(Hit, memory=MEMORY, explanation=TREE, routes=st.dictionaries(TEXT, COUNT), neighbours=several(MEMORY))
HIT = st.builds(
    Hit,
    memory=MEMORY,
    explanation=TREE,
    routes=st.dictionaries(TEXT, COUNT),
    parts=several(PART, 2),
    earlier_than=SOME,
)
SIGNALS = st.builds(
    Signals,
    top_similarity=st.none() | FLOAT,
    keyword_match=st.booleans(),
    coverage=FLOAT,
    agreement=FLOAT,
    background=st.none() | FLOAT,
    evidence=st.none() | FLOAT,
    read=st.none() | FLOAT,
    unknown_codes=several(TEXT),
)
RECALL = st.builds(
    Recall,
    id=TEXT,
    query=TEXT,
    recipe=TEXT,
    at=MOMENT,
    hits=several(HIT, 2),
    nearest=several(HIT, 2),
    rejected=SOME,
    confidence=SHARE,
    signals=SIGNALS,
    trace=several(st.builds(Step, stage=TEXT, into=COUNT, out=COUNT, note=TEXT, ms=FLOAT)),
)
LAYER = st.builds(Layer, name=TEXT, text=TEXT, memories=several(MEMORY), tokens=COUNT, truncated=st.booleans())
CONTEXT = st.builds(Context, text=TEXT, layers=several(LAYER), tokens=COUNT, recalls=several(TEXT))
REPLACED = st.builds(Replaced, id=TEXT, text=TEXT, told_at=MOMENT, valid_to=st.none() | MOMENT, event=SOME)
STATEMENT = st.builds(
    ProfileStatement,
    id=TEXT,
    text=TEXT,
    kind=TEXT,
    namespace=TEXT,
    about=SOME,
    told_at=MOMENT,
    occurred_at=st.none() | MOMENT,
    when=TEXT,
    source=st.builds(ProfileSource, id=TEXT, session_id=SOME, turn=st.none() | COUNT, speaker=SOME),
    replaced=several(REPLACED),
    pinned=st.booleans(),
    contradicts=several(TEXT),
)
GROUP = st.builds(ProfileGroup, heading=TEXT, statements=several(STATEMENT), more=COUNT)
SUBJECT = st.builds(ProfileSubject, name=TEXT, count=COUNT, groups=several(GROUP))
PROFILE = st.builds(Profile, namespace=TEXT, at=MOMENT, subjects=several(SUBJECT), truncated=st.booleans())
TENDED = st.builds(
    Tended,
    at=MOMENT,
    preview=st.booleans(),
    expired=several(TEXT),
    completed=several(TEXT),
    decayed=COUNT,
    archived=several(TEXT),
    consolidated=several(TEXT),
    summaries=several(TEXT),
)


def travelled(value):
    return type(value).from_dict(json.loads(json.dumps(value.to_dict())))


@given(st.one_of(MEMORY, LINK, EVENT, CONTEXT, PROFILE, TENDED))
def test_a_value_survives_the_journey(value):
    assert travelled(value) == value


@given(st.one_of(TREE, HIT, RECALL))
def test_a_value_with_explanations_survives_the_journey(value):
    assert travelled(value).to_dict() == value.to_dict()


@given(RECALL)
def test_a_recall_keeps_what_no_explanation_is_part_of(recall):
    back = travelled(recall)
    assert (back.signals, back.trace, back.at) == (recall.signals, recall.trace, recall.at)
    for kept, sent in ((back.hits, recall.hits), (back.nearest, recall.nearest)):
        assert [(hit.memory, hit.earlier_than) for hit in kept] == [(hit.memory, hit.earlier_than) for hit in sent]


def test_an_explanation_recomputes_after_the_journey(mind):
    mind.remember("Ada prefers dark mode")
    [hit] = travelled(mind.recall("which mode does Ada prefer?")).hits
    assert hit.explanation.recompute() == hit.score and hit.explanation.parts


@given(MEMORY)
def test_what_a_newer_server_adds_is_passed_over(memory):
    assert Memory.from_dict(memory.to_dict() | {"colour": "blue"}) == memory
