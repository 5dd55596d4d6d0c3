"""Is the training data sound, and is none of it a near-copy of an evaluation set?

    python training/validate.py
    python training/validate.py --against longmemeval_s.json locomo10.json beam/ memdaily.json.gz
    python training/validate.py --against FOLDER --embedding

Every `training/data/*.jsonl` (or `--data FOLDER`) is checked: schema, evidence in range, no empty text, no passage
and no question twice anywhere. `--against` names evaluation files or folders (.json, .jsonl, either as .gz); all
their strings are compared. Refused is a text that shares 13 consecutive words with one of them (for Chinese, 13
characters), or, when it is 6 to 12 words long, is the same text. `--embedding` also refuses a question whose vector
under stock granite (of Chinese: of its English gloss) has a cosine of 0.95 or more with an evaluation question's
(needs recollect installed).

Prints `file:line: what is wrong: text` per finding, then a count; with `--against`, first what was compared.
Exit status: 0 sound, 1 findings, 2 not readable.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"
GRAM = 13
SHORTEST = 6
"""Shorter texts are too common to be called a copy."""
SIMILAR = 0.95
KEYS = {"style", "passages", "questions"}
QUESTION_KEYS = {"q", "pos", "type"}
TRANSLATION = "english"
ASKING = {"q", "query", "question", "questions"}
"""Under which key an evaluation file keeps what is asked."""
SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
BATCH = 64

Gram = tuple[str, ...]


class Text(NamedTuple):
    """A passage or a question, and where it stands."""

    place: str
    kind: str
    text: str


class Found(NamedTuple):
    """What the data holds: its texts, what is wrong with it, how many memories."""

    texts: list[Text]
    problems: list[str]
    memories: int


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    try:
        found = read(options.data)
        problems = [*found.problems, *repeated(found.texts), *_copies(found.texts, options.against, options.embedding)]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    passages = sum(text.kind == "passage" for text in found.texts)
    questions = len(found.texts) - passages
    sys.stdout.write(f"{found.memories} memories, {passages} passages, {questions} questions: ")
    sys.stdout.write(f"{len(problems)} findings\n")
    return 1 if problems else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder to check")
    parser.add_argument("--against", type=Path, nargs="+", default=[], metavar="PATH", help="evaluation sets")
    parser.add_argument("--embedding", action="store_true", help="also compare questions as vectors")
    options = parser.parse_args(arguments)
    if options.embedding and not options.against:
        parser.error("--embedding needs --against")
    return options


# The data itself


def read(folder: Path) -> Found:
    """Every memory of every file; one that breaks the schema gives problems instead of texts."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise ValueError(f"no .jsonl file in {folder}")
    found, memories = Found([], [], 0), 0
    for file in files:
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            place = f"{file.name}:{number}"
            value, wrong = _parse(line)
            found.problems.extend(f"{place}: {problem}" for problem in wrong)
            if not wrong:
                found.texts.extend(_texts(place, value))
                memories += 1
    return found._replace(memories=memories)


def _parse(line: str) -> tuple[object, list[str]]:
    try:
        value: object = json.loads(line)
    except ValueError as error:
        return None, [f"not JSON: {error}"]
    return value, list(memory_problems(value))


def memory_problems(value: object) -> Iterator[str]:
    """What keeps one line from being a memory?"""
    if not isinstance(value, dict) or set(value) - {TRANSLATION} != KEYS:
        yield f"not an object with exactly {', '.join(sorted(KEYS))}"
        return
    if not _said(value["style"]):
        yield "style is not a text"
    passages, questions = value["passages"], value["questions"]
    if not isinstance(passages, list) or not isinstance(questions, list) or not passages or not questions:
        yield "passages and questions must be lists with something in them"
        return
    for index, passage in enumerate(passages):
        if not _said(passage):
            yield f"passage {index} is empty or not a text"
    for question in questions:
        yield from question_problems(question, len(passages))
    if TRANSLATION in value:
        yield from translation_problems(value[TRANSLATION], {"passages": len(passages), "questions": len(questions)})


def translation_problems(english: object, sizes: Mapping[str, int]) -> Iterator[str]:
    if not isinstance(english, dict) or english.keys() != sizes.keys():
        yield f"{TRANSLATION} is not an object with exactly {', '.join(sizes)}"
        return
    for name, size in sizes.items():
        texts = english[name]
        if not isinstance(texts, list) or len(texts) != size or not all(map(_said, texts)):
            yield f"{TRANSLATION} must have a text for each of the {size} {name}"


