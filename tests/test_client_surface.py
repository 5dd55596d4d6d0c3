"""The façade three times: at hand, awaited, over HTTP. Same calls, same signatures."""

from inspect import getdoc, iscoroutinefunction, signature

from recollect import AsyncRecollect, Client, Recollect

AT_HAND_ONLY = {"acting", "close", "conversation"}
"""Not calls on a memory, and one that each has for itself."""
NOT_OVER_HTTP = {
    "backup",
    "brief",
    "calibrate",
    "chain",
    "check",
    "clear_calibration",
    "doctor",
    "export",
    "import_",
    "ingest_documents",
    "reembed",
    "retention",
    "set_retention",
}


def calls(kind):
    return {name for name, value in vars(kind).items() if not name.startswith("_") and callable(getattr(kind, name))}


FACADE = calls(Recollect) - AT_HAND_ONLY


def test_everything_can_be_awaited():
    assert calls(AsyncRecollect) == FACADE | {"close"}
    assert all(iscoroutinefunction(getattr(AsyncRecollect, name)) for name in calls(AsyncRecollect))


def test_everything_but_the_servers_own_business_goes_over_http():
    assert calls(Client) == FACADE - NOT_OVER_HTTP | {"close", "ask"}
    import recollect.client.client

    assert all(f"`{name}`" in recollect.client.client.__doc__ for name in NOT_OVER_HTTP)


def test_signatures_and_words_are_the_facades():
    for kind in (AsyncRecollect, Client):
        for name in calls(kind) & FACADE:
            theirs, ours = getattr(kind, name), getattr(Recollect, name)
            assert signature(theirs) == signature(ours) and getdoc(theirs) == getdoc(ours), f"{kind.__name__}.{name}"
    assert signature(AsyncRecollect) == signature(Recollect)
