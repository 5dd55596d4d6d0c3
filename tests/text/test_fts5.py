"""The tokenizers of FTS5: the same tokens as a real FTS5 table has."""

import random

import apsw
import pytest

from recollect.text.fts5 import query_terms, stems, tokens

ODD = (
    "PgBouncer's pool_mode=transaction; don't, can't, it's 10,000.50 € at 9:30pm",
    "Café ÅNGSTRÖM naïve Straße ﬁne Øresund Łódź İstanbul ǅ ß",
    "婆婆对花生过敏，做菜不要放花生酱 日本語のテキスト 한국어 ไทย",
    "emoji 😀x👩‍👩‍👧 ☕️ flags 🇵🇹 a\u200db c\u00add",
    "camelCase HTTPServer2 E0427 v2.3.1 /v2/exports user@example.com --dry-run C++ C#",
    "running runs ran runner relational conditional generalizations oscillators sky skies agreed",
    "العربية עִבְרִית Ελληνικά Кириллица हिन्दी",
    "x² ½ Ⅻ ① 10⁶ ٣ 七",
    "tabs\tand\nnewlines\r\n_under__scores_ ...dots... 'quotes' \"double\"",
)


def odd_texts(count):
    chosen = random.Random(20)
    parts = [word for text in ODD for word in text.split()] + [chr(n) for n in range(0xA0, 0x24F)]
    parts += [chr(chosen.choice(range(0x250, 0x1F9FF))) for _ in range(3000)]
    usable = [part for part in parts if not any(0xD800 <= ord(c) <= 0xDFFF for c in part)]
    glue = (" ", "", "-", "_", ".", "，")
    return [*ODD, *(chosen.choice(glue).join(chosen.choices(usable, k=chosen.randint(1, 12))) for _ in range(count))]


@pytest.mark.parametrize("tokenizer", ["porter unicode61", "unicode61"])
def test_tokens_are_those_of_an_fts5_table(tokenizer):
    db = apsw.Connection(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE f USING fts5 (body, tokenize = '{tokenizer}')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (f, instance)")
    texts = odd_texts(4000)
    db.executemany("INSERT INTO f (rowid, body) VALUES (?, ?)", list(enumerate(texts)))
    found = [[] for _ in texts]
    for term, row, _, _ in db.execute("SELECT term, doc, col, offset FROM v ORDER BY doc, offset"):
        found[row].append(term)
    assert [tokens(text, tokenizer) for text in texts] == found


def test_a_token_that_is_split_again_stays_the_same_for_every_character():
    """So the stems of all tokens can be found by splitting them once more."""
    for n in range(0x110000):
        if not 0xD800 <= n <= 0xDFFF:
            found = tokens(f"a{chr(n)}b {chr(n)}", "unicode61")
            assert tokens(" ".join(found), "unicode61") == found


def test_stems_are_the_tokens_of_porter():
    words = sorted({token for text in odd_texts(500) for token in tokens(text, "unicode61")})
    assert stems(words) == [tokens(word, "porter unicode61")[0] for word in words]


def test_a_question_keeps_stop_words_apart():
    found = query_terms("what is the PgBouncer's pool_mode", "porter unicode61")
    assert found.content == ("pgbouncer", "pool", "mode")
    assert set(found.stop) == {"what", "is", "the", "s"}


@pytest.mark.parametrize("tokenizer", ["unicode61", "porter unicode61"])
def test_a_word_is_no_stop_word_because_its_stem_is_one(tokenizer):
    """ "Owns" stems to "own" and "uses" to "us"."""
    found = query_terms("who owns what our team uses", tokenizer)
    assert len(found.content) == 3 and len(found.stop) == 3