def question_problems(question: object, passages: int) -> Iterator[str]:
    if not isinstance(question, dict) or set(question) != QUESTION_KEYS:
        yield f"a question needs exactly {', '.join(sorted(QUESTION_KEYS))}: {question}"
        return
    if not _said(question["q"]) or not _said(question["type"]):
        yield f"q or type is empty or not a text: {question}"
    positions = question["pos"]
    if not isinstance(positions, list) or not positions or not all(type(position) is int for position in positions):
        yield f"pos must be a list of passage numbers: {question['q']}"
    elif len(set(positions)) < len(positions):
        yield f"pos names a passage twice: {question['q']}"
    elif not all(0 <= position < passages for position in positions):
        yield f"pos {positions} beyond the {passages} passages: {question['q']}"


def _said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(place: str, value: object) -> Iterator[Text]:
    assert isinstance(value, dict)  # memory_problems has looked
    for passage in value["passages"]:
        yield Text(place, "passage", passage)
    for question in value["questions"]:
        yield Text(place, "question", question["q"])
    english = value.get(TRANSLATION, {"passages": [], "questions": []})
    for passage in english["passages"]:
        yield Text(place, "passage", passage)
    asked = {question["q"] for question in value["questions"]}  # an identifier is its own translation
    for question in english["questions"]:
        if question not in asked:
            yield Text(place, "question", question)


def repeated(texts: Iterable[Text]) -> Iterator[str]:
    """The same passage or the same question twice, whatever the spaces and capitals."""
    first: dict[tuple[str, str], str] = {}
    for place, kind, text in texts:
        key = (kind, " ".join(text.casefold().split()))
        if key in first:
            yield f"{place}: {kind} already in {first[key]}: {text}"
        first.setdefault(key, place)


# Against evaluation sets


def _copies(texts: list[Text], against: Sequence[Path], embedding: bool) -> Iterator[str]:
    ours = index(texts)
    asked: set[str] = set()
    told: set[Text] = set()
    for file in _evaluation_files(against):
        found = set(walk(_load(file)))
        strings = {string for _, string in found}
        questions = {string for key, string in found if key in ASKING}
        sys.stdout.write(f"{file.name}: compared with {len(strings)} texts, {len(questions)} of them questions\n")
        asked |= questions
        for text, gram in overlaps(ours, strings):
            if text not in told:
                told.add(text)
                yield f"{text.place}: {text.kind} shares “{_join(gram)}” with {file.name}: {text.text}"
    if embedding:
        yield from similar([text for text in texts if text.kind == "question"], sorted(asked))


def grams(text: str) -> Iterator[Gram]:
    """Every 13 words in a row; a text of 6 to 12 words is one gram."""
    tokens = TOKEN.findall(text.casefold())
    if SHORTEST <= len(tokens) < GRAM:
        return iter([tuple(tokens)])
    return zip(*(tokens[start:] for start in range(GRAM)), strict=False)


def index(texts: Iterable[Text]) -> dict[Gram, list[Text]]:
    by_gram: dict[Gram, list[Text]] = defaultdict(list)
    for text in texts:
        for gram in set(grams(text.text)):
            by_gram[gram].append(text)
    return dict(by_gram)


def overlaps(ours: dict[Gram, list[Text]], strings: Iterable[str]) -> Iterator[tuple[Text, Gram]]:
    for string in strings:
        if ours.keys().isdisjoint(grams(string)):
            continue
        for gram in grams(string):
            for text in ours.get(gram, ()):
                yield text, gram


def _join(gram: Gram) -> str:
    chinese = sum("\u3400" <= token <= "\u9fff" for token in gram)
    return ("" if chinese > len(gram) / 2 else " ").join(gram)


def _evaluation_files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        files = [path]
        if path.is_dir():
            files = [file for file in sorted(path.rglob("*")) if file.name.endswith(SUFFIXES)]
        if not files:
            raise ValueError(f"no {', '.join(SUFFIXES)} file in {path}")
        yield from files


def _load(file: Path) -> object:
    """A JSON file, or one of JSON lines; gzipped or not."""
    raw = file.read_bytes()
    text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode("utf-8")
    try:
        return json.loads(text)
    except ValueError:
        try:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise ValueError(f"{file.name} is neither JSON nor JSON lines: {error}") from error


def walk(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string inside, with the key it or its list stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from walk(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, key)


def similar(texts: Sequence[Text], asked: Sequence[str]) -> Iterator[str]:
    """Questions that mean what an evaluation question means."""
    if not asked:
        raise ValueError(f"--embedding found no question (under {', '.join(sorted(ASKING))}) in the evaluation sets")
    from recollect.embedders import load
    from recollect.text.chinese_to_english import translate_chinese

    embedder = load("granite")
    evaluation = embedder.embed([translate_chinese(question) for question in asked])
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        cosines = embedder.embed([translate_chinese(text.text) for text in batch]) @ evaluation.T
        for text, row in zip(batch, cosines, strict=True):
            nearest = int(row.argmax())
            if row[nearest] >= SIMILAR:
                yield f"{text.place}: question is {row[nearest]:.3f} to “{asked[nearest]}”: {text.text}"


if __name__ == "__main__":
    sys.exit(main())
