"""Whom is a short statement about, and does the question mean that one?"""

import pytest

from recollect.text.whose import means_other, owner


@pytest.mark.parametrize(
    ("statement", "whom"),
    [
        ("My rent is 910 euros.", "i"),
        ("My manager is Ruth.", "manager"),
        ("My wife's manager is Gerald.", "wife"),
        ("The neighbours' dog is called Rufus.", "neighbours"),
        ("My brother wears size 46 shoes.", "brother"),
        ("Ursula told me she takes her tea with three sugars.", "ursula"),
        ("It's my turn.", None),
        ("Ada: I live in Porto", None),  # who speaks
        ("Anna and I live in Fulda now.", None),
        ("The cellar light is broken.", None),
        ("Owen is my manager.", None),
        ("", None),
    ],
)
def test_whom_a_statement_is_about(statement, whom):
    assert owner(statement) == whom


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        ("My manager is Ruth.", "My wife's manager is Gerald.", "Who is my manager?"),
        ("My daughter's teacher is Mr. Roux.", "My teacher is Ms. Bell.", "Who is my daughter's teacher?"),
        ("I wear size 43 shoes.", "My brother wears size 46 shoes.", "What's my shoe size?"),
        ("Nora's laptop is a ThinkPad.", "My laptop is a MacBook.", "What laptop does Nora have?"),
        ("My favourite film is Amelie.", "Lukas said his favourite film is Alien.", "What's my favourite film?"),
        ("Piotr teaches Clara guitar.", "Clara teaches Piotr Polish.", "What does Piotr teach Clara?"),
        ("I lent Sofia 30 euros.", "Sofia lent me 50 euros.", "How much did I lend Sofia?"),
    ],
)
def test_the_question_means_the_first_and_not_the_second(own, other, question):
    assert means_other(own, other, question)
    assert not means_other(other, own, question)


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        ("My manager is Ruth.", "My manager is Gerald.", "Who is my manager?"),
        ("My manager is Ruth.", "My wife's manager is Gerald.", "Who is Gerald?"),
        ("My manager is Ruth.", "My wife likes tea.", "Who is my manager?"),  # nothing in common
        ("I live in Kassel.", "Anna and I live in Fulda now.", "Where do I live?"),
        ("My daughter plays handball.", "Mia plays volleyball.", "What does my daughter Mia play?"),
        ("My manager is Priya.", "Owen is my manager now.", "Who is my manager?"),
        ("Our CEO is Ann Duval.", "Ann stepped down, Stefan Brandt took over as CEO.", "Who is our CEO?"),
        ("I do the dishes every evening.", "My husband does the dishes now.", "Do I do the dishes?"),
        ("I cook every evening.", "My daughter cooks every evening.", "Who cooks for us every evening?"),
        ("Yuki ordered the udon.", "I gave Yuki the ramen.", "What did Yuki get, the udon or the ramen?"),
        ("Ben owes me 40 euros.", "I owe Ben 15 euros.", "Who owes whom?"),
        ("Anna works with Jan.", "Jan works with Anna.", "Where do Anna and Jan work?"),
    ],
)
def test_not_sure(own, other, question):
    assert not means_other(own, other, question)
    assert not means_other(other, own, question)
