"""Text of JSON, changed in one place."""

import json

from hypothesis import given
from hypothesis import strategies as st

from recollect.serve.mcp.settings import json_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=5), values, max_size=4)
indents = st.sampled_from([None, 0, 2, 4, "\t"])


@given(objects, st.dictionaries(st.text(max_size=5), values, max_size=3) | st.none(), indents, values)
def test_a_member_goes_in_and_out_of_any_object(data, section, indent, value):
    data = data if section is None else {**data, "servers": section}
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    path = ("servers", "ours")
    if not isinstance(data.get("servers", {}), dict):
        return
    within = json_text.put(text, path, value)
    assert json.loads(within) == json_text.loads(within) == json_text.merged(data, path, value)
    without = json.loads(json_text.drop(within, path))
    expected = {**data.get("servers", {})}
    expected.pop("ours", None)
    assert without == {**data, "servers": expected}


@given(objects, indents)
def test_what_it_reads_is_what_json_reads(data, indent):
    text = json.dumps(data, indent=indent)
    assert json_text.loads(text) == data
    assert json_text.loads(f"// a\n{text}/* b\n */\n") == data


def test_comments_stay_with_their_lines():
    text = '{\n  "s": {\n    "a": 1, // one\n    "b": 2 // two\n    // end\n  }\n}\n'
    assert json_text.put(text, ("s", "c"), 3) == (
        '{\n  "s": {\n    "a": 1, // one\n    "b": 2, // two\n    // end\n    "c": 3\n  }\n}\n'
    )


def test_a_member_in_the_middle_leaves_no_gap():
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
    assert json_text.drop(text, ("b",)) == '{\n  "a": 1,\n  "c": 3\n}\n'
    assert json_text.drop(text, ("c",)) == '{\n  "a": 1,\n  "b": 2\n}\n'
