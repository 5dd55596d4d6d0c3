"""The work that every library does: the same texts, vectors and questions, written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..speed import sentences, works
from ..speed.clock import Scan, Spread
from ..speed.vectors import embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUESTIONS = works.QUESTIONS + works.WARM
NEAREST = 10


def seconds(size: int) -> float:
    """The processor time that a library has for adding."""
    return 300 + size / 300


def write(size: int, folder: Path) -> Spread:
    """Returns the time of one exact scan."""
    import numpy as np

    model = embedder("dense")
    texts = sentences.sentences(0, size)
    questions = [sentences.question(number, size) for number in range(QUESTIONS)]
    vectors, asked = model.embed(texts), model.embed(questions)
    scan = Scan(vectors)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "questions.npy", asked)
    np.save(folder / "tenth.npy", _tenth(scan, asked))
    job = {"texts": texts, "questions": questions, "seconds": seconds(size)}
    (folder / "job.json").write_text(json.dumps(job, ensure_ascii=False), encoding="utf-8")
    return scan.spread(size)


def _tenth(scan: Scan, asked: NDArray) -> NDArray:  # type: ignore[type-arg]
    """The cosine of the tenth nearest text of each question."""
    import numpy as np

    return np.asarray([scan.nearest(vector, NEAREST)[-1] for vector in asked])
