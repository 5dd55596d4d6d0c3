"""Running it twice is like once: ingest, tend, decay, consolidate."""

from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_store import everything
from write.chat import CHAT, mind

PLACES = ["Porto", "Lyon", "Oslo"]
SENTENCES = st.one_of(
    st.sampled_from([message["content"] for message in CHAT]),
    st.builds("I live in {}.".format, st.sampled_from(PLACES)),
    st.builds("My {} is {}.".format, st.sampled_from(["dog", "cat"]), st.sampled_from(["Rex", "Tom", "4 years old"])),
    st.sampled_from(["ok", "ping", "Remember that I like tea very much.", "I really like tea a lot.", "我喜欢喝茶。"]),
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "Ada", "tool"]), "content": SENTENCES}),
    min_size=1,
    max_size=10,
)
DAYS = st.sampled_from(["2026-01-10", "2026-02-10", "2026-03-10"])
GRANULARITIES = st.sampled_from(["hybrid", "turn", "fact", "round", "session"])
CONVERSATIONS = st.lists(st.tuples(MESSAGES, DAYS, GRANULARITIES), min_size=1, max_size=4)


@given(CONVERSATIONS)
@settings(max_examples=40, deadline=None)
def test_a_second_time_changes_nothing(tmp_path_factory, conversations):
    path = tmp_path_factory.mktemp("twice") / "agent.db"
    with mind(path) as memories:

        def take_in():
            for n, (messages, at, how) in enumerate(conversations):
                memories.ingest(messages, session_id=f"s{n}", at=at, granularity=how)

        take_in()
        before = everything(path)
        take_in()
        assert everything(path) == before
        for tending in (
            lambda: memories.decay(at="2027-01-01"),
            lambda: memories.consolidate(at="2027-01-01"),
            lambda: memories.tend(at="2027-01-01"),
        ):
            tending()
            before = everything(path)
            tending()
            assert everything(path) == before
        take_in()
        assert everything(path) == before
        assert memories.check() == []
