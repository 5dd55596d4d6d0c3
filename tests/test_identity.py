"""Ids and digests."""

import uuid
from concurrent.futures import ThreadPoolExecutor

from recollect.ids import digest, new_id


def test_ids_are_uuid7_unique_and_rise_in_the_order_of_making():
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(set(made))
    parsed = [uuid.UUID(id) for id in made]
    assert {id.version for id in parsed} == {7} and {id.variant for id in parsed} == {uuid.RFC_4122}


def test_ids_made_in_several_threads_are_all_different():
    with ThreadPoolExecutor(4) as pool:
        made = [id for ids in pool.map(lambda _: [new_id() for _ in range(2_000)], range(4)) for id in ids]
    assert len(set(made)) == len(made)


def test_case_spacing_and_unicode_form_do_not_change_a_digest():
    assert digest("Ada  prefers\nCAFÉ ") == digest("ada prefers cafe\u0301")
    assert digest("Straße") == digest("STRASSE")
    assert digest("ﬁne １２") == digest("fine 12")
    assert digest("ada prefers tea") != digest("ada prefers teas")
