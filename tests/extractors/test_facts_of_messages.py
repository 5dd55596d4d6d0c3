"""A message is cut into facts only where each half can be understood alone."""

import json
from pathlib import Path

import pytest

from recollect.extractors.rules import extract

MESSAGES = [
    json.loads(line) for line in Path(__file__).with_name("facts_of_messages.jsonl").read_text("utf-8").splitlines()
]


def bare(texts):
    return [text.strip(" .!。") for text in texts]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message["text"])
def test_a_message_gives_the_facts_a_reader_would_write_down(message):
    assert bare(fact.text for fact in extract(message["text"])) == bare(message["facts"])


def test_quoted_mail_and_speech_is_not_what_the_speaker_states():
    assert [fact.text for fact in extract("> I live in Paris now.\nI live in Leeds.")] == ["I live in Leeds."]
    assert extract("Marta wrote: “Hello! I moved to Porto. I love it here.”") == []


def test_a_short_quotation_stays_in_its_sentence():
    (fact,) = extract('My daughter said "I want a drum" and we laughed.')
    assert fact.text == 'My daughter said "I want a drum" and we laughed.'
