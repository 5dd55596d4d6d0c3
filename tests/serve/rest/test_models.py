"""What a server loads while it starts."""

from recollect import Recollect
from recollect.readers import recollect_reader
from recollect.serve.rest.models import Model


def test_the_first_question_does_not_wait_for_models(tmp_path):
    recollect_reader._encoder.cache_clear()
    with Recollect(tmp_path / "agent.db") as mind:
        key = mind.remember("The spare key is under the blue pot")
        model = Model(mind)
        model.load_in_background()
        model.join()
        assert model.state == "ready"
        assert recollect_reader._encoder.cache_info().currsize == 1
        assert not mind.recalls(key.id)  # nobody asked


def test_a_store_that_was_closed_meanwhile_is_no_error(tmp_path, caplog):
    mind = Recollect(tmp_path / "agent.db")
    model = Model(mind)
    mind.close()
    model.load_in_background()
    model.join()
    assert model.state in ("ready", "words only")
