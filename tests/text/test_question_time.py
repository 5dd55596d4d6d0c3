"""What time a question asks for."""

import pytest

from recollect.text.question_time import asks_when

DATES = [
    "When was my interview?",
    "when's the goat show?",
    "What day did I take the test in the end?",
    "On which date did the AGM happen?",
    "and what time is the dentist",
    "How long ago did we move?",
    "Wann war mein MRT?",
    "Am wievielten war die Prüfung?",
    "Quand est-ce que Malo est revenu ?",
    "À quelle heure est le match ?",
    "¿Cuándo firmamos la venta?",
    "¿A qué hora es la cita?",
    "我的面试是什么时候？",
    "手术是哪天做的",
]
OTHERS = [
    "When was it originally planned?",
    "What date were we first given?",
    "Which day was it before they moved it?",
    "Wann war die Prüfung ursprünglich?",
    "Quand était-ce prévu ?",
    "原定什么时候开业？",
    "What did I wear when I met Ben?",
    "Where did I live when the roof leaked?",
    "Which dayboat did we rent?",
    "What timer do I use?",
    "",
]


@pytest.mark.parametrize("question", DATES)
def test_a_question_for_a_date_or_time(question):
    assert asks_when(question)


@pytest.mark.parametrize("question", OTHERS)
def test_a_question_for_a_first_plan_or_something_else_is_none_for_a_date(question):
    assert not asks_when(question)
