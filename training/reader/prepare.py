"""Turns lives, knots and memories with questions into groups: a question, and passages with what each of them is to it.

    python training/reader/prepare.py --lives training/lives --knots training/knots --data training/data \
        --out groups.jsonl.gz

A life's passages are the messages that `default-fast` finds for the question, so the wrong ones are those that a reader
will meet. Each passage is cut as `recollect-reader` cuts it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import Recollect, recipes
from recollect.readers.protocol import Passage
from recollect.readers.recollect_reader import described
from recollect.text.analyze import analyze_query
from recollect.text.chinese_to_english import translate_chinese
from recollect.text.excerpt import excerpt
from recollect.text.moments import parse_moment

MOST_CHARS = 480
CANDIDATES = 40
STRANGERS = 4
"""Messages of other knots beside a knot's own."""
PASSAGES = 8
"""Wrong passages of a memory beside the right ones."""
OF_TIME = ("now", "past", "when")
"""Types of questions whose stale messages give a value of another time."""
CHATS = ("whole-chat", "updates-chat", "zh-chat", "advice", "category", "events")
"""Styles of memories in which user and assistant take turns."""

Group = dict[str, Any]


def of_lives(folder: Path) -> Iterator[Group]:
    for path in sorted(folder.glob("*.json")):
        yield from of_life(json.loads(path.read_text(encoding="utf-8")))


def of_life(life: Mapping[str, Any]) -> Iterator[Group]:
    """The groups of one life: its sessions are ingested in order, and each question is asked at its moment."""
    recipe = replace(recipes.load("default-fast"), reject=None)
    sessions = {session["id"]: session for session in life["sessions"]}
    waiting = list(life["sessions"])
    with Recollect(":memory:", recipe=recipe) as mind:
        for question in sorted(life["questions"], key=lambda question: question["at"]):
            while waiting and waiting[0]["at"] <= question["at"]:
                session = waiting.pop(0)
                mind.ingest(session["messages"], session_id=session["id"], at=session["at"])
            hits = mind.recall(question["text"], limit=CANDIDATES, at=question["at"], track=False).hits
            places = [(hit.memory.session_id, hit.memory.turn) for hit in hits]
            yield _group(question, _told(life, sessions, question, places), life["name"])


def _told(
    life: Mapping[str, Any], sessions: Mapping[str, Any], question: Mapping[str, Any], places: Sequence[Any]
) -> list[dict[str, Any]]:
    evidence = {tuple(place) for place in question.get("evidence", ())}
    stale = {tuple(place) for place in question.get("stale", ())}
    alone = question.get("answer") if not question.get("needs_all") else None
    found = []
    for place in dict.fromkeys([*places, *sorted(evidence)]):
        session = sessions[place[0]]
        message = session["messages"][place[1]]
        found.append(
            {
                "text": message["content"],
                "by": message.get("name") or message["role"],
                "at": session["at"],
                "answers": place in evidence,
                "concerns": place in evidence or (place in stale and question["type"] in OF_TIME),
                "holds": alone if place in evidence else None,
            }
        )
    return found


def of_knots(folder: Path, seed: int = 0) -> Iterator[Group]:
    chance = random.Random(seed)
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    knots = [json.loads(line) for line in lines if line.strip()]
    for number, knot in enumerate(knots):
        others = [other for other in knots if other is not knot and other["language"] == knot["language"]]
        for question in knot["questions"]:
            strange = [
                _message(chance.choice(chance.choice(others)["messages"])) for _ in range(STRANGERS if others else 0)
            ]
            own = [
                _message(message)
                | {
                    "answers": n in question["answers"],
                    "concerns": n in question["answers"]
                    or (n in question.get("stale", ()) and question["type"] in OF_TIME),
                }
                for n, message in enumerate(knot["messages"])
                if message["at"] <= question["at"]
            ]
            asked = {"text": question["q"], "at": f"{question['at']}T12:00:00Z", "type": question["type"]}
            yield _group(asked, [*own, *strange], f"knot {number}")


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    at = f"{message['at']}T10:00:00Z"
    return {"text": message["text"], "by": message["by"], "at": at, "answers": False, "concerns": False}


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
    said = re.match(r"(\w+): ", text)
    if said:
        return {"text": text[said.end() :], "by": said[1], "at": None}
    return {"text": text, "by": "assistant" if memory["style"] in CHATS and n % 2 else "user", "at": None}


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
    parts = described(Passage(text=text, speaker=told["by"], said_at=said_at), asked_at)
    holds = (told.get("holds") or "").lower()
    right = [part for part in parts if holds and holds in part.lower()] or parts
    return {
        "pieces": [translate_chinese(part) for part in right],
        "answers": int(told["answers"]),
        "concerns": int(told["concerns"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lives", type=Path)
    parser.add_argument("--knots", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    count = 0
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        for made in (
            of_lives(chosen.lives) if chosen.lives else (),
            of_knots(chosen.knots) if chosen.knots else (),
            of_memories(chosen.data) if chosen.data else (),
        ):
            for group in made:
                out.write(json.dumps(group, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count:,} groups")


if __name__ == "__main__":
    main()
