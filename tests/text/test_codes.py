"""What is a code in a question, and where the same code is written in another way."""

import pytest

from recollect.text.codes import code_term, find_codes, same_code


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("what is FERRY-E208?", ("FERRY-E208",)),
        ("what does ERR_4032 mean?", ("ERR_4032",)),
        ("who owns OPS-17 and OPS-18?", ("OPS-17", "OPS-18")),
        ("what changed in v2.3.1?", ("v2.3.1",)),
        ("is version 2.4 stable?", ("2.4",)),
        ("where is order 48213?", ("48213",)),
        ("where is order number #48213?", ("48213",)),
        ("did they pay invoice 2210-17?", ("2210-17",)),
        ("who closed issue #87?", ("87",)),
        ("whose plate is KX21 ZPB?", ("KX21 ZPB",)),
        ("the car with AB-123-CD?", ("AB-123-CD",)),
        ("who drives M-KL 4821?", ("M-KL 4821",)),
        ("who has the number 0171 555 0199?", ("0171 555 0199",)),
        ("who is +49 171 5550199?", ("+49 171 5550199",)),
        ("what is on 192.168.1.14?", ("192.168.1.14",)),
        ("which commit broke it, 7f3a9c2?", ("7f3a9c2",)),
        ("what is ferry-e208?", ("ferry-e208",)),
        ("错误E4032是什么?", ("E4032",)),
        ("订单48213到了吗?", ("48213",)),
        ("what is ＦＥＲＲＹ-Ｅ２０８?", ("FERRY-E208",)),
    ],
)
def test_codes_are_found_as_written(question, codes):
    assert find_codes(question) == codes


@pytest.mark.parametrize(
    "question",
    [
        "what do I do at 18:30?",
        "what did I plan for 7.15 pm?",
        "what happened in 2025?",
        "where was I in 2019-2021, in the 1990s or mid-2003?",
        "did I eat 2 kg of plums?",
        "who earned 3.5 million?",
        "what is on 12/05, or on 2026-05-12, or 12.05.2026?",
        "did I pay $1,299.99, 4500 EUR or 12,500 yen?",
        "who runs 10-12 km in 50-60 minutes?",
        "which 300-page book and which 64GB laptop?",
        "did the shop open 24/7, with a 9-5 desk?",
        "when did I have COVID-19?",
        "what does my A4 printer or my MP3 player need?",
        "who stayed in room 214 on the 3rd floor?",
        "which bus, the 42?",
        "did the FY2024 and Q3-2024 reports come?",
        "is the screen 1920x1080?",
        "did 150-1200 people come?",
        "what is at https://example.org/a/48213?",
        "what did ada27@example.org write?",
        "is it among the top-100 of 1000000?",
        "order 2 coffees, and in order 2025 comes first?",
    ],
)
def test_times_dates_prices_years_and_quantities_are_no_codes(question):
    assert find_codes(question) == ()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("FERRY-E208", "the app says ferry e208 again"),
        ("FERRY-E208", "Ferry_E208: the ramp"),
        ("FERRY-E208", "it shows E208, on the ferry"),
        ("OPS-17", "ops 17 is done"),
        ("INC-4821", "incident 4821 is closed"),
        ("v2.4", "version 2.4 is out"),
        ("2.4", "V2.4.1 is out"),
        ("48213", "ORDER-48213 came"),
        ("KX21 ZPB", "the plate is kx21zpb"),
        ("0171 555 0199", "call me: +49 171 / 5550199"),
        ("+49 171 5550199", "0171-5550199"),
        ("RTX4090", "I bought a 4090"),
    ],
)
def test_the_same_code_may_be_written_in_another_way(code, text):
    assert same_code(code).search(text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("FERRY-E208", "FERRY-E209, APP-E208X and FERRY-E2081"),
        ("ERR_4032", "ERR_4031, ERR_40321"),
        ("v2.3.1", "v2.3.2 and v12.3.1"),
        ("48213", "order 48231 and 148213"),
        ("KX21 ZPB", "KX21 ZPD"),
        ("0171 555 0199", "0171 555 0198"),
        ("OPS-17", "OPS-18, DEVOPS-17, OPS-170"),
    ],
)
def test_a_code_that_differs_in_one_character_is_another(code, text):
    assert not same_code(code).search(text)


def test_the_term_of_a_code_is_the_whole_code():
    assert (code_term("FERRY-E208"), code_term("48213"), code_term("v2.4")) == ("ferry-e208", "48213", "v2.4")
    assert code_term("0171 555 0199") is code_term("KX21 ZPB") is None
