"""Keys give access to their namespace until they expire or are revoked, and reveal nothing else."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from inspect_store import everything, python

from recollect import Recollect
from recollect.errors import InvalidInput, NotFound, Unauthorized, UnknownName
from recollect.serve.keys import Keys
from recollect.serve.scope import Caller, Scope

NOW = datetime.now(UTC)


@pytest.fixture
def keys(mind):
    return Keys(mind)


def test_a_token_names_its_caller(keys):
    key, token = keys.add("laptop", namespace="acme/x", role="write")
    scope = Scope(namespace="acme/x", role="write")
    assert keys.who(token, NOW) == Caller(name="key:laptop", scope=scope, trust="agent")
    assert token.startswith(f"rk_{key.id}_") and len(token) > 50


def test_a_trust_class_goes_with_the_key(keys):
    _, token = keys.add("me", namespace="acme", role="admin", trust="user")
    assert keys.who(token, NOW).trust == "user"


def test_the_store_never_holds_a_token(mind, path):
    _, token = Keys(mind).add("laptop", namespace="acme", role="read")
    assert token.split("_", 2)[2] not in repr(everything(path))


def test_every_refusal_reads_the_same(keys):
    _, good = keys.add("good", namespace="acme", role="read")
    _, expired = keys.add("expired", namespace="acme", role="read", expires_at=NOW - timedelta(seconds=1))
    _, revoked = keys.add("revoked", namespace="acme", role="read")
    keys.revoke("revoked")
    wrong = good[:-1] + ("A" if good[-1] != "A" else "B")
    unknown = "rk_" + "0" * 12 + "_" + "A" * 43
    strange = ["", "rk_", "x" * 10_000, "rk_\0_", good + "\n", good.upper(), f"rk_{'٠' * 12}_{'A' * 43}", "\ud800"]
    said = set()
    for token in [expired, revoked, wrong, unknown, *strange]:
        with pytest.raises(Unauthorized) as refused:
            keys.who(token, NOW)
        said.add(str(refused.value))
    assert len(said) == 1
    keys.who(good, NOW)


def test_a_key_expires_at_its_moment(keys):
    ends = NOW + timedelta(days=1)
    _, token = keys.add("short", namespace="acme", role="read", expires_at=ends.isoformat())
    keys.who(token, ends - timedelta(microseconds=1))
    with pytest.raises(Unauthorized):
        keys.who(token, ends)


def test_a_key_revoked_by_another_process_is_refused_at_once(mind, path):
    keys = Keys(mind)
    key, token = keys.add("laptop", namespace="acme", role="read")
    keys.who(token, NOW)
    script = (
        "import sys; from recollect import Recollect; from recollect.serve.keys import Keys; "
        "Keys(Recollect(sys.argv[1], embedder='hashing')).revoke(sys.argv[2])"
    )
    python(script, path, key.id)
    with pytest.raises(Unauthorized):
        keys.who(token, NOW)


def test_a_key_made_by_another_process_is_accepted(mind, path):
    with Recollect(path, embedder="hashing") as other:
        _, token = Keys(other).add("laptop", namespace="acme", role="read")
    assert Keys(mind).who(token, NOW).name == "key:laptop"


def test_keys_are_listed_oldest_first_without_their_hashes(keys):
    keys.add("one", namespace="acme", role="read")
    keys.add("two", namespace="acme/x", role="admin", expires_at="2030-01-01")
    keys.revoke("one")
    first, second = keys.list()
    assert (first.name, second.name) == ("one", "two")
    assert first.revoked_at is not None and second.revoked_at is None
    assert second.to_dict()["expires_at"] == "2030-01-01T00:00:00Z"
    assert "sha256" not in json.dumps([key.to_dict() for key in keys.list()])


def test_only_one_valid_key_has_a_name(keys):
    keys.add("laptop", namespace="acme", role="read")
    with pytest.raises(InvalidInput, match="laptop"):
        keys.add("laptop", namespace="acme", role="read")
    keys.revoke("laptop")
    again, token = keys.add("laptop", namespace="acme", role="read")
    assert keys.revoke("laptop").id == again.id
    with pytest.raises(Unauthorized):
        keys.who(token, NOW)


def test_revoking_twice_keeps_the_first_moment(keys):
    key, _ = keys.add("laptop", namespace="acme", role="read")
    assert keys.revoke(key.id) == keys.revoke(key.id)


def test_an_unknown_key_can_not_be_revoked(keys):
    with pytest.raises(NotFound, match="keys list"):
        keys.revoke("nobody")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"role": "owner"}, UnknownName),
        ({"namespace": "acme//x"}, InvalidInput),
        ({"namespace": ""}, InvalidInput),
        ({"name": ""}, InvalidInput),
        ({"name": "two\nlines"}, InvalidInput),
        ({"name": "x" * 65}, InvalidInput),
        ({"expires_at": "soon"}, InvalidInput),
        ({"trust": ""}, InvalidInput),
    ],
)
def test_a_key_with_invalid_fields_is_refused(keys, wrong, error):
    with pytest.raises(error):
        keys.add(**{"name": "n", "namespace": "acme", "role": "read", **wrong})
    assert keys.list() == []


def test_no_two_tokens_are_alike(keys):
    tokens = {keys.add(f"key {n}", namespace="acme", role="read")[1] for n in range(50)}
    assert len({token[16:] for token in tokens}) == 50
