"""A write does not tell one tenant what another has stored: vectors are shared within a tenant only."""

import pytest

from recollect import Recollect
from recollect.embedders import load

pytest_plugins = ["server_fixtures"]


class Counting:
    """The hashing embedder, with the texts it was asked for."""

    def __init__(self):
        self._inner = load("hashing")
        self.name, self.fingerprint, self.dim = self._inner.name, self._inner.fingerprint, self._inner.dim
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return self._inner.embed(texts)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    return str(tmp_path / "agent.db") if request.param == "sqlite" else request.getfixturevalue("database")


def test_a_text_of_another_tenant_is_embedded_again(url):
    counting = Counting()
    with Recollect(url, embedder=counting) as mind:
        mind.remember("the password is swordfish", namespace="acme/ada")
        counting.texts.clear()
        mind.remember("the password is swordfish", namespace="other/eve")
        assert counting.texts == ["the password is swordfish"]
        counting.texts.clear()
        mind.remember("the password is swordfish", namespace="acme/bob", dedup=False)
        assert counting.texts == []
        assert mind.check() == []


def test_one_call_for_several_tenants_embeds_a_text_once(url):
    counting = Counting()
    with Recollect(url, embedder=counting) as mind:
        mind.remember_many([{"text": "Ada sails", "namespace": name} for name in ("a", "b", "c")])
        assert counting.texts == ["Ada sails"]
        for name in ("a", "b", "c"):
            assert mind.recall("Ada sails", namespace=name, recipe="vector").hits[0].score > 0.99
        mind.purge(namespace="a", kinds=["fact"])
        assert mind.recall("Ada sails", namespace="b", recipe="vector").hits and mind.check() == []
