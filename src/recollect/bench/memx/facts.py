"""The facts of sessions, by a model or by rules. A model reads a session once: its facts are kept in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from ... import extractors
from ...extractors.protocol import Extractor
from ...progress import progress
from ...write.conversations import records
from ...write.conversations.messages import Turn, turns
from ..data import Dataset, Session

RULES = extractors.DEFAULT
PASSAGE_CHARACTERS = 7_500
"""A model reads a session in passages of at most this length."""


@dataclass(kw_only=True)
class Facts:
    """Session → its facts."""

    extractor: Extractor
    path: Path
    known: dict[str, list[str]] = field(default_factory=dict)
    """Digest of a session → the texts of its facts."""
    passages_by_rules: int = 0
    """Passages that the model could not read in this run. Their sessions are read again in the next run."""

    @classmethod
    def load(cls, name: str, folder: Path) -> Facts:
        """With the facts that earlier runs with this model kept in the folder. Rules are fast, and change with the
        code: they read every session again."""
        extractor = extractors.load(name)
        label = blake2b(extractor.name.encode(), digest_size=6).hexdigest()
        path = folder / "facts" / f"{label}.jsonl"
        return cls(extractor=extractor, path=path, known=dict(_kept(path)) if extractor.name != RULES else {})

    @property
    def by_model(self) -> bool:
        return self.extractor.name != RULES

    def of(self, session: Session) -> list[str]:
        return self.known.get(digest(session), [])

    def extract(self, dataset: Dataset, *, show: bool = False) -> None:
        """Reads the sessions that were not read yet."""
        every = {digest(s): s for haystack in dataset.haystacks for s in haystack.sessions}
        todo = {key: session for key, session in every.items() if key not in self.known}
        with progress("extracting facts", len(todo), show) as advance:
            for key, session in todo.items():
                failed = self.passages_by_rules
                self.known[key] = list(dict.fromkeys(self._read(session)))
                if self.by_model and self.passages_by_rules == failed:
                    self._keep(key)
                advance(1)

    def _keep(self, key: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"session": key, "facts": self.known[key]}, ensure_ascii=False) + "\n")

    def _read(self, session: Session) -> Iterator[str]:
        said = _turns(session)
        if not self.by_model:
            stated = records.facts(said, self.extractor, [turn.number for turn in said])
            yield from (statement.text for turn in said for statement in stated.get(turn.number, ()))
            return
        for passage in passages(said):
            yield from self._read_passage(passage, session)

    def _read_passage(self, passage: str, session: Session) -> list[str]:
        from ...extractors.openai import OpenAIExtractor

        if not isinstance(self.extractor, OpenAIExtractor):
            return [statement.text for statement in self.extractor.extract(passage, at=session.at)]
        found = self.extractor.read(passage, at=session.at)
        self.passages_by_rules += found.by == "rules"
        return [statement.text for statement in found.statements]


def passages(said: list[Turn], most: int = PASSAGE_CHARACTERS) -> Iterator[str]:
    """The conversation in parts of at most `most` characters. A turn that is longer is cut."""
    held = ""
    for turn in said:
        line = f"{turn.role}: {turn.text}"
        for start in range(0, len(line), most):
            piece = line[start : start + most]
            if held and len(held) + 1 + len(piece) > most:
                yield held
                held = ""
            held = f"{held}\n{piece}" if held else piece
    if held:
        yield held


def digest(session: Session) -> str:
    said = "\0".join(f"{one.role}: {one.text}" for one in session.turns)
    return blake2b(f"{session.at.isoformat()}\0{said}".encode("utf-8", "replace"), digest_size=12).hexdigest()


def _turns(session: Session) -> list[Turn]:
    return turns([one.to_message() for one in session.turns], at=session.at)


def _kept(path: Path) -> Iterator[tuple[str, list[str]]]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    for line in lines:
        if line.endswith("\n"):  # an interrupt may leave an incomplete line
            data = json.loads(line)
            yield data["session"], data["facts"]
