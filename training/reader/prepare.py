"""Turns lives, knots, notes and memories with questions into groups: a question, and passages with what each of them is
to it.

    python training/reader/prepare.py --lives training/lives --knots training/knots --notes training/notes \
        --data training/data --out groups.jsonl.gz

The passages of lives, knots and notes are the candidates that `default` would read for the question, with their scores,
so the wrong ones are those that a reader will meet. A few knots of one language share a store; a set of notes has its
own. Each passage is cut as `recollect-reader` cuts it.
"""

from __future__ import annotations

import argparse
import gzip
import inspect
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import Recollect, checks, recipes
from recollect.read import path as read_path
from recollect.read import question as read_question
from recollect.read import reading
from recollect.read.trace import Trace
from recollect.readers.protocol import Passage
from recollect.readers.recollect_reader import described
from recollect.text.analyze import analyze_query
from recollect.text.chinese_to_english import translate_chinese
from recollect.text.excerpt import excerpt
from recollect.text.moments import parse_moment
from recollect.types import Memory

MOST_CHARS = 480
CANDIDATES = 40
KNOTS_PER_STORE = 8
PASSAGES = 8
"""Wrong passages of a memory beside the right ones."""
OF_TIME = ("now", "past", "when")
"""Types of questions whose stale messages give a value of another time."""
CHATS = ("whole-chat", "updates-chat", "zh-chat", "advice", "category", "events")
"""Styles of memories in which user and assistant take turns."""
SECONDS_PER_DAY = 86_400
SPEAKER = re.compile(r"(\w+): ")

Group = dict[str, Any]
Place = tuple[str, int]
"""A session, and the number of a message in it."""


def of_lives(folder: Path) -> Iterator[Group]:
    for path in sorted(folder.glob("*.json")):
        life = json.loads(path.read_text(encoding="utf-8"))
        yield from asked(life["sessions"], life["questions"], life["name"])


def of_knots(folder: Path) -> Iterator[Group]:
    """Each message of a knot is a session, or a turn of the session of its day."""
    by_language = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            knot = json.loads(line)
            by_language[knot["language"]].append(knot)
    for knots in by_language.values():
        for start in range(0, len(knots), KNOTS_PER_STORE):
            yield from _of_store(knots[start : start + KNOTS_PER_STORE])


def _of_store(knots: Sequence[Mapping[str, Any]]) -> Iterator[Group]:
    sessions: dict[str, dict[str, Any]] = {}
    places: list[list[Place]] = []
    for number, knot in enumerate(knots):
        places.append([])
        for message in knot["messages"]:
            id = f"{number}-{message['at']}"
            session = sessions.setdefault(id, {"id": id, "at": f"{message['at']}T10:00:00Z", "messages": []})
            places[-1].append((id, len(session["messages"])))
            session["messages"].append(_as_turn(message))
    questions = [
        {
            "text": question["q"],
            "at": f"{question['at']}T18:00:00Z",
            "type": question["type"],
            "evidence": [places[number][n] for n in question["answers"]],
            "stale": [places[number][n] for n in question.get("stale", ())],
        }
        for number, knot in enumerate(knots)
        for question in knot["questions"]
    ]
    yield from asked(sorted(sessions.values(), key=lambda session: session["at"]), questions, "knots")


def _as_turn(message: Mapping[str, Any]) -> dict[str, Any]:
    by = message["by"]
    if by in ("user", "assistant"):
        return {"role": by, "content": message["text"]}
    return {"role": "user", "name": by, "content": message["text"]}


