"""Small benchmark files in the official layouts, written for these tests."""

import gzip
import json

import pytest

from recollect import recipes
from recollect.bench.run import Plan
from recollect.embedders.hashing import Hashing


@pytest.fixture
def file(tmp_path):
    """Writes data as JSON, gzipped when the name says so, and gives the path."""

    def write(name, data):
        path = tmp_path / name
        text = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return write


@pytest.fixture
def plan():
    def make(*names, **changes):
        chosen = tuple(recipes.load(name) for name in names or ("bm25",))
        return Plan(recipes=chosen, embedder=Hashing(), **changes)

    return make


def _talk(*said):
    return [{"role": role, "content": text} for role, text in said]


@pytest.fixture
def longmemeval():
    """Two questions with an answer, one without; one session is shared, one has no messages, one no date."""
    violin = _talk(("user", "My violin is a Guarneri copy from Cremona."), ("assistant", "What a fine instrument!"))
    violin[0]["has_answer"] = True
    marathon = _talk(("user", "I ran the Lisbon marathon in four hours."), ("assistant", "Well done."))
    soup = _talk(("user", "Give me a recipe for lentil soup."), ("assistant", "Simmer lentils with cumin."))
    garden = _talk(("user", "How do I prune roses?"), ("assistant", "Cut above an outward bud."))
    base = {"answer": "…", "question_date": "2024/02/01 (Thu) 10:00"}
    return [
        {
            **base,
            "question_id": "q1",
            "question_type": "single-session-user",
            "question": "Where does my violin come from?",
            "haystack_session_ids": ["noise_1", "answer_violin", "noise_2"],
            "haystack_dates": ["2024/01/01 (Mon) 09:00", "2024/01/02 (Tue) 09:00", None],
            "haystack_sessions": [soup, violin, garden],
            "answer_session_ids": ["answer_violin"],
        },
        {
            **base,
            "question_id": "q2",
            "question_type": "temporal-reasoning",
            "question": "Which marathon did I run?",
            "haystack_session_ids": ["noise_1", "answer_marathon", "empty"],
            "haystack_dates": ["2024-01-01T09:00:00", "2024/01/05 (Fri) 09:00", "2024/01/06 (Sat) 09:00"],
            "haystack_sessions": [soup, marathon, []],
            "answer_session_ids": ["answer_marathon"],
        },
        {
            **base,
            "question_id": "q3_abs",
            "question_type": "single-session-user",
            "question": "What is the name of my hamster?",
            "haystack_session_ids": ["noise_1", "answer_x_abs"],
            "haystack_dates": ["2024/01/01 (Mon) 09:00", "2024/01/02 (Tue) 09:00"],
            "haystack_sessions": [soup, garden],
            "answer_session_ids": ["answer_x_abs"],
        },
    ]


@pytest.fixture
def locomo():
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "Hello Ben!"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "I adopted a greyhound called Pixel."},
        {"speaker": "Ana", "dia_id": "D1:3", "text": "  "},
        {"speaker": "Ana", "dia_id": "D1:4", "text": "Look at this.", "blip_caption": "a red kayak on a lake"},
    ]
    later = [{"speaker": "Ben", "dia_id": "D2:1", "text": "We moved to Utrecht last week."}]
    asked = [
        {"question": "Which greyhound did Ben adopt?", "answer": "…", "evidence": ["D1:2"], "category": 4},
        {"question": "What is on the lake?", "answer": "…", "evidence": ["D1:4; D:2:1"], "category": 1},
        {"question": "Nothing to find?", "answer": "…", "evidence": [], "category": 3},
        {"question": "Which cat did Ana adopt?", "adversarial_answer": "…", "evidence": ["D1:2"], "category": 5},
    ]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_2": later,
        "session_3_date_time": "9:05 am on 2 June, 2023",
    }
    return [{"sample_id": "conv-1", "conversation": conversation, "qa": asked}]


