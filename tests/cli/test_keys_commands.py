"""keys add, list and revoke."""

from datetime import UTC, datetime

import pytest

from recollect import Recollect
from recollect.errors import Unauthorized
from recollect.serve.keys import Keys


def who(shell, token):
    with Recollect(shell.db, embedder="hashing") as mind:
        return Keys(mind).who(token, datetime.now(UTC))


def test_a_new_key_is_printed_alone_and_opens_its_namespace(shell):
    result = shell("keys", "add", "laptop", "--namespace", "acme/ada", "--role", "read")
    caller = who(shell, result.stdout.strip())
    assert (caller.name, caller.scope.namespace, caller.scope.role) == ("key:laptop", "acme/ada", "read")
    assert "can't be shown again" in result.stderr


def test_a_key_has_the_default_namespace_and_may_write(shell):
    made = shell.json("keys", "add", "laptop")
    assert (made["namespace"], made["role"], made["trust"]) == ("default", "write", "agent")
    assert who(shell, made["token"]).trust == "agent"


def test_keys_are_listed_with_their_state_and_without_their_secrets(shell):
    shell.done("keys", "add", "one", "--namespace", "acme")
    token = shell.json("keys", "add", "two", "--namespace", "acme/x", "--expires-at", "2020-01-01")["token"]
    shell.done("keys", "add", "three", "--namespace", "other", "--expires-at", "2999-01-01")
    shell.done("keys", "revoke", "one")
    listed = shell.done("keys", "list")
    assert [line.split()[1] for line in listed.splitlines()] == ["one", "two", "three"]
    assert "revoked" in listed and "expired 2020-01-01" in listed and "until 2999-01-01" in listed
    assert token.split("_", 2)[2] not in shell.done("keys", "list", "--json")
    assert [key["name"] for key in shell.json("keys", "list", "--namespace", "acme")] == ["one", "two"]
    assert shell.done("keys") == listed


def test_a_revoked_key_opens_nothing(shell):
    made = shell.json("keys", "add", "laptop")
    assert shell.json("keys", "revoke", made["id"])["revoked_at"] is not None
    with pytest.raises(Unauthorized):
        who(shell, made["token"])


def test_what_can_not_be_is_refused_in_one_line(shell):
    shell.done("keys", "add", "laptop")
    assert "laptop" in shell.refused(2, "keys", "add", "laptop")
    assert "role" in shell.refused(2, "keys", "add", "other", "--role", "owner")
    assert "nobody" in shell.refused(1, "keys", "revoke", "nobody")


def test_without_a_key_the_list_says_how_to_make_one(shell, add):
    add("Tea is at four")
    assert "keys add" in shell("keys", "list").stderr
