"""Lives: a person's conversations over months, and questions whose evidence is known message by message.

`{"name", "sessions": [{"id", "at", "messages": [{"role", "name"?, "content"}]}], "questions": [{"id", "type", "text",
"at", "evidence": [[session, message], …], "answer"?, "stale"?: [[session, message], …], "needs_all"?}]}`. Messages are
counted from 0 in their session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...errors import InvalidInput
from ...write.conversations.messages import turns
from ..data import Asked, Message, Session
from .reading import Part, read

ABSENT = "absent-"
NEAR, FAR = f"{ABSENT}near", f"{ABSENT}far"
TYPES = ("now", "past", "when", "fact", "confusable", "identifier", "advice", "several", NEAR, FAR)
ROLES = ("user", "assistant")
LIMIT = 5
"""Hits per question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeQuestion(Asked):
    evidence: frozenset[str]
    """Messages as `session/number`. Each alone tells the answer, unless `needs_all`."""
    stale: frozenset[str]
    """Messages that state what no longer holds, or what holds of another person or occasion."""
    needs_all: bool
    answer: str | None
    """Words of an evidence message."""

    @property
    def answerable(self) -> bool:
        return not self.type.startswith(ABSENT)


@dataclass(frozen=True, kw_only=True)
class Life:
    name: str
    sessions: tuple[Session, ...]
    questions: tuple[LifeQuestion, ...]

    @cached_property
    def said(self) -> Mapping[str, Message]:
        """Message key → message."""
        return {_key(session.id, n): one for session in self.sessions for n, one in enumerate(session.turns)}


def life_files() -> list[Path]:
    """The lives of the package."""
    return sorted((Path(__file__).parent.parent / "lives").glob("*.json"))


def load(path: str | Path) -> Life:
    """Loads a life. A life with wrong labels is refused."""
    life = read_life(path)
    found = problems(life)
    if found:
        more = f" (and {len(found) - 1} more: recollect bench lives --check)" if len(found) > 1 else ""
        raise InvalidInput(f"{path}: {found[0]}{more}")
    return life


# The form -----------------------------------------------------------------------------------------


def read_life(path: str | Path) -> Life:
    """Reads a life in the right form, whatever its labels say."""
    data = Part(read(Path(path))[0], str(path))
    return Life(
        name=data["name"].text,
        sessions=tuple(map(_session, data["sessions"])),
        questions=tuple(map(_question, data["questions"])),
    )


def _session(given: Part) -> Session:
    at, messages = given["at"].iso_moment, given["messages"]
    said = tuple(map(_message, messages))
    if not said or len(turns([one.to_message() for one in said], at=at)) < len(said):
        messages.refuse("must be messages with some text to store")
    return Session(id=given["id"].text, at=at, turns=said)


def _message(given: Part) -> Message:
    role, name = given["role"], given.get("name")
    if role.value not in ROLES:
        role.refuse(f"must be one of {', '.join(ROLES)}, not {role.value!r:.40}")
    return Message(role=role.text, text=given["content"].text, name=name.text if name else None)


def _question(given: Part) -> LifeQuestion:
    answer, needs_all = given.get("answer"), given.get("needs_all")
    return LifeQuestion(
        id=given["id"].text,
        type=given["type"].text,
        text=given["text"].text,
        at=given["at"].iso_moment,
        evidence=_keys(given.get("evidence")),
        stale=_keys(given.get("stale")),
        needs_all=bool(needs_all and needs_all.value),
        answer=answer.text if answer else None,
    )


def _keys(given: Part | None) -> frozenset[str]:
    return frozenset(map(_place, given or ()))


def _place(given: Part) -> str:
    parts = list(given)
    if len(parts) != 2:
        given.refuse('must be a session and a message, such as ["s01", 3]')
    return _key(parts[0].text, parts[1].number)


def _key(session: str, message: int) -> str:
    return f"{session}/{message}"


# The labels ---------------------------------------------------------------------------------------


def problems(life: Life) -> list[str]:
    """What is wrong with the labels of a life, one line each."""
    found = [*_repeated("session", [session.id for session in life.sessions]), *_order(life)]
    found += _repeated("question", [question.id for question in life.questions])
    if not life.questions:
        found.append("it has no questions")
    told_at = {_key(session.id, n): session.at for session in life.sessions for n in range(len(session.turns))}
    for question in life.questions:
        future = {key for key, at in told_at.items() if at > question.at}
        wrong = (*_of_type(question), *_of_keys(question, life, future), *_of_answer(question, life))
        found += (f"question {question.id}: {what}" for what in wrong)
    return found


def _repeated(what: str, ids: Sequence[str]) -> list[str]:
    return [f"two {what}s have the id {id}" for id in dict.fromkeys(ids) if ids.count(id) > 1]


def _order(life: Life) -> list[str]:
    pairs = zip(life.sessions, life.sessions[1:], strict=False)
    return [f"session {b.id} is earlier than {a.id} before it: sort them by time" for a, b in pairs if b.at < a.at]


def _of_type(question: LifeQuestion) -> Iterator[str]:
    if question.type not in TYPES:
        yield f"unknown type {question.type!r}; known: {', '.join(TYPES)}"
    elif question.answerable and not question.evidence:
        yield "it has no evidence"
    elif question.evidence and not question.answerable:
        yield f"it is {question.type}, but has evidence"
    if question.type == "several" and not question.needs_all:
        yield "several without needs_all"
    if question.needs_all and not 2 <= len(question.evidence) <= LIMIT:
        yield f"needs_all takes 2 to {LIMIT} evidence messages, not {len(question.evidence)}"


def _of_keys(question: LifeQuestion, life: Life, future: set[str]) -> Iterator[str]:
    for key in sorted(question.evidence | question.stale):
        if key not in life.said:
            yield f"there is no message {key}"
        elif key in future:
            yield f"message {key} comes after the question"
    for key in sorted(question.evidence & question.stale):
        yield f"message {key} is both evidence and stale"


def _of_answer(question: LifeQuestion, life: Life) -> Iterator[str]:
    """Advice and questions that need several messages have no answer in one message's words."""
    if question.answer is None or question.needs_all or question.type == "advice":
        return
    answer = question.answer.casefold()
    texts = [life.said[key].text for key in question.evidence if key in life.said]
    if texts and not any(answer in text.casefold() for text in texts):
        yield f"no evidence message has the words {question.answer!r}"
    if answer in question.text.casefold():
        yield f"the question holds its answer {question.answer!r}"