@pytest.fixture
def beam():
    batch = [
        [
            {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I study Basque. ->-> 1,2"},
            {"role": "assistant", "id": 1, "content": "A lovely language."},
        ],
        [
            {"role": "user", "id": 2, "content": "My exam is on April 20 in Bilbao."},
            {"role": "assistant", "id": 3, "content": "Good luck."},
        ],
    ]
    probing = {
        "abstention": [{"question": "Who is my teacher?"}],
        "temporal_reasoning": [{"question": "When is my exam?", "source_chat_ids": {"first": [2], "second": [0]}}],
        "preference_following": [{"question": "Anything?", "source_chat_ids": []}],
    }
    return {"1": {"chat": [{"batch_number": 1, "turns": batch}], "probing_questions": probing, "topic": {}}}


@pytest.fixture
def memdaily():
    messages = ["我的上司叫赵雅琳。", "金融科技论坛的地点是北京。", "我表弟是医生。"]
    said = [
        {"mid": n, "message": text, "time": f"2024年04月0{n + 1}日 周一 08:30", "place": "深圳"}
        for n, text in enumerate(messages)
    ]
    asked = {
        "qid": 0,
        "question": "金融科技论坛的地点是哪里？",
        "answer": "北京",
        "target_step_id": [1],
        "time": "2024年04月04日 周四 07:42",
    }
    return {"01_simple": [{"tid": 0, "message_list": said, "question_list": [asked]}]}


@pytest.fixture
def scenario():
    memories = [
        ("The deploy checklist starts with a database backup.", "deploy"),
        ("Roll back a release with the previous container tag.", "rollback"),
        ("The user drinks oat milk coffee every morning.", "coffee"),
        ("The quarterly budget for tools is four thousand euros.", "budget"),
    ]
    return {
        "name": "tiny",
        "language": "en",
        "description": "four topics",
        "scale": 2,
        "memories": [
            {
                "text": text,
                "kind": "semantic",
                "tags": [topic],
                "topic": topic,
                "importance": 0.5,
                "variants": [f"{text} It was said twice."],
            }
            for text, topic in memories
        ],
        "queries": [
            {"q": "deploy checklist database backup", "kind": "keyword_exact", "topics": ["deploy"]},
            {"q": "oat milk coffee", "kind": "keyword_exact", "topics": ["coffee"]},
            {"q": "release rollback and the tools budget", "kind": "multi_fact", "topics": ["rollback", "budget"]},
            {"q": "zeppelin", "kind": "miss", "topics": []},
        ],
    }


@pytest.fixture
def life():
    """Three conversations. The words of the questions decide by hand which message comes first."""
    sessions = [
        ("s1", "2025-01-01T09:00:00Z", [("user", "My zeppelin stands in hangar seven."), ("assistant", "Noted.")]),
        ("s2", "2025-03-01T09:00:00Z", [("user", "They pulled the zeppelin over to number nine.")]),
        (
            "s3",
            "2025-05-01T09:00:00Z",
            [
                ("user", "My cousin repairs accordions in Ghent."),
                ("assistant", "A rare craft."),
                ("user", "I water the cactus every fortnight."),
            ],
        ),
    ]
    june = "2025-06-01T09:00:00Z"
    return {
        "name": "tiny",
        "language": "en",
        "style": "assistant chat",
        "sessions": [{"id": id, "at": at, "messages": _talk(*said)} for id, at, said in sessions],
        "questions": [
            {
                "id": "early",
                "type": "fact",
                "text": "Where does the zeppelin stand?",
                "at": "2025-02-01T09:00:00Z",
                "evidence": [["s1", 0]],
                "answer": "hangar seven",
            },
            {
                "id": "now",
                "type": "now",
                "text": "In which hangar stands the zeppelin?",
                "at": june,
                "evidence": [["s2", 0]],
                "stale": [["s1", 0]],
                "answer": "number nine",
            },
            {
                "id": "both",
                "type": "several",
                "text": "accordions and cactus",
                "at": june,
                "evidence": [["s3", 0], ["s3", 2]],
                "needs_all": True,
            },
            {"id": "near", "type": "absent-near", "text": "Who steers the zeppelin?", "at": june, "evidence": []},
            {"id": "far", "type": "absent-far", "text": "blood group", "at": june, "evidence": []},
        ],
    }


@pytest.fixture
def timelines():
    """Two timelines in StateBench's layout, and one of a track that is left out."""

    def turn(minute, speaker, text):
        return {"ts": f"2025-04-01T10:{minute:02}:00", "type": "conversation_turn", "speaker": speaker, "text": text}

    def query(minute, prompt, must, must_not):
        truth = {"decision": "…", "must_mention": must, "must_not_mention": must_not}
        return {"ts": f"2025-04-01T10:{minute:02}:00", "type": "query", "prompt": prompt, "ground_truth": truth}

    write = {"ts": "2025-04-01T10:05:00", "type": "state_write", "writes": [{"key": "venue", "value": "pavilion"}]}
    moved = [
        turn(1, "user", "The party venue is the Boathouse."),
        turn(2, "assistant", "Noted."),
        query(3, "What is the party venue?", ["boathouse"], ["orangery"]),
        turn(4, "user", "We take the orangery instead."),
        write,
        query(9, "Is it the orangery?", ["orangery|greenhouse", "rain plan"], ["boathouse"]),
    ]
    unsaid = [turn(1, "user", "We want a garden party."), query(2, "blood group", [], ["$"])]
    made = [("t1", "supersession", moved), ("t2", "hallucination_resistance", unsaid), ("t3", "causality", unsaid)]
    lines = [{"id": id, "track": track, "initial_state": {}, "events": events} for id, track, events in made]
    return "\n".join(map(json.dumps, lines)).encode()
