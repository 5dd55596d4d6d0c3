"""Pickles that would run code, and files too large for the memory."""

import copyreg
import importlib
import json
import os
import pickle
import sqlite3
import subprocess
import tracemalloc

import pytest

from recollect.imports import import_from
from recollect.imports.run import _found

GOOD = (
    b"cqdrant_client.http.models.models\nPointStruct\n)\x81}(X\x02\0\0\0idX\x01\0\0\0aX\x07\0\0\0payload"
    b"}X\x04\0\0\0dataX\x11\0\0\0Ada lives in Oslosub."
)


class Runs:
    """A pickle that calls a function when it is loaded."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def qdrant(path, *blobs):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        db.executemany("INSERT INTO points VALUES (?, ?)", [(str(n), blob) for n, blob in enumerate(blobs)])
    return path


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (os.mkdir, ["MADE"]),
        (os.system, ["mkdir MADE"]),
        (eval, ["__import__('os').mkdir('MADE')"]),
        (exec, ["import os; os.mkdir('MADE')"]),
        (getattr, [str, "format"]),
        (importlib.import_module, ["qdrant_client.evil"]),
        (subprocess.Popen, [["mkdir", "MADE"]]),
        (copyreg._reconstructor, [object, object, None]),
    ],
)
def test_a_pickle_that_calls_a_function_is_not_run(mind, tmp_path, function, arguments):
    made = tmp_path / "made"
    given = [each.replace("MADE", str(made)) if isinstance(each, str) else each for each in arguments]
    done = import_from(mind, qdrant(tmp_path / "storage.sqlite", pickle.dumps(Runs(function, *given))))
    assert done.skipped == 1 and "is not allowed" in done.broken[0].why
    assert not made.exists() and not mind.list()


@pytest.mark.parametrize(
    "blob",
    [
        b"cqdrant_client.evil os\nsystem\n(S'true'\ntR.",  # a module whose name only begins like theirs
        b"cqdrant_client.http.models.models\nPointStruct.__init__.__globals__\n.",
        b"cqdrant_client.http.models.models\nPointStruct\n(S'x'\ntR.",  # called with arguments
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f",  # a frame without an end
        b"(" * 100_000,
        b"Pid\n.",
        b"\x82\x01.",
        b"",
        pickle.dumps({"payload": {"data": "not a point"}}),
    ],
)
def test_a_broken_or_hostile_pickle_is_listed_and_the_others_are_imported(mind, tmp_path, blob):
    done = import_from(mind, qdrant(tmp_path / "storage.sqlite", blob, GOOD))
    assert done.skipped == 1
    assert [memory.text for memory in mind.list()] == ["Ada lives in Oslo"]


def test_pages_of_results_are_all_read_whether_in_one_line_or_in_many(mind, tmp_path):
    pages = [{"results": [{"id": f"{page}-{n}", "memory": f"Fact {page}-{n}"} for n in range(3)]} for page in range(3)]
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(map(json.dumps, pages)), encoding="utf-8")
    assert import_from(mind, file).added == 9 and import_from(mind, file).added == 0
    file.write_text(json.dumps({"results": [{"id": "x", "memory": "Ada sails"}], "total": 1}, indent=2))
    done = import_from(mind, file)
    assert (done.added, done.skipped) == (1, 0)


def test_sessions_whose_rows_are_mixed_are_each_imported_whole(mind, tmp_path):
    said = [{"role": "user", "content": f"My boat {n} is red."} for n in range(6)]
    rows = [{"type": "user", "sessionId": f"s{n % 2}", "message": message} for n, message in enumerate(said)]
    shown = [{"type": "tool_result", "content": "x" * 1000}, {"type": "text", "text": "Noted."}]
    rows.append({"type": "assistant", "sessionId": "s1", "message": {"role": "assistant", "content": shown}})
    file = tmp_path / "code.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert import_from(mind, file).conversations == 2 and import_from(mind, file).added == 0
    turns = sorted(mind.list(session_id="s1", granularity="turn"), key=lambda memory: memory.turn)
    assert [turn.text for turn in turns] == ["My boat 1 is red.", "My boat 3 is red.", "My boat 5 is red.", "Noted."]


@pytest.mark.parametrize("shape", ["lines", "list", "results", "sessions"])
def test_a_large_file_is_read_in_little_memory(tmp_path, shape):
    """10 MB need less than 2 MB more than 1 MB does."""
    peaks = [_peak(_large(tmp_path / f"{size}.json", shape, size)) for size in (1, 10)]
    assert peaks[1] - peaks[0] < 2_000_000


def _large(path, shape, megabytes):
    wrapped = {"list": ("[", ",", "]"), "results": ('{"results": [', ",", "]}")}
    opening, between, closing = wrapped.get(shape, ("", "\n", "\n"))
    records = (json.dumps(_record(shape, number)) for number in range(megabytes * 500))
    path.write_text(opening + between.join(records) + closing, encoding="utf-8")
    return path


def _record(shape, number):
    text = f"{number} " + "word " * 400
    said = {"type": "user", "sessionId": f"s{number // 50}", "message": {"role": "user", "content": text}}
    return said if shape == "sessions" else {"id": number, "memory": text}


def _peak(path):
    tracemalloc.start()
    for _ in _found(path, "default", {}):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
