import stat
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest
from chat_server import answer, completion, said

from recollect.extractors.dead_letter_file import DeadLetterFile
from recollect.extractors.dead_letters import DeadLetter, DeadLetterList, backoff_seconds, retry
from recollect.extractors.limits import Limits
from recollect.ids import digest

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def letter(text="I live in Lyon.", speaker="Ada", at=NOW, asked=None, reason="no answer", attempts=4, last_tried=NOW):
    return DeadLetter(text, speaker, at, asked, reason, attempts, last_tried)


@pytest.fixture(params=["memory", "file"])
def letters(request, tmp_path):
    return DeadLetterList() if request.param == "memory" else DeadLetterFile(tmp_path / "dead.jsonl")


def test_letters_come_back_as_they_were_and_in_order(letters):
    given = [letter("a\nb \u2028 “é” 我住在里昂"), letter(speaker=None, at=None, asked="Where do you live?"), letter()]
    for each in given:
        letters.add(each)
    assert letters.all() == given


def test_a_passage_has_one_letter_the_latest(letters):
    letters.add(letter())
    letters.add(letter(attempts=8, reason="still no answer"))
    assert [each.attempts for each in letters.all()] == [8]


def test_the_same_words_of_somebody_else_or_another_day_are_another_letter(letters):
    for each in (letter(), letter(speaker="Bob"), letter(at=NOW + timedelta(days=1)), letter(asked="Where?")):
        letters.add(each)
    assert len(letters.all()) == 4


def test_a_settled_letter_is_gone_and_may_come_again(letters):
    letters.add(letter())
    letters.settle(letter().passage)
    assert letters.all() == []
    letters.add(letter())
    assert letters.all() == [letter()]


def test_a_purged_text_is_dropped_whether_it_was_said_or_asked(letters):
    for each in (letter("My PIN is 1234."), letter(asked="my pin  is 1234."), letter()):
        letters.add(each)
    assert letters.drop(digest("My PIN is 1234.")) == 2
    assert letters.all() == [letter()]
    assert letters.drop(digest("My PIN is 1234.")) == 0


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 1), (1, 2), (4, 16), (8, 256), (9, 300), (10_000, 300)])
def test_a_letter_is_due_after_2_to_the_n_seconds_at_most_five_minutes(attempts, seconds):
    assert backoff_seconds(attempts) == seconds
    assert letter(attempts=attempts).due_at == NOW + timedelta(seconds=seconds)


# The file


def test_the_file_keeps_no_trace_of_a_dropped_text_settled_or_torn(tmp_path):
    file = DeadLetterFile(tmp_path / "dead.jsonl")
    file.add(letter("My PIN is 1234."))
    file.settle(letter("My PIN is 1234.").passage)
    file.add(letter())
    with open(file.path, "ab") as end:
        end.write(b'{"text": "My PIN is 12')
    assert file.drop(digest("My PIN is 1234.")) == 0
    assert all(b"PIN" not in path.read_bytes() for path in tmp_path.iterdir())
    assert file.all() == [letter()]


def test_a_torn_line_costs_only_itself(tmp_path):
    file = DeadLetterFile(tmp_path / "dead.jsonl")
    file.add(letter("first"))
    with open(file.path, "ab") as end:
        end.write(b'{"text": "torn')
    file.add(letter("second"))
    assert [each.text for each in file.all()] == ["first", "second"]


@pytest.mark.parametrize("line", ["[]", "{}", '{"text": "x"}', "null", '{"settled": []}', "[" * 100_000, "\x00"])
def test_lines_of_somebody_else_are_passed_over(tmp_path, line):
    file = DeadLetterFile(tmp_path / "dead.jsonl")
    file.path.write_text(f"{line}\n")
    file.add(letter())
    assert file.all() == [letter()]


def test_a_file_that_is_not_there_is_an_empty_list(tmp_path):
    file = DeadLetterFile(tmp_path / "dead.jsonl")
    assert file.all() == [] and file.drop(digest("x")) == 0
    assert not file.path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such modes")
def test_the_file_is_for_its_owner_alone_also_after_a_drop(tmp_path):
    file = DeadLetterFile(tmp_path / "dead.jsonl")
    file.add(letter())
    file.drop(digest("x"))
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_threads_lose_no_letter_while_others_are_dropped(tmp_path):
    file = DeadLetterFile(tmp_path / "dead.jsonl")

    def write(who: int) -> None:
        for number in range(10):
            DeadLetterFile(file.path).add(letter(f"{who}/{number}"))
            DeadLetterFile(file.path).drop(digest("x"))

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(file.all()) == 40


# Retrying


def test_what_is_due_is_recovered_and_leaves_the_list(make, server, letters, clock):
    extractor = make(letters=letters, limits=Limits(tries=1))
    server.queued = [completion("nonsense")]
    extractor.extract("I live in Lyon.", speaker="Ada")
    clock.pass_seconds(2)
    done = retry(extractor, letters, at=clock.now)
    ((found,), dead) = done.recovered, done.dead
    assert [each.text for each in found.statements] == ["Ada lives in Lyon."]
    assert found.letter.speaker == "Ada"
    assert dead == () and letters.all() == []


def test_what_is_not_due_yet_is_left_alone(extractor, server, letters):
    letters.add(letter())
    done = retry(extractor, letters, at=NOW + timedelta(seconds=15.9))
    assert (done.recovered, done.dead) == ((), (letter(),))
    assert server.requests == []


def test_what_fails_again_waits_longer(extractor, server, letters):
    letters.add(letter(attempts=1))
    later = NOW + timedelta(minutes=1)
    server.queued = [answer(said(facets=["hobbies"]))]
    (dead,) = retry(extractor, letters, at=later).dead
    assert (dead.attempts, dead.last_tried, dead.due_at) == (2, later, later + timedelta(seconds=4))
    assert "unknown facet" in dead.reason
    assert letters.all() == [dead]


def test_a_server_that_is_still_down_is_not_asked_for_every_letter(make, server, letters):
    for number in range(5):
        letters.add(letter(f"I live in house {number}.", attempts=0))
    server.queued = [(503, {}, b"")]
    done = retry(make(limits=Limits(tries=1)), letters, at=NOW + timedelta(minutes=10))
    assert len(server.requests) == 1
    assert sorted(each.attempts for each in done.dead) == [0, 0, 0, 0, 1]


def test_retrying_stays_within_the_budget_and_keeps_what_it_could_not_ask(make, server, letters):
    letters.add(letter())
    done = retry(make(limits=Limits(budget_tokens=10)), letters, at=NOW + timedelta(minutes=10))
    assert done.dead == (letter(),)
    assert server.requests == []


def test_a_letter_leaves_the_list_only_once_its_statements_are_kept(extractor, letters):
    letters.add(letter())

    def fail(_) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        retry(extractor, letters, at=NOW + timedelta(minutes=10), keep=fail)
    assert letters.all() == [letter()]
    kept = []
    retry(extractor, letters, at=NOW + timedelta(minutes=10), keep=kept.append)
    assert [each.letter for each in kept] == [letter()]


def test_without_a_moment_now_is_meant(extractor, letters):
    letters.add(letter(last_tried=datetime.now(UTC)))
    assert retry(extractor, letters).recovered == ()
