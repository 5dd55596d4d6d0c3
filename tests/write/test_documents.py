"""Files become chunks; only what changed is read again."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_store import everything, texts
from write.chat import mind

from recollect.errors import InvalidInput
from recollect.text.tokens import estimate_tokens
from recollect.write.documents.chunk import CHUNK_TOKENS, OVERLAP_TOKENS, chunks

NOTE = """# Kitchen
We renovated it in May.

## Appliances
The oven is a Miele H 7164.

```
# not a heading
```
## Colours
The walls are sage green.
"""


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened


def lines_of(text, chunk):
    return "\n".join(text.split("\n")[chunk.first_line - 1 : chunk.last_line]).strip()


# Chunks -------------------------------------------------------------------------------------------


def test_headings_stand_above_their_section():
    found = [(chunk.headings, chunk.first_line, chunk.last_line) for chunk in chunks(NOTE)]
    assert found == [
        (("Kitchen",), 1, 3),
        (("Kitchen", "Appliances"), 4, 9),
        (("Kitchen", "Colours"), 10, 12),
    ]


@given(
    st.lists(
        st.one_of(st.text(alphabet="ab c#\t`é中", max_size=60), st.sampled_from(["", "# h", "## i", "word " * 500])),
        max_size=120,
    ).map("\n".join)
)
def test_chunks_are_small_and_say_rightly_where_they_come_from(text):
    found = chunks(text)
    for chunk in found:
        assert estimate_tokens(chunk.text) <= CHUNK_TOKENS and chunk.text.strip()
        assert chunk.text in lines_of(text, chunk)
    covered = {n for chunk in found for n in range(chunk.first_line, chunk.last_line + 1)}
    assert all(n in covered for n, line in enumerate(text.split("\n"), start=1) if line.strip())


def test_neighbouring_chunks_overlap():
    text = "\n".join(f"Line {n} says something about the harbour and its boats." for n in range(200))
    found = chunks(text)
    assert len(found) > 5
    for one, other in zip(found, found[1:], strict=False):
        shared = range(other.first_line, one.last_line + 1)
        assert len(shared) and sum(len(text.split("\n")[n - 1]) for n in shared) <= OVERLAP_TOKENS * 4


def test_a_form_feed_is_no_line_of_its_own():
    (chunk,) = chunks("one\x0ctwo\u2028three\nfour\r\nfive")
    assert (chunk.first_line, chunk.last_line) == (1, 3)


# Files --------------------------------------------------------------------------------------------


def test_a_file_is_found_by_its_words_and_knows_its_lines(memories, tmp_path):
    (tmp_path / "house.md").write_text(NOTE)
    done = memories.ingest_documents(tmp_path / "house.md")
    assert done.chunks == 3 and done.read == (str(tmp_path / "house.md"),)
    memory = memories.recall("what colour are the walls?").hits[0].memory
    assert memory.gist == "Kitchen › Colours" and memory.metadata["lines"] == [10, 12]
    assert (memory.granularity, memory.kind, memory.source) == ("chunk", "document", str(tmp_path / "house.md"))


def test_an_unchanged_file_is_passed_over(tmp_path):
    path = tmp_path / "agent.db"
    (tmp_path / "house.md").write_text(NOTE)
    with mind(path) as memories:
        memories.ingest_documents(tmp_path / "house.md")
        before = everything(path)
        os.utime(tmp_path / "house.md", (1, 1))
        done = memories.ingest_documents([tmp_path / "house.md"])
        assert (done.read, done.unchanged, done.chunks) == ((), (str(tmp_path / "house.md"),), 0)
        assert everything(path) == before


def test_of_a_changed_file_only_the_changed_chunks_are_replaced(memories, tmp_path):
    file = tmp_path / "house.md"
    file.write_text(NOTE)
    memories.ingest_documents(file)
    kept = memories.recall("oven").hits[0].memory.id
    file.write_text("An introduction.\n\n" + NOTE.replace("sage green", "pale blue"))
    done = memories.ingest_documents(file)
    assert (done.chunks, done.replaced) == (2, 1)
    assert memories.get(kept).status == "active" and memories.get(kept).metadata["lines"] == [6, 11]
    assert "sage green" not in " ".join(texts(memories.list(granularity="chunk")))
    assert memories.ingest_documents(file).unchanged


def test_the_same_file_by_another_way_is_the_same_file(memories, tmp_path, monkeypatch):
    (tmp_path / "house.md").write_text(NOTE)
    memories.ingest_documents(tmp_path / "house.md")
    monkeypatch.chdir(tmp_path)
    assert memories.ingest_documents("house.md").unchanged


def test_a_file_with_a_date_in_its_name_is_of_that_day_and_others_have_none(memories, tmp_path):
    (tmp_path / "2024-03-05 meeting.md").write_text("We chose the blue logo.")
    (tmp_path / "2024-13-45.md").write_text("No such day.")
    (tmp_path / "guide.md").write_text("Press the green button to start the pump.")
    memories.ingest_documents(tmp_path)
    by_file = {memory.metadata["file"]: memory.occurred_at for memory in memories.list()}
    assert by_file.pop("2024-03-05 meeting.md").isoformat() == "2024-03-05T00:00:00+00:00"
    assert set(by_file.values()) == {None}


def test_undated_files_never_decay_in_memweave(memories, tmp_path):
    (tmp_path / "guide.md").write_text("Press the green button to start the pump.")
    memories.ingest_documents(tmp_path)
    now, later = (
        memories.recall("green button to start the pump", recipe="memweave", at=at, track=False).hits[0].score
        for at in ("2026-12-01", "2036-12-01")
    )
    assert now == later
    memories.tend(at="2036-12-01", force=True)
    (chunk,) = memories.list()
    assert (chunk.strength, chunk.tier) == (1.0, "searchable")


def test_a_folder_is_read_with_all_below_it_but_nothing_hidden(memories, tmp_path):
    for name in ("a.md", "sub/b.txt", "sub/deeper/c.markdown", "sub/d.py", ".git/e.md", "sub/.obsidian/f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"The text of {name}.")
    memories.ingest_documents(tmp_path)
    assert {memory.metadata["file"] for memory in memories.list()} == {"a.md", "b.txt", "c.markdown"}


def test_what_holds_no_text_is_skipped_with_the_reason(memories, tmp_path, monkeypatch):
    monkeypatch.setattr("recollect.write.documents.ingest.MOST_BYTES", 1_000_000)
    given = {
        "empty.md": b"",
        "blank.md": b" \n\t\n",
        "latin.md": "grün".encode("latin-1"),
        "binary.txt": b"abc\0def",
        "huge.txt": b"x" * 1_000_001,
        "fine.md": b"\xef\xbb\xbfThis one is fine.",
    }
    for name, content in given.items():
        (tmp_path / name).write_bytes(content)
    done = memories.ingest_documents(tmp_path)
    reasons = {os.path.basename(line.split(": ")[0]): line.split(": ")[1] for line in done.skipped}
    assert reasons == {
        "empty.md": "empty",
        "blank.md": "empty",
        "latin.md": "not UTF-8 text",
        "binary.txt": "binary",
        "huge.txt": "larger than 1 MB",
    }
    assert texts(memories.list()) == ["This one is fine."]


def test_a_file_that_is_not_there_is_said_so(memories, tmp_path):
    with pytest.raises(InvalidInput, match="not there"):
        memories.ingest_documents(tmp_path / "missing.md")
