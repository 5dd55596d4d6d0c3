"""A conversation of thirty turns, written for these tests. pytest does not collect this."""

from recollect import Recollect

AT = "2026-03-02T09:00:00Z"

CHAT = [
    {"role": role, "content": content}
    for role, content in zip(
        ("user", "assistant") * 15,
        (
            "Hi! I'm planning a week in Portugal in May and would like some help with the route.",
            "That sounds like a lovely trip. May is warm without being crowded, and the jacarandas are in "
            "bloom. A week is "
            "enough for Lisbon, Sintra and Porto if you take the train between them. Would you rather see cities, or "
            "spend a few days on the coast as well?",
            "Mostly cities. My sister Clara lives in Porto, so I want to spend at least three days there.",
            "Then I would start in Lisbon for two nights, take a day trip to Sintra, and go north by train on "
            "the third "
            "day. The Alfa Pendular takes just under three hours from Oriente to Campanhã. That leaves four "
            "nights in "
            "Porto, with one day for the Douro valley if you like wine.",
            "I don't drink alcohol. What else could I do on that day?",
            "There is plenty. Guimarães is an hour away and has a castle and a medieval centre. Braga has the "
            "stairway of "
            "Bom Jesus, which you can climb or take the old water-powered funicular. The beach at Matosinhos is "
            "at the "
            "end of a metro line and is known for grilled fish.",
            "Guimarães sounds great. I prefer trains to buses because I get sick on winding roads.",
            "Good to know: there is a direct urban train from São Bento to Guimarães about once an hour, and it "
            "takes "
            "seventy minutes. You can buy an Andante card at the machine and load the return trip on it. No bus is "
            "needed anywhere on this route.",
            "How much should I budget per day?",
            "For a comfortable trip I would plan about 120 euros a day for two people: 80 for a room in a small "
            "guesthouse, 30 for food and 10 for transport and tickets. Lisbon is a little more expensive than Porto. "
            "Museums are often free on Sunday mornings for residents, but not for visitors.",
            "Ok, thanks.",
            "You're welcome! Shall I put the days into a list that you can print?",
            "Yes please, with the trains.",
            "Day 1 and 2: Lisbon, with Alfama and Belém. Day 3: morning train to Sintra, back in the evening. Day 4: "
            "Alfa Pendular to Porto at nine. Day 5: Ribeira and Serralves. Day 6: Guimarães by the urban train. "
            "Day 7: "
            "Matosinhos and the flight home in the evening.",
            "I work at a hospital, so I can't book before my shifts are published on 15 March.",
            "That is fine: the train tickets go on sale sixty days ahead, and the cheap Promo fares rarely sell "
            "out in "
            "the first two weeks. You could set a reminder for the sixteenth and book everything in one evening.",
            "Can you tell me something about Serralves?",
            "Serralves is a foundation with a museum of contemporary art by Álvaro Siza, a pink art deco villa, "
            "and a "
            "park of eighteen hectares with a treetop walk. Plan three hours. The number 203 bus stops at the "
            "gate, or "
            "you walk for twenty-five minutes from Casa da Música.",
            "We saw a Siza building in Berlin last year and loved it.",
            "Bonjour Tristesse in Kreuzberg, perhaps? It was his first building abroad. In Porto you can also "
            "see the "
            "Boa Nova tea house and the tidal pools at Leça da Palmeira, both designed by him in the early "
            "sixties and "
            "both a short metro ride away.",
            "My favourite colour is green, so a park is perfect anyway.",
            "Then you will like the Jardins do Palácio de Cristal as well: peacocks, lime trees and a terrace "
            "over the "
            "river. Go in the late afternoon, when the light comes up the valley from the sea.",
            "What do people eat there that has no meat?",
            "Caldo verde without the sausage, grilled peppers, bean stews, and every café has a vegetable soup "
            "of the "
            "day. In Porto there are several vegetarian lunch places around Rua Miguel Bombarda. For something "
            "sweet, "
            "try a pastel de nata or the almond cakes.",
            "I am allergic to almonds.",
            "Then please skip the cakes with amêndoa on the label, and ask about marzipan in pastries from the "
            "Algarve. "
            "Pastéis de nata normally contain only egg, milk, sugar and flour, but kitchens differ, so do ask.",
            "Good. Which phrase should I learn?",
            "Tenho alergia a amêndoas means I have an allergy to almonds. Write it on a card as well; people take it "
            "seriously and will tell you what is safe.",
            "Great, that is all for now.",
            "Have a wonderful trip, and give my regards to Clara. Come back when your shifts are out and we can book "
            "the trains together.",
        ),
        strict=True,
    )
]


def mind(path=":memory:", **settings):
    return Recollect(path, **{"embedder": "hashing", "actor": "tester", **settings})


def turns(store, **filters):
    """The turns in order."""
    return sorted(store.list(granularity="turn", **filters), key=lambda memory: memory.turn)


def facts(store, **filters):
    return sorted(store.list(granularity="fact", **filters), key=lambda memory: (memory.turn, memory.id))


class Counting:
    """An embedder that notes what it is given."""

    name, dim = "counting", 64
    fingerprint = "counting-1"

    def __init__(self, fingerprint="counting-1"):
        self.fingerprint = fingerprint
        self.texts = []

    def embed(self, texts):
        import numpy as np

        self.texts += texts
        rows = [np.random.default_rng(sum(text.encode()) * 31 + len(text)).normal(size=64) for text in texts]
        made = np.array(rows, np.float32).reshape(len(texts), 64)
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
