"""What was said, without the wrapping."""

import pytest
from write.chat import AT, mind, turns

from recollect.write.conversations.strip import strip


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("I live in Porto.", "I live in Porto."),
        ('{"type": "message", "text": "I live in Porto."}', "I live in Porto."),
        ('{"content": "hello there", "id": 7}', "hello there"),
        ('{"a": 1}', '{"a": 1}'),
        ("{not json}", "{not json}"),
        ("{" * 5_000 + "}" * 5_000, "{" * 5_000 + "}" * 5_000),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000),
        ("<p>I live in <b>Porto</b> &amp; work there.</p>", "I live in Porto & work there."),
        ("<div><script>alert(1)</script>Hi</div>", "Hi"),
        ("What does <br> do?", "What does <br> do?"),
        ("Why is this red?\n```html\n<p><b>x</b></p>\n```", "Why is this red?\n```html\n<p><b>x</b></p>\n```"),
        ("HEARTBEAT_OK", ""),
        ("  ping ", ""),
        ("I ping the server every day", "I ping the server every day"),
        ("<system-reminder>Be nice.</system-reminder>I like tea.", "I like tea."),
        ('<memories note="recalled data">- old things</memories>\nI like tea.', "I like tea."),
        ("<tool_result>\n42\n</tool_result>", ""),
        ("<context>page <p>1</p></context>Summarise <b>it", "Summarise <b>it"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
    ],
)
def test_wrapping_goes_and_words_stay(given, left):
    assert " ".join(strip(given).split()) == " ".join(left.split())


def test_messages_of_tools_and_systems_are_left_out():
    noise = ("system", "developer", "tool", "function")
    said = [{"role": role, "content": "do not remember me"} for role in noise]
    with mind() as memories:
        done = memories.ingest([*said, {"role": "user", "content": "I like tea."}], session_id="s", at=AT)
        assert [turn.text for turn in turns(memories)] == ["I like tea."] and turns(memories)[0].turn == 0
        assert len(done.added) == 2


def test_of_a_list_of_parts_only_the_text_is_kept():
    parts = [
        {"type": "text", "text": "I like tea."},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "tool_use", "name": "search", "input": {"q": "tea"}},
        {"type": "tool_result", "content": "many teas"},
        "and coffee",
    ]
    with mind() as memories:
        memories.ingest([{"role": "user", "content": parts}], session_id="s", at=AT)
        assert turns(memories)[0].text == "I like tea.\nand coffee"


def test_a_message_of_wrapping_alone_is_no_turn():
    with mind() as memories:
        done = memories.ingest([{"role": "user", "content": "ping"}], session_id="s", at=AT)
        assert (done.added, done.unchanged) == ((), 0)
