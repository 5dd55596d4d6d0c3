"""The vectors of a memory are always those that its text, its conversation and its links give."""

from hypothesis import HealthCheck, given, settings
from lived import live, steps

from recollect import Recollect
from recollect.embedders.optional import OptionalEmbedder
from recollect.store.copying import pages
from recollect.write.build.embed import embed
from recollect.write.build.views import views_of


def stored(mind):
    held = [put for batch in pages(mind.store) for put in batch.puts]
    return {put.memory.id: {name: made.hash for name, made in (put.vectors or {}).items()} for put in held}


def derived(mind):
    held = [put.memory for batch in pages(mind.store) for put in batch.puts]
    wanted = zip([memory.tenant for memory in held], views_of(mind.store, held), strict=True)
    made = embed(mind.store, OptionalEmbedder(mind.embedder), list(wanted))
    return {
        memory.id: {name: each.hash for name, each in views.items()} for memory, views in zip(held, made, strict=True)
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_whatever_happens_the_stored_views_are_those_that_would_be_made_again(steps):
    with Recollect(":memory:", embedder="hashing") as mind:
        live(mind, steps)
        assert stored(mind) == derived(mind)
