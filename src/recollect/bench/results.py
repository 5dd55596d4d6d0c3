"""Saves each answer at once, one line per answer, so that an interrupted run can continue."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from .evaluate import Outcome

FILE = "answers.jsonl"


class Results:
    """The saved answers of a folder, by (run, recipe, question)."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        if fresh:
            self.path.unlink(missing_ok=True)
        self._known = dict(self._read())

    def _read(self) -> Iterable[tuple[tuple[str, str, str], Outcome]]:
        if not self.path.exists():
            return
        whole = [line for line in self.path.read_text(encoding="utf-8").splitlines(keepends=True) if line[-1] == "\n"]
        self.path.write_text("".join(whole), encoding="utf-8")  # an interrupt may leave an incomplete line
        for line in whole:
            data = json.loads(line)
            outcome = Outcome.from_dict(data)
            yield (data["run"], outcome.recipe, outcome.question), outcome

    def get(self, run: str, recipe: str, question: str) -> Outcome | None:
        return self._known.get((run, recipe, question))

    def add(self, runs: Iterable[str], outcomes: Iterable[Outcome]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            for run, outcome in zip(runs, outcomes, strict=True):
                self._known[run, outcome.recipe, outcome.question] = outcome
                file.write(json.dumps({"run": run, **outcome.to_dict()}, ensure_ascii=False) + "\n")
