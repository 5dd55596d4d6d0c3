"""All tables of the paper in their order, after what differs from the paper."""

from __future__ import annotations

from ..data import Dataset
from ..html_page import Part, Table
from . import latency, longmemeval, profiles, published, rejection, scenarios
from .paper import Paper

EMBEDDER_TOKENS = {"granite": 512, "recollect-30m": 512}
"""How much of a text the built-in models read."""


def tables(paper: Paper) -> list[Part]:
    """Tables 3 to 13 and figure 2. What the data do not allow has only its printed numbers."""
    talks: tuple[Dataset | None, ...] = paper.talks or (None,)
    measured: list[Part] = [scenarios.table_3(paper), scenarios.table_4(paper)]
    for talk in talks:
        measured += longmemeval.tables(paper, talk)
    for talk in talks:
        measured += latency.parts(paper, talk)
    measured += [scenarios.table_9(paper), rejection.table_10(paper), *rejection.table_11(paper)]
    measured += [profiles.table_12(), profiles.table_13(paper.recipe)]
    return [differences(paper), *measured]


def differences(paper: Paper) -> Table:
    rows = [
        ("embedder", published.EMBEDDER, _embedder(paper)),
        ("rejection threshold", f"{published.TAU:g}, fitted to its embedder", _tau(paper)),
        ("miss threshold", "not printed", f"{paper.strict:g}: the tables fit 0.10 above tau"),
        ("hits per question", "not printed", f"{published.LIMIT}: the printed MRR fits a list of five"),
        ("f_sem", "“from RRF score”, its scale is not printed", "the RRF score divided by the best candidate's"),
        ("candidates", "n for each path, not printed", "3 × limit; cosines below 0.3 are left out (its code)"),
        (
            "keyword search",
            "FTS5, unicode61; how words are joined and ordered is not printed",
            "all content words of the question, by BM25; a run of Chinese characters is one word of unicode61",
        ),
        ("scenarios", "two in Chinese, not published; 25 + 18 questions", _scenarios(paper)),
        ("LongMemEval", "500 questions of 19,195 sessions in one store", _talks(paper)),
        ("facts", "220,349, made from whole sessions by DeepSeek-Chat", _facts(paper)),
        (
            "vector index",
            "DiskANN, approximate",
            "exact up to 65,536 vectors, then sign bits first",
        ),
        ("table 11", "24 of the 43 queries; their texts are not published", "all queries of our scenarios"),
        ("latency", "Rust; its machine is not named", "Python, this machine, one process: compare the ratios"),
        *_unused(paper),
    ]
    return Table(title="What differs from the paper", head=("what", "the paper", "here"), rows=tuple(rows))


def _embedder(paper: Paper) -> str:
    embedder = paper.lab.plan.embedder
    most = EMBEDDER_TOKENS.get(embedder.name)
    reads = f", reads the first {most} tokens of a record" if most else ""
    return f"{embedder.name}, {embedder.dim:,} dimensions{reads}"


def _tau(paper: Paper) -> str:
    if paper.tau == published.TAU:
        return f"{paper.tau:g}, not fitted to {paper.lab.plan.embedder.name} (--tau sets another)"
    return f"{paper.tau:g}, set with --tau"


def _scenarios(paper: Paper) -> str:
    each = [f"{d.name} with {len(d.questions)}" for d in paper.scenarios.datasets]
    return f"our own: {', '.join(each)} questions" if each else "none"


def _talks(paper: Paper) -> str:
    return "; ".join(map(_talk, paper.talks)) or "no file was named with --data: tables 5 to 7 are not measured"


def _talk(talk: Dataset) -> str:
    sessions = len({session.id for haystack in talk.haystacks for session in haystack.sessions})
    answerable = sum(question.answerable for question in talk.questions)
    asked = f"{len(talk.questions)} questions ({answerable} without `_abs`)"
    return f"{talk.name}: {asked} of {sessions:,} sessions in one store"


def _facts(paper: Paper) -> str:
    found = []
    for talk in paper.talks:
        facts = paper.facts[talk.digest]
        count = sum(len(facts.of(s)) for s in {s.id: s for h in talk.haystacks for s in h.sessions}.values())
        found.append(f"{count:,}, {_made_by(facts.extractor.name, facts.passages_by_rules)}")
    return "; ".join(found) or "not measured"


def _made_by(extractor: str, by_rules: int) -> str:
    if extractor == "rules":
        return "made from the user's messages by rules, no LLM (--extractor names a model)"
    failed = f"; the model failed for {by_rules} passages, which rules read" if by_rules else ""
    return f"made from whole sessions by {extractor}{failed}"


def _unused(paper: Paper) -> list[tuple[str, str, str]]:
    names = [d.name for d in paper.lab.datasets if d.form not in ("longmemeval", "scenario")]
    return [("data that is not used", "", f"{', '.join(names)}: the paper has no such set")] if names else []
