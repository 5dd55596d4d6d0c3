"""A store that is in a language which its embedder does not read."""

import warnings

import pytest

from recollect import Recollect
from recollect.keep import languages as noticing
from recollect.text.languages import language, languages

SPANISH = [
    "Me he mudado a un piso más pequeño cerca del mercado",
    "La alergia de mi hermana es a los cacahuetes, no a las almendras",
    "El coche está en el taller hasta el jueves",
    "Mi jefa se llama Pilar y no le gustan las reuniones largas",
    "Tengo cita con el dentista en la calle Mayor",
]
ENGLISH = [f"The meeting about project {n} is on the second floor and it starts at nine" for n in range(40)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SPANISH[0], "Spanish"),
        ("Ich habe heute den Schlüssel bei der Nachbarin gelassen", "German"),
        ("J'ai rendez-vous chez le médecin avec ma fille", "French"),
        ("Oggi ho mangiato con mia sorella e non era male", "Italian"),
        ("Hoje eu tenho uma reunião com minha chefe", "Portuguese"),
        ("Собака живёт в саду", "Russian"),
        ("犬は庭に住んでいます", "Japanese"),
        ("小狗住在花园里", "Chinese"),
        ("The dog lives in the garden", "English"),
        ("As a rule I do no harm to a team", "English"),
        ("ok", None),
        ("E0427 pool_mode=transaction", None),
        ("", None),
    ],
)
def test_a_text_tells_its_language(text, expected):
    assert language(text) == expected


def test_languages_are_counted_the_commonest_first():
    assert list(languages([*SPANISH, *ENGLISH, "42"])) == ["English", "Spanish"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.db"


def test_a_spanish_store_changes_to_the_embedder_that_reads_spanish(path):
    with Recollect(path) as mind:
        for text in SPANISH:
            mind.remember(text)
        assert mind.embedder.name == "recollect-multilingual"
        assert mind.stats().without_vector == 0
        assert "mudado" in mind.recall("where do I live now?", limit=1, recipe="vector").hits[0].memory.text
    with Recollect(path) as again:
        assert again.embedder.name == "recollect-multilingual"
        assert "taller" in again.recall("¿qué le pasa al automóvil?", limit=1, recipe="vector").hits[0].memory.text


def test_a_spanish_conversation_is_embedded_with_it_from_the_start(path):
    with Recollect(path) as mind:
        mind.ingest([{"role": "user", "content": text} for text in SPANISH])
        assert mind.embedder.name == "recollect-multilingual"
        assert mind.stats().without_vector == 0


def test_a_mixed_store_changes_too(path):
    with Recollect(path) as mind:
        mind.remember_many({"text": text} for text in [*ENGLISH[:20], *SPANISH])
        assert mind.embedder.name == "recollect-multilingual"


def test_an_english_store_keeps_its_embedder_and_is_looked_at_no_more(path):
    with Recollect(path) as mind:
        for start in range(0, 120, 40):
            mind.remember_many([{"text": f"{text}, {start}"} for text in ENGLISH])
        mind.remember_many([{"text": text} for text in SPANISH])
        assert mind.embedder.name == "recollect-30m"
        assert mind._embedders.settled


def test_an_embedder_that_somebody_chose_is_never_changed(path):
    with Recollect(path, embedder="recollect-30m") as mind:
        mind.remember_many([{"text": text} for text in SPANISH])
        assert mind.embedder.name == "recollect-30m"


def test_without_the_package_it_says_once_what_to_install(path, monkeypatch):
    monkeypatch.setattr(noticing, "is_installed", lambda: False)
    with Recollect(path) as mind:
        with pytest.warns(noticing.UnreadLanguage, match=r"Spanish.*pip install .*\[multilingual\]'.*reembed"):
            mind.remember_many([{"text": text} for text in SPANISH])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mind.remember(SPANISH[0] + " y otra cosa")
    with Recollect(path) as again, warnings.catch_warnings():
        warnings.simplefilter("error")
        again.remember("El perro duerme en la cocina de la casa")
        assert again.embedder.name == "recollect-30m"