def of_notes(folder: Path) -> Iterator[Group]:
    """Each note is remembered by itself, as a user or an assistant would store it."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from _noted(json.loads(line))


def _noted(held: Mapping[str, Any]) -> Iterator[Group]:
    notes = {
        str(n): {"at": f"{note['at']}T10:00:00Z", "messages": [_as_turn(note)]}
        for n, note in enumerate(held["messages"])
    }
    waiting, places = list(notes), dict[str, Place]()
    with Recollect(":memory:") as mind:
        for question in sorted(held["questions"], key=lambda question: question["at"]):
            moment = f"{question['at']}T18:00:00Z"
            while waiting and notes[waiting[0]]["at"] <= moment:
                place = waiting.pop(0)
                stored = mind.remember(notes[place]["messages"][0]["content"], at=notes[place]["at"])
                places[stored.id] = (place, 0)
            given = {
                "text": question["q"],
                "at": moment,
                "type": question["type"],
                "evidence": [(str(n), 0) for n in question["answers"]],
                "stale": [(str(n), 0) for n in question.get("stale", ())],
            }
            found = candidates(mind, given, lambda memory: places.get(memory.id))
            yield _group(given, _told(notes, given, found), "notes")


def asked(
    sessions: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]], source: str
) -> Iterator[Group]:
    """Sessions are ingested in order, and each question is asked at its moment."""
    by_id, waiting = {session["id"]: session for session in sessions}, list(sessions)
    with Recollect(":memory:") as mind:
        for question in sorted(questions, key=lambda question: question["at"]):
            while waiting and waiting[0]["at"] <= question["at"]:
                session = waiting.pop(0)
                mind.ingest(session["messages"], session_id=session["id"], at=session["at"])
            yield _group(question, _told(by_id, question, candidates(mind, question)), source)


def _place(memory: Memory) -> Place | None:
    return memory.session_id or "", memory.turn or 0


def candidates(
    mind: Recollect, question: Mapping[str, Any], place: Callable[[Memory], Place | None] = _place
) -> dict[Place, dict[str, Any]]:
    """What `default` would read, best first."""
    recipe = recipes.load("default")
    defaults = {name: each.default for name, each in inspect.signature(Recollect.recall).parameters.items()}
    given = checks.arguments(defaults | {"query": question["text"], "limit": 10})
    moment = parse_moment(question["at"])
    query = read_question.ask(given, own=mind.namespace, recipe=recipe, at=moment, zone=mind._zone)
    embedder = mind._embedders.checked()
    found = read_path._search(mind._store, embedder, recipe, query, query, Trace())
    chosen = reading.chosen(found.pool, replace(recipe.read, candidates=CANDIDATES), moment)
    passages = reading.passages(chosen, query, recipe.read, found.around)
    return {
        at: {"ranked": passage.ranked, "standing": passage.standing, "before": passage.before}
        for each, passage in zip(chosen, passages, strict=True)
        if (at := place(each.memory)) is not None
    }


def _told(
    sessions: Mapping[str, Any], question: Mapping[str, Any], found: Mapping[Place, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The candidates, and the evidence that the first stage misses."""
    evidence = {tuple(place) for place in question.get("evidence", ())}
    stale = {tuple(place) for place in question.get("stale", ())}
    told = []
    for place in dict.fromkeys([*found, *sorted(evidence)]):
        session = sessions[place[0]]
        message = session["messages"][place[1]]
        told.append(
            {
                "text": message["content"],
                "by": message.get("name") or message["role"],
                "at": session["at"],
                "answers": place in evidence,
                "concerns": place in evidence or (place in stale and question["type"] in OF_TIME),
                "before": session["messages"][place[1] - 1]["content"] if place[1] else "",
                **found.get(place, {}),
            }
        )
    return told


def of_memories(folder: Path, seed: int = 0) -> Iterator[Group]:
    """The memories that the embedder is trained on. They have no dates."""
    chance = random.Random(seed)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            memory = json.loads(line)
            for asked in memory["questions"]:
                right = list(asked["pos"])
                wrong = [n for n in range(len(memory["passages"])) if n not in right]
                shown = [*right, *chance.sample(wrong, min(PASSAGES, len(wrong)))]
                told = [_passage(memory, n) | {"answers": n in right, "concerns": n in right} for n in shown]
                yield _group({"text": asked["q"], "at": None, "type": asked.get("type", "")}, told, memory["style"])


def _passage(memory: Mapping[str, Any], n: int) -> dict[str, Any]:
    text = memory["passages"][n]
    said = SPEAKER.match(text)
    if said:
        before = SPEAKER.sub("", memory["passages"][n - 1]) if n else ""
        return {"text": text[said.end() :], "by": said[1], "at": None, "before": before}
    by = "assistant" if memory["style"] in CHATS and n % 2 else "user"
    return {"text": text, "by": by, "at": None, "before": memory["passages"][n - 1] if n and by == "assistant" else ""}


def _group(question: Mapping[str, Any], told: Sequence[Mapping[str, Any]], source: str) -> Group:
    words = analyze_query(question["text"]).content
    asked_at = parse_moment(question["at"]) if question["at"] else None
    return {
        "question": translate_chinese(question["text"]),
        "type": question["type"],
        "source": source,
        "dated": asked_at is not None,
        "items": [_item(each, words, asked_at) for each in told],
    }


def _item(told: Mapping[str, Any], words: Sequence[str], asked_at: datetime | None) -> dict[str, Any]:
    text = excerpt(told["text"], words, MOST_CHARS)
    said_at = parse_moment(told["at"]) if told["at"] else None
    parts = described(Passage(text=text, speaker=told["by"], said_at=said_at, before=told["before"]), asked_at)
    return {
        "pieces": [translate_chinese(part) for part in parts],
        "by": told["by"],
        "days": (asked_at - said_at).total_seconds() / SECONDS_PER_DAY if asked_at and said_at else 0.0,
        "ranked": told.get("ranked", 0.0),
        "standing": told.get("standing", 1.0),
        "answers": int(told["answers"]),
        "concerns": int(told["concerns"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lives", type=Path)
    parser.add_argument("--knots", type=Path)
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    count = 0
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        for made in (
            of_lives(chosen.lives) if chosen.lives else (),
            of_knots(chosen.knots) if chosen.knots else (),
            of_notes(chosen.notes) if chosen.notes else (),
            of_memories(chosen.data) if chosen.data else (),
        ):
            for group in made:
                out.write(json.dumps(group, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count:,} groups")


if __name__ == "__main__":
    main()
